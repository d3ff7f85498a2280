"""The samples that come with the project."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import rlm_core.data
from rlm_core.data import cifar10_samples, load, loan_examples, mnist_samples
from rlm_core.data.samples import CIFAR10_PER_CLASS, MNIST_PER_CLASS, choose
from rlm_core.data.schema import FEATURES, GRADES


@pytest.mark.parametrize(
    ("read", "per_class", "shape"),
    [(mnist_samples, MNIST_PER_CLASS, (28, 28)), (cifar10_samples, CIFAR10_PER_CLASS, (32, 32, 3))],
)
def test_pictures(read, per_class: int, shape: tuple[int, ...]) -> None:
    samples = read()
    assert samples.images.shape == (10 * per_class, *shape) and samples.images.dtype == np.uint8
    assert np.bincount(samples.labels).tolist() == [per_class] * 10 and samples.labels.dtype == np.int64
    assert len(np.unique(samples.rows)) == 10 * per_class and samples.rows.max() < 10_000
    assert len(samples.classes) == 10
    assert len(samples.of_class(3)) == per_class
    assert len(np.unique(samples.images.reshape(10 * per_class, -1), axis=0)) == 10 * per_class
    with pytest.raises(ValueError, match="label=10"):
        samples.of_class(10)


@pytest.mark.parametrize(("name", "read"), [("mnist", mnist_samples), ("cifar10", cifar10_samples)])
def test_pictures_are_those_of_the_test_set(name: str, read) -> None:
    try:
        dataset = load(name)
    except FileNotFoundError:
        pytest.skip(f"{name} is not in the cache (rlm data get {name})")
    samples = read()
    chosen = choose(dataset, len(samples.rows) // 10)
    assert np.array_equal(samples.rows, chosen.rows)
    assert np.array_equal(samples.images, chosen.images) and np.array_equal(samples.labels, chosen.labels)


def test_loans_are_within_the_schema_and_span_it() -> None:
    examples = loan_examples()
    assert len(examples.frame) == len(examples.target) == len(set(examples.descriptions)) == 24
    assert tuple(examples.frame.columns) == tuple(FEATURES)
    for _, row in examples.frame.iterrows():
        problems = [feature.problem(row[name]) for name, feature in FEATURES.items()]
        assert not any(problems), problems
        months = int(row["term"].split()[0])
        rate = row["int_rate"] / 1200
        assert row["installment"] == pytest.approx(row["loan_amnt"] * rate / (1 - (1 + rate) ** -months), abs=0.01)
        assert row["sub_grade"].startswith(row["grade"])
        assert row["open_acc"] <= row["total_acc"] and row["pub_rec_bankruptcies"] <= row["pub_rec"]
    assert set(examples.frame["grade"]) == set(GRADES) and set(examples.target) == {0, 1}
    assert set(examples.frame["term"]) == {"36 months", "60 months"}
    assert "n/a" in set(examples.frame["emp_length"])


def test_every_sample_has_its_source_noted_and_is_small() -> None:
    folder = Path(rlm_core.data.__file__).parent / "samples"
    notes = (folder / "SOURCES.md").read_text(encoding="utf-8")
    files = [path for path in folder.iterdir() if path.name != "SOURCES.md"]
    assert {path.name for path in files} == {
        "mnist.npz",
        "cifar10.npz",
        "cifar10_features.npz",
        "loans.csv",
        "adult.csv.gz",
    }
    assert all(f"`{path.name}`" in notes for path in files)
    assert sum(os.path.getsize(path) for path in files) < 700_000
    assert (folder / "loans.csv").read_text(encoding="utf-8").startswith("# Invented examples.")
