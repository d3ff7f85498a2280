"""Reports that cannot be used: which one, why, and how a collection goes on without them."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rlm_core.cli import main
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.plan import KINDS, VRLM
from rlm_core.privatiser.received import usable
from rlm_core.report import Report

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
    kept, left_out = usable(reports, fitted.method_, 2)
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


def test_a_report_of_another_form_is_left_out(fitted: LocalPrivatiser, easy: Any) -> None:
    good = list(fitted.privatise(easy.people[:3], LABEL))
    first = good[0]
    changes: dict[str, Any] = {"numbers": (0.5,)} if first.numbers else {"of": 2 * (first.of or 0)}
    if first.members is not None:
        changes["members"] = bytes([128]) + bytes(-(-2 * (first.of or 0) // 8) - 1)
    kept, left_out = usable([*good, replace(first, **changes)], fitted.method_, 2)
    assert kept == good and left_out == {"of another form": [3]}


def test_learn_skips_and_counts(easy: Any, tmp_path: Path, capsys: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = LocalPrivatiser(epsilon=4.0, reports=500).fit(easy.public, LABEL)
    folder, file = str(fitted.save(tmp_path / "mine")), tmp_path / "reports.txt"
    lines = [each if isinstance(each, str) else each.to_json() for each in mixed(fitted, easy)]
    file.write_text("\n".join(lines), encoding="utf-8")
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
