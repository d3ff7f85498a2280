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
from functools import partial
from pathlib import Path

import numpy as np
import torch

from benchmarks.peers import krr_peers, subset_selection_peers
from benchmarks.result_file import write_result
from rlm_core import RLM, Budget, L1Clip, LaplaceNoise, Ledger, RandomisedResponse, release
from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.privunit import PrivUnit
from rlm_core.collector.codes import PairSets, expectation_maximisation
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.release import release_rows
from rlm_core.report import Report
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
    "subset_selection_us": "subset selection of one of 96 symbols, epsilon = 1, exact, microseconds a record",
    "peer_subset_selection_us": "the fastest of the peers, in floats",
    "multi_freq_ldpy_subset_selection_us": "multi-freq-ldpy",
    "ldp_toolbox_subset_selection_us": "LDP Toolbox",
    "krr_us": "k-RR of one of 10 labels, epsilon = 1, exact, microseconds a record",
    "peer_krr_us": "the fastest of the peers, in floats",
    "multi_freq_ldpy_krr_us": "multi-freq-ldpy",
    "ldp_toolbox_krr_us": "LDP Toolbox",
    "pure_ldp_krr_us": "pure-LDP",
    "vrlm_encoder_us": "one release of the MNIST V-RLM with a label: the encoder, microseconds",
    "vrlm_clip_us": "clip",
    "vrlm_noise_us": "exact noise on 8 numbers",
    "vrlm_label_us": "k-RR of the label",
    "vrlm_report_us": "report, as JSON",
    "vrlm_rest_us": "checks, ledger and digest: what is left of the whole",
    "vrlm_release_us": "the whole",
    "vrlm_block_us": "the same for a record among 2,000, without JSON",
    "privunit_seconds": "PrivUnit of 10,000 x 784, epsilon = 4, s",
    "privunit_second_moment": "its mean squared length for unit vectors",
    "duchi_seconds": "Duchi of 10,000 x 784, epsilon = 4, s",
    "import_seconds_over_numpy": "a new process until its first release of a label and of numbers, over import numpy",
    "import_mb": "the memory of that process, MB",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of ``python -m benchmarks speed``."""
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    parser.add_argument("--out", type=Path, help="also write them to this file, as JSON")
    parser.add_argument("--repeats", type=int, default=7, help="of each measurement; default: %(default)s")
    parser.add_argument("--rows", type=int, default=100_000, help="for Laplace and k-RR; default: %(default)s")
    parser.add_argument("--images", type=int, default=10_000, help="for PrivUnit and Duchi; default: %(default)s")


def main(options: argparse.Namespace) -> int:
    """Measure and print."""
    torch.set_num_threads(1)
    figures = measure(repeats=options.repeats, rows=options.rows, images=options.images)
    if options.out is not None:
        write_result(options.out, figures)
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        for name, value in figures.items():
            print(f"{name:<37}{'-' if value is None else f'{value:.4g}':>9}  {MEANING[name]}")
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
        | symbols(repeats, rows)
        | one_release(repeats)
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


def symbols(repeats: int, rows: int) -> Figures:
    """One of k symbols, exactly, beside packages that draw with floats and a seedable generator, in the same turns."""
    sets, respond = SubsetSelection(epsilon=1.0, symbols=FINE_CODES), RandomisedResponse(epsilon=1.0, classes=CLASSES)
    few = max(1, rows // 20)  # for the peers: a call a record
    values, most = np.arange(rows) % FINE_CODES, [each % FINE_CODES for each in range(few)]
    labels, some = np.arange(rows) % CLASSES, [each % CLASSES for each in range(few)]
    figures = _beside_peers(
        "subset_selection_us",
        repeats,
        lambda: sets.privatise_symbols(values),
        rows,
        {name: partial(each, most) for name, each in subset_selection_peers(FINE_CODES, 1.0).items()},
        few,
        ("multi-freq-ldpy", "LDP Toolbox"),
    )
    return figures | _beside_peers(
        "krr_us",
        repeats,
        lambda: respond.privatise(labels),
        rows,
        {name: partial(each, some) for name, each in krr_peers(CLASSES, 1.0).items()},
        few,
        ("multi-freq-ldpy", "LDP Toolbox", "pure-LDP"),
    )


def _beside_peers(
    key: str,
    repeats: int,
    ours: Callable[[], object],
    rows: int,
    peers: dict[str, Callable[[], object]],
    few: int,
    names: tuple[str, ...],
) -> Figures:
    seconds, *others = in_turns(repeats, ours, *peers.values())
    found = {name: 1e6 * each / few for name, each in zip(peers, others, strict=True)}
    figures: Figures = {key: 1e6 * seconds / rows, f"peer_{key}": min(found.values(), default=None)}
    return figures | {f"{name.lower().replace(' ', '_').replace('-', '_')}_{key}": found.get(name) for name in names}


def one_release(repeats: int) -> Figures:
    """Where the time of one V-RLM release goes: a flat profile, each part by itself, and the whole."""
    from rlm_core import zoo
    from rlm_core.data.samples import mnist_samples

    model, budget = zoo.load("mnist-vrlm-l10-eps33"), Budget(epsilon=10.0, lam=0.9)
    mechanism = model.mechanism(budget.epsilon_x)
    respond = RandomisedResponse(epsilon=budget.epsilon_y, classes=CLASSES)
    samples = mnist_samples()
    pictures = np.resize(samples.images.reshape(len(samples.labels), -1), (2_000, PIXELS)) / 255.0
    labels = np.resize(samples.labels, 2_000)
    x, y = pictures[0], int(labels[0])
    h = mechanism.encode_total(x[None])
    z = mechanism.noise.clip(h)

    def whole() -> Report:
        return release(x, y, mechanism=mechanism, labels=respond, ledger=Ledger())

    report = whole()
    parts = in_turns(
        20 * repeats,
        lambda: mechanism.encode_total(x[None]),
        lambda: mechanism.noise.clip(h),
        lambda: mechanism.noise.privatise(z),
        lambda: respond.privatise([y]),
        report.to_json,
        lambda: whole().to_json(),
    )
    (block,) = in_turns(
        repeats, lambda: release_rows(pictures, labels, mechanism=mechanism, labels=respond, ledger=Ledger())
    )
    encoder, clip, noise, label, json_text, everything = (1e6 * each for each in parts)
    noise = max(0.0, noise - clip)  # privatise clips first
    return {
        "vrlm_encoder_us": encoder,
        "vrlm_clip_us": clip,
        "vrlm_noise_us": noise,
        "vrlm_label_us": label,
        "vrlm_report_us": json_text,
        "vrlm_rest_us": max(0.0, everything - encoder - clip - noise - label - json_text),
        "vrlm_release_us": everything,
        "vrlm_block_us": 1e6 * block / len(pictures),
    }


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
