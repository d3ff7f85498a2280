"""What learns, whoever uses it: the one loop, rows dealt into batches, and the device they run on."""
