"""The JavaScript side computes what Python does: integer by integer, in Chromium and, where it is there, in node."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance import channels, draws, mechanisms, own, own_pictures
from device_server import DEVICE, VECTORS, in_chromium, in_node, site

from rlm_core.device.description import description, offered
from ui.image.files import fit_file

# One broken line each: (file, what stands there, what a careless twin would write).
BROKEN = {
    "float logarithm": (
        "randomness.js",
        "(word) => settle(word, source)",
        "(word) => Math.floor(-(2 ** 30) * Math.log((Number(word) + 1) / 2 ** 64))",
    ),
    "biased modulo": (
        "randomness.js",
        "values[i] = Number(words[j] & mask);",
        "values[i] = Number(words[j] % BigInt(bound));",
    ),
    "missing clip": ("laplace.js", "const z = this.clip.clip(h);", "const z = Float64Array.from(h);"),
    "zero counted twice": ("randomness.js", "(Object.is(value, -0) ? [i] : [])", "(value !== value ? [i] : [])"),
    "zero drawn again with either sign": ("randomness.js", "Object.is(value, -0) ?", "value === 0 ?"),
    "signs from the low bit": ("randomness.js", "(7 - (i & 7))", "(i & 7)"),
    "threshold rounded up": (
        "labels.js",
        "+ BigInt(this.classes - 1) * inverse);",
        "+ BigInt(this.classes - 1) * inverse) + 1n;",
    ),
    "float exponential": (
        "subset_selection.js",
        "const inverse = exponentialUp(this.epsilon);",
        "const inverse = BigInt(Math.round(Math.exp(-this.epsilon) * 2 ** 53)) << 267n;",
    ),
    "sensitivity of half the size": (
        "laplace.js",
        "Math.floor(this.epsilon * 2 ** 29)",
        "Math.floor(this.epsilon * 2 ** 30)",
    ),
    "label of its own in a pair": ("pairs.js", "this.codes - 1) * this.classes +", "this.codes - 1) + this.codes *"),
    "rounded to the grid, not truncated": ("laplace.js", "Math.trunc((value", "Math.round((value"),
}


TYPICAL = ("float logarithm", "biased modulo", "missing clip", "zero drawn again with either sign")
"""Caught in every run; the others where there is time."""

TYPESCRIPT = "typescript@5.9.3"


@pytest.fixture(scope="session")
def whole_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site(tmp_path_factory.mktemp("device") / "site")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("draws", 1_000),
        ("channels", 500),
        ("mechanisms", 600),
        ("own", 200),
        ("own_pictures", 90),
        ("pictures", 50),
    ],
)
def test_chromium_computes_what_python_does(name: str, checks: int, chromium: Any, whole_site: Path) -> None:
    outcome = in_chromium(chromium, whole_site, [name])
    assert outcome["failures"] == []
    assert outcome["checks"] >= checks


@pytest.mark.slow
def test_node_computes_what_python_does(node: str) -> None:
    outcome = in_node(node)
    assert outcome["failures"] == []
    assert outcome["checks"] > 2_000


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in TYPICAL else pytest.mark.slow) for each in BROKEN]
)
def test_a_broken_twin_is_caught(name: str, chromium: Any, tmp_path: Path) -> None:
    file, right, wrong = BROKEN[name]
    twin = tmp_path / "twin"
    shutil.copytree(DEVICE, twin)
    source = (twin / file).read_text(encoding="utf-8")
    assert source.count(right) == 1, "the line that is to be broken has changed"
    (twin / file).write_text(source.replace(right, wrong), encoding="utf-8")
    assert in_chromium(chromium, site(tmp_path / "site", twin), ["draws", "channels"])["failures"]


def test_the_vectors_are_what_python_computes_today() -> None:
    """A change of a sampler shows here: then ``python -m tests.device.conformance``, and the twin follows."""
    for name, written in (("draws", draws.vectors()), ("channels", channels.vectors()), ("own", own.vectors())):
        committed = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
        assert committed == json.loads(json.dumps(written)), name


def test_the_pictures_are_what_python_fits_today() -> None:
    """From the committed files: JPEG may be decoded a little differently elsewhere, what has no loss may not."""
    for each in json.loads((VECTORS / "pictures.json").read_text(encoding="utf-8"))["pictures"]:
        x = fit_file(base64.b64decode(each["file"]), each["dataset"]).reshape(-1)
        np.testing.assert_allclose(x, each["x"], rtol=0, atol=each["tolerance"], err_msg=each["name"])


def test_own_pictures_are_what_python_reads_and_sends_today() -> None:
    """From the committed files: another zlib writes the same PNG in other bytes, and reads the same pixels."""
    committed = json.loads((VECTORS / "own_pictures.json").read_text(encoding="utf-8"))
    for each in committed["pictures"]:
        _, x = own_pictures.read(base64.b64decode(each["file"]), **each["to"])
        np.testing.assert_allclose(x, each["x"], rtol=0, atol=each["tolerance"], err_msg=each["name"])
    assert committed["mechanisms"] == own_pictures.mechanisms(committed["pictures"])


def test_every_mechanism_that_the_device_offers_has_its_vectors() -> None:
    """With the same digest and the same weights: else the vectors are of another mechanism."""
    committed = json.loads((VECTORS / "mechanisms.json").read_text(encoding="utf-8"))["mechanisms"]
    expected = [json.loads(json.dumps(description(name))) for name in (*offered(), *mechanisms.cuts())]
    assert [each["description"] for each in committed] == expected
    assert all(each["reports"] for each in committed)


@pytest.mark.parametrize(
    ("dataset", "tolerance"),
    [("mnist", 1e-6), ("lending_club", 1e-6), pytest.param("cifar10", 1e-5, marks=pytest.mark.slow)],
)
def test_the_releases_are_what_python_makes_today(dataset: str, tolerance: float) -> None:
    """Sets, labels and noise on pixels are equal. A network's float32 sums depend a little on the processor: h and
    the numbers of a report may differ by 1e-6 of the largest, after the trunk by 1e-5.
    """
    committed = json.loads((VECTORS / "mechanisms.json").read_text(encoding="utf-8"))["mechanisms"]
    names = [*offered(), *mechanisms.cuts()]
    chosen = [each for each in zip(names, committed, strict=True) if each[1]["description"]["dataset"] == dataset]
    assert len(chosen) > 10
    for name, each in chosen:
        if "h" in each:
            h = mechanisms.representations(name)
            assert h.argmax(axis=1).tolist() == each["codes"], name
            assert_close(h, each["h"], tolerance, name)
        today = mechanisms.reports(name)
        assert [_exact(report, "h" in each) for report in today] == [_exact(r, "h" in each) for r in each["reports"]]
        for found, expected in zip(today, each["reports"], strict=True):
            assert_close(_numbers(found), _numbers(expected), tolerance, name)


def assert_close(found: Any, expected: Any, tolerance: float, name: str) -> None:
    """Within a share of the largest number, or of 1 where all are smaller."""
    largest = float(np.max(np.abs(expected), initial=1.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * largest, err_msg=name)


def _numbers(report: dict[str, Any]) -> list[float]:
    return json.loads(report["report"]).get("numbers") or []


def _exact(report: dict[str, Any], learnt: bool) -> dict[str, Any]:
    """Every byte, but for the numbers of a network."""
    sent = json.loads(report["report"])
    if not learnt or "numbers" not in sent:
        return report
    return report | {"report": json.dumps(sent | {"numbers": []})}


def test_the_vectors_are_small() -> None:
    assert sum(path.stat().st_size for path in VECTORS.iterdir()) < 2_000_000


def compiler() -> list[str]:
    """A TypeScript compiler: one that is installed, or npm's, which keeps it after the first time."""
    if found := shutil.which("tsc"):
        return [found]
    if not shutil.which("npm"):
        pytest.skip("neither tsc nor npm is installed")
    command = ["npm", "exec", "--yes", "--prefer-offline", f"--package={TYPESCRIPT}", "--", "tsc"]
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("npm could not fetch TypeScript")
    if done.returncode != 0:
        pytest.skip("npm could not fetch TypeScript")
    return command


@pytest.mark.slow
def test_types() -> None:
    """JSDoc types, checked where there is node."""
    done = subprocess.run([*compiler(), "-p", str(DEVICE)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow
def test_a_wrong_type_is_caught(tmp_path: Path) -> None:
    shutil.copytree(DEVICE, tmp_path / "device")
    with (tmp_path / "device" / "clip.js").open("a", encoding="utf-8") as file:
        file.write("\n/** @type {number} */\nexport const wrong = 'words';\n")
    done = subprocess.run([*compiler(), "-p", str(tmp_path / "device")], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "clip.js" in done.stdout
