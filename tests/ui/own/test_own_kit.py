"""The kit for one's own table: its commands and its README never type into a terminal what a label says."""

from __future__ import annotations

import io
import re
import shlex
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from rlm_core.cli import main
from rlm_core.report import UNPRINTABLE
from rlm_core.tables import TableSchema
from tests.ui.own.test_own_parts import ROWS, fitted, kit_calls, task, training_of
from ui.own.kit import commands, kit, kit_commands, readme
from ui.own.task import fit


@pytest.mark.parametrize("mark", ["\n", "\r", "\x03", "\x1b[2J", "\x9b", "\u202e", "\u2066", "\u2028", "\0"])
def test_no_label_types_into_a_terminal(mark: str) -> None:
    label = f"a{mark}touch /tmp/PWNED #"
    training = replace(training_of(fitted()), label=label, name=label)
    for text in (commands(label), commands(label, within_kit=True), kit_commands(training, 0.6), readme(training, 0.6)):
        assert not re.search(UNPRINTABLE, text.replace("\n", "")) and "\ntouch" not in text
        calls = [shlex.split(line) for line in text.splitlines() if line.startswith("rlm ")]
        assert len(calls) == 4 and all(call[call.index("--label") + 1] == "LABEL" for call in calls)
        assert "rename this column to LABEL in your files" in text


def test_the_commands_work_with_a_column_that_was_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label = "i\x03\nll"
    frame = ROWS.rename(columns={"ill": label})
    made = fit(task(frame, label), frame, TableSchema.infer(frame, label=label))
    with zipfile.ZipFile(io.BytesIO(kit(replace(training_of(made), label=label), 0.6))) as archive:
        archive.extractall(tmp_path)
    for name in ("public", "people", "test"):
        frame.rename(columns={label: "LABEL"}).to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert [main(kit_calls(tmp_path)[name]) for name in ("fit", "privatise", "learn")] == [0, 0, 0]
