"""PCA + clip + Laplace against a plain singular value decomposition."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from rlm_core.baselines import PCADecoder, fit_pca_mechanism
from rlm_core.collector import Decoder
from rlm_core.mechanism import RLM
from rlm_core.registry import identity

X = np.random.default_rng(0).standard_normal((200, 6)) * [5.0, 3.0, 2.0, 0.1, 0.1, 0.1] + 7.0


def test_the_encoder_projects_on_the_principal_components() -> None:
    mechanism = fit_pca_mechanism(X, dimension=3, radius=1e6, epsilon=1.0)
    centred = X - X.mean(axis=0)
    _, _, components = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(mechanism.represent(X)), np.abs(centred @ components[:3].T), atol=1e-9)
    assert (mechanism.name, mechanism.input_dim, mechanism.output_dim) == ("PCA", 6, 3)
    assert mechanism.noise.clip.radius == 1e6


def test_it_clips_and_adds_noise_like_every_rlm() -> None:
    mechanism = fit_pca_mechanism(X, dimension=2, radius=1.5, epsilon=math.inf)
    z = mechanism.represent(X)
    assert np.abs(z).sum(axis=1).max() <= 1.5
    np.testing.assert_array_equal(mechanism.privatise(X), z)
    noisy = fit_pca_mechanism(X, dimension=2, radius=1.5, epsilon=1.0)
    assert (noisy.privatise(X) != noisy.represent(X)).all()


def test_the_decoder_leads_back() -> None:
    mechanism = fit_pca_mechanism(X, dimension=6, radius=1e6, epsilon=math.inf)
    decoder = PCADecoder.of(mechanism)
    assert isinstance(decoder, Decoder)
    np.testing.assert_allclose(decoder.decode(mechanism.privatise(X)), X, atol=1e-9)


def test_it_survives_pickling_and_cannot_be_changed() -> None:
    mechanism = fit_pca_mechanism(X, dimension=2, radius=5.0, epsilon=1.0)
    copy = pickle.loads(pickle.dumps(mechanism))
    np.testing.assert_array_equal(copy.represent(X), mechanism.represent(X))
    with pytest.raises(ValueError, match="read-only"):
        mechanism.encoder.mean[0] = 1.0
    assert "0." not in repr(mechanism.encoder)  # no arrays in a repr


@pytest.mark.parametrize("dimension", [0, 7])
def test_bad_dimension_raises(dimension: int) -> None:
    with pytest.raises(ValueError, match=f"got dimension={dimension}"):
        fit_pca_mechanism(X, dimension=dimension, radius=1.0, epsilon=1.0)


def test_other_bad_input_raises() -> None:
    with pytest.raises(ValueError, match="finite numbers in x"):
        fit_pca_mechanism(np.full((3, 3), np.nan), dimension=1, radius=1.0, epsilon=1.0)
    noise = fit_pca_mechanism(X, dimension=2, radius=5.0, epsilon=1.0).noise
    with pytest.raises(TypeError, match="Expected a mechanism with a PCAEncoder"):
        PCADecoder.of(RLM(name="V-RLM", encoder=identity, noise=noise, input_dim=2, output_dim=2))
