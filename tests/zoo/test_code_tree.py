"""The finest codes with their merges: any number of codes is cut from one shipped mechanism."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rlm_core import zoo
from rlm_core.training.codes.choice import FINE_CODES
from rlm_core.zoo.code_tree import cut, cut_card, finest_codes


def test_cuts_are_nested_and_use_every_number() -> None:
    about = finest_codes("mnist")
    assert about.latent_dim == FINE_CODES and len(about.architecture["order"]) == FINE_CODES - 1
    finer = cut(about, FINE_CODES)
    assert finer.tolist() == list(range(FINE_CODES))
    for k in range(FINE_CODES - 1, 0, -1):
        coarser = cut(about, k)
        assert set(coarser.tolist()) == set(range(k))
        assert len({*zip(finer.tolist(), coarser.tolist(), strict=True)}) == k + 1  # one pair was merged, no more
        finer = coarser


def test_ten_codes_follow_the_digits() -> None:
    """The bundle's labels only measure here: no label was used for codes or merges."""
    about = finest_codes("mnist")
    bundle = zoo.load(about.name, device="cpu").bundle
    codes = cut(about, 10)[bundle.test_z.argmax(axis=1)]
    counts = np.zeros((10, 10))
    np.add.at(counts, (codes, bundle.test_y), 1)
    assert counts.max(axis=1).sum() / counts.sum() > 0.9


def test_what_is_released_does_not_depend_on_the_order() -> None:
    about = finest_codes("mnist")
    shape = {name: value for name, value in about.architecture.items() if name != "order"}
    assert replace(about, architecture=shape).digest == about.digest


def test_a_dataset_without_such_codes_says_so() -> None:
    with pytest.raises(ValueError, match="rlm models tree"):
        finest_codes("nothing")


@pytest.mark.parametrize("codes", [2, 23, 95])
def test_any_number_of_codes_is_loaded_as_if_it_had_been_shipped(codes: int) -> None:
    finest = zoo.load("mnist-qrlm-k96", device="cpu")
    merge = cut(finest.card, codes)
    model = zoo.load(f"mnist-qrlm-k{codes}", device="cpu")
    fine, merged = finest.bundle, model.bundle
    for part in ("prior", "train", "valid", "test"):
        expected = merge[getattr(fine, f"{part}_z").argmax(axis=1)]
        assert (getattr(merged, f"{part}_z").argmax(axis=1) == expected).all()
        assert (getattr(merged, f"{part}_y") == getattr(fine, f"{part}_y")).all()
        assert list(getattr(merged, f"{part}_z").shape) == model.card.bundle[f"{part}_z"]
    x = np.random.default_rng(0).random((5, 784))
    assert (model.encode(x).argmax(axis=1) == merge[finest.encode(x).argmax(axis=1)]).all()
    means, share = finest.decode(np.eye(96)), finest.decoder.frequencies.double().numpy()
    for code, mean in enumerate(model.decode(np.eye(codes))):
        members = merge == code
        assert mean == pytest.approx(np.average(means[members], axis=0, weights=share[members]), abs=1e-5)
        assert float(model.decoder.frequencies[code]) == pytest.approx(share[members].sum(), abs=1e-6)
    report = model.mechanism(2.0).privatise(x[:1])
    assert report.shape == (1, codes)


def test_the_digest_of_a_cut_is_that_of_a_shipped_mechanism_with_the_same_merge(tmp_path: Path, monkeypatch) -> None:
    """A folder written with the merge of a cut, sharing the encoder as shipped ones do, releases the same."""
    found = zoo.card("mnist-qrlm-k12")
    shape = {name: value for name, value in found.architecture.items() if name not in ("cut", "order")}
    shape["encoder_of"] = "mnist-qrlm-k96"
    written = replace(found, name="other-k12", architecture=shape)
    (tmp_path / "other-k12").mkdir()
    (tmp_path / "other-k12" / "card.json").write_text(written.to_json(), encoding="utf-8")
    monkeypatch.setenv("RLM_MODELS", str(tmp_path))
    assert zoo.card("other-k12").digest == found.digest
    assert len({zoo.card(f"mnist-qrlm-k{k}").digest for k in range(2, 97)}) == 95


@pytest.mark.parametrize(
    "name", ["mnist-qrlm-k1", "mnist-qrlm-k97", "mnist-qrlm-k012", "mnist-qrlm-k-3", "qrlm-k12", "*-k12", "../x-k12"]
)
def test_what_cannot_be_cut_is_refused(name: str) -> None:
    assert cut_card(name) is None
    with pytest.raises(ValueError, match="Expected a shipped mechanism"):
        zoo.card(name)


def test_the_rule_names_a_mechanism_for_every_dataset() -> None:
    for dataset in ("mnist", "cifar10", "lending_club"):
        sizes = [zoo.card(zoo.choose_codes(dataset, epsilon)).latent_dim for epsilon in (0.1, 1.0, 2.0, 4.0, 10.0)]
        assert sizes == sorted(sizes) and sizes[0] >= 4 and sizes[-1] > sizes[0]
    assert zoo.choose_codes("mnist", 2.0, 54_000) == "mnist-qrlm-k27"  # √n·sinh(ε/2)/10 = 27.3
    assert zoo.code_name("mnist", 27) == "mnist-qrlm-k27"
    with pytest.raises(ValueError, match="codes=97"):
        zoo.code_name("mnist", 97)


def test_a_device_gets_the_cut_with_the_files_of_the_finest() -> None:
    from rlm_core.device.description import description, is_cut, weights

    about, finest = description("mnist-qrlm-k23"), description("mnist-qrlm-k96")
    assert about["files"] == finest["files"] and is_cut("mnist-qrlm-k23") and not is_cut("mnist-qrlm-k97")
    assert about["latent_dim"] == 23 == len(set(about["merge"])) and about["cut"] == about["merge"]
    assert about["digest"] == zoo.card("mnist-qrlm-k23").digest != finest["digest"]
    assert {file["sha256"] for file in about["files"].values()} <= set(weights()) and json.dumps(about)
