"""The ledger beside one file of reports: which rows were charged how much, written before anything is drawn."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rlm_core.owner.budget import Ledger, Release


@dataclass(kw_only=True)
class LedgerFile(Ledger):
    """A ledger whose one entry is a new file. If it cannot be written, nothing is drawn.

    The input is named by its SHA-256: who releases the same file again, to another place, can find it.
    """

    path: Path
    input: Path

    def spend(self, release: Release) -> None:
        """Enter the release, and write it."""
        super().spend(release)
        content = {"input": self.input.name, "sha256": self._checksum()} | asdict(release)
        with self.path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    def _checksum(self) -> str | None:
        """None for a folder of pictures."""
        return hashlib.sha256(self.input.read_bytes()).hexdigest() if self.input.is_file() else None
