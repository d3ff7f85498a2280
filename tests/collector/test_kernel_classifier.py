"""The classifier of smooth scores: its likelihood against a naive copy, what it learns, and what it does not claim."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax

from rlm_core.collector import kernel_classifier, kernel_fit
from rlm_core.collector.kernel_classifier import QUESTIONS, KernelClassifier
from rlm_core.collector.kernel_fit import by_label, likelihood, maximum
from rlm_core.collector.label_shares import label_shares, with_shares
from rlm_core.collector.validation import Predict, PrivateAccuracy, Validate, private_accuracy
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import FloatArray, IntArray

CORNERS = np.array([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])


def people(generator: np.random.Generator, count: int, shares: tuple[float, ...]) -> tuple[FloatArray, IntArray]:
    """z around three corners, and the corner's number."""
    y = generator.choice(3, size=count, p=shares).astype(np.int64)
    return CORNERS[y] + 0.3 * generator.normal(size=(count, 2)), y


def log_density(z: FloatArray, prior: FloatArray) -> FloatArray:
    """Of Laplace noise with b = 1, up to a constant."""
    found: FloatArray = -np.abs(z[:, None] - prior[None]).sum(axis=2)
    return found


def learn(
    generator: np.random.Generator, count: int, epsilon: float, shares: tuple[float, ...] = (1 / 3, 1 / 3, 1 / 3)
) -> KernelClassifier:
    z, y = people(generator, count, shares)
    prior, _ = people(generator, 300, shares)
    labels = RandomisedResponse(epsilon=epsilon, classes=3)
    return KernelClassifier.fit(
        z + generator.laplace(size=z.shape),
        labels.simulate(y, generator=generator),
        transition=labels.transition_matrix,
        prior=prior,
        log_density=log_density,
    )


def test_likelihood_and_gradient_are_those_of_a_naive_copy() -> None:
    generator = np.random.default_rng(0)
    weights = softmax(generator.normal(size=(40, 7)), axis=1)
    y = generator.integers(3, size=40)
    reported = softmax(generator.normal(size=(7, 3)), axis=1)

    def naive(p: FloatArray) -> float:
        return sum(np.log(sum(weights[n, m] * p[m, y[n]] for m in range(7))) for n in range(40))

    value, gradient = likelihood(reported, by_label(weights, y, np.ones(40, dtype=np.bool_), 3))
    assert value == pytest.approx(naive(reported))
    for m, k in ((0, 0), (3, 1), (6, 2)):
        step = np.zeros_like(reported)
        step[m, k] = 1e-6
        slope = (naive(reported + step) - naive(reported - step)) / 2e-6
        assert gradient[m, k] == pytest.approx(slope, rel=1e-4)


def test_the_maximum_is_one() -> None:
    """The posterior of W falls in every direction from what L-BFGS finds."""
    generator = np.random.default_rng(1)
    phi = np.c_[generator.normal(size=(30, 4)), np.ones(30)]
    weights = softmax(generator.normal(size=(200, 30)), axis=1)
    y = generator.integers(3, size=200)
    channel = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    blocks = by_label(weights, y, np.ones(200, dtype=np.bool_), 3)
    found = maximum(phi, blocks, channel, 2.0)

    def posterior(w: FloatArray) -> float:
        likely = likelihood(softmax(phi @ w, axis=1) @ channel, blocks)[0]
        return float(likely - 0.5 * (w[:-1] ** 2).sum() / 4.0 - 0.5 * (w[-1] ** 2).sum())

    for _ in range(20):
        step = generator.normal(size=found.shape)
        slope = (posterior(found + 1e-4 * step) - posterior(found - 1e-4 * step)) / 2e-4
        assert abs(slope) < 0.2 and posterior(found + step) < posterior(found)  # at W = 0 slopes are 13 on average


def test_a_report_that_counts_twice_is_two_reports() -> None:
    generator = np.random.default_rng(15)
    weights = softmax(generator.normal(size=(40, 7)), axis=1)
    y, counts = generator.integers(3, size=40), generator.integers(4, size=40)
    reported = softmax(generator.normal(size=(7, 3)), axis=1)
    everybody = np.ones(40, dtype=np.bool_)
    found = likelihood(
        reported, by_label(weights, y, everybody, 3), [counts[y == label].astype(float) for label in range(3)]
    )
    again = np.repeat(np.arange(40), counts)
    expected = likelihood(reported, by_label(weights[again], y[again], np.ones(len(again), dtype=np.bool_), 3))
    assert found[0] == pytest.approx(expected[0])
    assert np.allclose(found[1], expected[1])


def faint(generator: np.random.Generator, validate: Validate | None) -> KernelClassifier:
    """1,000 reports that tell hardly anything: three corners under noise five times as wide, labels with ε = 0.3."""
    z, y = people(generator, 1_000, (1 / 3, 1 / 3, 1 / 3))
    labels = RandomisedResponse(epsilon=0.3, classes=3)
    return KernelClassifier.fit(
        z + 10 * generator.laplace(size=z.shape),
        labels.simulate(y, generator=generator),
        transition=labels.transition_matrix,
        prior=people(generator, 200, (1 / 3, 1 / 3, 1 / 3))[0],
        log_density=lambda z, prior: log_density(z / 10, prior / 10),
        validate=validate,
    )


def test_a_group_is_asked_about_ten_and_the_best_answer_is_kept() -> None:
    """The first of them is what is learnt without a group."""
    asked: list[FloatArray] = []
    answers = iter([0.2, 0.1, 0.7, 0.7, *[0.3] * 6])

    def validate(predict: Predict) -> PrivateAccuracy:
        asked.append(predict(CORNERS))
        return replace(private_accuracy([0, 1], epsilon=1.0), estimate=next(answers))

    chosen, alone = faint(np.random.default_rng(16), validate), faint(np.random.default_rng(16), None)
    assert len(asked) == QUESTIONS and next(answers, None) is None
    assert np.array_equal(asked[0], alone.predict(CORNERS)) and alone.validation is None
    assert chosen.validation is not None and chosen.validation.estimate == 0.7
    assert np.array_equal(chosen.predict(CORNERS), asked[2])  # of equals the first
    assert "validation" not in chosen.tensors()


def test_where_reports_tell_little_a_group_helps() -> None:
    """600 people who answer with ε = 1: the mean gain of 12 collections is 0.31, with a deviation of 0.07 (of 60)."""
    gains = []
    for seed in range(12):
        generator = np.random.default_rng(100 + seed)
        z, y = people(generator, 600, (1 / 3, 1 / 3, 1 / 3))
        truth = []

        def validate(predict: Predict) -> PrivateAccuracy:
            right = (predict(z) == y).astype(np.int64)  # noqa: B023 (called within the turn)
            truth.append(right.mean())  # noqa: B023
            bits = RandomisedResponse(epsilon=1.0, classes=2).simulate(right, generator=generator)  # noqa: B023
            return private_accuracy(bits, epsilon=1.0)

        chosen = faint(generator, validate)
        gains.append(float((chosen.predict(z) == y).mean()) - truth[0])
    assert np.mean(gains) > 0.05


def test_it_learns_from_noisy_reports() -> None:
    """Three clear classes, 2,000 reports, b = 1 and ε = 1 for the label: 0.97 or more in 30 trials."""
    generator = np.random.default_rng(2)
    fitted = learn(generator, 2_000, 1.0)
    z, y = people(generator, 1_000, (1 / 3, 1 / 3, 1 / 3))
    assert (fitted.predict(z) == y).mean() > 0.9
    assert np.allclose(fitted.predict_proba(z).sum(axis=1), 1.0)


def test_it_learns_from_reports_without_noise() -> None:
    generator = np.random.default_rng(3)
    z, y = people(generator, 300, (1 / 3, 1 / 3, 1 / 3))
    fitted = KernelClassifier.fit(z, y, transition=np.eye(3), prior=z)
    z, y = people(generator, 500, (1 / 3, 1 / 3, 1 / 3))
    assert (fitted.predict(z) == y).mean() > 0.97


def test_public_rows_have_the_shares_that_the_labels_tell() -> None:
    """20,000 reports: at most 0.055 off in 30 trials. Equal shares would be 0.37 off."""
    generator = np.random.default_rng(4)
    shares = (0.7, 0.2, 0.1)
    fitted = learn(generator, 20_000, 4.0, shares)
    prior, _ = people(generator, 3_000, shares)
    assert np.abs(fitted.predict_proba(prior).mean(axis=0) - shares).max() < 0.1


def test_the_order_of_reports_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one smoothness, so without folds: the same maximum, as far as L-BFGS goes (5e-6 apart in 40 trials)."""
    monkeypatch.setattr(kernel_classifier, "SMOOTHNESS", ((0.5, 3.0),))
    generator = np.random.default_rng(6)
    z, y = people(generator, 600, (1 / 3, 1 / 3, 1 / 3))
    noisy, order = z + generator.laplace(size=z.shape), generator.permutation(600)
    given = {"transition": np.eye(3), "prior": z[:200], "log_density": log_density}
    one = KernelClassifier.fit(noisy, y, **given)
    other = KernelClassifier.fit(noisy[order], y[order], **given)
    assert np.abs(one.predict_proba(z) - other.predict_proba(z)).max() < 1e-4


def test_a_rougher_score_is_taken_only_if_held_out_reports_are_likelier() -> None:
    """One class in the middle of another: it is, with 4,000 reports. Of the toss of a coin: it is not."""
    generator = np.random.default_rng(14)
    z = generator.uniform(-2, 2, size=(4_000, 2))
    inside = (np.abs(z).max(axis=1) < 0.8).astype(np.int64)
    given = {"transition": np.array([[0.9, 0.1], [0.1, 0.9]]), "prior": z[:300], "log_density": log_density}
    rough = KernelClassifier.fit(z + 0.05 * generator.laplace(size=z.shape), inside, **given)
    smooth = KernelClassifier.fit(z, generator.integers(2, size=4_000), **given)
    assert rough.spread < smooth.spread


@pytest.mark.parametrize("prior", [np.zeros((5, 2)), np.ones((1, 2)), np.repeat([[0.0, 1.0], [1.0, 0.0]], 9, axis=0)])
def test_priors_with_hardly_a_point_are_no_error(prior: FloatArray) -> None:
    generator = np.random.default_rng(7)
    y = generator.integers(3, size=50)
    fitted = KernelClassifier.fit(
        generator.normal(size=(50, 2)), y, transition=np.eye(3), prior=prior, log_density=log_density
    )
    assert np.isfinite(fitted.predict_proba(prior)).all()


def test_few_reports_are_no_error() -> None:
    fitted = KernelClassifier.fit([[0.0, 1.0]], [2], transition=np.eye(3), prior=np.eye(2), log_density=log_density)
    assert fitted.predict([[0.0, 1.0]]).tolist() == [2]


def test_stored_and_read_it_says_the_same() -> None:
    fitted = learn(np.random.default_rng(8), 200, 2.0)
    again = KernelClassifier.of_tensors(fitted.tensors())
    assert np.array_equal(again.predict_proba(CORNERS), fitted.predict_proba(CORNERS))
    with pytest.raises(ValueError, match="Expected a weight"):
        KernelClassifier.of_tensors(fitted.tensors() | {"intercept": np.zeros(2)})


def test_memory_is_bounded_by_fewer_public_records(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def density(z: FloatArray, prior: FloatArray) -> FloatArray:
        seen.append(len(prior))
        return log_density(z, prior)

    monkeypatch.setattr(kernel_fit, "MOST_PAIRS", 100_000)
    generator = np.random.default_rng(9)
    z, y = people(generator, 400, (1 / 3, 1 / 3, 1 / 3))
    KernelClassifier.fit(
        z, y, transition=np.eye(3), prior=people(generator, 1_000, (0.4, 0.3, 0.3))[0], log_density=density
    )
    assert set(seen) == {250}


FITS = {"z_private": [[0.0], [1.0]], "y_private": [0, 1], "transition": np.eye(2), "prior": [[0.0]]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"z_private": [[1.0]]}, "Expected z_private"),
        ({"z_private": np.empty((0, 2)), "y_private": []}, "Expected z_private"),
        ({"z_private": [1.0, 2.0]}, "Expected z_private"),
        ({"y_private": [0, 2]}, r"y_private in 0\.\.1, got 0 to 2"),
        ({"y_private": [-1, 1]}, r"y_private in 0\.\.1, got -1 to 1"),
        ({"y_private": [0.0, 1.0]}, "whole numbers in y_private, got float64"),
        ({"transition": np.eye(2)[:1]}, r"transition \(K, K\) with K >= 2, got shape \(1, 2\)"),
        ({"transition": np.full((2, 2), 0.5)}, "to have an inverse"),
        ({"prior": np.empty((0, 1))}, r"prior \(M, 1\) with M >= 1, got shape \(0, 1\)"),
        ({"prior": [[0.0, 1.0]]}, r"prior \(M, 1\)"),
    ],
)
def test_what_does_not_fit_together_is_named(given: dict[str, Any], message: str) -> None:
    KernelClassifier.fit(**FITS)
    with pytest.raises((TypeError, ValueError), match=message):
        KernelClassifier.fit(**FITS | given)


def test_sparse_blocks_are_the_same_as_dense() -> None:
    reported = softmax(np.random.default_rng(10).normal(size=(6, 2)), axis=1)
    y, all_of_them = np.array([0, 1, 1, 0, 0, 1]), np.ones(6, dtype=np.bool_)
    dense = likelihood(reported, by_label(np.eye(6), y, all_of_them, 2))
    thin = likelihood(reported, by_label(sparse.identity(6, format="csr"), y, all_of_them, 2))
    assert dense[0] == thin[0] and np.array_equal(dense[1], thin[1])


# --- shares ---


def test_shares_are_right_on_average_and_shrunk_only_by_noise() -> None:
    """20,000 people, ε = 2, 400 collections: each mean within 5 of its deviations of the truth (failure below 1e-5)."""
    generator, truth = np.random.default_rng(11), np.array([0.6, 0.3, 0.1])
    labels = RandomisedResponse(epsilon=2.0, classes=3)
    found = np.array(
        [
            label_shares(generator.multinomial(20_000, truth @ labels.transition_matrix), labels.transition_matrix)
            for _ in range(400)
        ]
    )
    assert (np.abs(found.mean(axis=0) - truth) < 5 * found.std(axis=0) / 20).all()


def test_noise_is_not_taken_for_shares() -> None:
    """Equal classes, ε = 0.5, 13,500 people: the mean error is 0.08 to 0.22 of the plain estimate's in 100 trials.

    With half of the noise taken away it would be 0.38 to 0.54, with none of it 0.98 or more.
    """
    generator = np.random.default_rng(12)
    channel = RandomisedResponse(epsilon=0.5, classes=10).transition_matrix
    plain, shrunk = [], []
    for _ in range(50):
        counts = generator.multinomial(13_500, np.full(10, 0.1))
        plain.append(np.abs(np.linalg.solve(channel.T, counts / 13_500) - 0.1).mean())
        shrunk.append(np.abs(label_shares(counts, channel) - 0.1).mean())
    assert np.mean(shrunk) < 0.3 * np.mean(plain)


def test_every_share_is_positive_and_they_add_up() -> None:
    found = label_shares([100, 0, 0], np.eye(3))
    assert found.min() > 0 and found.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="one at least"):
        label_shares([0, 0], np.eye(2))


def test_intercepts_give_the_shares() -> None:
    scores = np.random.default_rng(13).normal(size=(200, 4)) * 5
    target = np.array([0.4, 0.3, 0.2, 0.1])
    b = with_shares(scores, np.zeros(4), target)
    assert np.allclose(softmax(scores + b, axis=1).mean(axis=0), target, atol=1e-6)
