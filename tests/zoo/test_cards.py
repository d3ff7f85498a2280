"""Cards: what names a mechanism exactly, where mechanisms are looked for, and what a damaged one does to the others."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlm_core import release, zoo
from rlm_core.zoo import cards
from rlm_core.zoo.cards import ENCODER, PREPROCESSOR, Card

NAME = "mnist-vrlm-l5-eps5"
CODES, FINE = "mnist-qrlm-k12", "mnist-qrlm-k96"
SHARING = "sharing-codes"  # a folder of its own with the encoder of another mechanism


def copy(name: str, place: Path, change: Callable[[dict[str, Any]], Any] | None = None, folder: str = "") -> Path:
    """A shipped mechanism in another place, its card changed."""
    target = place / (folder or name)
    shutil.copytree(cards.MODELS / name, target)
    if change is not None:
        fields = json.loads((target / "card.json").read_text(encoding="utf-8"))
        change(fields)
        (target / "card.json").write_text(json.dumps(fields), encoding="utf-8")
    return target


def sharing(place: Path, owner: object = FINE) -> Path:
    """Codes in a folder without weights: their card says whose encoder they take."""

    def change(fields: dict[str, Any]) -> None:
        fields["name"] = SHARING
        fields["architecture"]["encoder_of"] = owner
        del fields["files"][ENCODER]

    folder = copy(FINE, place, change, folder=SHARING)
    (folder / ENCODER).unlink()
    return folder


# --- digests ---------------------------------------------------------------------------------------------------


def test_every_shipped_mechanism_has_a_digest_of_its_own() -> None:
    digests = {zoo.card(name).digest for name in zoo.names()}
    assert len(digests) == len(zoo.names()) and all(len(each) == 32 for each in digests)


def test_a_digest_changes_with_what_defines_the_release_and_with_nothing_else() -> None:
    card = zoo.card("lending-vrlm-l5-eps15")
    other = "0" * 64
    changed = [
        replace(card, kind="C-RLM"),
        replace(card, files=card.files | {ENCODER: other}),
        replace(card, files=card.files | {PREPROCESSOR: other}),
        replace(card, radius=6.0),
        replace(card, latent_dim=9),
        replace(card, input_dim=139),
        replace(card, dataset="mnist"),
        replace(card, classes=card.classes[::-1]),
    ]
    same = [
        replace(card, metrics={}, summary="", limits="", seconds=0.0, bundle={}),
        replace(card, files=card.files | {"decoder.safetensors": other, "bundle.safetensors": other}),
        replace(card, name="another", location=card.folder),
        replace(card, radius=int(card.radius)),
    ]
    assert len({card.digest, *(each.digest for each in changed)}) == len(changed) + 1
    assert {each.digest for each in same} == {card.digest}


def test_codes_are_in_the_digest_with_the_shared_encoder_and_the_trunk(tmp_path: Path) -> None:
    card = zoo.card(CODES)
    merge = card.architecture["merge"]
    swapped = replace(card, architecture=card.architecture | {"merge": merge[::-1]})
    assert card.digest != swapped.digest
    shared = sharing(tmp_path)
    assert zoo.card(shared).digest == zoo.card(FINE).digest  # the shipped encoder
    fine = copy(FINE, tmp_path, lambda fields: fields["files"].update({ENCODER: "0" * 64}))
    assert zoo.card(shared).digest == zoo.card(fine).digest != zoo.card(FINE).digest  # the encoder beside it
    picture = zoo.card("cifar10-crlm-eps8")
    assert picture.digest != replace(picture, architecture=picture.architecture | {"mirrored": False}).digest
    trunk = copy(cards.TRUNK, tmp_path, lambda fields: fields["files"].update({"trunk.safetensors": "0" * 64}))
    assert trunk.is_dir() and replace(picture, location=tmp_path / "x").digest != picture.digest


def test_no_card_has_a_digest_that_could_go_stale() -> None:
    for name in zoo.names():
        card = zoo.card(name)
        assert "digest" not in (card.folder / "card.json").read_text(encoding="utf-8")
        assert json.loads(card.to_json()) == json.loads((card.folder / "card.json").read_text(encoding="utf-8"))


def test_a_report_names_its_card_and_only_its_model_reads_it() -> None:
    model, other = zoo.load(CODES, device="cpu"), zoo.load(FINE, device="cpu")
    report = release(np.zeros(784), mechanism=model.mechanism(2.0))
    assert (report.mechanism, report.digest) == (CODES, model.card.digest)
    assert model.decode([model.vector(report)]).shape == (1, 784)
    with pytest.raises(ValueError, match=f"Expected a report by {FINE}"):
        other.vector(report)
    with pytest.raises(ValueError, match="Expected a report by"):
        model.vector(replace(report, digest="0" * 32))


# --- places ----------------------------------------------------------------------------------------------------


def test_a_folder_loads_as_well_as_a_name(tmp_path: Path) -> None:
    folder = copy(NAME, tmp_path, lambda fields: fields.update(name="mine"), folder="anything")
    model = zoo.load(folder, device="cpu")
    assert model.card.name == "mine" and model.card.folder == folder and len(model.bundle.train_z)
    assert model.digest == zoo.card(NAME).digest
    with pytest.raises(ValueError, match=r"a folder with a card\.json"):
        zoo.load(tmp_path)


def test_the_environment_adds_places_and_shipped_names_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    copy(NAME, first, lambda fields: fields.update(name="mine"), folder="mine")
    copy(NAME, second, lambda fields: fields.update(summary="not the shipped one"))
    shipped = zoo.names()
    monkeypatch.setenv("RLM_MODELS", os.pathsep.join(["", str(first), str(second), str(tmp_path / "none")]))
    assert zoo.names() == sorted([*shipped, "mine"]) and "mine" in zoo.names("mnist")
    assert zoo.load("mine", device="cpu").card.folder == first / "mine"
    assert zoo.card(NAME).folder == cards.MODELS / NAME


# --- damaged ones ----------------------------------------------------------------------------------------------


def drop(*names: str) -> Callable[[dict[str, Any]], None]:
    return lambda fields: [fields.pop(name) for name in names] and None


def put(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda fields: fields.update(values)


def put_file(name: str, checksum: object = "0" * 64) -> Callable[[dict[str, Any]], None]:
    return lambda fields: fields["files"].update({name: checksum})


BAD_CARDS = [
    drop("classes"),
    drop("radius"),
    drop("architecture"),
    put(files={}),
    put(files=None),
    put(files=["encoder.safetensors"]),
    lambda fields: fields["files"].pop(ENCODER),
    lambda fields: fields["files"].pop("decoder.safetensors"),
    put_file("../encoder.safetensors"),
    put_file("/etc/passwd"),
    put_file("a/b"),
    put_file(".."),
    put_file("decoder.safetensors", None),
    put_file("decoder.safetensors", "abc"),
    put(radius=-1.0),
    put(radius="5"),
    put(radius=float("nan")),
    put(latent_dim=0),
    put(latent_dim=8.0),
    put(input_dim="784"),
    put(classes=5),
    put(classes=[1, 2]),
    put(architecture=[]),
    put(name=5),
    put(format=2),
    put(location="/"),
    put(surprise=1),
]


@pytest.mark.parametrize("change", BAD_CARDS)
def test_a_bad_card_is_a_clear_error(tmp_path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    folder = copy(NAME, tmp_path, change)
    with pytest.raises(ValueError, match=f"Expected a model card in card.json of {NAME}, got"):
        zoo.load(folder)


@pytest.mark.parametrize(
    "change",
    [put(architecture={}), put(architecture={"hidden": "many"}), put(architecture={"hidden": [3]}), put(latent_dim=9)],
)
def test_weights_that_do_not_fit_the_card_are_a_clear_error(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any]
) -> None:
    with pytest.raises(ValueError, match=f"The weights of {NAME} do not fit its card"):
        zoo.load(copy(NAME, tmp_path, change))


@pytest.mark.parametrize("other", ["../models/mnist-qrlm-k96", "..", 5, "nothing", SHARING])
def test_an_encoder_elsewhere_is_looked_for_among_the_mechanisms_only(tmp_path: Path, other: object) -> None:
    assert zoo.load(sharing(tmp_path / "right"), device="cpu").card.name == SHARING
    with pytest.raises(ValueError, match="Expected"):
        zoo.load(sharing(tmp_path, other))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', "[" * 100_000, "\x00"])
def test_one_damaged_card_is_named_and_the_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    shipped = zoo.names("mnist")
    copy(NAME, tmp_path, put(name="good"), folder="good")
    copy(NAME, tmp_path, folder="renamed")
    (tmp_path / "stray").mkdir()
    (tmp_path / "stray" / "card.json").write_text(text)
    (tmp_path / "directory" / "card.json").mkdir(parents=True)
    monkeypatch.setenv("RLM_MODELS", str(tmp_path))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert zoo.names("mnist") == sorted([*shipped, "good"])
    messages = [str(each.message) for each in caught]
    assert len(messages) == 3 and all("A mechanism is left out" in each for each in messages)
    assert any("stray" in each for each in messages) and any("renamed" in each for each in messages)
    assert zoo.load("good", device="cpu").card.name == "good"
    with pytest.raises(ValueError, match="stray"):
        zoo.card("stray")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "x" * 10_000, cards.TRUNK, "a\n", None, 5])
def test_names_that_are_none_are_refused(name: object) -> None:
    with pytest.raises(ValueError, match="Expected a shipped mechanism") as caught:
        zoo.card(name)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 2_000


def test_a_bundle_that_is_not_there_is_named(tmp_path: Path) -> None:
    model = zoo.load(copy(NAME, tmp_path, lambda fields: fields["files"].pop("bundle.safetensors")), device="cpu")
    with pytest.raises(ValueError, match="Expected a bundle"):
        _ = model.bundle


def test_a_preprocessor_that_the_card_does_not_list_is_not_read(tmp_path: Path) -> None:
    folder = copy(NAME, tmp_path)
    (folder / PREPROCESSOR).write_text("not JSON")
    assert zoo.load(folder, device="cpu").preprocessor is None


def test_a_card_is_where_it_was_read(tmp_path: Path) -> None:
    assert Card.read(copy(NAME, tmp_path) / "card.json").folder == tmp_path / NAME
