"""Words that the pages about one record share. No numbers that no run printed."""

from __future__ import annotations

STRIP = (
    "The same record at six budgets. This is a teaching view: **each picture is a release of its own**, and whoever "
    "gets all of them knows more than from any single one. Their budgets add up in the ledger. A budget that you have "
    "already used shows the report that was sent then, and costs nothing more."
)

INFERENCE = (
    "An observer who knows the mechanism and many public records with their labels, asks for each of them: "
    "how likely would it have sent this report? Bayes’ rule turns that into a belief."
)

INFERENCE_LIMITS = (
    "The limits of this view: the prior is public data, and you may not be like it; the true label is the one you "
    "chose; another observer may know more about you already. The e^ε limit holds for every observer and every prior."
)

LEDGER = (
    "Every report about the same record adds up: *n* reports of ε cost *n*·ε together, because noise averages out. "
    "Looking at a report again costs nothing; only drawing a new one does."
)

DOWNLOAD = (
    "The report is all that a collector would receive. The decoded record and the summary are computed from it alone, "
    "so they are as private as the report. Your record is in none of them."
)
