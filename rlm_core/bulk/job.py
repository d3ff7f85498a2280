"""One block to one part: check, charge, draw, publish.

A record that is drawn twice has spent twice, if both draws are seen. Workers die and tasks run again, so

1. *check*: read and encode the block. Nothing is drawn; a bad row is an error and costs nobody anything;
2. *charge*: create ``ledger/<block>.json`` if it is absent. A block is charged once, however often it runs;
3. *draw*: the release path, all rows of the block. What is drawn is in this process alone;
4. *publish*: create the part if it is absent. Whoever comes second deletes its draw unread.

So a part is one draw of one charged block: every record has one report or, until the block is done, none. A charge
may precede its draw by a crash: it then stands for the draw that the next run makes.

The name of a part comes from input path, block number, content digest, mechanism and ε. An input that changed
after it was charged is an error, not a second report; so is a part that was published and is gone, and so is a block
that was charged under another path: a file that was moved or copied holds the same people.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from rlm_core.bulk.blocks import Block
from rlm_core.bulk.parts import part_bytes
from rlm_core.bulk.source import Source, load_source
from rlm_core.bulk.store import Folder
from rlm_core.digest import digest_of, mechanism_digest
from rlm_core.owner.budget import Ledger, Release
from rlm_core.release import release_rows

LEDGER, CONTENTS, JOB = "ledger", "contents", "job.json"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is done with every block: small, and pickled to every worker.

    ``model``, ``label`` and ``lam`` as :func:`load_source` has them; ``out`` is a folder on any fsspec path that
    all workers reach.
    """

    model: str
    epsilon: float
    out: str
    block_rows: int
    label: str | None = None
    lam: float | None = None

    @property
    def source(self) -> Source:
        """Loaded once in a process."""
        return load_source(self.model, self.epsilon, self.label, self.lam)

    def start(self) -> None:
        """Write down what this folder is for; raise if it is for something else."""
        source, folder = self.source, Folder(self.out)
        folder.check()
        about = _epsilons(source) | {"digest": _digest(source), "block_rows": self.block_rows}
        if not folder.create(JOB, (json.dumps(about, indent=1) + "\n").encode()):
            before = json.loads(folder.read(JOB))
            if before != about:
                raise ValueError(
                    f"Expected the same mechanism, epsilon and block size as before in {self.out!r} ({before}), "
                    f"got {about}. Another release goes to a new folder, and spends again."
                )


@dataclass(frozen=True, kw_only=True)
class Charge:
    """One entry of the ledger: every row of a block has spent ε, once."""

    input: str
    block: int
    rows: int
    content: str
    mechanism: str
    digest: str
    epsilon_x: float
    epsilon_y: float

    @property
    def name(self) -> str:
        """Of this block, its content and this release of it: 32 hexadecimal digits."""
        return digest_of(asdict(self))

    @property
    def entry(self) -> str:
        """The ledger's file for this place of the input, whatever is there."""
        return f"{LEDGER}/{hashlib.sha256(self.input.encode()).hexdigest()[:16]}-{self.block:06d}.json"

    @property
    def claim(self) -> str:
        """The file that says under which path this content was charged."""
        return f"{CONTENTS}/{self.content}.json"

    @property
    def part(self) -> str:
        """The file with the block's reports."""
        stem = self.input.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        return f"{stem}-{self.block:06d}-{self.name[:16]}.parquet"

    @property
    def published(self) -> str:
        """Is there once the part was."""
        return self.entry.replace(".json", ".published")


@dataclass(frozen=True, kw_only=True)
class Done:
    """What became of a block in one run of it."""

    part: str
    rows: int
    charged: bool
    published: bool
    seconds: float


def run_block(job: Job, block: Block) -> Done:
    """Make the part of a block, if it is not there."""
    start = time.perf_counter()
    source, folder = job.source, Folder(job.out)
    charge = charge_of(block, source)
    was_published = folder.exists(charge.published)  # asked first: the part is created before it
    if folder.exists(charge.part):
        folder.create(charge.published, b"")
        return _done(charge, start, charged=False, published=False)
    if was_published:
        _check_unchanged(charge, folder)
        raise ValueError(
            f"Expected the part {charge.part} in {job.out!r}: it was published and is gone. "
            "To draw it again is a second release of these rows: use a new folder, which charges them again."
        )
    # 1. Check.
    h, y = source.encode(block)
    # 2. Charge.
    charged = _charge(charge, folder)
    # 3. Draw.
    releases = release_rows(
        h, y, mechanism=source.mechanism.of_representations(), pairs=source.together, labels=source.response
    )
    # 4. Publish, or delete unread.
    published = folder.create(charge.part, part_bytes(releases))
    folder.create(charge.published, b"")
    return _done(charge, start, charged=charged, published=published)


def charge_of(block: Block, source: Source) -> Charge:
    """What a block costs, under the name that it determines: reads its bytes for the digest."""
    return Charge(
        input=block.path,
        block=block.number,
        rows=block.rows,
        content=block.content(),
        mechanism=source.mechanism.name,
        digest=_digest(source),
        **_epsilons(source),
    )


def read_ledger(out: str) -> tuple[Ledger, list[Charge]]:
    """What every block in a folder has spent: a release each, and the entries themselves."""
    folder, ledger = Folder(out), Ledger()
    charges = [
        Charge(**json.loads(folder.read(f"{LEDGER}/{name}"))) for name in folder.names(LEDGER) if ".json" in name
    ]
    for each in charges:
        ledger.spend(
            Release(record=each.name, mechanism=each.mechanism, epsilon_x=each.epsilon_x, epsilon_y=each.epsilon_y)
        )
    return ledger, charges


def _charge(charge: Charge, folder: Folder) -> bool:
    place = {"input": charge.input, "block": charge.block}
    if not folder.create(charge.claim, (json.dumps(place) + "\n").encode()):
        before = json.loads(folder.read(charge.claim))
        if before != place:
            raise ValueError(
                f"Expected rows that were not charged yet in block {charge.block} of {charge.input}: its bytes are "
                f"those of block {before['block']} of {before['input']}, which was charged. A moved or copied file "
                "holds the same people: put it back, leave it out, or use a new folder, which charges them again."
            )
    if folder.create(charge.entry, (json.dumps(asdict(charge)) + "\n").encode()):
        return True
    _check_unchanged(charge, folder)
    return False


def _check_unchanged(charge: Charge, folder: Folder) -> None:
    before = Charge(**json.loads(folder.read(charge.entry)))
    if before != charge:
        raise ValueError(
            f"Expected block {charge.block} of {charge.input} as it was charged (content {before.content[:12]}…), "
            f"got {charge.content[:12]}…: the file has changed. A new folder charges its rows again."
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
