"""Stand-ins for the network, the npm client and the files of Lending Club."""

from __future__ import annotations

import io
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rlm_core.data.samples import loan_examples


class Response(io.BytesIO):
    def __init__(self, body: bytes, status: int, announced: int) -> None:
        super().__init__(body)
        self.status = status
        self.headers = {"Content-Length": str(announced)}


@dataclass
class FakeServer:
    """Answers like ``urlopen``; can break off, refuse ranges, or be unreachable."""

    files: dict[str, bytes]
    ranges: bool = True
    break_after: int | None = None
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def __call__(self, request: urllib.request.Request, timeout: float) -> Response:
        assert 0 < timeout <= 30, "an offline machine must learn it soon"
        url, wanted = request.full_url, request.get_header("Range")
        self.requests.append((url, wanted))
        if url not in self.files:
            raise urllib.error.URLError("no route to host")
        body, status = self.files[url], 200
        if wanted and self.ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                raise urllib.error.HTTPError(url, 416, "Range Not Satisfiable", Message(), io.BytesIO())
            body, status = body[start:], 206
        sent = body if self.break_after is None else body[: self.break_after]
        return Response(sent, status, len(body))


def offline(request: urllib.request.Request, timeout: float) -> Response:
    raise urllib.error.URLError("Name or service not known")


def npm_client(archives: dict[str, bytes], *, stderr: str = "") -> Callable[..., subprocess.CompletedProcess[str]]:
    """A stand-in for ``subprocess.run`` that packs these archives, by ``name@version``."""

    def run(command: list[str], *, cwd: str, **options: Any) -> subprocess.CompletedProcess[str]:
        assert command[1] == "pack" and options["timeout"] > 0
        content = archives.get(command[2])
        if content is None:
            return subprocess.CompletedProcess(command, 1, "", stderr or "npm error code E404")
        name, version = command[2].split("@")
        (Path(cwd) / f"{name}-{version}.tgz").write_bytes(content)
        return subprocess.CompletedProcess(command, 0, "", "")

    return run


def public_spelling(rows: int, *, seed: int = 0) -> pd.DataFrame:
    """Made-up loans as the public CSV writes them, drawn from the shipped examples."""
    generator = np.random.default_rng(seed)
    frame = loan_examples().frame.iloc[generator.integers(0, 24, rows)].reset_index(drop=True)
    frame["loan_amnt"] = generator.integers(1000, 40000, rows)
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    years, month = generator.integers(2008, 2019, rows), generator.integers(0, 12, rows)
    raw = frame.astype({"loan_amnt": object})
    raw["term"] = " " + raw["term"]
    raw["int_rate"] = [f"{rate:.2f}%" for rate in frame["int_rate"]]
    raw["emp_length"] = raw["emp_length"].where(raw["emp_length"] != "n/a", None)
    whole = [int(year) for year in frame["earliest_cr_line"]]
    raw["earliest_cr_line"] = [
        f"{months[round((exact - year) * 12)]}-{year}"
        for exact, year in zip(frame["earliest_cr_line"], whole, strict=True)
    ]
    raw["issue_d"] = [f"{months[m]}-{y}" for m, y in zip(month, years, strict=True)]
    raw["loan_status"] = np.where(generator.random(rows) < 0.25, "Charged Off", "Fully Paid")
    raw["total_pymnt"] = generator.random(rows) * 1e4  # known only afterwards: must not be used
    raw["recoveries"] = 0.0
    return raw
