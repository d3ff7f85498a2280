"""One block to one part: check, charge, draw, publish.

A record that is drawn twice has spent twice, if both draws are seen. Workers die and tasks run again, so

1. *check*: read and encode the block. Nothing is drawn; a bad row is an error and costs nobody anything;
2. *charge*: create its file in the ledger if it is absent. A block is charged once, however often it runs;
3. *draw*: the release path, all rows of the block. The ledger keeps the first draw; whoever comes second deletes its
   own unread, and goes on with that one;
4. *publish*: create the part from it if the part is absent, mark the block as published, and only then let the draw go.

So a part is one draw of one charged block: every record has one report or, until the block is done, none. A charge
may precede its draw by a crash: it then stands for the draw that the next run makes. A crash between part and mark
makes the next run publish the same draw again, also if somebody has taken the part away.

The name of a part is a keyed digest of input path, block number, content, mechanism and ε: one name for one draw, which
tells nothing without the key. The key lies in the ledger, apart from the reports (``ledger.py``). An input that changed
after it was charged is an error, not a second report; so is a part that was published and is gone, and so is a block
that was charged under another path: a file that was moved or copied holds the same people.

One ledger serves one folder of reports: two folders would each publish a draw of one charge. The folder has a random
name in its ``job.json``, and the ledger has that name.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import Any

from rlm_core.bulk.blocks import Block
from rlm_core.bulk.ledger import JOB, Charge, LedgerFolder, beside, open_ledger
from rlm_core.bulk.parts import part_bytes
from rlm_core.bulk.source import Source, load_source
from rlm_core.bulk.store import Folder
from rlm_core.digest import mechanism_digest
from rlm_core.owner.budget import Ledger, Release
from rlm_core.release import release_rows


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is done with every block: small, and pickled to every worker.

    ``model``, ``label`` and ``lam`` as :func:`load_source` has them; ``out``, for the collector, and ``ledger``, which
    stays with the owner, are folders on any fsspec path that all workers reach.
    """

    model: str
    epsilon: float
    out: str
    block_rows: int
    label: str | None = None
    lam: float | None = None
    ledger: str | None = None

    @property
    def ledger_path(self) -> str:
        """Beside the reports unless the owner chose a place."""
        return beside(self.out) if self.ledger is None else self.ledger

    @property
    def source(self) -> Source:
        """Loaded once in a process."""
        return load_source(self.model, self.epsilon, self.label, self.lam)

    def start(self) -> None:
        """Write down what these two folders are for; raise if they are for something else."""
        source, folder, ledger = self.source, Folder(self.out), LedgerFolder(self.ledger_path)
        open_ledger(folder, ledger)
        about = _epsilons(source) | {"digest": _digest(source), "block_rows": self.block_rows}
        about["ledger"] = ledger.name("ledger", "")  # tells which one, not what is in it
        about["label"] = ledger.name("label", self.label or "")  # and which column, not its name
        if ledger.folder.exists(JOB) and not folder.exists(JOB):  # the folder's is written before the ledger's
            raise _another_folder(ledger, folder)
        here = _agree(folder, about | {"reports": os.urandom(16).hex()})
        there = _agree(ledger.folder, here)
        if not here.get("reports") or here["reports"] != there.get("reports"):
            raise _another_folder(ledger, folder)


@dataclass(frozen=True, kw_only=True)
class Done:
    """What became of a block in one run of it."""

    part: str
    rows: int
    charged: bool
    published: bool
    seconds: float


def run_block(job: Job, block: Block, *, quotes: bool = True) -> Done:
    """Make the part of a block, if it is not there. ``quotes``: an error may quote a row (:meth:`Source.encode`)."""
    start = time.perf_counter()
    source, folder, ledger = job.source, Folder(job.out), LedgerFolder(job.ledger_path)
    charge = charge_of(block, source, ledger)
    was_published = ledger.is_published(charge)  # asked first: the part is created before it
    if folder.exists(charge.part):
        ledger.mark(charge)
        ledger.forget(charge)
        return _done(charge, start, charged=False, published=False)
    if was_published:
        ledger.check_unchanged(charge)
        raise ValueError(
            f"Expected the part {charge.part} in {job.out!r}: it was published and is gone. "
            "To draw it again is a second release of these rows: use a new folder, which charges them again."
        )
    part, charged = ledger.kept(charge), False
    if part is None:
        # 1. Check.
        h, y = source.encode(block, quotes=quotes)
        # 2. Charge.
        charged = ledger.charge(charge)
        # 3. Draw.
        releases = release_rows(
            h, y, mechanism=source.mechanism.of_representations(), pairs=source.together, labels=source.response
        )
        mine = part_bytes(releases)
        part = mine if ledger.keep(charge, mine) else ledger.kept(charge)
    # 4. Publish, unless another worker has, and has let its draw go: then this one is another, and deleted unread.
    published = False
    if part is not None and not ledger.is_published(charge):
        published = folder.create(charge.part, part)
        ledger.mark(charge)
    ledger.forget(charge)
    return _done(charge, start, charged=charged, published=published)


def charge_of(block: Block, source: Source, ledger: LedgerFolder) -> Charge:
    """What a block costs, under the name that it determines: reads its bytes for the keyed digest."""
    facts: dict[str, Any] = {
        "input": block.path,
        "block": block.number,
        "rows": block.rows,
        "content": block.content(ledger.key),
        "mechanism": source.mechanism.name,
        "digest": _digest(source),
    } | _epsilons(source)
    return Charge(**facts, part=f"{ledger.name('part', facts)}.parquet")


def read_ledger(out: str, ledger: str | None = None) -> tuple[Ledger, list[Charge]]:
    """What every block of a folder has spent: a release each, and the entries themselves."""
    found, charges = Ledger(), LedgerFolder(beside(out) if ledger is None else ledger).charges()
    for each in charges:
        found.spend(
            Release(record=each.name, mechanism=each.mechanism, epsilon_x=each.epsilon_x, epsilon_y=each.epsilon_y)
        )
    return found, charges


def _another_folder(ledger: LedgerFolder, folder: Folder) -> ValueError:
    return ValueError(
        f"Expected in {folder.path!r} the reports that the ledger {ledger.folder.path!r} was begun for, got another "
        "folder: each of the two would get a draw of the same rows for one charge. If its reports were moved here, "
        "move its job.json too. Otherwise a new folder needs a new --ledger, which charges its rows again."
    )


def _agree(place: Folder, about: dict[str, Any]) -> dict[str, Any]:
    """Write what a folder is for, or raise if it is for something else; what is written there."""
    if place.create(JOB, (json.dumps(about, indent=1) + "\n").encode()):
        return about
    before: dict[str, Any] = json.loads(place.read(JOB))
    known = {"label": about.get("label")} | before  # a folder that is older than that entry does not tell
    other = [name for name in about if name != "reports" and known.get(name) != about[name]]
    if not other:
        return before
    if "ledger" in other:
        raise ValueError(
            f"Expected in {place.path!r} the reports of this ledger, got those of another one: it does not tell whose "
            "rows were charged. Say --ledger, or use a new folder, which charges them again."
        )
    changes = [
        "another column of labels" if name == "label" else f"{name}={about[name]}, not {known.get(name)}"
        for name in other
    ]
    raise ValueError(
        f"Expected the same mechanism, epsilon, label and block size as before in {place.path!r}, got "
        f"{', '.join(changes)}. Another release goes to a new folder, and spends again."
    )


def _done(charge: Charge, start: float, *, charged: bool, published: bool) -> Done:
    seconds = time.perf_counter() - start
    return Done(part=charge.part, rows=charge.rows, charged=charged, published=published, seconds=seconds)


def _digest(source: Source) -> str:
    own = mechanism_digest(source.mechanism)
    return own if source.together is None else source.together.digest(own)


def _epsilons(source: Source) -> dict[str, Any]:
    epsilon_x = source.mechanism.epsilon if source.together is None else source.together.epsilon
    return {"epsilon_x": epsilon_x, "epsilon_y": 0.0 if source.response is None else source.response.epsilon}
