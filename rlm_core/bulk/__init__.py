"""Millions of people's rows to reports: blocks of files, on one process, several, or a cluster.

blocks.py   which blocks there are: rows of parquet and npy files, on any fsspec path
source.py   a block's rows as records of a mechanism: own folders and shipped ones, pictures and tables
store.py    create if absent: how a charge and a part become visible, once
parts.py    reports as Arrow columns: the schema of a part
ledger.py   the owner's side: the key of all names, charges and claims, apart from the reports
job.py      one block: check, charge, draw, publish; what the ledger says of all of them
engine.py   where tasks run: this process, local processes, or a Dask cluster

Exactly one report for each record, however often a worker dies: see ``job.py``.
"""
