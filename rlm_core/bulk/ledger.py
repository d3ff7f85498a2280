"""The owner's side of a folder of reports: key, charges, claims, and what was published, in a folder of its own.

Whoever knows all rows of a block but one can try every value of that one against a digest of the block. So no plain
digest of people's bytes, and no name of their file, is in what the collector gets: names are keyed digests
(HMAC-SHA-256), and the key is here. Whoever has this folder can test such guesses: it stays with the owner.

    key                       32 bytes of the system's random source, as hexadecimal digits
    job.json                  what the reports are of, which ledger this is, and which folder of reports it serves;
                              beside the reports lies the same file
    charges/<place>.json      a block, its keyed digest, its part, and what each of its rows has spent
    charges/<place>.published is there once the part was
    drawn/<part>              a draw, from before it is published until it is
    contents/<digest>.json    under which path these bytes were charged

On local files it is readable by its owner alone: 0700, also if the folder was there before, its files 0600. A bucket's
rights are set by whoever owns it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rlm_core.bulk.store import Folder
from rlm_core.digest import canonical_json

JOB, KEY, CHARGES, CONTENTS, DRAWN = "job.json", "key", "charges", "contents", "drawn"
KEY_BYTES = 32
_OWN_PLACES = ("file", "local", "memory")
_NAME = 32  # hexadecimal digits of a name: 128 bits
_OLD = ("ledger", "contents")  # version 1.0.0 kept them among the reports


@dataclass(frozen=True, kw_only=True)
class Charge:
    """One entry of the ledger: every row of a block has spent ε, once. ``content`` is a keyed digest."""

    input: str
    block: int
    rows: int
    content: str
    mechanism: str
    digest: str
    epsilon_x: float
    epsilon_y: float
    part: str

    @property
    def name(self) -> str:
        """Of this block, its content and this release of it."""
        return self.part.removesuffix(".parquet")


def beside(out: str) -> str:
    """Where the ledger of some reports lies, unless the owner says another place.

    >>> beside("/shared/reports/"), beside("reports.parquet")
    ('/shared/reports.ledger', 'reports.parquet.ledger')
    """
    if "://" in out and out.split("://", 1)[0] not in _OWN_PLACES:
        raise ValueError(
            f"Expected --ledger for {out!r}: beside it the ledger and its key would lie in the bucket that the "
            "collector reads. Choose a place that only you can read, and that all workers reach."
        )
    return f"{out.rstrip('/')}.ledger"


def check_apart(ledger: str) -> None:
    """Raise if this ledger would lie in a folder of reports, which others get."""
    for folder in Path(os.path.realpath(ledger)).parents:
        about = folder / JOB
        if about.is_file() and not (folder / KEY).exists() and b'"block_rows"' in about.read_bytes():
            raise ValueError(
                f"Expected a ledger outside folders of reports, got {ledger!r}: {str(folder)!r} holds reports, which "
                "others get. Say --ledger with another place."
            )


class LedgerFolder:
    """A ledger's files, on any fsspec path that all workers reach."""

    def __init__(self, path: str) -> None:
        self.folder = Folder(path, private=True)
        self._key: bytes | None = None

    @property
    def is_begun(self) -> bool:
        """Whether it has a key."""
        return self.folder.exists(KEY)

    def begin(self) -> None:
        """Make the key, unless there is one: of several who begin at once, one makes it for all."""
        self.folder.protect()
        self.folder.create(KEY, f"{os.urandom(KEY_BYTES).hex()}\n".encode())

    def sweep(self) -> int:
        """Delete what workers that died have left in it; how many."""
        return self.folder.sweep(CHARGES, CONTENTS, DRAWN)

    @property
    def key(self) -> bytes:
        """The secret; read once."""
        if self._key is None:
            text = self.folder.read(KEY).decode("ascii", errors="replace").strip()
            if len(text) != 2 * KEY_BYTES or set(text) - set("0123456789abcdef"):
                raise ValueError(f"Expected a key of {KEY_BYTES} bytes in {self.folder.at(KEY)!r}, got something else.")
            self._key = bytes.fromhex(text)
        return self._key

    def name(self, purpose: str, value: Any) -> str:
        """A name that tells nothing without the key: 32 hexadecimal digits. Each purpose has names of its own."""
        text = f"{purpose}\n{canonical_json(value)}"
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()[:_NAME]

    def entry(self, charge: Charge) -> str:
        """The file for this place of the input, whatever is there."""
        return f"{CHARGES}/{self.name('place', [charge.input, charge.block])}.json"

    def published(self, charge: Charge) -> str:
        """Is there once the part was."""
        return self.entry(charge).replace(".json", ".published")

    def charge(self, charge: Charge) -> bool:
        """Enter a block unless it is there; raise if its rows were charged elsewhere, or if others were here."""
        place = {"input": charge.input, "block": charge.block}
        claim = f"{CONTENTS}/{charge.content}.json"
        if not self.folder.create(claim, (json.dumps(place) + "\n").encode()):
            before = json.loads(self.folder.read(claim))
            if before != place:
                raise ValueError(
                    f"Expected rows that were not charged yet in block {charge.block} of {charge.input}: its bytes are "
                    f"those of block {before['block']} of {before['input']}, which was charged. A moved or copied file "
                    "holds the same people: put it back, leave it out, or use a new folder, which charges them again."
                )
        if self.folder.create(self.entry(charge), (json.dumps(asdict(charge)) + "\n").encode()):
            return True
        self.check_unchanged(charge)
        return False

    def check_unchanged(self, charge: Charge) -> None:
        """Raise unless this block was charged as it is now."""
        before = Charge(**json.loads(self.folder.read(self.entry(charge))))
        if before != charge:
            raise ValueError(
                f"Expected block {charge.block} of {charge.input} as it was charged (content {before.content[:12]}…), "
                f"got {charge.content[:12]}…: the file has changed. A new folder charges its rows again."
            )

    def is_published(self, charge: Charge) -> bool:
        """Whether its part was there, be it there or not."""
        return self.folder.exists(self.published(charge))

    def mark(self, charge: Charge) -> None:
        """Its part is there."""
        self.folder.create(self.published(charge), b"")

    def keep(self, charge: Charge, part: bytes) -> bool:
        """Keep a draw until it is published, unless one is kept; True if it is this one."""
        return self.folder.create(f"{DRAWN}/{charge.part}", part)

    def kept(self, charge: Charge) -> bytes | None:
        """The draw that is kept, if one is."""
        try:
            return self.folder.read(f"{DRAWN}/{charge.part}")
        except FileNotFoundError:
            return None

    def forget(self, charge: Charge) -> None:
        """The part is there, and marked: its draw need not be kept."""
        self.folder.remove(f"{DRAWN}/{charge.part}")

    def charges(self) -> list[Charge]:
        """Every entry."""
        names = [name for name in self.folder.names(CHARGES) if name.endswith(".json")]
        return [Charge(**json.loads(self.folder.read(f"{CHARGES}/{name}"))) for name in names]


def open_ledger(out: Folder, ledger: LedgerFolder) -> None:
    """Make the ledger of some reports ready; raise if reports are there that it knows nothing of.

    The order matters where several begin at once: a key is made before any file of the reports is.
    """
    if out.holds(ledger.folder) or ledger.folder.holds(out):
        raise ValueError(
            f"Expected a ledger outside the reports' folder {out.path!r}, which others get, and reports outside it, "
            f"got {ledger.folder.path!r}."
        )
    if ledger.folder.local:
        check_apart(ledger.folder.path)
    old = [name for name in _OLD if out.names(name)]
    if old:
        raise ValueError(
            f"Expected a new folder for --out, got {out.path!r} as version 1.0.0 wrote it, with {old[0]!r} among the "
            "reports. It is not continued: a new folder is a new release, which charges every row in it again. "
            "`rlm learn` still reads it. Before others get it, take away ledger/ and contents/ and rename its parts: "
            "their names are digests of people's rows."
        )
    reports = out.exists(JOB) or any(name.endswith(".parquet") for name in out.names())
    if reports and not ledger.is_begun:
        raise ValueError(
            f"Expected a new folder for --out, or one with its ledger, got reports in {out.path!r} and no ledger in "
            f"{ledger.folder.path!r}. Say --ledger if it lies elsewhere. Without it nothing tells whose rows were "
            "charged: a new folder charges them again."
        )
    others = ledger.folder.contents()
    if others and not ledger.is_begun:  # asked in this order: of several who begin at once, each makes the key first
        raise ValueError(
            f"Expected a ledger, or a new or empty folder for it, got {ledger.folder.path!r}, which holds "
            f"{others[0]!r} and no key. Say --ledger with another place."
        )
    ledger.folder.protect()
    for place in (ledger.folder, out):
        place.check()
    ledger.begin()
