"""The registry: every entry keeps the protocol's promises. Chance failures: below 1e-6 for each test."""

from __future__ import annotations

import dataclasses
import inspect
import math

import numpy as np
import pytest

from rlm_core import Report, registry, release
from rlm_core.joint_rows import JointBitsRows, JointSelectionRows
from rlm_core.mechanism import HasDensity, Mechanism
from rlm_core.registry import REGISTRY, Entry

ENTRIES = list(REGISTRY.values())
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=[entry.name for entry in ENTRIES])


def test_names() -> None:
    assert registry.names() == (
        "V-RLM",
        "C-RLM",
        "Q-RLM",
        "joint Laplace",
        "joint selection",
        "joint bits",
        "Laplace",
        "Duchi",
        "PrivUnit",
        "PCA",
        "Laplace table",
        "Duchi table",
        "k-RR",
    )
    assert all(entry.name == name for name, entry in REGISTRY.items())


def test_an_unknown_name_lists_what_exists() -> None:
    assert registry.get("Duchi") is REGISTRY["Duchi"]
    with pytest.raises(ValueError, match="Expected one of V-RLM, C-RLM, .*k-RR; got 'Gauss'"):
        registry.get("Gauss")


@every_entry
def test_every_entry_keeps_the_protocol(entry: Entry) -> None:
    mechanism = entry.make(1.5, entry.dimension)
    assert isinstance(mechanism, Mechanism)
    assert (mechanism.name, mechanism.epsilon) == (entry.name, 1.5)
    assert entry.title and entry.summary.endswith(".") and entry.source
    x, _ = entry.worst_pair(mechanism)
    assert x.shape == (mechanism.input_dim,)
    rows = np.tile(x, (3, 1))
    for values in (
        mechanism.privatise(rows),
        mechanism.simulate(rows, generator=np.random.default_rng(0)),
        mechanism.represent(rows),
    ):
        assert values.shape == (3, mechanism.output_dim) and values.dtype == np.float64
    assert mechanism.privatise(np.empty((0, mechanism.input_dim))).shape == (0, mechanism.output_dim)


@every_entry
def test_a_release_takes_no_seed_and_a_simulation_nothing_else(entry: Entry) -> None:
    mechanism = entry.make(1.0, entry.dimension)
    assert list(inspect.signature(mechanism.privatise).parameters) == ["x"]
    generator = inspect.signature(mechanism.simulate).parameters["generator"]
    assert generator.kind is inspect.Parameter.KEYWORD_ONLY and generator.default is inspect.Parameter.empty
    x, _ = entry.worst_pair(mechanism)
    rows = np.tile(x, (20, 1))
    first, second = (mechanism.simulate(rows, generator=np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.random.seed(0)  # noqa: NPY002 - a global seed must change nothing
    first = np.concatenate([mechanism.privatise(rows) for _ in range(10)])
    np.random.seed(0)  # noqa: NPY002
    second = np.concatenate([mechanism.privatise(rows) for _ in range(10)])
    assert (first != second).any()  # 200 reports each


@every_entry
def test_mechanisms_and_entries_are_frozen_and_have_a_short_repr(entry: Entry) -> None:
    mechanism = entry.make(1.0, entry.dimension)
    for value in (mechanism, entry):
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.name = "another"
        assert len(repr(value)) < 600 and "array(" not in repr(value)


@every_entry
def test_infinite_epsilon_returns_the_represented_record(entry: Entry) -> None:
    mechanism = entry.make(math.inf, entry.dimension)
    rows = np.stack(entry.worst_pair(mechanism))
    if isinstance(mechanism, JointSelectionRows | JointBitsRows):  # some coordinates only: tests/owner/test_joint*.py
        return
    np.testing.assert_allclose(mechanism.privatise(rows), mechanism.represent(rows))
    simulated = mechanism.simulate(rows, generator=np.random.default_rng(0))
    np.testing.assert_allclose(simulated, mechanism.represent(rows))


@every_entry
def test_bad_epsilon_and_bad_records_raise(entry: Entry) -> None:
    for epsilon in (-1.0, math.nan):
        with pytest.raises(ValueError, match="epsilon"):
            entry.make(epsilon, entry.dimension)
    mechanism = entry.make(1.0, entry.dimension)
    with pytest.raises(ValueError, match="finite"):
        mechanism.privatise(np.full((1, mechanism.input_dim), np.nan))
    with pytest.raises(ValueError, match="shape"):
        mechanism.privatise(np.zeros((1, mechanism.input_dim + 1)))


@every_entry
def test_other_dimensions_work_too(entry: Entry) -> None:
    for dimension in (2, 3, 5):
        mechanism = entry.make(1.0, dimension)
        x, other = entry.worst_pair(mechanism)
        assert not np.array_equal(x, other)
        assert np.isfinite(mechanism.privatise(np.stack([x, other]))).all()


@every_entry
def test_a_record_becomes_a_report(entry: Entry) -> None:
    mechanism = entry.make(1.0, entry.dimension)
    report = release(entry.worst_pair(mechanism)[0], mechanism=mechanism)
    assert Report.from_json(report.to_json()) == report
    assert report.epsilon == 1.0 and report.mechanism == entry.name


def test_only_duchi_has_no_density() -> None:
    without = {entry.name for entry in ENTRIES if not isinstance(entry.make(1.0, entry.dimension), HasDensity)}
    assert without == {"Duchi", "Duchi table"}


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("name", [name for name in REGISTRY if not name.startswith("Duchi")])
def test_the_worst_pair_costs_all_of_epsilon_and_no_more(name: str, epsilon: float) -> None:
    mechanism = REGISTRY[name].make(epsilon, REGISTRY[name].dimension)
    pair = np.stack(REGISTRY[name].worst_pair(mechanism))
    reports = mechanism.privatise(np.tile(pair[0], (3000, 1)))
    log_p = mechanism.log_density_pairs(reports, mechanism.represent(pair))
    ratio = log_p[:, 0] - log_p[:, 1]
    assert np.abs(ratio).max() <= epsilon * (1 + 1e-6)
    assert ratio.max() >= epsilon * (1 - 1e-6)  # one in 50 reports at least: none of 3,000 has chance 1e-26


@pytest.mark.parametrize("dimension", [3, 10])
def test_the_worst_pair_of_duchi_costs_epsilon(dimension: int) -> None:
    """Between opposite corners the event t·1 > 0 is e^ε times as likely for one as for the other."""
    epsilon, count = 1.0, 80_000
    mechanism = REGISTRY["Duchi"].make(epsilon, dimension)
    odds = [
        (mechanism.privatise(np.tile(x, (count, 1))).sum(axis=1) > 0).mean()
        for x in REGISTRY["Duchi"].worst_pair(mechanism)
    ]
    deviation = 5.0 * np.sqrt(sum((1 - p) / (p * count) for p in odds))
    assert abs(np.log(odds[0] / odds[1]) - epsilon) < deviation < 0.1
