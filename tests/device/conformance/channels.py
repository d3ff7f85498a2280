"""Vectors of whole releases: h (or x, or a label) and random bytes to what is sent; clip, budget and ledger."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.owner.budget import Budget, Ledger, Release
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection

from .draws import LOG_THREE
from .tape import forged, rounded

EPSILONS = (1e-6, 0.5, 1.0, LOG_THREE, 4.0, 7.3, 50.0, 1e6, math.inf)


def vectors() -> dict[str, Any]:
    """Every channel of static/device."""
    return {
        "clip": [_clip(h, radius) for h in _representations() for radius in (1.0, 5.0, 7.5)],
        "laplace": _laplace(),
        "per_feature_laplace": _per_feature(),
        "labels": _labels(),
        "sets": _sets(),
        "pairs": _pairs(),
        "joint_laplace": _joint_laplace(),
        "joint_sets": _joint_sets(),
        "budget": _budget(),
        "sums": _sums(),
    }


def _representations() -> list[list[float]]:
    generator = np.random.default_rng(2)
    plain = [rounded(generator.normal(0, scale, d)) for d in (1, 2, 7, 8, 9, 32, 150) for scale in (0.1, 3.0)]
    edges = [[0.0] * 8, [-0.0, 0.0], [1e308] * 4, [5e-324, -5e-324], [5.0, 0.0], [-7.5, 0.0, 0.0], [1 / 3] * 3]
    return plain + edges + [[0.1] * 10, [1e-310, 1.0], [2.5, -2.5], [3.0e38, -1.0]]


def _clip(h: list[float], radius: float) -> dict[str, Any]:
    return {"h": h, "radius": radius, "z": L1Clip(radius=radius)(h).tolist()}


def _laplace() -> list[dict[str, Any]]:
    cases = []
    for number, h in enumerate(_representations()):
        for epsilon in EPSILONS[number % 3 :: 3]:
            label = f"laplace {number} {epsilon}"
            with forged(label):
                sent = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=5.0)).privatise([h])[0].tolist()
            cases.append({"label": label, "h": h, "radius": 5.0, "epsilon": written(epsilon), "sent": sent})
    return cases


def _per_feature() -> list[dict[str, Any]]:
    generator = np.random.default_rng(3)
    cases = []
    for number, epsilon in enumerate((0.5, 3.7, 12.0, 300.0, math.inf)):
        d = (1, 5, 17, 28, 8)[number]
        low = [*rounded(generator.normal(0, 1, d)), 0.25]
        high = [*(value + width for value, width in zip(low, rounded(generator.exponential(2, d)), strict=False)), 0.25]
        x = [*rounded(generator.normal(0, 2, d)), 9.0]  # the last feature is a constant
        label = f"per feature {number}"
        with forged(label):
            sent = PerFeatureLaplace(epsilon=epsilon, low=tuple(low), high=tuple(high)).privatise([x])[0].tolist()
        cases.append({"label": label, "epsilon": written(epsilon), "low": low, "high": high, "x": x, "sent": sent})
    pixels = np.random.default_rng(4).uniform(0, 1, 784).round(3)
    with forged("pixels"):
        sent = PerFeatureLaplace(epsilon=100.0, low=(0.0,) * 784, high=(1.0,) * 784).privatise([pixels])[0].tolist()
    shared = {"low": [0.0] * 784, "high": [1.0] * 784, "x": pixels.tolist(), "sent": sent}
    return [*cases, {"label": "pixels", "epsilon": 100.0} | shared]


def _labels() -> list[dict[str, Any]]:
    cases = []
    for epsilon in (0.0, 0.3, 1.0, 3.0, 40.0, math.inf):
        for classes in (2, 10, 1000):
            channel, label = RandomisedResponse(epsilon=epsilon, classes=classes), f"labels {epsilon} {classes}"
            with forged(label):
                sent = [int(channel.privatise([y % classes])[0]) for y in range(60)]
            cases.append({"label": label, "epsilon": written(epsilon), "classes": classes, "sent": sent})
    return cases


def _sets() -> list[dict[str, Any]]:
    cases = []
    for epsilon in (0.3, 1.0, 2.0, 4.0, 9.0, math.inf):
        for k in (2, 3, 16, 96):
            channel, label = SubsetSelection(epsilon=epsilon, symbols=k), f"sets {epsilon} {k}"
            with forged(label):
                drawn = [channel.privatise_symbols([c % k])[0] for c in range(12)]
            sent = [np.packbits(members).tobytes().hex() for members in drawn]
            cases.append({"label": label, "epsilon": written(epsilon), "symbols": k, "sent": sent})
    cases += _ties()
    return cases


def _ties() -> list[dict[str, Any]]:
    """Equal keys where the set ends: it is drawn again. The first word decides κ, then 16 keys of 16 bits follow."""
    channel, cases = SubsetSelection(epsilon=1.0, symbols=16), []
    for first in (0, 2**64 - 1):  # the symbol is forced in; it is not
        head = first.to_bytes(8, "little") + b"".join(key.to_bytes(2, "little") for key in [5] * 8 + [900] * 8)
        with forged("ties", head):
            sent = [np.packbits(channel.privatise_symbols([3])[0]).tobytes().hex()]
        cases.append({"label": "ties", "head": head.hex(), "epsilon": 1.0, "symbols": 16, "first": 3, "sent": sent})
    with forged("many symbols"):  # keys of 64 bits
        members = SubsetSelection(epsilon=1.0, symbols=2049).privatise_symbols([7])[0]
    sent = [np.packbits(members).tobytes().hex()]
    return [*cases, {"label": "many symbols", "epsilon": 1.0, "symbols": 2049, "first": 7, "sent": sent}]


def _joint_laplace() -> list[dict[str, Any]]:
    generator, cases = np.random.default_rng(7), []
    for number, epsilon in enumerate((0.5, 1.0, 4.0, math.inf)):
        centre, h = rounded(generator.normal(0, 1, 8)), rounded(generator.normal(0, 2, 8))
        joint = JointLaplace(epsilon=epsilon, radius=4.0, centre=tuple(centre), constant=0.5)
        for y in (0, 1):
            label = f"joint laplace {number} {y}"
            with forged(label):
                sent = joint.privatise([h], [y])[0].tolist()
            shared = {"radius": 4.0, "centre": centre, "constant": 0.5, "h": h, "y": y, "sent": sent}
            cases.append({"label": label, "epsilon": written(epsilon)} | shared)
    return cases


def _joint_sets() -> list[dict[str, Any]]:
    generator, cases = np.random.default_rng(8), []
    low, high = [-1.0, 0.0, 0.25, -1e308], [1.0, 3.0, 0.5, 0.0]
    for epsilon in (0.5, 2.0, 4.0, math.inf):
        joint, label = JointSelection(epsilon=epsilon, classes=5, low=tuple(low), high=tuple(high)), f"joint {epsilon}"
        rows = [*rounded(generator.normal(0, 2, (10, 4))), low, high]
        with forged(label):
            drawn = [joint.privatise([h], [i % 5]) for i, h in enumerate(rows)]
        sent = [[int(j[0]), np.packbits(members[0]).tobytes().hex()] for j, members in drawn]
        cases.append(
            {
                "label": label,
                "epsilon": written(epsilon),
                "classes": 5,
                "low": low,
                "high": high,
                "h": rows,
                "sent": sent,
            }
        )
    return cases


def _pairs() -> list[dict[str, Any]]:
    cases = []
    for epsilon in (0.5, 2.0, 5.0, math.inf):
        for codes, classes in ((3, 2), (16, 2), (96, 10)):
            channel, label = PairSelection(epsilon=epsilon, codes=codes, classes=classes), f"pairs {epsilon} {codes}"
            with forged(label):
                drawn = [channel.privatise([c % codes], [c % classes])[0] for c in range(4)]
            sent = [np.packbits(members).tobytes().hex() for members in drawn]
            cases.append(
                {"label": label, "epsilon": written(epsilon), "codes": codes, "classes": classes, "sent": sent}
            )
    return cases


def _budget() -> list[list[Any]]:
    generator = np.random.default_rng(5)
    pairs = [(epsilon, lam) for epsilon in (0.7, 4.0, 10.0, 1e-5) for lam in (0.0, 0.1, 1 / 3, 0.75, 0.9, 1.0)]
    pairs += list(zip(rounded(generator.exponential(5, 200)), generator.random(200).tolist(), strict=True))
    budgets = [Budget(epsilon=epsilon, lam=lam) for epsilon, lam in pairs]
    return [[b.epsilon, b.lam, b.epsilon_x, b.epsilon_y] for b in budgets]


def _sums() -> list[dict[str, Any]]:
    generator = np.random.default_rng(6)
    cases = []
    for values in ([], [0.1] * 10, [1e6, 1e-6, 1e-6], *(rounded(generator.exponential(3, n)) for n in (1, 5, 40))):
        ledger = Ledger()
        for value in values:
            ledger.spend(Release(record="me", mechanism="V-RLM", epsilon_x=value, epsilon_y=0.0))
        cases.append({"values": values, "total": ledger.spent("me")})
    return cases


def written(epsilon: float) -> float | str:
    """∞ as reports write it."""
    return "inf" if math.isinf(epsilon) else epsilon
