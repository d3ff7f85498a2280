"""The owner's page of a mechanism of pictures: what it is told, what it may do, and whom it is refused to."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_digits

from collection.own_mechanism import OwnMechanism
from rlm_core.device.owner_file import owner_file
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.privatiser.own_mechanism import encoder_file, own_description, own_page
from rlm_core.privatiser.plan import BITS, CODES, SELECTION, VRLM
from rlm_core.privatiser.saved_tables import saved_encoder, saved_table
from rlm_core.privatiser.vrlm import training

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

DIGITS = load_digits()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        yield


@cache
def fitted(kind: str = CODES, classes: int = 10) -> LocalPrivatiser:
    privatiser = LocalPrivatiser(epsilon=4.0, reports=900, kind=kind, encoder="linear")
    return privatiser.fit(DIGITS.images[:300], DIGITS.target[:300] % classes)


@pytest.mark.parametrize(("kind", "classes"), [(CODES, 10), (SELECTION, 10), (BITS, 2)])
def test_a_page_is_told_the_size_of_the_pixels_and_nothing_of_a_table(kind: str, classes: int) -> None:
    privatiser = fitted(kind, classes)
    about = json.loads(json.dumps(own_description(privatiser, pictures=True)))
    assert about["pictures"] == {"height": 8, "width": 8} and about["input_dim"] == 64
    assert not {"fields", "preprocessor", "trunk", "lam"} & set(about)
    assert about["digest"] == privatiser.method_.digest and about["classes"] == [str(each) for each in range(classes)]
    assert ("joint" in about) == (kind != CODES) and about["epsilon"] == 4.0
    assert about["files"]["encoder"]["bytes"] == len(encoder_file(privatiser))


def test_a_v_rlm_tells_how_it_divides_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MOST_EPOCHS", 1)
    privatiser = LocalPrivatiser(kind=VRLM, lam=0.6, classes=["a", "b"]).fit(DIGITS.images[:100])
    about = own_description(privatiser, pictures=True)
    assert about["lam"] == 0.6 and about["release"] == "numbers" and "joint" not in about
    assert about["pictures"] == {"height": 8, "width": 8}


def test_export_writes_the_page_under_the_same_policy_as_any(tmp_path: Path) -> None:
    privatiser = fitted()
    page = privatiser.export(tmp_path / "owner.html").read_text(encoding="utf-8")
    assert own_page(privatiser).policy == owner_file("mnist-qrlm-k96").policy
    assert own_page(privatiser).policy in page and "connect-src" not in page and "default-src 'none'" in page
    assert privatiser.method_.digest in page and "http://" not in page and "https://" not in page
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert own_page(loaded).html == page


def test_colour_pictures_are_refused_by_why_and_what_to_do(tmp_path: Path) -> None:
    privatiser = LocalPrivatiser.load(fitted().save(tmp_path / "mine"))
    assert privatiser.pictures_ is not None
    privatiser.pictures_ = replace(privatiser.pictures_, colour=True)
    with pytest.raises(ValueError, match="got one of colour pictures: .* ResNet-18 of 22 MB.*privatise.*photo page"):
        privatiser.export(tmp_path / "owner.html")
    assert not (tmp_path / "owner.html").exists()


def test_without_noise_there_is_no_page() -> None:
    with pytest.raises(ValueError, match="Expected a finite epsilon"):
        own_page(LocalPrivatiser(epsilon=float("inf"), kind=CODES).fit(DIGITS.images[:300], DIGITS.target[:300]))


def test_who_has_only_forms_is_told_so() -> None:
    """A campaign asks for rows."""
    for asked in (own_description, OwnMechanism.of):
        with pytest.raises(ValueError, match="Expected a mechanism of a table for a page with a form, got one of pict"):
            asked(fitted())


def test_saved_pictures_do_not_stand_in_the_way_of_saved_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted().save(tmp_path / "faces")
    table: dict[str, Any] = {"age": [20, 30, 40, 50] * 25, "ill": ["no", "yes"] * 50}
    LocalPrivatiser(epsilon=2.0, reports=500).fit(pd.DataFrame(table), "ill").save(tmp_path / "mine")
    monkeypatch.setenv("RLM_MODELS", str(tmp_path))
    offered = saved_table("mine")
    assert offered is not None and "fields" in offered.description
    assert saved_encoder(offered.description["files"]["encoder"]["sha256"]) == offered.encoder
