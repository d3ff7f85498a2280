"""Presets against a naive copy of the paper's tables."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, asdict

import pytest

from rlm_core.training.presets import GROWN, PRESETS, CRLMPreset, VRLMPreset, choice, preset_name

INF = math.inf
# Typed again from the paper: (experiment, dataset): {ε: (λ, d, l, ε_pre)}
TABLE: dict[tuple[str, str], dict[float, tuple[float | None, int, float, float | str]]] = {
    ("data_collection", "cifar10"): {
        INF: (None, 32, 5, "none"),
        10: (0.7, 32, 5, "none"),
        8: (0.7, 32, 5, "none"),
        6: (0.7, 32, 5, 70),
        4: (0.7, 32, 5, 30),
        2: (0.7, 32, 5, 20),
        1: (0.7, 32, 5, 20),
    },
    ("data_collection", "mnist"): {
        INF: (None, 8, 10, "learnt"),
        10: (0.7, 8, 10, 33),
        8: (0.7, 8, 5, 32),
        6: (0.7, 8, 5, 19),
        4: (0.7, 8, 7.5, 13),
        2: (0.7, 8, 7.5, 7),
        1: (0.7, 8, 5, 7),
    },
    ("data_collection", "lending_club"): {
        INF: (None, 8, 10, "learnt"),
        10: (0.7, 8, 5, 15),
        8: (0.7, 8, 5, 29),
        6: (0.7, 8, 5, 29),
        4: (0.7, 8, 5, 15),
        2: (0.95, 8, 5, 15),
        1: (0.95, 8, 10, 21),
    },
    ("private_inference", "cifar10"): {
        INF: (None, 32, 5, "none"),
        10: (0.7, 32, 5, 27),
        8: (0.7, 32, 5, 24),
        6: (0.7, 32, 5, 20),
        4: (0.7, 32, 5, 15),
        2: (0.7, 32, 5, 8),
        1: (0.7, 32, 5, 8),
    },
    ("private_inference", "mnist"): {
        INF: (None, 8, 10, "learnt"),
        10: (0.7, 8, 10, 5),
        8: (0.7, 8, 7.5, 5),
        6: (0.7, 8, 7.5, 5),
        4: (0.7, 8, 5, 5),
        2: (0.7, 8, 5, 15),
        1: (0.7, 8, 7.5, 15),
    },
    ("data_join", "lending_club"): {
        INF: (None, 8, 5, 20),
        10: (None, 8, 5, 10),
        8: (None, 5, 5, 15),
        6: (None, 5, 5, 15),
        4: (None, 5, 5, 10),
        2: (None, 5, 5, 15),
        1: (None, 5, 5, 10),
    },
}
TABLE["novel_class", "mnist"] = TABLE["data_collection", "mnist"]
TABLE["novel_class", "cifar10"] = TABLE["data_collection", "cifar10"]

CASES = [(experiment, dataset, epsilon) for (experiment, dataset), lines in TABLE.items() for epsilon in lines]


@pytest.mark.parametrize(("experiment", "dataset", "epsilon"), CASES)
def test_every_line_of_the_paper(experiment: str, dataset: str, epsilon: float) -> None:
    lam, d, radius, pre = TABLE[experiment, dataset][epsilon]
    line = choice(experiment, dataset, epsilon)
    assert (line.lam, line.latent_dim, line.radius, line.epsilon_pretraining) == (lam, d, radius, pre)
    preset = PRESETS[preset_name(experiment, dataset, epsilon)]
    assert preset.dataset == dataset
    assert (preset.latent_dim, preset.radius, preset.epsilon_pretraining) == (d, radius, pre)
    assert preset.split == ("data_collection" if experiment == "private_inference" else experiment)


def test_architectures_learning_rates_and_batch_sizes() -> None:
    for preset in PRESETS.values():
        facts = (preset.learning_rate, preset.batch_size)
        if preset.central is not None:
            continue  # DP-Adam has a table of its own
        if isinstance(preset, CRLMPreset):
            assert facts == ((3e-4, 128) if preset.finetune else (1e-3, 500))  # the paper fine-tunes
        elif preset.dataset == "mnist":
            assert facts == (1e-3, 64) and preset.hidden == (400, 150, 50)
        else:
            assert facts == (1e-4, 128) and preset.hidden == (500, 500)


def test_finetuning_is_at_224_px_and_there_for_every_crlm() -> None:
    crlm = {name: preset for name, preset in PRESETS.items() if isinstance(preset, CRLMPreset)}
    frozen = [name for name, preset in crlm.items() if not preset.finetune and preset.central is None]
    assert frozen
    for name in frozen:
        tuned = crlm[f"{name}-finetune"]
        assert tuned.finetune and tuned.side == 224 and tuned.adapter_hidden == ()
        assert tuned.epsilon_pretraining == crlm[name].epsilon_pretraining


def test_auxiliary_shares() -> None:
    preset = PRESETS[preset_name("data_collection", "mnist", 10, share=0.25)]
    assert isinstance(preset, VRLMPreset) and preset.share == 0.25
    whole = PRESETS[preset_name("data_collection", "mnist", 10)]
    assert {**asdict(preset), "share": 0.75} == asdict(whole)


def test_our_own_for_private_inference_are_not_the_papers() -> None:
    listed = {preset_name(experiment, dataset, epsilon) for experiment, dataset, epsilon in CASES}
    assert len(GROWN) == 2 and not listed & set(GROWN)
    for name in GROWN:
        preset = PRESETS[name]
        assert isinstance(preset, VRLMPreset) and preset.first_epsilon == 15.0
        assert isinstance(preset.epsilon_pretraining, float) and preset.epsilon_pretraining < 15.0
    assert all(getattr(PRESETS[name], "first_epsilon", None) is None for name in listed)


def test_names_are_distinct_mechanisms() -> None:
    seen = [tuple(sorted(asdict(preset).items(), key=str)) for preset in PRESETS.values()]
    assert len(set(map(str, seen))) == len(PRESETS)


def test_presets_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        PRESETS["mnist-vrlm-l10-eps33"].epochs = 1  # type: ignore[misc]


def test_unknown_lines() -> None:
    with pytest.raises(ValueError, match="got epsilon=3"):
        choice("data_collection", "mnist", 3)
    with pytest.raises(ValueError, match="data_join.*got"):
        choice("data_join", "mnist", 10)
    with pytest.raises(ValueError, match="share=0.5"):
        preset_name("data_collection", "cifar10", 10, share=0.5)
