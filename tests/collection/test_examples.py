"""The clients in examples/ do what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from room import campaign, serving

from collection.store import Store
from rlm_core.report import Report

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("client", ["campaign_client.py", "campaign_client.mjs"])
def test_a_client_sends_one_report(client: str, tmp_path: Path) -> None:
    program = sys.executable if client.endswith(".py") else shutil.which("node")
    if program is None:
        pytest.skip("no node found")
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    made = store.create(campaign())
    with serving(store) as server:
        link = f"http://127.0.0.1:{server.port}/join/{made.id}"
        command = [program, str(ROOT / "examples" / client), link, "1"]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    status, report = done.stdout.split(maxsplit=1)
    assert status == "201" and Report.from_json(report.strip()).of == 2
    assert store.count(made.id) == 1
