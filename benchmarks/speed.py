"""How fast releases are: the figures of the README, measured in one run.

Every figure is a median over repetitions, in processor time of one core (so a busy machine
does not count against anybody), and what is compared is measured in turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from rlm_core import RLM, L1Clip, LaplaceNoise, Ledger, RandomisedResponse, release
from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.privunit import PrivUnit
from rlm_core.collector.codes import PairSets, expectation_maximisation
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.training.codes.choice import FINE_CODES, codes_for

Figures = dict[str, float | None]
LATENT, RADIUS, EPSILON = 8, 5.0, 2.0
PIXELS, CLASSES = 784, 10
MEANING = {
    "laplace_release_over_numpy": "release-path Laplace over numpy's float Laplace, 100,000 x 8",
    "opendp_over_laplace_release": "OpenDP's Laplace over ours, per value",
    "report_ms": "one report of 8 numbers and a label, ms",
    "code_report_ms": "one report of a Q-RLM: 96 scores to a code, with its label a set of 960 pairs, ms",
    "code_fit_seconds": "its collector's maximum likelihood from 13,500 sets of 42 codes x 10 labels, s",
    "krr_ms": "k-RR of 100,000 labels, K = 10, ms",
    "privunit_seconds": "PrivUnit of 10,000 x 784, epsilon = 4, s",
    "privunit_second_moment": "its mean squared length for unit vectors",
    "duchi_seconds": "Duchi of 10,000 x 784, epsilon = 4, s",
    "import_seconds_over_numpy": "a new process until its first release of a label and of numbers, over import numpy",
    "import_mb": "the memory of that process, MB",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of ``python -m benchmarks speed``."""
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    parser.add_argument("--repeats", type=int, default=7, help="of each measurement; default: %(default)s")
    parser.add_argument("--rows", type=int, default=100_000, help="for Laplace and k-RR; default: %(default)s")
    parser.add_argument("--images", type=int, default=10_000, help="for PrivUnit and Duchi; default: %(default)s")


def main(options: argparse.Namespace) -> int:
    """Measure and print."""
    torch.set_num_threads(1)
    figures = measure(repeats=options.repeats, rows=options.rows, images=options.images)
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        for name, value in figures.items():
            print(f"{name:<29}{'-' if value is None else f'{value:.4g}':>9}  {MEANING[name]}")
    return 0


def measure(*, repeats: int, rows: int, images: int) -> Figures:
    """All figures, by name."""
    if not repeats >= 1 or not rows >= 1 or not images >= 1:
        raise ValueError(f"Expected positive numbers, got repeats={repeats}, rows={rows}, images={images}.")
    return (
        laplace(repeats, rows)
        | report(repeats)
        | codes(repeats)
        | labels(repeats, rows)
        | pictures(repeats, images)
        | imports(repeats)
    )


def laplace(repeats: int, rows: int) -> Figures:
    """The release path beside numpy's float Laplace (which is not private) and OpenDP's (which is slow)."""
    generator = np.random.default_rng(0)
    noise = LaplaceNoise(epsilon=EPSILON, clip=L1Clip(radius=RADIUS))
    z = noise.clip(generator.standard_normal((rows, LATENT)))
    ours, numpys = in_turns(
        repeats,
        lambda: noise.privatise(z),
        lambda: z + generator.laplace(0.0, noise.scale, size=z.shape),
    )
    figures: Figures = {"laplace_release_over_numpy": ours / numpys, "opendp_over_laplace_release": None}
    try:
        import opendp.prelude as dp
    except ImportError:
        print("OpenDP is not installed (see requirements-dev.txt): not compared.", file=sys.stderr)
        return figures
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    release_opendp = dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=noise.scale)
    few = [float(value) for value in z.ravel()[:2_000]]
    (opendps,) = in_turns(min(repeats, 3), lambda: release_opendp(few))
    return figures | {"opendp_over_laplace_release": (opendps / len(few)) / (ours / z.size)}


def report(repeats: int) -> Figures:
    """One whole Report: encoder (the identity), clip, noise, label and ledger."""
    noise = LaplaceNoise(epsilon=EPSILON, clip=L1Clip(radius=RADIUS))
    rlm = RLM(name="V-RLM", encoder=lambda x: x, noise=noise, input_dim=LATENT, output_dim=LATENT)
    respond = RandomisedResponse(epsilon=EPSILON, classes=10)
    x = np.linspace(-1.0, 1.0, LATENT)
    (seconds,) = in_turns(50 * repeats, lambda: release(x, 3, mechanism=rlm, labels=respond, ledger=Ledger()))
    return {"report_ms": 1e3 * seconds}


def codes(repeats: int) -> Figures:
    """What a Q-RLM adds to its network, on both sides: the set of codes, and the fit to such sets."""
    noise = SubsetSelection(epsilon=EPSILON, symbols=FINE_CODES)
    rlm = RLM(name="Q-RLM", encoder=lambda x: x, noise=noise, input_dim=FINE_CODES, output_dim=FINE_CODES)
    pairs = PairSelection(epsilon=2 * EPSILON, codes=FINE_CODES, classes=CLASSES)
    scores = np.linspace(-1.0, 1.0, FINE_CODES)
    (seconds,) = in_turns(50 * repeats, lambda: release(scores, 3, mechanism=rlm, pairs=pairs, ledger=Ledger()))
    epsilon, people = 4.0, 13_500  # MNIST's collected points
    k = codes_for(epsilon, people)
    generator = np.random.default_rng(0)
    found = generator.integers(k, size=people)
    channel = PairSelection(epsilon=epsilon, codes=k, classes=CLASSES)
    members = channel.simulate(found, found % CLASSES, generator=generator)
    sets = PairSets(members=members, epsilon=epsilon, codes=k, classes=CLASSES)
    (fit,) = in_turns(min(repeats, 3), lambda: expectation_maximisation(sets, np.ones(k)))
    return {"code_report_ms": 1e3 * seconds, "code_fit_seconds": fit}


def labels(repeats: int, rows: int) -> Figures:
    """k-RR in bulk."""
    respond = RandomisedResponse(epsilon=EPSILON, classes=10)
    y = np.arange(rows) % 10
    (seconds,) = in_turns(repeats, lambda: respond.privatise(y))
    return {"krr_ms": 1e3 * seconds}


def pictures(repeats: int, images: int) -> Figures:
    """The baselines on vectors as long as a small picture."""
    generator = np.random.default_rng(0)
    x = generator.standard_normal((images, PIXELS))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    privunit = PrivUnit(epsilon=4.0, dimension=PIXELS, fixed_norm=True)
    duchi = Duchi(epsilon=4.0, dimension=PIXELS)
    seconds = in_turns(min(repeats, 5), lambda: privunit.privatise(x), lambda: duchi.privatise(x))
    return {
        "privunit_seconds": seconds[0],
        "privunit_second_moment": float((privunit.privatise(x) ** 2).sum(axis=1).mean()),
        "duchi_seconds": seconds[1],
    }


FIRST_RELEASE = """
from rlm_core import L1Clip, LaplaceNoise, RandomisedResponse
RandomisedResponse(epsilon=1.0, classes=3).privatise([1])
LaplaceNoise(epsilon=1.0, clip=L1Clip(radius=1.0)).privatise([[0.5, 0.5]])
"""
COST = """
import resource, sys, time
try:  # the peak of this program alone; getrusage counts what was there before it
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
print(time.process_time(), peak)
"""


def imports(repeats: int) -> Figures:
    """What a program pays before its first release, each time in a new process."""
    ours, numpys = [], []
    for _ in range(repeats):
        numpys.append(cost_of("import numpy")[0])
        ours.append(cost_of(FIRST_RELEASE))
    seconds, megabytes = (statistics.median(each) for each in zip(*ours, strict=True))
    return {"import_seconds_over_numpy": seconds / statistics.median(numpys), "import_mb": megabytes}


def cost_of(program: str) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a new Python process that runs a program."""
    root = Path(__file__).resolve().parents[1]
    found = subprocess.run(
        [sys.executable, "-c", f"{program}\n{COST}"], cwd=root, capture_output=True, text=True, check=True
    )
    seconds, megabytes = map(float, found.stdout.split())
    return seconds, megabytes


def in_turns(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """The median processor time of each function, in seconds; one call of each first, to warm up."""
    times: list[list[float]] = [[] for _ in functions]
    for turn in range(repeats + 1):
        for function, taken in zip(functions, times, strict=True):
            start = time.process_time()
            function()
            if turn:
                taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]
