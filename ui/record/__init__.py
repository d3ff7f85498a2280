"""What the image and the row page share: the pipeline of one record, its ledger, and what can be inferred from it."""
