"""What the image and the row page share: the two sides, what arrives at the collector, and what it makes of it."""
