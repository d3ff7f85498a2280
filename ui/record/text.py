"""Words that the pages about one record share. No numbers that no run printed."""

from __future__ import annotations

DOWNLOAD = (
    "The report is all that a collector would receive. The decoded record and the summary are computed from it alone, "
    "so they are as private as the report. Your record is in none of them."
)
TAKE_HOME = (
    "Your side of the page as a file for each way to send. It runs from your disk, can connect to nothing, and makes a "
    "report as text. Whether you send that, and to whom, is up to you."
)
