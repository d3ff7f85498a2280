"""Your own data: fit on public rows, privatise people's rows, learn from their reports.

plan.py        which kind of report, and how many numbers or codes: rules in ε, n and K, known in advance
encoder.py     from an encoded row to a few numbers, or to scores of codes: one linear layer
method.py      a fitted kind: how rows leave (the owner's side) and what reports tell (the collector's)
labels.py      class names to numbers
estimator.py   LocalPrivatiser, with scikit-learn's manners
folder.py      a folder with a card, checksummed
honesty.py     when to warn
"""

from rlm_core.privatiser.estimator import LocalPrivatiser
from rlm_core.privatiser.honesty import UtilityWarning
from rlm_core.privatiser.plan import KINDS, Plan, choose_plan

__all__ = ["KINDS", "LocalPrivatiser", "Plan", "UtilityWarning", "choose_plan"]
