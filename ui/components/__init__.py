"""Own browser components: the drawing canvas and the live digit. No code from another host."""
