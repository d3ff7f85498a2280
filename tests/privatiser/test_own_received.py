"""Reports that cannot be used: which one, why, and how a collection goes on without them."""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlm_core.cli import main
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.plan import KINDS, VRLM
from rlm_core.privatiser.received import read_all, read_reports, usable
from rlm_core.report import MOST_CHARACTERS, Report
from rlm_core.tables import TableError

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

LABEL = "ill"


@pytest.fixture(scope="module", params=[*KINDS, VRLM])
def fitted(request: Any, easy: Any) -> LocalPrivatiser:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LocalPrivatiser(epsilon=4.0, reports=500, kind=request.param).fit(easy.public, LABEL)


def at(privatiser: LocalPrivatiser, epsilon: float, rows: Any) -> list[Report]:
    """Reports at another ε than it was fitted for."""
    before, privatiser.epsilon = privatiser.epsilon, epsilon
    try:
        return list(privatiser.privatise(rows, LABEL))
    finally:
        privatiser.epsilon = before


def mixed(privatiser: LocalPrivatiser, easy: Any) -> list[Report | str]:
    """Twenty good ones after one at another ε; then one alone, a foreign one, one that is none, and a strange ε."""
    good = list(privatiser.privatise(easy.people[:20], LABEL))
    alone = list(privatiser.privatise(easy.people[:1].drop(columns=LABEL)))
    odd = replace(good[0], epsilon_x=1e-9) if good[0].label is None else replace(good[0], epsilon_x=0.1)
    return [*at(privatiser, 3.5, easy.people[:1]), *good, *alone, replace(good[0], digest="0" * 32), "{}", odd]


def test_the_reason_is_named_and_the_others_are_kept(fitted: LocalPrivatiser, easy: Any) -> None:
    reports = mixed(fitted, easy)
    kept, left_out = usable(reports, fitted.method_, 2, epsilon=4.0)
    assert kept == reports[1:21]
    strange = "at another epsilon" if fitted.plan_.kind == VRLM else "by another mechanism"
    expected = {"at another epsilon": [0], "without a label": [21], "by another mechanism": [22]}
    expected |= {"that cannot be read": [23], strange: [*expected[strange], 24]}
    assert left_out == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fitted.learn(kept).reports_ == 20
    for wrong, message in (
        (0, r"in all reports, got (3.5|[\d.]+ and [\d.]+) in report 0"),
        (21, "report 20.*(the record alone: no class was sent|got no label)|a label in report 20, got no label"),
        (22, "report 20 to be .*by this mechanism"),
    ):
        order = [reports[wrong], *reports[1:21]] if wrong == 0 else [*reports[1:21], reports[wrong]]
        with pytest.raises(ValueError, match=message) as raised:
            fitted.learn(order)
        assert "rlm learn --skip" in str(raised.value)


def misshapen(first: Report) -> Report:
    """The same with another payload."""
    changes: dict[str, Any] = {"numbers": (0.5,)} if first.numbers else {"of": 2 * (first.of or 0)}
    if first.members is not None:
        changes["members"] = bytes([128]) + bytes(-(-2 * (first.of or 0) // 8) - 1)
    return replace(first, **changes)


def test_a_report_of_another_form_is_left_out(fitted: LocalPrivatiser, easy: Any) -> None:
    good = list(fitted.privatise(easy.people[:3], LABEL))
    kept, left_out = usable([*good, misshapen(good[0])], fitted.method_, 2, epsilon=4.0)
    assert kept == good and left_out == {"of another form": [3]}


def test_no_number_of_strangers_decides(fitted: LocalPrivatiser, easy: Any) -> None:
    good = list(fitted.privatise(easy.people[:5], LABEL))
    first, other = good[0], at(fitted, 3.5, easy.people[:6])
    endless = replace(first, epsilon_x=math.inf, epsilon_y=first.epsilon_y if first.label is None else math.inf)
    for flood in ([endless] * 6, other, [misshapen(other[0])] * 6, [misshapen(first)] * 6):
        for reports in ([*flood, *good], [*good, *flood, first]):  # a copy of a good one is another good one
            kept, left_out = usable([each.to_json() for each in reports], fitted.method_, 2, epsilon=4.0)
            assert kept == [each for each in reports if each in good] and sum(map(len, left_out.values())) == 6
    assert usable([*good, *other], fitted.method_, 2, epsilon=3.5)[0] == other
    with pytest.raises(ValueError, match="epsilon"):
        usable(good, fitted.method_, 2, epsilon=-1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fitted.learn(other).reports_epsilon_ == pytest.approx(3.5)  # all agree, though not with the card


def test_the_division_of_a_collection_is_as_asked(fitted: LocalPrivatiser, easy: Any) -> None:
    if fitted.plan_.kind != VRLM:
        with pytest.raises(ValueError, match="Expected lam with kind"):
            usable([], fitted.method_, 2, epsilon=4.0, lam=0.7)
        return
    good = list(fitted.privatise(easy.people[:2], LABEL))
    fitted.lam = 0.7
    try:
        other = list(fitted.privatise(easy.people[:3], LABEL))
    finally:
        fitted.lam = None
    assert usable([*good, *other], fitted.method_, 2, epsilon=4.0) == (good, {"at another epsilon": [2, 3, 4]})
    assert usable([*good, *other], fitted.method_, 2, epsilon=4.0, lam=0.7)[0] == other


@pytest.fixture
def saved(easy: Any, tmp_path: Path) -> tuple[LocalPrivatiser, str, Path]:
    """A mechanism of the kind by the rule, its folder, and a file for reports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = LocalPrivatiser(epsilon=4.0, reports=500).fit(easy.public, LABEL)
    return fitted, str(fitted.save(tmp_path / "mine")), tmp_path / "reports.txt"


def write(file: Path, reports: Sequence[Report | str]) -> None:
    """One a line."""
    lines = [each if isinstance(each, str) else each.to_json() for each in reports]
    file.write_text("\n".join(lines), encoding="utf-8")


def test_learn_skips_and_counts(easy: Any, saved: Any, capsys: Any) -> None:
    fitted, folder, file = saved
    write(file, mixed(fitted, easy))
    assert main(["learn", str(file), "--model", folder]) != 0
    capsys.readouterr()
    assert main(["learn", str(file), "--model", folder, "--skip"]) == 0
    said = capsys.readouterr().out
    assert "learnt from 20 reports" in said and "left out 5 reports" in said
    assert "1 without a label (first: report 21)" in said
    assert main(["learn", str(file), "--model", folder, "--skip", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["reports"] == 20 and sum(facts["left_out"].values()) == 5
    file.write_text("{}\n", encoding="utf-8")
    assert main(["learn", str(file), "--model", folder, "--skip"]) != 0
    assert "1 that cannot be read (first: report 0)" in capsys.readouterr().err


def test_a_majority_of_strangers_leaves_the_classifier_as_it_was(easy: Any, saved: Any, capsys: Any) -> None:
    fitted, folder, file = saved
    good = list(fitted.privatise(easy.people[:20], LABEL))
    write(file, good)
    assert main(["learn", str(file), "--model", folder]) == 0
    before = {each.name: each.read_bytes() for each in Path(folder).iterdir()}
    write(file, [*good, *[replace(good[0], epsilon_x=math.inf)] * 21])
    for out in ([], ["--out", folder]):
        assert main(["learn", str(file), "--model", folder, "--skip", *out]) == 2
        said = capsys.readouterr().err
        assert "got 20 of 41 at epsilon = 4: 21 " in said and "--out" in said and "--epsilon" in said
        assert before == {each.name: each.read_bytes() for each in Path(folder).iterdir()}
    assert main(["learn", str(file), "--model", folder, "--skip", "--out", f"{folder}-few"]) == 0
    assert "learnt from 20 reports at epsilon = 4" in capsys.readouterr().out
    assert main(["learn", str(file), "--model", folder, "--skip", "--epsilon", "inf"]) == 2
    assert "Expected a finite --epsilon" in capsys.readouterr().err


def test_a_collection_at_another_epsilon(easy: Any, saved: Any, capsys: Any) -> None:
    fitted, folder, file = saved
    other = at(fitted, 3.5, easy.people[:20])
    write(file, other)
    assert main(["learn", str(file), "--model", folder]) == 0
    assert "learnt from 20 reports at epsilon = 3.5" in capsys.readouterr().out
    assert main(["learn", str(file), "--model", folder, "--skip"]) == 2
    assert "say so with --epsilon" in capsys.readouterr().err
    write(file, [*other, *fitted.privatise(easy.people[:3], LABEL)])
    assert main(["learn", str(file), "--model", folder, "--skip", "--epsilon", "3.5"]) == 0
    said = capsys.readouterr().out
    assert "learnt from 20 reports at epsilon = 3.5" in said and "left out 3 reports: 3 at another epsilon" in said
    for wrong, message in (
        (["--epsilon", "3.5"], "with --skip alone"),
        (["--skip", "--lam", "0.5"], "Expected lam with"),
    ):
        assert main(["learn", str(file), "--model", folder, *wrong]) == 2
        assert message in capsys.readouterr().err


def parquet(path: Path, cells: Any, **options: Any) -> Path:
    """A file with these cells in the column of reports."""
    pq.write_table(pa.table({"report": cells}), path, compression="zstd", **options)
    return path


def test_a_small_file_of_long_cells_costs_little(tmp_path: Path) -> None:
    one = pa.array(["A" * 2_000_000])
    named = parquet(tmp_path / "named.parquet", pa.DictionaryArray.from_arrays(pa.array([0] * 1_200, pa.int32()), one))
    texts = read_reports(named)
    assert named.stat().st_size < 1_000 and len(texts) == 1_200 and len({id(each) for each in texts}) == 1
    written = parquet(tmp_path / "written.parquet", pa.concat_arrays([one] * 20), use_dictionary=False)
    with pytest.raises(TableError, match="at most 8 MB in written.parquet, for its size, got 38 MB"):
        read_reports(written)
    zeros = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2_000_000, np.int32)), pa.array(["{}"]))
    with pytest.raises(TableError, match="at most 8 MB in rows.parquet"):
        read_reports(parquet(tmp_path / "rows.parquet", zeros))


def test_a_long_report_that_is_repeated_is_read_once(tmp_path: Path) -> None:
    long = Report(mechanism="m", digest="0" * 32, epsilon_x=1.0, numbers=(0.5,) * 65_536).to_json()
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), pa.array([long]))
    reports = read_all(parquet(tmp_path / "long.parquet", cells))
    assert len(reports) == 1_000 and len({id(each) for each in reports}) == 1


def test_a_cell_that_no_report_can_be_is_left_out(easy: Any, saved: Any, tmp_path: Path) -> None:
    fitted, _, _ = saved
    good = [each.to_json() for each in fitted.privatise(easy.people[:3], LABEL)]
    cells = [good[0], "A" * (MOST_CHARACTERS + 5), None, b"\xff", good[1], good[0]]
    file = parquet(tmp_path / "r.parquet", [each.encode() if isinstance(each, str) else each for each in cells])
    assert max(map(len, read_reports(file))) == MOST_CHARACTERS + 1
    kept, left_out = usable(file, fitted.method_, 2, epsilon=4.0)
    assert [each.to_json() for each in kept] == [good[0], good[1], good[0]]
    assert left_out == {"that cannot be read": [1, 2, 3]}
    with pytest.raises(ValueError, match="Report 1 cannot be read: Expected a report of at most 2097152 characters"):
        fitted.learn(file)


@pytest.mark.parametrize("rows", [1, 20_000])
def test_the_column_may_have_any_type_of_text_and_may_be_an_index(rows: int, tmp_path: Path) -> None:
    texts = [f"report {at % 12_000}" for at in range(rows)]
    kinds = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    for kind in kinds:
        for options in ({}, {"use_dictionary": False}, {"row_group_size": 7_001}, {"store_schema": False}):
            assert read_reports(parquet(tmp_path / "r.parquet", pa.array(texts, kind), **options)) == texts
    frame = pd.DataFrame({"report": texts, "sent": range(rows)})
    for each in (frame.set_index("report"), frame.astype({"report": "category"}), frame.astype(object)):
        each.to_parquet(tmp_path / "r.parquet")
        assert read_reports(tmp_path / "r.parquet") == texts


def test_what_is_no_file_of_reports_is_an_error_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "r.parquet"
    whole = parquet(file, ["{}"] * 9).read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(4, len(whole), size=300):
        file.write_bytes(whole[:at] + bytes([rng.integers(256)]) + whole[at + 1 :])
        with contextlib.suppress(TableError):
            read_reports(file)
    for data in (b"PAR1garbage", whole[:-9], b"PAR1"):
        file.write_bytes(data)
        with pytest.raises(TableError, match="Expected a whole parquet file in r.parquet, got a damaged one"):
            read_reports(file)
    twice = pa.table([["{}"], ["{}"]], names=["report", "report"])
    for table, message in (
        (twice, "Expected a column 'report' in r.parquet, got 2 of them"),
        (pa.table({"a": [1], "report of mine": [1]}), "got a, report of mine"),
        (pa.table({"report": [1]}), "Expected texts in the column 'report' of r.parquet, got int64"),
        (pa.table({"report": [{"a": "{}"}]}), "got struct"),
        (pa.table({"report": [["{}"]]}), "got list"),
    ):
        pq.write_table(table, file)
        with pytest.raises(TableError, match=message):
            read_reports(file)


def test_two_epsilons_that_look_alike_are_told_apart(fitted: LocalPrivatiser, easy: Any) -> None:
    good = list(fitted.privatise(easy.people[:3], LABEL))
    other = at(fitted, 4.000000000000004, easy.people[:1])
    with pytest.raises(ValueError, match=r"=(4\.0|3\.\d+|2\.\d+) .*in all reports, got \d\.\d{10,}.* in report 3"):
        fitted.learn([*good, *other])


def test_a_report_that_says_another_epsilon_than_its_digest_is_named_by_it(easy: Any) -> None:
    """At ε = 1 joint bits have another digest: the message gave the same one twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        privatiser = LocalPrivatiser(epsilon=4.0, reports=500, kind="joint bits").fit(easy.public, LABEL)
    first, *others = privatiser.privatise(easy.people[:20], LABEL)
    with pytest.raises(ValueError, match="Expected epsilon=4 in report 0, as its digest says, got 1"):
        privatiser.learn([replace(first, epsilon_x=1.0), *others])
