"""Measurements that back the figures we state; ``python -m benchmarks --help`` lists them."""
