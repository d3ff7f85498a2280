"""A sweep on a Dask cluster gives the rows of the local run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from pathlib import Path
from benchmarks import table
from benchmarks.__main__ import main
from distributed import LocalCluster

if __name__ == "__main__":
    table.RESULTS = Path(sys.argv[1])
    call = ["run", "gain_risk", "--dataset", "mnist", "--mechanism", "Q-RLM", "--seeds", "2", "--jobs", "1"]
    call += [part for epsilon in (1, 2, 4, 6, 8, 10) for part in ("--epsilon", str(epsilon))]
    if sys.argv[2] == "local":
        sys.exit(main(call))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        sys.exit(main([*call, "--scheduler", cluster.scheduler_address]))
"""


@pytest.mark.slow
def test_twelve_cells_on_two_workers_are_those_of_one_process(tmp_path: Path) -> None:
    program = tmp_path / "sweep.py"
    program.write_text(PROGRAM, encoding="utf-8")
    tables = {}
    for where in ("local", "cluster"):
        command = [sys.executable, str(program), str(tmp_path / where), where]
        environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        found = pd.read_csv(tmp_path / where / "gain_risk.csv").drop(columns="seconds")
        tables[where] = found.sort_values(["epsilon", "seed", "draw"]).reset_index(drop=True)
    assert len(tables["local"]) == 12
    pd.testing.assert_frame_equal(tables["local"], tables["cluster"])
