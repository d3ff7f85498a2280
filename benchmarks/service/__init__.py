"""Campaigns under load and kill -9, and the coverage of their intervals: `python -m benchmarks service`."""
