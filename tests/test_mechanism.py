"""The interface of all mechanisms, and the learnt one."""

from __future__ import annotations

import math
from dataclasses import replace
from inspect import Parameter, signature

import numpy as np
import pytest
import torch

from rlm_core.digest import mechanism_digest
from rlm_core.mechanism import RLM, HasDensity, Mechanism, rows
from rlm_core.owner import L1Clip, LaplaceNoise, SubsetSelection, laplace
from rlm_core.registry import REGISTRY


def make(epsilon: float = 4.0, encoder: object = None) -> RLM:
    noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=1.0))
    return RLM(name="V-RLM", encoder=encoder or (lambda x: x[:, :2]), noise=noise, input_dim=3, output_dim=2)


def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: np.zeros(shape, dtype=np.int64))


# --- every registered mechanism --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGISTRY)
def test_privatise_takes_the_record_and_nothing_else(name: str) -> None:
    mechanism = REGISTRY[name].make(1.0, REGISTRY[name].dimension)
    assert isinstance(mechanism, Mechanism)
    (only,) = signature(mechanism.privatise).parameters.values()
    assert only.kind is Parameter.POSITIONAL_OR_KEYWORD
    generator = signature(mechanism.simulate).parameters["generator"]
    assert generator.kind is Parameter.KEYWORD_ONLY and generator.default is Parameter.empty


# --- RLM -------------------------------------------------------------------------------------------------------


def test_an_rlm_encodes_clips_and_adds_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    rlm = make()
    assert isinstance(rlm, HasDensity) and rlm.epsilon == 4.0
    x = [[3.0, -1.0, 99.0]]
    assert rlm.encode(x).tolist() == [[3.0, -1.0]]
    assert rlm.represent(x) == pytest.approx(np.array([[0.75, -0.25]]))
    no_noise(monkeypatch)
    assert rlm.privatise(x) == pytest.approx(np.array([[0.75, -0.25]]))


def test_any_encoder_is_bounded_by_the_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    no_noise(monkeypatch)
    wild = make(encoder=lambda x: 1e300 * x[:, :2])
    assert np.abs(wild.privatise([[1.0, 1.0, 1.0]])).sum() <= 1.0


def test_an_encoder_may_return_a_tensor() -> None:
    rlm = make(encoder=lambda x: torch.from_numpy(x[:, :2]).float())
    assert rlm.represent([[0.5, 0.25, 0.0]]).tolist() == [[0.5, 0.25]]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_x_that_is_not_finite_is_refused_before_it_is_encoded(bad: float) -> None:
    with pytest.raises(ValueError, match="finite numbers in x, got 1"):
        make(encoder=lambda x: pytest.fail("encoded")).privatise([[0.0, bad, 0.0]])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_encoder_that_is_not_finite_leads_to_a_fixed_point(bad: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every finite record has a report: an error would tell some of them apart."""

    def encoder(x: np.ndarray) -> np.ndarray:
        return np.where(x[:, 2:] > 5.0, [bad, 1.0], x[:, :2])

    rlm, x = make(encoder=encoder), [[0.25, 0.5, 0.0], [0.25, 0.5, 9.0]]
    np.testing.assert_array_equal(rlm.encode_total(x), [[0.25, 0.5], [0.0, 0.0]])
    np.testing.assert_array_equal(rlm.represent(x), [[0.25, 0.5], [0.0, 0.0]])
    codes = replace(rlm, noise=SubsetSelection(epsilon=math.inf, symbols=2))
    np.testing.assert_array_equal(codes.privatise(x), [[0.0, 1.0], [1.0, 0.0]])  # equal scores: the first code
    with pytest.raises(ValueError, match="finite numbers in the encoder's output, got 1"):
        rlm.encode(x)
    no_noise(monkeypatch)
    np.testing.assert_allclose(rlm.privatise(x), [[0.25, 0.5], [0.0, 0.0]], atol=1e-8)
    np.testing.assert_array_equal(
        replace(rlm, noise=LaplaceNoise(epsilon=math.inf, clip=L1Clip(radius=1.0))).privatise(x)[1], [0.0, 0.0]
    )


def test_wrong_shapes_are_caught_before_and_after_the_encoder() -> None:
    with pytest.raises(ValueError, match=r"x of shape \(n, 3\), got shape \(1, 2\)"):
        make().privatise([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"the encoder's output of shape \(n, 2\), got shape \(1, 3\)"):
        make(encoder=lambda x: x).privatise([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match=r"got shape \(3,\)"):
        rows("x", [1.0, 2.0, 3.0], 3)


# --- digests ---------------------------------------------------------------------------------------------------


def test_a_digest_names_the_definition_and_not_epsilon() -> None:
    rlm = make()
    assert len(rlm.digest) == 32 and rlm.digest == make(epsilon=1.0).digest == make().digest
    others = [
        replace(rlm, name="other"),
        replace(rlm, encoder=np.abs),
        replace(rlm, input_dim=4),
        replace(rlm, noise=LaplaceNoise(epsilon=4.0, clip=L1Clip(radius=2.0))),
        replace(rlm, noise=SubsetSelection(epsilon=4.0, symbols=2)),
        replace(rlm, noise=SubsetSelection(epsilon=4.0, symbols=2, subset=1)),
    ]
    assert len({rlm.digest, *(other.digest for other in others)}) == 7
    assert replace(rlm, card_digest="c" * 32).digest == "c" * 32


def test_fitted_encoders_are_in_the_digest_by_their_numbers() -> None:
    made = [REGISTRY["PCA"].make(1.0, 3) for _ in range(2)]
    assert mechanism_digest(made[0]) == mechanism_digest(made[1])
    encoder = made[0].encoder  # type: ignore[attr-defined]
    other = replace(made[0], encoder=replace(encoder, mean=encoder.mean + 1e-9))  # type: ignore[type-var]
    assert mechanism_digest(other) != mechanism_digest(made[0])


def test_every_registered_mechanism_has_a_digest_of_its_own() -> None:
    digests = {name: mechanism_digest(entry.make(1.0, entry.dimension)) for name, entry in REGISTRY.items()}
    assert len(set(digests.values())) == len(REGISTRY)
    for name, entry in REGISTRY.items():
        if name != "joint bits":  # how many bits it sends follows ε, and is a part of what it is
            assert mechanism_digest(entry.make(2.0, entry.dimension)) == digests[name]
        assert mechanism_digest(entry.make(1.0, entry.dimension + 1)) != digests[name]


def test_what_has_no_public_definition_has_no_digest() -> None:
    with pytest.raises(TypeError, match="a dataclass or has a digest"):
        mechanism_digest(object())
