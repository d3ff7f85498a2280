"""The ledger of what this server has released in a visit: tables from CSV files, which are privatised here."""

from __future__ import annotations

from dataclasses import dataclass, field

from rlm_core import Ledger
from ui.kit.kept import session_value


@dataclass
class _Session:
    ledger: Ledger = field(default_factory=Ledger)


def ledger() -> Ledger:
    """What this session has released."""
    return session_value("releases", _Session).ledger
