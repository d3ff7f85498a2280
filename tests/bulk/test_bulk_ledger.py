"""Nothing but the reports in a folder of reports comes from what people's rows say; the ledger is apart from it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from benchmarks.scale.people import LABEL
from benchmarks.scale.runs import digests, look
from rlm_core.bulk import job as job_module
from rlm_core.bulk.blocks import Block, find_blocks, find_inputs
from rlm_core.bulk.job import Job, charge_of, read_ledger
from rlm_core.bulk.ledger import LedgerFolder, beside
from rlm_core.bulk.run import part_names, privatise_files
from rlm_core.bulk.source import Source
from rlm_core.bulk.store import Folder
from rlm_core.cli import main
from rlm_core.digest import canonical_json, digest_of

HASHES: tuple[Callable[[bytes], hashlib._Hash], ...] = (
    hashlib.md5,
    hashlib.sha1,
    hashlib.sha256,
    hashlib.sha512,
    hashlib.sha3_256,
    hashlib.blake2b,
    hashlib.blake2s,
)


@pytest.fixture
def person(here: Path, tmp_path: Path) -> Path:
    """``people/jane.parquet``: 300 rows, the first of them hers."""
    (tmp_path / "people").mkdir()
    frame = pd.read_parquet(here / "people" / "a.parquet")[:300]
    return write(frame, 47, tmp_path / "people" / "jane.parquet")


def write(frame: pd.DataFrame, age: int, path: Path) -> Path:
    frame.assign(age=[age, *frame["age"][1:]]).to_parquet(path, index=False, row_group_size=150)
    return path


def job(here: Path, out: Path, **changes: object) -> Job:
    settings = {"model": str(here / "mine"), "epsilon": 4.0, "out": str(out), "block_rows": 150, "label": LABEL}
    return Job(**(settings | changes))  # type: ignore[arg-type]


def run(this: Job, path: Path) -> list[Block]:
    inputs = find_inputs(str(path))
    privatise_files(this, inputs, workers=1)
    return find_blocks(inputs[0], this.block_rows)


def old_charge(block: Block, source: Source) -> tuple[str, str, str]:
    """Content, charge and part as version 1.0.0 named them, by digests that everybody can compute."""
    data = hashlib.sha256(f"{block.start}+{block.rows}".encode())
    for offset, length in block.spans:
        data.update(Path(block.path.removeprefix("file://")).read_bytes()[offset:][:length])
    assert source.together is not None
    facts = {
        "input": block.path,
        "block": block.number,
        "rows": block.rows,
        "content": data.hexdigest(),
        "mechanism": source.mechanism.name,
        "digest": source.together.digest(getattr(source.mechanism, "digest")),  # noqa: B009  not every mechanism has one
        "epsilon_x": 4.0,
        "epsilon_y": 0.0,
    }
    stem = block.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return data.hexdigest(), canonical_json(facts), f"{stem}-{block.number:06d}-{digest_of(facts)[:16]}.parquet"


def secrets_of(path: Path, blocks: list[Block], this: Job) -> Iterator[bytes]:
    """Texts and bytes whose digest would tell somebody who guesses a row that the guess is right."""
    yield path.read_bytes()
    frame = pd.read_parquet(path)
    yield frame.to_csv(index=False).encode()
    yield frame[:1].to_csv(index=False, header=False).strip().encode()
    yield from (text.encode() for text in (str(path), f"file://{path}", path.name, path.stem, str(path.parent)))
    for block in blocks:
        content, charge, part = old_charge(block, this.source)
        data = b"".join(path.read_bytes()[offset:][:length] for offset, length in block.spans)
        yield from (data, f"{block.start}+{block.rows}".encode() + data)
        yield from (text.encode() for text in (content, charge, part, f"{block.path}{block.number}"))
        yield from (text.encode() for text in (canonical_json([block.path, block.number]), f"{content}.json"))
    for each in read_ledger(this.out, this.ledger)[1]:  # what the owner has is no key to what others have
        facts = {name: value for name, value in vars(each).items() if name != "part"}
        yield from (text.encode() for text in (each.content, canonical_json(facts), json.dumps(facts)))


def everything(out: Path) -> bytes:
    """Names and bytes of all that the collector gets."""
    return b"\n".join(str(path.relative_to(out)).encode() + b"\n" + path.read_bytes() for path in out.glob("**/*.*"))


def test_no_digest_of_the_rows_or_of_their_path_is_among_the_reports(here: Path, person: Path, tmp_path: Path) -> None:
    this = job(here, tmp_path / "out")
    blocks = run(this, person)
    seen = everything(tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").rglob("*"))
    assert len(blocks) == 2 and all(re.fullmatch(r"[0-9a-f]{32}\.parquet|job\.json", name) for name in names)
    hidden = [path for path in (tmp_path / "out").rglob(".*")]
    assert b"jane" not in seen and str(tmp_path).encode() not in seen and hidden == []
    digests_of = [make(secret).digest()[:8] for secret in secrets_of(person, blocks, this) for make in HASHES]
    wanted = {*digests_of, *(each.hex().encode() for each in digests_of)}
    assert not any(each in seen for each in wanted)
    for old in old_charge(blocks[0], this.source)[::2]:  # the search finds what version 1.0.0 wrote
        assert any(each in seen + old.encode() for each in wanted)


def test_names_come_from_a_key_that_each_ledger_has_of_its_own(here: Path, person: Path, tmp_path: Path) -> None:
    for out in ("one", "two"):
        run(job(here, tmp_path / out), person)
    one, two = (set(part_names(str(tmp_path / out))) for out in ("one", "two"))
    assert len(one) == len(two) == 2 and not one & two
    keys = [LedgerFolder(beside(str(tmp_path / out))).key for out in ("one", "two")]
    assert len(set(keys)) == 2 and all(len(key) == 32 for key in keys)


def test_two_people_of_one_shape_look_the_same_but_for_what_was_drawn(here: Path, person: Path, tmp_path: Path) -> None:
    run(job(here, tmp_path / "jane"), person)
    frame = pd.read_parquet(person)
    run(job(here, tmp_path / "john"), write(frame, 23, tmp_path / "john.parquet"))
    shapes, abouts = [], []
    for name in ("jane", "john"):
        out = tmp_path / name
        parts = [pq.ParquetFile(out / each) for each in part_names(str(out))]
        shapes.append(
            sorted((part.metadata.num_rows, str(part.schema_arrow), part.metadata.created_by) for part in parts)
        )
        assert {str(part.metadata.metadata[b"rlm"]) for part in parts} == {str(parts[0].metadata.metadata[b"rlm"])}
        about = json.loads((out / "job.json").read_text())
        for name in ("ledger", "label", "reports"):  # others for each key, and for each folder
            assert re.fullmatch("[0-9a-f]{32}", about.pop(name))
        abouts.append((about, parts[0].metadata.metadata[b"rlm"]))
    assert shapes[0] == shapes[1] and abouts[0] == abouts[1]


def test_who_knows_all_rows_but_one_cannot_test_guesses_of_it(here: Path, person: Path, tmp_path: Path) -> None:
    """The attack on version 1.0.0: recompute names for every age. It needs the owner's key now."""
    this = job(here, tmp_path / "out")
    run(this, person)
    seen, frame = set(part_names(this.out)), pd.read_parquet(person)
    attacker = LedgerFolder(str(tmp_path / "attacker"))
    attacker.begin()
    by_key: list[int] = []
    for age in range(45, 50):
        write(frame, age, person)
        block = find_blocks(find_inputs(str(person))[0], this.block_rows)[0]
        assert old_charge(block, this.source)[2] not in seen
        assert charge_of(block, this.source, attacker).part not in seen
        if charge_of(block, this.source, LedgerFolder(this.ledger_path)).part in seen:
            by_key.append(age)
    assert by_key == [47]  # which is why the ledger stays with the owner


def test_the_ledger_is_apart_and_its_owners_alone(here: Path, person: Path, tmp_path: Path) -> None:
    run(job(here, tmp_path / "out"), person)
    ledger = tmp_path / "out.ledger"
    assert sorted(path.name for path in ledger.iterdir()) == ["charges", "contents", "drawn", "job.json", "key"]
    assert list((ledger / "drawn").iterdir()) == []
    assert {path.stat().st_mode & 0o777 for path in (ledger, *ledger.rglob("*")) if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in ledger.rglob("*") if path.is_file()} == {0o600}
    assert look(tmp_path / "out", 300).ledger_exact
    with pytest.raises(ValueError, match="a ledger outside the reports' folder"):
        run(job(here, tmp_path / "new", ledger=str(tmp_path / "new" / "mine")), person)
    assert not (tmp_path / "new").exists()


def test_another_place_for_the_ledger(
    here: Path, person: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, ledger = tmp_path / "out", tmp_path / "safe" / "mine"
    call = [
        "privatise",
        str(person.parent),
        "--model",
        str(here / "mine"),
        "--out",
        f"{out}/",
        "--workers",
        "1",
        "--json",
    ]
    assert main([*call, "--ledger", str(ledger)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["ledger"] == str(ledger) and not Path(beside(str(out))).exists()
    assert len(read_ledger(str(out), str(ledger))[1]) == facts["blocks_charged"] == 1
    before = digests(out)
    assert main([*call, "--ledger", str(ledger)]) == 0 and json.loads(capsys.readouterr().out)["new_parts"] == 0
    assert main(call) == 2 and "Say --ledger if it lies elsewhere" in capsys.readouterr().err
    assert digests(out) == before and not Path(beside(str(out))).exists()


def test_reports_without_their_ledger_are_not_continued(here: Path, person: Path, tmp_path: Path) -> None:
    """A new key gives new names: without this, every row would be charged and drawn a second time."""
    this = job(here, tmp_path / "out")
    run(this, person)
    before = digests(tmp_path / "out")
    shutil.move(this.ledger_path, tmp_path / "away")
    with pytest.raises(ValueError, match="reports in .*out' and no ledger in .*Say --ledger"):
        run(this, person)
    (tmp_path / "out" / "job.json").rename(tmp_path / "about.json")
    with pytest.raises(ValueError, match="reports in .*out' and no ledger in"):  # the parts alone say it too
        run(this, person)
    (tmp_path / "about.json").rename(tmp_path / "out" / "job.json")
    other = job(here, tmp_path / "other")
    run(other, person)
    with pytest.raises(ValueError, match="the reports of this ledger, got those of another one"):
        run(job(here, tmp_path / "out", ledger=other.ledger_path), person)
    assert digests(tmp_path / "out") == before and len(read_ledger(other.out)[1]) == 2
    shutil.move(tmp_path / "away", this.ledger_path)
    run(this, person)
    assert digests(tmp_path / "out") == before


def test_a_ledger_outlives_the_reports_that_were_handed_over(here: Path, person: Path, tmp_path: Path) -> None:
    this = job(here, tmp_path / "out")
    run(this, person)
    shutil.move(tmp_path / "out", tmp_path / "handed over")
    with pytest.raises(ValueError, match="got another folder.*If its reports were moved here, move its job.json too"):
        run(this, person)
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []
    (tmp_path / "out").mkdir(exist_ok=True)
    shutil.copy(tmp_path / "handed over" / "job.json", tmp_path / "out" / "job.json")
    with pytest.raises(ValueError, match="it was published and is gone"):
        run(this, person)
    assert part_names(this.out) == []
    with pytest.raises(ValueError, match="the same mechanism, epsilon, label and block size"):
        run(job(here, tmp_path / "out", block_rows=100), person)
    assert len(read_ledger(this.out)[1]) == 2


@pytest.mark.parametrize("left", [("ledger", "contents"), ("ledger",), ()])
def test_a_folder_of_version_1_0_0_is_refused_in_words(
    left: tuple[str, ...], here: Path, person: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for name in ("job.json", "jane-000000-fa5eae5ad4b63b26.parquet", *(f"{each}/0.json" for each in left)):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("{}")
    before = sorted(out.rglob("*"))
    words = "as version 1.0.0 wrote it.*take away ledger/ and contents/ and rename its parts"
    with pytest.raises(ValueError, match=words if left else "no ledger in"):
        run(job(here, out), person)
    assert sorted(out.rglob("*")) == before and not Path(beside(str(out))).exists()


def test_of_many_who_begin_at_once_one_makes_the_key(here: Path, tmp_path: Path) -> None:
    this, keys = job(here, tmp_path / "out"), set()

    def begin() -> None:
        this.start()
        keys.add(LedgerFolder(this.ledger_path).key)

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 1


def test_a_damaged_key_is_an_error_not_another_key(here: Path, person: Path, tmp_path: Path) -> None:
    this = job(here, tmp_path / "out")
    this.start()
    Path(this.ledger_path, "key").write_text("0123\n")
    with pytest.raises(ValueError, match="Expected a key of 32 bytes"):
        run(this, person)


def test_a_draw_that_a_dead_worker_left_is_deleted_also_when_a_block_failed(
    here: Path, person: Path, tmp_path: Path
) -> None:
    """It would be a second report of the same rows."""
    out = tmp_path / "out"
    out.mkdir()
    (out / f".{'01' * 16}.parquet.{'45' * 16}.tmp").write_bytes(b"draw")
    frame = pd.read_parquet(person)
    frame.loc[170, LABEL] = "rich"
    frame.to_parquet(person, index=False, row_group_size=150)
    with pytest.raises(ValueError, match="got 'rich'"):
        run(job(here, out), person)
    assert sorted(path.suffix for path in out.iterdir()) == [".json", ".parquet"]


def test_where_a_ledger_lies() -> None:
    assert beside("/a/reports/") == "/a/reports.ledger" and beside("memory://a/b") == "memory://a/b.ledger"
    for out in ("s3://bucket/", "s3://bucket/reports/", "gs://bucket/reports", "simplecache::s3://bucket/reports"):
        with pytest.raises(ValueError, match="Expected --ledger for .* the bucket that the collector reads"):
            beside(out)


def test_a_bucket_needs_a_ledger_of_ones_own(
    here: Path, person: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["privatise", str(person.parent), "--model", str(here / "mine"), "--out", "s3://bucket/reports/"]
    assert main([*call, "--workers", "1"]) == 2
    assert "Expected --ledger for 's3://bucket/reports/'" in capsys.readouterr().err


def test_a_draw_that_was_not_marked_as_published_has_no_second_one_elsewhere(
    here: Path, person: Path, tmp_path: Path
) -> None:
    """Killed between a part and its mark, then run again with the same ledger and another folder."""
    ledger = str(tmp_path / "ledger")
    one = job(here, tmp_path / "one", ledger=ledger)
    run(one, person)
    before = digests(tmp_path / "one")
    for mark in (tmp_path / "ledger" / "charges").glob("*.published"):
        mark.unlink()
    with pytest.raises(ValueError, match="a draw of the same rows for one charge"):
        run(job(here, tmp_path / "two", ledger=ledger), person)
    assert part_names(str(tmp_path / "two")) == []
    run(one, person)  # the folder it was begun for is continued
    assert digests(tmp_path / "one") == before


def test_of_many_folders_that_begin_with_one_ledger_one_gets_it(here: Path, person: Path, tmp_path: Path) -> None:
    ready, refused = threading.Barrier(6), []

    def begin(name: str) -> None:
        this = job(here, tmp_path / name, ledger=str(tmp_path / "ledger"))
        ready.wait()
        try:
            run(this, person)
        except ValueError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=begin, args=(f"out{each}",)) for each in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 5 and all("got another folder" in each for each in refused)
    assert sorted(len(part_names(str(tmp_path / f"out{each}"))) for each in range(6)) == [0, 0, 0, 0, 0, 2]
    assert len(read_ledger("", str(tmp_path / "ledger"))[1]) == 2


def test_the_second_of_two_folders_is_refused_also_after_both_were_begun(
    here: Path, person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have looked before one has written: what is created exclusively decides."""
    ledger = str(tmp_path / "ledger")
    one, two = (job(here, tmp_path / name, ledger=ledger) for name in ("one", "two"))
    agree = job_module._agree

    def overtaken(place: Folder, about: dict[str, object]) -> dict[str, object]:
        monkeypatch.setattr(job_module, "_agree", agree)
        run(two, person)
        return agree(place, about)

    monkeypatch.setattr(job_module, "_agree", overtaken)
    with pytest.raises(ValueError, match="got another folder"):
        run(one, person)
    assert part_names(one.out) == [] and len(part_names(two.out)) == 2


def test_a_folder_of_other_things_is_no_ledger(here: Path, person: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "proj").mkdir(parents=True)
    (home / "proj" / ".draft.tmp").write_text("mine")
    with pytest.raises(ValueError, match="a new or empty folder for it, got .*home', which holds 'proj' and no key"):
        run(job(here, tmp_path / "out", ledger=str(home)), person)
    assert [path.name for path in home.rglob("*")] == ["proj", ".draft.tmp"] and not (tmp_path / "out").exists()


def test_a_folder_that_was_there_is_its_owners_alone_once_it_is_a_ledger(
    here: Path, person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "ledger"
    ledger.mkdir(0o755)
    this = job(here, tmp_path / "out", ledger=str(ledger))
    run(this, person)
    assert ledger.stat().st_mode & 0o777 == 0o700
    ledger.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)  # as where a file system keeps no rights
    with pytest.raises(ValueError, match=r"its owner alone can enter, got .*mode 755. cannot be changed to 0700"):
        run(this, person)


def test_neither_folder_lies_in_the_other_nor_a_ledger_among_other_reports(
    here: Path, person: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="and reports outside it"):
        run(job(here, tmp_path / "ledger" / "out", ledger=str(tmp_path / "ledger")), person)
    run(job(here, tmp_path / "outbox"), person)
    before = sorted(tmp_path.rglob("*"))
    for out in ("outbox/more", "outbox/deep/more"):
        with pytest.raises(ValueError, match="outside folders of reports.*Say --ledger"):
            run(job(here, tmp_path / out), person)
    assert sorted(tmp_path.rglob("*")) == before
