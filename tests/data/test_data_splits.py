"""Image splits: sizes of the paper, nobody on two sides, and the seed decides all."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.data.dataset import Dataset
from rlm_core.data.splits import PARTS, Split, data_collection, novel_class

# Class counts of the published sets.
MNIST_TRAIN = np.repeat(np.arange(10), [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949])
MNIST_TEST = np.repeat(np.arange(10), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009])
GOLDEN = {"mechanism_train": [0, 1, 2, 3, 4, 5, 6, 7, 10], "classifier_test": [1, 7]}
CIFAR_TRAIN, CIFAR_TEST = np.repeat(np.arange(10), 5000), np.repeat(np.arange(10), 1000)


def assert_disjoint(split: Split) -> None:
    for side in (("mechanism_train", "classifier_train", "classifier_valid"), ("mechanism_valid", "classifier_test")):
        rows = np.concatenate([split.rows(part) for part in side])
        assert len(np.unique(rows)) == len(rows)


@pytest.mark.parametrize(
    ("train", "test", "sizes"),
    [(60_000, 10_000, [45_000, 7_500, 13_500, 1_500, 2_500]), (50_000, 10_000, [37_500, 7_500, 11_250, 1_250, 2_500])],
)
def test_data_collection_has_the_papers_sizes_and_covers_everything(train: int, test: int, sizes: list[int]) -> None:
    split = data_collection(train, test, seed=3)
    assert [len(split.rows(part)) for part in PARTS] == sizes
    assert_disjoint(split)
    used = np.concatenate([split.mechanism_train, split.classifier_train, split.classifier_valid])
    assert np.array_equal(np.sort(used), np.arange(train))
    assert np.array_equal(np.sort(np.r_[split.mechanism_valid, split.classifier_test]), np.arange(test))


@pytest.mark.parametrize(
    "make", [lambda s: data_collection(500, 100, seed=s), lambda s: novel_class(MNIST_TRAIN, MNIST_TEST, seed=s)]
)
def test_the_seed_decides(make) -> None:
    first, again, other = make(1), make(1), make(2)
    assert all(np.array_equal(first.rows(part), again.rows(part)) for part in PARTS)
    assert not any(np.array_equal(first.rows(part), other.rows(part)) for part in PARTS)


def test_data_collection_is_the_same_on_every_machine() -> None:
    split = data_collection(12, 8, seed=0)
    # Written down once: a change here would move rows between the parties of shipped models.
    assert split.mechanism_train.tolist() == GOLDEN["mechanism_train"]
    assert split.classifier_test.tolist() == GOLDEN["classifier_test"]


def test_smaller_auxiliary_shares_are_nested_and_keep_the_test_rows() -> None:
    shares = (0.75, 0.5, 0.25, 0.1, 0.0)
    splits = [data_collection(60_000, 10_000, seed=0, auxiliary_share=share) for share in shares]
    assert [len(split.mechanism_train) for split in splits] == [45_000, 30_000, 15_000, 6_000, 0]
    for larger, smaller in zip(splits, splits[1:], strict=False):
        assert np.isin(smaller.mechanism_train, larger.mechanism_train).all()
        assert np.isin(larger.classifier_valid, smaller.classifier_valid).all()
        assert np.array_equal(smaller.classifier_test, larger.classifier_test)


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_auxiliary_share_is_checked(share: float) -> None:
    with pytest.raises(ValueError, match="auxiliary_share"):
        data_collection(100, 10, seed=0, auxiliary_share=share)


@pytest.mark.parametrize(("train", "test"), [(MNIST_TRAIN, MNIST_TEST), (CIFAR_TRAIN, CIFAR_TEST)])
def test_novel_class(train: np.ndarray, test: np.ndarray) -> None:
    split = novel_class(train, test, seed=0)
    assert_disjoint(split)
    for labels, part in ((train, "mechanism_train"), (test, "mechanism_valid")):
        given = np.bincount(labels[split.rows(part)], minlength=10)
        every = np.bincount(labels, minlength=10)
        assert given[9] == 0
        assert np.array_equal(given[:9], np.round(every[:9] * 8 / 9).astype(int))
    for labels, part in ((train, "classifier_train"), (train, "classifier_valid"), (test, "classifier_test")):
        is_novel = labels[split.rows(part)] == 9
        assert is_novel.sum() * 2 == is_novel.size > 0
    nines = min((train == 9).sum(), (train != 9).sum() - len(split.mechanism_train))
    assert len(split.classifier_train) + len(split.classifier_valid) == 2 * nines
    assert len(split.classifier_train) == 2 * round(0.9 * nines)


def test_novel_class_needs_both_sides() -> None:
    with pytest.raises(ValueError, match="novel=9"):
        novel_class([0, 1, 2], [9, 1], seed=0)


def test_dataset_select_and_checks() -> None:
    x = np.arange(20 * 4, dtype=np.uint8).reshape(20, 2, 2)
    y = np.arange(20, dtype=np.int64) % 2
    dataset = Dataset(name="toy", train_x=x, train_y=y, test_x=x[:8] + 100, test_y=y[:8], classes=("a", "b"))
    split = data_collection(20, 8, seed=0)
    images, labels = dataset.select(split, "classifier_train")
    assert np.array_equal(images, x[split.classifier_train]) and np.array_equal(labels, y[split.classifier_train])
    images, _ = dataset.select(split, "classifier_test")
    assert np.array_equal(images, x[split.classifier_test] + 100)  # rows of the test set, not of the training set
    assert dataset.input_dim == 4
    some = dataset.as_features("test", [1])
    assert some.dtype == np.float32 and np.allclose(some, (x[1] + 100).reshape(1, 4) / 255)
    with pytest.raises(ValueError, match="part='train'"):
        dataset.select(split, "train")
    with pytest.raises(ValueError, match="side='valid'"):
        dataset.as_features("valid")
    with pytest.raises(ValueError, match="one label a picture"):
        Dataset(name="toy", train_x=x, train_y=y[:5], test_x=x, test_y=y, classes=("a", "b"))
    with pytest.raises(ValueError, match=r"0\.\.0, got 0\.\.1"):
        Dataset(name="toy", train_x=x, train_y=y, test_x=x, test_y=y, classes=("a",))
    with pytest.raises(TypeError, match="float32"):
        Dataset(name="toy", train_x=x.astype(np.float32), train_y=y, test_x=x, test_y=y, classes=("a", "b"))
