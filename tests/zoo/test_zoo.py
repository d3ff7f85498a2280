"""Every shipped mechanism loads, is what its card says, and works without any dataset."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from rlm_core import zoo
from rlm_core.data import cifar10_samples, loan_examples, mnist_samples
from rlm_core.training.paper_settings import PAPER
from rlm_core.training.presets import PRESETS, preset_name
from rlm_core.zoo import cards as card_module
from rlm_core.zoo.__main__ import row

NAMES = zoo.names()


def records(model: zoo.ZooModel, count: int = 5) -> np.ndarray:
    if model.card.dataset == "mnist":
        return mnist_samples().images[:count].reshape(count, -1) / 255.0
    if model.card.dataset == "cifar10":
        return cifar10_samples().images[:count].reshape(count, -1) / 255.0
    assert model.preprocessor is not None
    return model.preprocessor.transform(loan_examples().frame[:count], allow_missing=True, unknown="ignore")


def test_every_row_of_the_papers_tables_has_its_mechanism() -> None:
    for experiment, dataset in PAPER:
        if experiment in ("data_collection", "private_inference"):
            for line in PAPER[experiment, dataset]:
                assert preset_name(experiment, dataset, line.epsilon) in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_mechanism_is_what_its_card_says(name: str) -> None:
    model = zoo.load(name, device="cpu")
    about, codes = model.card, model.card.kind == "Q-RLM"
    if codes:
        assert about.name.endswith(f"-k{about.latent_dim}") and about.radius == 1.0
        assert sorted(set(about.architecture["merge"])) == list(range(about.latent_dim))
    else:
        preset = PRESETS[name]
        assert (about.latent_dim, about.radius, about.epsilon_pretraining) == (
            preset.latent_dim,
            preset.radius,
            preset.epsilon_pretraining,
        )
    x = records(model)
    mechanism = model.mechanism(2.0)
    z = mechanism.represent(x)
    assert z.shape == (5, about.latent_dim)
    assert np.abs(z).sum(axis=1).max() <= about.radius
    if not codes:  # five zeros may share a code; that codes are used is checked below
        assert len(np.unique(z.round(6), axis=0)) == 5  # the encoder did not collapse
    decoded = model.decode(mechanism.privatise(x))
    assert decoded.shape == (5, about.input_dim)
    if about.dataset != "lending_club":
        assert 0 <= decoded.min() and decoded.max() <= 1


@pytest.mark.parametrize("name", NAMES)
def test_the_bundle_holds_representations_inside_the_ball(name: str) -> None:
    model = zoo.load(name, device="cpu")
    for part in ("prior", "train", "valid", "test"):
        z, y = getattr(model.bundle, f"{part}_z"), getattr(model.bundle, f"{part}_y")
        assert list(z.shape) == model.card.bundle[f"{part}_z"]
        assert len(z) == len(y) and z.shape[1] == model.card.latent_dim
        assert np.abs(z).sum(axis=1).max() <= model.card.radius
        unseen = part == "prior" and model.card.preset["split"] == "novel_class"  # no 9 in the auxiliary data
        assert set(np.unique(y)) == ({0} if unseen else set(range(len(model.card.classes))))


@pytest.mark.parametrize("name", [name for name in NAMES if zoo.card(name).kind == "Q-RLM"])
def test_codes_are_one_hot_and_a_report_is_a_set_of_them(name: str) -> None:
    model = zoo.load(name, device="cpu")
    k = model.card.latent_dim
    x = records(model)
    mechanism = model.mechanism(1.0)
    z, z_private = mechanism.represent(x), mechanism.privatise(x)
    assert set(np.unique(z)) == {0.0, 1.0} and (z.sum(axis=1) == 1.0).all()
    assert ((z_private > 0).sum(axis=1) == mechanism.noise.size).all()  # type: ignore[union-attr]
    np.testing.assert_array_equal(model.mechanism(math.inf).privatise(x), z)
    means = model.decode(np.eye(k))
    decoded = model.decode(z_private)  # a mean of means
    assert (decoded <= means.max(axis=0) + 1e-5).all() and (decoded >= means.min(axis=0) - 1e-5).all()
    used = np.flatnonzero(model.bundle.prior_z.sum(axis=0))
    assert len(used) >= k - 2  # nearly all codes occur in the sample of the public data


def test_decoding_without_noise_resembles_the_digit() -> None:
    """The reconstruction of a digit is nearer to it than to any other sample digit, mostly."""
    model = zoo.load(zoo.choose("mnist", math.inf), device="cpu")
    x = records(model, 100)
    decoded = model.decode(model.mechanism(math.inf).privatise(x))
    nearest = ((decoded[:, None] - x[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == np.arange(100)).mean() > 0.5


def test_a_damaged_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = NAMES[-1]
    shutil.copytree(card_module.MODELS / name, tmp_path / name)
    weights = tmp_path / name / "decoder.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    monkeypatch.setattr(card_module, "MODELS", tmp_path)
    with pytest.raises(ValueError, match=r"decoder.safetensors of the model .* is damaged"):
        zoo.load(name)
    weights.unlink()
    with pytest.raises(FileNotFoundError, match=r"decoder.safetensors"):
        zoo.load(name)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}'])
def test_a_damaged_card_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "some-model" / "card.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ValueError, match="some-model"):
        zoo.Card.read(path)


@pytest.mark.parametrize("name", ["nothing", "../models", "resnet18-imagenet/../" + NAMES[0] if NAMES else "x"])
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="Expected a shipped mechanism"):
        zoo.card(name)


def test_choose_takes_the_papers_nearest_row() -> None:
    assert zoo.choose("mnist", 10.0) == "mnist-vrlm-l10-eps33"
    assert zoo.choose("mnist", 0.5) == zoo.choose("mnist", 1.0)
    assert zoo.choose("mnist", math.inf) == "mnist-vrlm-l10-learnt"
    assert zoo.choose("mnist", 10.0, "private_inference") == "mnist-vrlm-l10-eps5"
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="epsilon"):
            zoo.choose("mnist", wrong)
    with pytest.raises(ValueError, match="dataset"):
        zoo.choose("imagenet", 1.0)


def test_the_whole_zoo_is_small_and_listed() -> None:
    total = sum(path.stat().st_size for path in card_module.MODELS.rglob("*") if path.is_file())
    assert total <= 70e6
    for name in NAMES:
        line = row(zoo.card(name))
        assert json.dumps(line) and line["metrics"]["clean_accuracy_percent"] > 0  # type: ignore[index]
