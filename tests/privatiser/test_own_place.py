"""What save refuses: other people's folders, and a card that would not be of what was fitted."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.place import check_place, check_writable
from rlm_core.tables import TableSchema

LABEL = "ill"


@pytest.fixture(scope="module")
def fitted(easy: Any) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=8.0, reports=3_000).fit(easy.public, LABEL)


@pytest.mark.parametrize("name", ["thesis.txt", "card.json", "schema.json"])
def test_a_folder_with_other_files_is_refused(name: str, fitted: LocalPrivatiser, tmp_path: Path) -> None:
    """A card.json of something else was overwritten, and a thesis got company."""
    (tmp_path / name).write_text("{}", encoding="utf-8")
    with pytest.raises(
        ValueError, match=f"or one that LocalPrivatiser.save wrote, got .*, which has other files: {name}"
    ):
        fitted.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name] and (tmp_path / name).read_text() == "{}"


def test_a_new_one_an_empty_one_and_ones_own_are_taken(fitted: LocalPrivatiser, tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_bytes(b"")
    fitted.save(tmp_path)
    (tmp_path / "owner.html").write_text("exported beside it")
    fitted.save(tmp_path)
    fitted.save(tmp_path / "some" / "where")
    (tmp_path / "some" / "where" / "card.json").unlink()  # as a save that was interrupted leaves it
    LocalPrivatiser.load(fitted.save(tmp_path / "some" / "where"))


def test_a_file_in_the_way_and_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="Expected a folder, got the file 'file'"):
        check_place(tmp_path / "file")
    with pytest.raises(ValueError, match="Expected a folder, got the file 'file' in the path"):
        check_place(tmp_path / "file" / "mine")
    check_writable(tmp_path / "file")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(ValueError, match="Expected a place that can be written, got .*mine"):
        check_place(tmp_path / "a" / "mine")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "codes"}, "Expected kind='auto' as it was fitted, got 'codes': fit again"),
        ({"size": 9}, "Expected size=None as it was fitted, got 9: fit again"),
        ({"encoder": "network"}, "Expected encoder='auto' as it was fitted"),
        ({"classes": ["no", "maybe"]}, r"Expected classes=None as it was fitted, got \['no', 'maybe'\]"),
        ({"lam": 0.5}, "Expected lam with kind='V-RLM' alone"),
        ({"central_epsilon": 2.0}, "Expected central_epsilon with kind='V-RLM' alone"),
        ({"epsilon": -1}, "epsilon > 0"),
    ],
)
def test_a_card_says_what_was_fitted(
    change: dict[str, Any], message: str, fitted: LocalPrivatiser, tmp_path: Path
) -> None:
    """`load(…).set_params(kind="codes").save(…)` wrote a card with two kinds."""
    loaded = LocalPrivatiser.load(fitted.save(tmp_path / "mine"))
    for each in (loaded, pickle.loads(pickle.dumps(fitted))):
        with pytest.raises(ValueError, match=message):
            each.set_params(**change).save(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_another_schema_needs_another_fit(easy: Any, fitted: LocalPrivatiser, tmp_path: Path) -> None:
    loaded = LocalPrivatiser.load(fitted.save(tmp_path / "mine"))
    with pytest.raises(ValueError, match="Expected schema=None as it was fitted, got TableSchema"):
        loaded.set_params(schema=TableSchema.infer(easy.public)).save(tmp_path / "other")


def test_what_nothing_was_learnt_from_may_change(easy: Any, fitted: LocalPrivatiser, tmp_path: Path) -> None:
    later: dict[str, Any] = {"epsilon": 2.0, "reports": 9_000, "seed": 3, "device": "cpu", "checkpoint": "half.pt"}
    loaded = LocalPrivatiser.load(fitted.save(tmp_path / "mine")).set_params(**later)
    again = LocalPrivatiser.load(loaded.save(tmp_path / "mine"))
    assert again.get_params() == loaded.get_params() | {"checkpoint": None}
    again.set_params(kind="codes").fit(easy.public, LABEL).save(tmp_path / "mine")  # a new fit makes it true
    assert LocalPrivatiser.load(tmp_path / "mine").plan_.kind == "codes"


def test_classes_of_any_dress_are_those_that_were_fitted(easy: Any, tmp_path: Path) -> None:
    table = easy.public.drop(columns=LABEL)
    privatiser = LocalPrivatiser(epsilon=8.0, reports=3_000, classes=np.array(["no", "yes"]), size=np.int64(4))  # type: ignore[arg-type]
    loaded = LocalPrivatiser.load(privatiser.fit(table).save(tmp_path / "mine"))
    loaded.set_params(classes=("no", "yes")).save(tmp_path / "mine")


def test_a_pickle_of_the_first_version_can_be_saved(fitted: LocalPrivatiser, tmp_path: Path) -> None:
    old = pickle.loads(pickle.dumps(fitted))
    del old.fitted_with_
    LocalPrivatiser.load(old.save(tmp_path / "mine"))


def test_a_folder_from_a_machine_with_a_gpu_loads_where_there_is_none(
    easy: Any, fitted: LocalPrivatiser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    there = pickle.loads(pickle.dumps(fitted)).set_params(device="cuda:1")
    loaded = LocalPrivatiser.load(there.save(tmp_path / "mine"))
    assert len(loaded.privatise(easy.people[:3])) == 3
    with pytest.raises(ValueError, match=r"Expected a device that is here \(cpu.*\) or auto, got device='cuda:1'"):
        loaded.fit(easy.public, LABEL)
    assert len(loaded.privatise(easy.people[:3])) == 3  # a fit that was refused changed nothing
