"""The audit of any callable. Confidence 1 − 1e-7 where honesty is expected; what is broken is broken by far."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rlm_core import L1Clip, LaplaceNoise, RandomisedResponse
from rlm_core.audit import audit_any
from rlm_core.audit.__main__ import main
from rlm_core.audit.audit_page import CANNOT
from rlm_core.audit.code_origin import CodeOrigin, code_origin
from rlm_core.owner import laplace
from rlm_core.types import FloatArray

SURE = 1 - 1e-7
MODULE = """
import numpy as np
from rlm_core import L1Clip, LaplaceNoise

def laplace(records):
    return LaplaceNoise(epsilon=2.0, clip=L1Clip(radius=1.0)).privatise(records)

def half_the_noise(records):
    return LaplaceNoise(epsilon=4.0, clip=L1Clip(radius=1.0)).privatise(records)

class Kit:
    number = 1
    @staticmethod
    def first(record):
        return laplace(record[None])[0, 0]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder with a module and two records."""
    (tmp_path / "theirs.py").write_text(MODULE, encoding="utf-8")
    np.save(tmp_path / "a.npy", [1.0, 0.0])
    np.save(tmp_path / "b.npy", [-1.0, 0.0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    return tmp_path


def call(*more: str, target: str = "theirs:laplace", epsilon: str = "2") -> int:
    few = ("--samples", "10000", "--confidence", str(SURE))
    return main([target, "--epsilon", epsilon, "--records", "a.npy", "b.npy", *few, *more])


def test_a_correct_laplace_passes_and_half_the_noise_is_caught(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert 1.5 < result["lower_bound"] <= 2.0 and result["samples"] == 10_000
    assert call(target="theirs:half_the_noise") == 1
    printed = capsys.readouterr().out
    assert "BROKEN" in printed and "An audit can only find violations" in printed
    assert float(re.findall(r"at least (\S+)", printed)[0]) > 3.0


def test_the_report_says_what_an_audit_cannot(folder: Path) -> None:
    assert call("--html", "report.html") == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert CANNOT in text and "No violation was found" in text and "is private" not in text.replace(CANNOT, "")
    assert "10,000" in text and "claimed ε" in text and text.count("<svg") == 2
    assert not re.search(r"(src|href)=|https?:|<script", text)  # nothing from elsewhere
    assert call("--html", "broken.html", target="theirs:half_the_noise") == 1
    broken = (folder / "broken.html").read_text(encoding="utf-8")
    assert "is refuted" in broken and "proves ε ≥" in broken
    assert call("--html", "large.html", epsilon="20") == 0
    assert "Nothing can be said" in (folder / "large.html").read_text(encoding="utf-8")


def test_the_report_names_the_code_by_its_digest_and_package(folder: Path) -> None:
    assert call("--html", "report.html") == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert hashlib.sha256(MODULE.encode()).hexdigest() in text and "theirs.py" in text
    assert "of no installed package" in text and str(folder) not in text  # no path of the machine
    ours = code_origin(LaplaceNoise(epsilon=1.0, clip=L1Clip(radius=1.0)).privatise)
    assert ours.sha256 == hashlib.sha256(Path(laplace.__file__).read_bytes()).hexdigest()
    assert code_origin(partial(np.random.laplace, 0.0)).package == f"numpy {np.__version__}"
    assert code_origin(len) == CodeOrigin(module="builtins", file="", sha256="", package="")


def test_one_record_at_a_time_and_another_shape_of_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--epsilon", "2", "--records", "a.npy", "b.npy", "--samples", "1000", "--confidence", str(SURE)]
    assert main(["theirs:Kit.first", "--one-by-one", "--json", *few]) == 0
    result = json.loads(capsys.readouterr().out)
    assert 0.5 < result["lower_bound"] <= 2.0 and "projection" in result["event"] + str(result["events"])


def test_float_noise_is_caught_by_its_low_bits() -> None:
    def floats(records: FloatArray) -> FloatArray:
        return records + np.random.default_rng().laplace(scale=0.5, size=records.shape)

    result = audit_any(floats, [[0.0], [1.0]], epsilon=2.0, samples=20_000, confidence=SURE)
    assert not result.ok and "low bits" in result.event and result.mechanism == "floats"


def test_symbols_and_pictures_and_several_records() -> None:
    response = RandomisedResponse(epsilon=1.0, classes=3)
    records = [np.array(0.0), np.array(1.0), np.array(2.0)]  # a record may be one number
    result = audit_any(
        lambda x: response.privatise(x.astype(int)), records, epsilon=1.0, samples=4_000, confidence=SURE
    )
    assert result.ok and result.lower_bound > 0.5
    noise = LaplaceNoise(epsilon=1.0, clip=L1Clip(radius=1.0))

    def picture(x: FloatArray) -> FloatArray:
        return noise.privatise(x.reshape(len(x), -1)).reshape(x.shape)

    corner = np.zeros((4, 4))
    corner[0, 0] = 1.0
    pictures = [np.zeros((4, 4)), corner, -corner]
    result = audit_any(picture, pictures, epsilon=1.0, samples=5_000, confidence=SURE)
    assert result.ok and result.pair == 2  # the two that are farthest apart


def test_mistakes_get_a_message(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target, message in {
        "theirs": "module:callable",
        "theirs:nothing": "has no 'nothing'",
        "theirs:Kit.number": "a callable",
    }.items():
        with pytest.raises(ValueError, match=message):
            call(target=target)
    with pytest.raises(ValueError, match="one at a time|one record at a time"):
        call(target="theirs:Kit.first")
    for wrong in (
        ["theirs:laplace"],
        ["--records", "a.npy"],
        ["theirs:laplace", "--records", "a.npy", "--epsilon", "1"],
    ):
        with pytest.raises(SystemExit):
            main(wrong)
    (folder / "c.npy").write_bytes(b"no array")
    with pytest.raises(ValueError, match="saved by numpy.save"):
        main(["theirs:laplace", "--epsilon", "1", "--records", "a.npy", "c.npy"])
    for records, message in (
        ([[1.0], [1.0]], "that differ"),
        ([[1.0], [1.0, 2.0]], "of one shape"),
        ([[1.0], [np.nan]], "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            audit_any(lambda x: x, records, epsilon=1.0, samples=100)
    with pytest.raises(ValueError, match="finite"):
        audit_any(lambda x: x + np.inf, [[0.0], [1.0]], epsilon=1.0, samples=100)
