"""The paper's V-RLM for own data: record and label leave apart, with λε and (1 − λ)ε.

rules.py         settings and λ by ε, known in advance
columns.py       what a record's numbers are: pixels, or numbers and categories
training.py      the encoder: by the ELBO, or under central DP
method.py        a fitted one: how rows leave, what reports tell
reports.py       reports as they arrive, and whether they look like the public rows
classifier.py    what the collector learns
rehearsal.py     simulated collections on public rows
"""
