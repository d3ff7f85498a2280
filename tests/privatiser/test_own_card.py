"""The card of a saved folder says what was written: what was changed by accident is refused, by whoever reads it."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from rlm_core.cli import main
from rlm_core.collector.codes import CodeClassifier
from rlm_core.data import adult_sample
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.privatiser.plan import VRLM
from rlm_core.privatiser.vrlm import training
from rlm_core.zoo.checksums import sha256

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

LABEL = "income-per-year"
ADULT = adult_sample()[:700]
FITTED = LocalPrivatiser(epsilon=4.0, reports=4_500).fit(ADULT[:600], LABEL)

Change = Callable[[dict[str, Any]], object]


def changed(folder: Path, change: Change) -> Path:
    """The folder, after its card was edited by hand."""
    path = folder / "card.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    change(card)
    path.write_text(json.dumps(card), encoding="utf-8")
    return folder


ACCIDENTS: dict[str, Change] = {
    "epsilon": lambda card: card["parameters"].update(epsilon=8.0),
    "lam": lambda card: card["parameters"].update(lam=0.9),
    "reports": lambda card: card["parameters"].update(reports=9),
    "label": lambda card: card.update(label="sex"),
    "public rows": lambda card: card["data"].update(public_rows=601),
    "a promise that is lost": lambda card: card.update(limits=""),
    "a key of another card": lambda card: card.update(central_dp={"epsilon": 1.0}),
    "a key that is gone": lambda card: card.pop("class_type"),
    "a checksum that is none": lambda card: card.update(sha256=None),
}


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_a_card_that_was_changed_is_refused(accident: str, tmp_path: Path) -> None:
    folder = changed(FITTED.save(tmp_path / "mine"), ACCIDENTS[accident])
    with pytest.raises(ValueError, match=r"Expected the card of 'mine' as it was saved, with SHA-256 .*…, got .*…: it"):
        LocalPrivatiser.load(folder)


def test_what_central_dp_spent_cannot_change_unnoticed(
    easy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "MOST_EPOCHS", 4)
    privatiser = LocalPrivatiser(kind=VRLM, reports=3_000, central_epsilon=2.0).fit(easy.public, "ill")
    folder = privatiser.save(tmp_path / "mine")
    assert LocalPrivatiser.load(folder).central_dp_ == privatiser.central_dp_
    changed(folder, lambda card: card["central_dp"].update(epsilon=0.1))
    with pytest.raises(ValueError, match="Expected the card of 'mine' as it was saved"):
        LocalPrivatiser.load(folder)


def test_the_layout_of_a_card_does_not_matter(tmp_path: Path) -> None:
    """Another indent, another order of keys, other ends of lines, 4 for 4.0: it says the same."""
    folder = FITTED.save(tmp_path / "mine")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert card["parameters"]["epsilon"] == 4.0
    card["parameters"]["epsilon"] = 4
    text = json.dumps(card, sort_keys=True, indent=4).replace("\n", "\r\n")
    (folder / "card.json").write_bytes(text.encode())
    assert LocalPrivatiser.load(folder).method_.digest == FITTED.method_.digest


@pytest.mark.parametrize("epsilon", [4, 0.1, np.float32(2.3), np.inf])
def test_every_epsilon_survives(epsilon: float, tmp_path: Path) -> None:
    privatiser = LocalPrivatiser(epsilon=epsilon, reports=10**6, classes=["ä", "ß"]).fit(ADULT.drop(columns=LABEL))
    assert LocalPrivatiser.load(privatiser.save(tmp_path / "mine")).epsilon == epsilon


def test_a_card_is_changed_by_saving_it_anew(tmp_path: Path) -> None:
    folder = FITTED.save(tmp_path / "mine")
    LocalPrivatiser.load(folder).set_params(epsilon=2).save(folder)
    assert LocalPrivatiser.load(folder).epsilon == 2
    assert LocalPrivatiser.load(folder.rename(tmp_path / "yours")).epsilon == 2  # a folder may get another name


def test_cards_of_the_first_version_have_no_checksum_of_their_own(tmp_path: Path) -> None:
    """They are read with the checks that there were: what decides what is sent, and every file."""
    folder = changed(FITTED.save(tmp_path / "mine"), lambda card: card.pop("sha256"))
    assert LocalPrivatiser.load(folder).method_.digest == FITTED.method_.digest
    changed(folder, lambda card: card.update(radius=card["radius"] * 2))
    with pytest.raises(ValueError, match="Expected the digest"):
        LocalPrivatiser.load(folder)


@pytest.mark.parametrize("out", ["reports.jsonl", "parts/"])
def test_the_commands_refuse_it_before_anything_is_charged(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ADULT[600:].to_parquet("people.parquet", index=False)
    changed(FITTED.save(Path("mine")), ACCIDENTS["epsilon"])
    assert main(["privatise", "people.parquet", "--model", "mine", "--out", out]) == 2
    said = capsys.readouterr().err
    assert "Expected the card of 'mine' as it was saved" in said and "set_params(epsilon=2).save(folder)" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "people.parquet"]


# --- a folder whose checksums a stranger made anew ---


def forged(folder: Path, name: str, change: Change) -> Path:
    """The folder with a changed file, all its checksums and its digest made anew, as a stranger could."""
    path = folder / name
    said = json.loads(path.read_text(encoding="utf-8"))
    change(said)
    path.write_text(json.dumps(said), encoding="utf-8")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    card["files"] = {each: sha256(folder / each) for each in card["files"]}
    for _ in range(2):  # a loader says which digest it expected
        card.pop("sha256", None)
        (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
        try:
            LocalPrivatiser.load(folder)
        except ValueError as error:
            if found := re.search(r"Expected the digest .* got '([0-9a-f]+)'", str(error)):
                card["digest"] = found[1]
    return folder


FORGERIES: dict[str, tuple[str, Change]] = {
    "classes that are a text": ("card.json", lambda card: card.update(classes="yn")),
    "classes that are one": ("card.json", lambda card: card.update(classes=["a", "a"])),
    "three classes of a report for two": ("card.json", lambda card: card.update(classes=["a", "b", "c"])),
    "a label that is a list": ("card.json", lambda card: card.update(label=["y"])),
    "no epsilon": ("card.json", lambda card: card["parameters"].update(epsilon=math.nan)),
    "an epsilon in words": ("card.json", lambda card: card["parameters"].update(epsilon="4")),
    "a negative epsilon": ("card.json", lambda card: card["parameters"].update(epsilon=-1)),
    "a share of what is not divided": ("card.json", lambda card: card["parameters"].update(lam=0.5)),
    "a mean in words": ("preprocessor.json", lambda said: said["numbers"][0].update(mean="x")),
    "a mean that is none": ("preprocessor.json", lambda said: said["numbers"][0].update(mean=math.nan)),
    "a deviation of 0": ("preprocessor.json", lambda said: said["numbers"][0].update(std=0.0)),
    "a number that is gone": ("preprocessor.json", lambda said: said["numbers"].pop()),
    "a level twice": (
        "preprocessor.json",
        lambda said: said["categories"][0]["levels"].insert(0, said["categories"][0]["levels"][0]),
    ),
    "rare levels without a place": ("preprocessor.json", lambda said: said["categories"][0]["levels"].pop()),
    "levels that are numbers": ("preprocessor.json", lambda said: said["categories"][0].update(levels=[1, 2])),
    "a column of the preprocessor alone": ("preprocessor.json", lambda said: said["numbers"][0].update(name="f")),
    "a column of the schema alone": ("schema.json", lambda said: said["features"][0].update(name="f")),
    "a column of another kind": (
        "schema.json",
        lambda said: said["features"][0].update(kind="category", choices=["a"], low=None, high=None, step=None),
    ),
    "a column that is an object": ("preprocessor.json", lambda said: said["numbers"][1].update(name={"a": 1})),
    "a column that is a number": ("preprocessor.json", lambda said: said["numbers"][1].update(name=3)),
    "a column that is a list": ("preprocessor.json", lambda said: said["numbers"][1].update(name=["a"])),
    "rows in words": ("preprocessor.json", lambda said: said.update(rows="many")),
    "outliers in words": ("preprocessor.json", lambda said: said.update(outliers="few")),
    "outliers below none": ("preprocessor.json", lambda said: said.update(outliers=-1)),
    "public rows in words": ("card.json", lambda card: card["data"].update(public_rows="many")),
    "arguments' classes that are none": ("card.json", lambda card: card["parameters"].update(classes=math.nan)),
    "classes that are no truth values": ("card.json", lambda card: card.update(class_type="b")),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_folder_is_refused_when_it_is_loaded(forgery: str, tmp_path: Path) -> None:
    folder = forged(FITTED.save(tmp_path / "mine"), *FORGERIES[forgery])
    with pytest.raises((TypeError, ValueError), match="^Expected"):
        LocalPrivatiser.load(folder)


def test_a_path_in_a_card_is_nothing_to_a_later_fit(tmp_path: Path) -> None:
    """A training goes on from its checkpoint and deletes it at the end: a stranger's card must not name one."""
    folder = forged(
        FITTED.save(tmp_path / "mine"), "card.json", lambda card: card["parameters"].update(checkpoint="/somewhere")
    )
    assert LocalPrivatiser.load(folder).checkpoint is None


@pytest.mark.parametrize("epsilon", [np.float32(4.0), np.int64(4)])
def test_an_epsilon_of_numpy_can_be_written(epsilon: Any, tmp_path: Path) -> None:
    fitted = LocalPrivatiser(epsilon=epsilon, reports=4_500).fit(ADULT[:600], LABEL)
    assert '"epsilon": 4.0' in fitted.export(tmp_path / "owner.html").read_text(encoding="utf-8").replace(":4", ": 4")
    assert LocalPrivatiser.load(fitted.save(tmp_path / "mine")).epsilon == 4.0


# --- files ---


def test_a_link_is_refused_whatever_it_leads_to(tmp_path: Path) -> None:
    """What it leads to may be any file that the reader can read; the folder itself may be a link."""
    folder = FITTED.save(tmp_path / "mine")
    (tmp_path / "linked").symlink_to(folder)
    assert LocalPrivatiser.load(tmp_path / "linked").method_.digest == FITTED.method_.digest
    for name in ("encoder.safetensors", "schema.json", "card.json"):
        path = folder / name
        whole = path.rename(tmp_path / "elsewhere")
        path.symlink_to(whole)
        with pytest.raises(ValueError, match=f"Expected a file in 'mine' itself, got '{name}', a link"):
            LocalPrivatiser.load(folder)
        path.unlink()
        whole.rename(path)
    assert LocalPrivatiser.load(folder).method_.digest == FITTED.method_.digest
    os.mkfifo(folder / "pipe")
    changed(folder, lambda card: (card.pop("sha256"), card["files"].update({"pipe": "0" * 64})))
    with pytest.raises(ValueError, match="got 'pipe', a link or something else"):
        LocalPrivatiser.load(folder)


# --- weights ---


def forged_tensors(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Path:
    """The folder with other tensors in a file, and checksums that fit."""
    tensors = {each: np.array(tensor) for each, tensor in load_file(folder / name).items()}
    change(tensors)
    save_file(tensors, folder / name)
    return forged(folder, "card.json", lambda card: None)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_weights_that_are_no_numbers_are_refused(value: float, tmp_path: Path) -> None:
    """With them every record has the same h = 0, and nobody would know."""
    folder = FITTED.save(tmp_path / "mine")
    folder = forged_tensors(folder, "encoder.safetensors", lambda tensors: tensors["0.weight"].__setitem__(0, value))
    with pytest.raises(ValueError, match=r"Expected finite numbers in 0\.weight"):
        LocalPrivatiser.load(folder)


CLASSIFIERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "of another kind": lambda tensors: tensors.update(table=tensors.pop("weights")),
    "empty": lambda tensors: tensors.update(weights=np.empty((0, 0))),
    "of three classes": lambda tensors: tensors.update(weights=np.vstack([tensors["weights"], tensors["weights"][:1]])),
    "of more numbers": lambda tensors: tensors.update(weights=np.hstack([tensors["weights"]] * 2)),
    "of one axis": lambda tensors: tensors.update(weights=tensors["weights"].ravel()),
    "not finite": lambda tensors: tensors["weights"].__setitem__((0, 0), math.nan),
    "nothing": lambda tensors: (tensors.clear(), tensors.update(some=np.ones(1))),
}


@pytest.fixture(scope="module")
def learnt() -> LocalPrivatiser:
    rows = adult_sample()[600:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        return LocalPrivatiser(epsilon=4.0, reports=4_500).fit(ADULT[:600], LABEL).learn(FITTED.privatise(rows, LABEL))


@pytest.mark.parametrize("forgery", CLASSIFIERS)
def test_a_classifier_of_another_shape_is_refused(forgery: str, learnt: LocalPrivatiser, tmp_path: Path) -> None:
    folder = learnt.save(tmp_path / "mine")
    np.testing.assert_array_equal(LocalPrivatiser.load(folder).predict(ADULT), learnt.predict(ADULT))
    with pytest.raises(ValueError, match="^Expected"):
        LocalPrivatiser.load(forged_tensors(folder, "classifier.safetensors", CLASSIFIERS[forgery]))


@pytest.mark.parametrize(("of", "shape"), [("table", (3, 2)), ("table", (8, 3)), ("table", (0,))])
def test_a_table_of_codes_of_another_shape_is_refused(of: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    fitted = LocalPrivatiser(reports=4_500, kind="codes", size=8).fit(ADULT[:600], LABEL)
    fitted.classifier_ = CodeClassifier(table=np.full((8, 2), 0.5))
    fitted.reports_, fitted.reports_epsilon_ = 100, 4.0
    folder = fitted.save(tmp_path / "mine")
    assert LocalPrivatiser.load(folder).predict_proba(ADULT[:3]).tolist() == [[0.5, 0.5]] * 3
    with pytest.raises(ValueError, match=f"Expected a classifier of shape .* in {of}"):
        LocalPrivatiser.load(
            forged_tensors(folder, "classifier.safetensors", lambda tensors: tensors.update({of: np.ones(shape)}))
        )


@pytest.mark.parametrize("learnt_of", [{"reports": "x", "epsilon": 4.0}, {"reports": 5, "epsilon": None}])
def test_counts_of_what_was_learnt_are_numbers(
    learnt_of: dict[str, Any], learnt: LocalPrivatiser, tmp_path: Path
) -> None:
    folder = forged(learnt.save(tmp_path / "mine"), "card.json", lambda card: card.update(learnt=learnt_of))
    with pytest.raises((TypeError, ValueError), match="^Expected"):
        LocalPrivatiser.load(folder)


def test_pixels_in_rows_are_taken_after_loading(tmp_path: Path) -> None:
    pictures = np.random.default_rng(0).integers(0, 255, (200, 8, 8), dtype=np.uint8)
    fitted = LocalPrivatiser(epsilon=4, reports=1_000, classes=["a", "b"]).fit(pictures)
    flat = pictures.reshape(200, -1)
    loaded = LocalPrivatiser.load(fitted.save(tmp_path / "mine"))
    np.testing.assert_array_equal(loaded.encode_table(flat), fitted.encode_table(flat))
