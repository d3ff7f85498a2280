"""The library's audit reads samples that JavaScript drew, in Chromium, with the browser's own randomness.

Each test fails by chance below 1e-6: the bound exceeds ε with probability 1e-7 at most, and for Laplace noise it
falls below 0.9 ε only if the counts are six standard deviations from their mean.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device_server import serving, site
from numpy.typing import ArrayLike

from rlm_core.audit.audit_mechanism import AuditResult, audit_pairs
from rlm_core.audit.registered import pairs_of
from rlm_core.registry import get
from rlm_core.types import FloatArray

pytestmark = pytest.mark.slow

CONFIDENCE = 1 - 1e-7
EPSILON = 1.0

# How the page draws one row of a registered mechanism. Each is the release path: no source is given.
CHANNELS = {
    "V-RLM": """({ LaplaceNoise, L1Clip }, epsilon) => {
        const noise = new LaplaceNoise({ epsilon, clip: new L1Clip(5) });
        return (x) => noise.privatise(x);
    }""",
    "Laplace": """({ PerFeatureLaplace }, epsilon) => {
        const noise = new PerFeatureLaplace({ epsilon, low: [0], high: [1] });
        return (x) => noise.privatise(x);
    }""",
    "k-RR": """({ RandomisedResponse }, epsilon) => {
        const channel = new RandomisedResponse({ epsilon, classes: 4 });
        return (x) => [channel.privatise(x[0])];
    }""",
    "Q-RLM": """({ SubsetSelection, codeOf }, epsilon) => {
        const channel = new SubsetSelection({ epsilon, symbols: 8 });
        return (x) => channel.privatise(codeOf(x));
    }""",
    # The same registered channel of 8 symbols, as 4 codes and 2 labels.
    "pairs": """({ PairSelection, codeOf }, epsilon) => {
        const pairs = new PairSelection({ epsilon, codes: 4, classes: 2 });
        return (x) => pairs.privatise(Math.floor(codeOf(x) / 2), codeOf(x) % 2);
    }""",
    # Record and label as one report, for two classes: numbers, and bits written as rlm_core.joint_rows writes them.
    "joint Laplace": """({ JointLaplace }, epsilon, about) => {
        const joint = new JointLaplace({ epsilon, ...about });
        return (x) => joint.privatise(x.slice(0, -1), x.at(-1));
    }""",
    "joint bits": """({ JointBits }, epsilon, about) => {
        const joint = new JointBits({ epsilon, ...about });
        const width = about.low.length + 1;
        return (x) => {
            const { coordinate, symbol, of } = joint.privatise(x.slice(0, -1), x.at(-1));
            const row = new Float64Array(width);
            for (let bit = 0; 2 ** bit < of; bit++) {
                row[(coordinate + bit) % width] = ((symbol >> bit) & 1 ? 1 : -1) * (bit ? 1 : 2);
            }
            return row;
        };
    }""",
    "joint selection": """({ JointSelection }, epsilon, about) => {
        const joint = new JointSelection({ epsilon, ...about });
        return (x) => {
            const { coordinate, members } = joint.privatise(x.slice(0, -1), x.at(-1));
            return [coordinate, ...members];
        };
    }""",
    # Broken on purpose: half of the noise.
    "half the noise": """({ LaplaceNoise, L1Clip }, epsilon) => {
        const noise = new LaplaceNoise({ epsilon: 2 * epsilon, clip: new L1Clip(5) });
        return (x) => noise.privatise(x);
    }""",
}
DIMENSIONS = {"V-RLM": 2, "Laplace": 1, "k-RR": 4, "Q-RLM": 8}
PUBLIC = {
    "joint Laplace": ("radius", "centre", "constant"),
    "joint bits": ("low", "high"),
    "joint selection": ("classes", "low", "high"),
}
"""What a page is told of a joint report: its public numbers."""

DRAW = """async ([modules, make, epsilon, x, count, about]) => {
    const loaded = Object.assign({}, ...(await Promise.all(modules.map((name) => import(`/device/${name}.js`)))));
    const draw = eval(make)(loaded, epsilon, about);
    const rows = Array.from({ length: count }, () => Array.from(draw(x)));
    const bytes = new Uint8Array(Float64Array.from(rows.flat()).buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
}"""
MODULES = ["clip", "laplace", "labels", "subset_selection", "pairs", "per_feature_laplace", "joint", "joint_bits"]


@dataclass
class InBrowser:
    """A registered mechanism whose releases a page draws; everything that is known about it is the library's."""

    mechanism: Any
    page: Any = field(repr=False)
    make: str = field(repr=False)
    about: dict[str, Any] = field(repr=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mechanism, name)

    def privatise(self, x: ArrayLike) -> FloatArray:
        rows = np.asarray(x, dtype=np.float64)
        assert (rows == rows[0]).all()  # the audit repeats one record
        text = self.page.evaluate(DRAW, [MODULES, self.make, EPSILON, rows[0].tolist(), len(rows), self.about])
        drawn = np.frombuffer(base64.b64decode(text), dtype="<f8").reshape(len(rows), -1)
        if hasattr(self.mechanism, "noise") and hasattr(self.mechanism.noise, "vector"):
            return np.asarray(self.mechanism.noise.vector(drawn > 0))
        return drawn


def audited(name: str, registered: str, chromium: Any, folder: Path, *, samples: int) -> AuditResult:
    entry = get(registered)
    mechanism = entry.make(EPSILON, DIMENSIONS.get(registered, entry.dimension))
    about = {each: getattr(mechanism.joint, each) for each in PUBLIC.get(registered, ())}
    with serving(site(folder / "site")) as address:
        page = chromium.new_page()
        page.set_default_timeout(600_000)
        page.goto(address)
        there = InBrowser(mechanism=mechanism, page=page, make=CHANNELS[name], about=about)
        pairs = pairs_of(entry, mechanism)
        result = audit_pairs(there, pairs, samples=samples, confidence=CONFIDENCE)  # type: ignore[arg-type]
        page.close()
    return result


@pytest.mark.browser
@pytest.mark.parametrize("name", ["V-RLM", "Laplace"])
def test_laplace_noise_is_at_its_claim_and_not_below(name: str, chromium: Any, tmp_path: Path) -> None:
    result = audited(name, name, chromium, tmp_path, samples=100_000)
    assert 0.9 * EPSILON <= result.lower_bound <= EPSILON


@pytest.mark.browser
@pytest.mark.parametrize(("name", "registered"), [("k-RR", "k-RR"), ("Q-RLM", "Q-RLM"), ("pairs", "Q-RLM")])
def test_symbols_stay_below_their_claim(name: str, registered: str, chromium: Any, tmp_path: Path) -> None:
    result = audited(name, registered, chromium, tmp_path, samples=40_000)
    assert 0.5 * EPSILON <= result.lower_bound <= EPSILON


@pytest.mark.browser
@pytest.mark.parametrize("name", PUBLIC)
def test_joint_reports_stay_below_their_claim(name: str, chromium: Any, tmp_path: Path) -> None:
    result = audited(name, name, chromium, tmp_path, samples=40_000)
    assert 0.3 * EPSILON <= result.lower_bound <= EPSILON


@pytest.mark.browser
def test_half_the_noise_is_caught(chromium: Any, tmp_path: Path) -> None:
    result = audited("half the noise", "V-RLM", chromium, tmp_path, samples=20_000)
    assert result.lower_bound > EPSILON and not result.ok
