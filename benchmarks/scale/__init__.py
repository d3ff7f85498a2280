"""Bulk work, measured: throughput, memory, two workers against one, kill -9, tallies."""
