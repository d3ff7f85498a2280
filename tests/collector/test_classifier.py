"""The three objectives, against naive copies, and on data where the right answer is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rlm_core.collector.classifier import NoiseAwareClassifier, StopTraining, posterior_weights
from rlm_core.collector.validation import private_accuracy
from rlm_core.owner import L1Clip, LaplaceNoise, RandomisedResponse
from rlm_core.types import FloatArray, IntArray

RADIUS = 4.0


def blobs(rows: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Three classes on vertices of the ball, a little spread: easy when clean."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(3, size=rows)
    centres = RADIUS * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    return L1Clip(radius=RADIUS)(centres[labels] + generator.normal(0, 0.3, (rows, 2))), labels


def privatised(rows: int, epsilon_x: float, epsilon_y: float) -> tuple[FloatArray, IntArray, LaplaceNoise, FloatArray]:
    generator = np.random.default_rng(1)
    z, y = blobs(rows, seed=2)
    noise = LaplaceNoise(epsilon=epsilon_x, clip=L1Clip(radius=RADIUS))
    labels = RandomisedResponse(epsilon=epsilon_y, classes=3)
    return (
        noise.simulate(z, generator=generator),
        labels.simulate(y, generator=generator),
        noise,
        labels.transition_matrix,
    )


def test_posterior_weights_equal_bayes_rule() -> None:
    noise = LaplaceNoise(epsilon=2.0, clip=L1Clip(radius=RADIUS))
    generator = np.random.default_rng(0)
    reports, prior = generator.normal(size=(7, 2)), generator.normal(size=(11, 2))
    weights = posterior_weights(reports, prior, noise.log_density_pairs).double().numpy()
    naive = np.array([[np.exp(-np.abs(r - p).sum() / noise.scale) for p in prior] for r in reports])
    naive /= naive.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights / 11, naive, rtol=2e-3)  # float16


def test_denoising_loss_equals_the_formula_of_the_paper() -> None:
    reports, labels, noise, transition = privatised(40, 3.0, 2.0)
    prior, _ = blobs(60, seed=5)
    model = NoiseAwareClassifier(classes=3, epochs=1, learning_rate=1e-12, batch_size=40, hidden=(4,))
    model.fit(reports, labels, transition=transition, log_density=noise.log_density_pairs, prior=prior)
    loss = model.history_[0].train_loss  # the rate is so small that the weights did not move
    total = 0.0
    probabilities = model.predict_proba(prior)  # (M, K)
    for report, label in zip(reports, labels, strict=True):
        density = np.array([np.exp(-np.abs(report - z).sum() / noise.scale) for z in prior])
        joint = sum(density[m] * probabilities[m] @ transition[:, label] for m in range(len(prior)))
        total -= np.log(joint / density.sum())
    assert loss == pytest.approx(total / len(labels), rel=2e-3)


def test_denoising_beats_ignoring_the_noise_on_clean_inputs() -> None:
    # At εx = 4 the three vertices overlap after the noise; a network that takes z̃ for z learns
    # blurred boundaries from labels of which a quarter are wrong. Seeded: it cannot fail by chance.
    reports, labels, noise, transition = privatised(1500, 4.0, 1.5)
    prior, _ = blobs(500, seed=7)
    test_z, test_y = blobs(2000, seed=8)
    denoising = NoiseAwareClassifier(classes=3, epochs=40).fit(
        reports, labels, transition=transition, log_density=noise.log_density_pairs, prior=prior
    )
    assert denoising.score(test_z, test_y) > 0.99
    naive = NoiseAwareClassifier(classes=3, epochs=40, objective="naive").fit(reports, labels, transition=transition)
    assert naive.predict_proba(test_z).max(axis=1).mean() < denoising.predict_proba(test_z).max(axis=1).mean() - 0.1


def test_label_noise_is_marginalised() -> None:
    # Clean inputs, labels through k-RR: the network must recover the clean conditional, not the noisy one.
    z, y = blobs(6000, seed=3)
    channel = RandomisedResponse(epsilon=1.0, classes=3)
    reported = channel.simulate(y, generator=np.random.default_rng(4))
    model = NoiseAwareClassifier(classes=3, epochs=30, objective="label-noise").fit(
        z, reported, transition=channel.transition_matrix
    )
    sure = model.predict_proba(z).max(axis=1).mean()
    assert sure > 0.95
    naive = NoiseAwareClassifier(classes=3, epochs=30, objective="naive").fit(z, reported, transition=np.eye(3))
    assert abs(naive.predict_proba(z).max(axis=1).mean() - channel.transition_matrix[0, 0]) < 0.05


def test_the_best_network_by_private_validation_is_kept_and_questions_are_counted() -> None:
    z, y = blobs(300, seed=3)
    asked: list[float] = []

    def validate(predict):  # type: ignore[no-untyped-def]
        asked.append(float((predict(z) == y).mean()))
        falling = np.zeros(100, dtype=int)
        falling[: 100 - 10 * len(asked)] = 1  # every later answer is worse
        return private_accuracy(falling, epsilon=float("inf"))

    model = NoiseAwareClassifier(classes=3, epochs=5, checks=5, objective="naive")
    model.fit(z, y, transition=np.eye(3), validate=validate)
    assert model.validation_queries_ == 5
    assert model.validation_ is not None and model.validation_.estimate == 0.9
    assert model.score(z, y) == asked[0]


def test_a_fit_can_be_stopped_and_repeats_with_its_seed() -> None:
    z, y = blobs(300, seed=3)

    def stop(progress, model):  # type: ignore[no-untyped-def]
        if progress.epoch == 2:
            raise StopTraining

    def fit(seed: int) -> NoiseAwareClassifier:
        model = NoiseAwareClassifier(classes=3, epochs=50, objective="naive", seed=seed)
        return model.fit(z, y, transition=np.eye(3), progress=stop)

    first, second, other = fit(0), fit(0), fit(1)
    assert len(first.history_) == 2
    assert np.array_equal(first.decision_function(z), second.decision_function(z))
    assert not np.array_equal(first.decision_function(z), other.decision_function(z))


def test_any_density_will_do() -> None:
    """A discrete channel on three codes, as one-hot rows: nothing in the objective is Laplace's."""
    channel = RandomisedResponse(epsilon=3.0, classes=3)
    codes = np.random.default_rng(0).integers(3, size=900)
    reported = channel.simulate(codes, generator=np.random.default_rng(1))

    def log_density(reports: FloatArray, clean: FloatArray) -> FloatArray:
        return channel.log_density_pairs(reports.argmax(1), clean.argmax(1))

    model = NoiseAwareClassifier(classes=3, epochs=60, hidden=())
    model.fit(np.eye(3)[reported], codes, transition=np.eye(3), log_density=log_density, prior=np.eye(3))
    assert model.predict(np.eye(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"z_private": np.zeros((2, 2)), "y_private": [0]}, "n labels"),
        ({"z_private": np.full((1, 2), np.nan), "y_private": [0]}, "finite"),
        ({"z_private": np.zeros((1, 2)), "y_private": [0], "transition": np.eye(2)}, "transition"),
        ({"z_private": np.zeros((1, 2)), "y_private": [0]}, "log_density and prior"),
    ],
)
def test_bad_input(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NoiseAwareClassifier(classes=3).fit(**({"transition": np.eye(3)} | arguments))


def test_fitting_leaves_the_global_random_state_alone() -> None:
    z, y = blobs(50, seed=3)
    before = torch.random.get_rng_state()
    NoiseAwareClassifier(classes=3, epochs=1, objective="naive").fit(z, y, transition=np.eye(3))
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_denoising_classifier_reads_reports_by_bayes_rule() -> None:
    """Against a naive copy: the posterior over prior records, times what the network says of each."""
    generator = np.random.default_rng(0)
    prior = generator.normal(size=(30, 2))
    labels = (prior[:, 0] > 0).astype(np.int64)
    noise = LaplaceNoise(epsilon=4.0, clip=L1Clip(radius=2.0))
    reports = noise.simulate(prior, generator=generator)
    classifier = NoiseAwareClassifier(classes=2, hidden=(8,), epochs=3).fit(
        reports, labels, transition=np.eye(2), log_density=noise.log_density_pairs, prior=prior
    )
    weights = np.exp(noise.log_density_pairs(reports, prior))
    expected = weights @ classifier.predict_proba(prior) / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(classifier.predict_proba_private(reports), expected, atol=2e-3)  # float16 weights
    np.testing.assert_array_equal(
        classifier.predict_private(reports), classifier.predict_proba_private(reports).argmax(1)
    )
    with pytest.raises(ValueError, match="denoising"):
        NoiseAwareClassifier(classes=2, objective="naive").predict_private(reports)
