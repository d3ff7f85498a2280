"""Words that the pages about one record share. No numbers that no run printed."""

from __future__ import annotations

DOWNLOAD = (
    "The report is all that a collector would receive. The decoded record and the summary are computed from it alone, "
    "so they are as private as the report. Your record is in none of them."
)
