"""``rlm campaign``: the same as the page, for whoever owns the database."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from collection.__main__ import main
from collection.questions import Digit, Number
from collection.store import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'campaigns.db'}"


def made(capsys: pytest.CaptureFixture[str], database: str, *arguments: str) -> str:
    assert main(["--database", database, "new", *arguments]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert lines["join"] == f"/join/{lines['id']}" and "±" in lines["promised"] and "people" in lines["needed"]
    assert Store(database).is_creator(lines["id"], lines["token"].split()[0])
    return lines["id"]


def test_from_new_to_delete(capsys: pytest.CaptureFixture[str], database: str, tmp_path: Path) -> None:
    asked = ("--ask", "Do you like coffee?", "--epsilon", "1", "--people", "30")
    campaign_id = made(capsys, database, "Coffee", *asked)
    store = Store(database)
    store.add(campaign_id, [(os.urandom(16), bytes([0, answer])) for answer in (0, 1, 1)])
    assert main(["--database", database, "list"]) == 0
    line = capsys.readouterr().out
    assert campaign_id in line and "3 reports" in line and "open until" in line and "Coffee" in line
    assert main(["--database", database, "show", campaign_id]) == 0
    assert "yes" in capsys.readouterr().out
    file = tmp_path / "reports.csv"
    assert main(["--database", database, "export", campaign_id, "--out", str(file)]) == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert sorted(json.loads(row["report"])["symbol"]["value"] for row in rows) == [0, 1, 1]
    assert all(row["hour"].endswith(":00Z") for row in rows)
    parquet = tmp_path / "reports.parquet"
    assert main(["--database", database, "export", campaign_id, "--format", "parquet", "--out", str(parquet)]) == 0
    assert pq.read_table(parquet).to_pylist() == [dict(row) for row in rows]
    assert main(["--database", database, "close", campaign_id]) == 0
    state = store.state(campaign_id)
    assert state is not None and not state.is_open
    assert main(["--database", database, "delete", campaign_id]) == 2 and store.count(campaign_id) == 3
    assert main(["--database", database, "delete", campaign_id, "--yes"]) == 0 and store.count(campaign_id) == 0
    assert main(["--database", database, "show", campaign_id]) == 2
    assert "id of a campaign" in capsys.readouterr().err


def test_every_kind_of_question(capsys: pytest.CaptureFixture[str], database: str) -> None:
    store = Store(database)
    common = ("--epsilon", "2", "--people", "100")
    number = store.state(made(capsys, database, "Sleep", "--ask", "How long?", "--range", "0", "12", *common))
    digit = store.state(made(capsys, database, "Digits", "--digits", *common))
    lunch = store.state(made(capsys, database, "Lunch", "--ask", "?", "--answers", "soup", "bread", "salad", *common))
    assert number is not None and isinstance(number.campaign.question, Number)
    assert digit is not None and isinstance(digit.campaign.question, Digit)
    assert lunch is not None and lunch.campaign.mechanism.symbols == 3
    assert main(["--database", database, "export", lunch.id]) == 0 and capsys.readouterr().out == "hour,report\n"


def test_mistakes_get_a_message(capsys: pytest.CaptureFixture[str], database: str, tmp_path: Path) -> None:
    assert main(["--database", database, "new", "x", "--epsilon", "1", "--people", "3"]) == 2
    assert "--ask" in capsys.readouterr().err
    assert main(["--database", database, "new", "x", "--ask", "?", "--epsilon", "99", "--people", "3"]) == 2
    assert "epsilon <= 20" in capsys.readouterr().err
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["--database", f"sqlite:///{blocked}/campaigns.db", "list"]) == 1


def test_rlm_campaign_runs_from_any_folder(tmp_path: Path, database: str) -> None:
    command = [sys.executable, "-m", "rlm_core", "campaign", "--database", database, "list"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
