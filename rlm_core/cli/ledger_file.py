"""The ledger beside one file of reports: which rows were charged how much, written before anything is drawn."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rlm_core.owner.budget import Ledger, Release

ENTRY = "charge.json"


@dataclass(kw_only=True)
class LedgerFile(Ledger):
    """A ledger whose one entry is a new file, in a folder of the owner. If it cannot be written, nothing is drawn.

    The input is named by a keyed digest of its bytes, with the folder's key (``bulk/ledger.py``): who has the folder
    can find out whether a file was released, and nobody else can try guesses of a row.
    """

    path: Path
    input: Path

    def spend(self, release: Release) -> None:
        """Enter the release, and write it."""
        from rlm_core.bulk.ledger import LedgerFolder

        super().spend(release)
        ledger = LedgerFolder(str(self.path))
        ledger.begin()
        content = {"input": self.input.name, "content": self._digest(ledger.key)} | asdict(release)
        if not ledger.folder.create(ENTRY, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()):
            raise ValueError(f"Expected a new ledger, got {self.path.name!r}, which has an entry.")

    def _digest(self, key: bytes) -> str | None:
        """HMAC-SHA-256 of the file; None for a folder of pictures."""
        return hmac.new(key, self.input.read_bytes(), hashlib.sha256).hexdigest() if self.input.is_file() else None
