"""The source of randomness is part of the trust boundary: a release draws from the operating system alone."""

from __future__ import annotations

import ast
import random

import numpy as np
import pytest
import torch

from rlm_core.registry import REGISTRY
from tests.architecture.source_trees import CORE, names_in, names_used, offenders, touches, tree_of, under

BROKEN = "rlm_core/audit/broken.py"  # wrong on purpose, and never registered


def test_no_global_seeds() -> None:
    """numpy's generators are arguments; torch's global one only inside ``fork_rng``, which puts it back."""

    def from_numpy(source: str) -> list[tuple[int, str]]:
        allowed = ("np.random.Generator", "np.random.default_rng")
        return [
            (line, name) for line, name in names_used(source) if name.startswith("np.random.") and name not in allowed
        ]

    def from_torch(source: str) -> list[int]:
        seeds = [line for line, name in names_used(source) if name in ("torch.manual_seed", "torch.seed")]
        forked = {
            line
            for node in ast.walk(tree_of(source))
            if isinstance(node, ast.With) and any("fork_rng" in ast.dump(item) for item in node.items)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        return [line for line in seeds if line not in forked]

    assert offenders(CORE, from_numpy) == {}
    assert offenders(CORE, lambda source: touches(source, "random", "numpy.random", "secrets")) == {}
    assert offenders(CORE, from_torch) == {}


def test_the_owner_draws_from_the_operating_system_alone() -> None:
    def generators(source: str) -> set[str]:
        names = {name for _, name in names_used(source) if name.startswith(("np.random", "torch.rand"))}
        return names - {"np.random", "np.random.Generator"}  # only as the type of an argument

    assert offenders(under("rlm_core/owner"), generators) == {}


def test_no_privatise_mentions_a_generator_or_simulates() -> None:
    def generators(source: str) -> set[tuple[int, str]]:
        return {
            (line, name)
            for node in ast.walk(tree_of(source))
            if isinstance(node, ast.FunctionDef) and node.name == "privatise"
            for line, name in names_in(node)
            if name.startswith(("np.random", "random.", "torch.")) or name.endswith(".simulate")
        }

    assert offenders(set(CORE) - {BROKEN}, generators) == {}
    assert generators(BROKEN), "the check finds nothing where there is something"


@pytest.mark.parametrize("name", REGISTRY)
def test_a_release_neither_reads_nor_moves_a_seedable_generator(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = REGISTRY[name].make(1.0, REGISTRY[name].dimension)
    x = np.tile(REGISTRY[name].worst_pair(mechanism)[0], (40, 1))
    monkeypatch.setattr(np.random, "default_rng", lambda *_: pytest.fail("asked numpy for a generator"))
    releases = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002  the point is that this changes nothing
        random.seed(0)
        with torch.random.fork_rng():
            torch.manual_seed(0)
            before = (str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist())  # noqa: NPY002
            releases.append(mechanism.privatise(x))
            after = (str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist())  # noqa: NPY002
        assert before == after
    assert not np.array_equal(*releases)  # equal by chance: below 1e-9, for k-RR with ten classes at ε = 1


@pytest.mark.parametrize("name", REGISTRY)
def test_registered_mechanisms_come_from_sources_that_were_checked(name: str) -> None:
    module = type(REGISTRY[name].make(1.0, REGISTRY[name].dimension)).__module__
    assert module.replace(".", "/") + ".py" in CORE and module != BROKEN.removesuffix(".py").replace("/", ".")
