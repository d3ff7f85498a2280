"""A fit starts anew or changes nothing; labels that nobody named are where the fit was told to find them."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sklearn.exceptions import NotFittedError

from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.tables import TableError

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

LABEL = "ill"


def fitted(easy: Any, **given: Any) -> LocalPrivatiser:
    return LocalPrivatiser(**({"epsilon": 8.0, "reports": 3_000} | given)).fit(easy.public, LABEL)


def test_a_new_fit_forgets_what_was_learnt(easy: Any, tmp_path: Path) -> None:
    privatiser = fitted(easy)
    privatiser.learn(privatiser.privatise(easy.people, LABEL))
    privatiser.fit(easy.public[["age", LABEL]], LABEL)
    assert not hasattr(privatiser, "reports_") and not hasattr(privatiser, "reports_epsilon_")
    with pytest.raises(NotFittedError, match=r"learn\(reports\)"):
        privatiser.predict(easy.test)
    folder = privatiser.save(tmp_path / "mine")
    assert not (folder / "classifier.safetensors").exists()


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        ({"size": 0}, ["age", LABEL]),
        ({"epsilon": -1}, ["age", LABEL]),
        ({"classes": ["no"]}, ["age", LABEL]),
        ({}, ["age"]),
        ({"kind": "V-RLM", "lam": 2.0}, ["age", LABEL]),
    ],
)
def test_a_fit_that_is_refused_changes_nothing(easy: Any, change: dict[str, Any], columns: list[str]) -> None:
    privatiser = fitted(easy)
    privatiser.learn(privatiser.privatise(easy.people, LABEL))
    expected, probabilities = privatiser.encode_table(easy.test), privatiser.predict_proba(easy.test)
    before = pickle.dumps({name: value for name, value in vars(privatiser).items() if name.endswith("_")})
    with pytest.raises(ValueError, match="Expected"):
        privatiser.set_params(**change).fit(easy.public[columns], LABEL)
    assert pickle.dumps({name: value for name, value in vars(privatiser).items() if name.endswith("_")}) == before
    assert np.array_equal(privatiser.encode_table(easy.test), expected)
    assert np.array_equal(privatiser.predict_proba(easy.test), probabilities)


def test_a_warning_that_is_an_error_keeps_what_was_learnt(easy: Any) -> None:
    privatiser = LocalPrivatiser(epsilon=8.0, reports=3)
    with pytest.raises(UtilityWarning, match="3 reports are few"), warnings.catch_warnings():
        warnings.simplefilter("error", UtilityWarning)
        privatiser.fit(easy.public, LABEL)
    assert len(privatiser.privatise(easy.people[:3])) == 3


def test_labels_are_those_of_the_column_that_was_fitted(easy: Any) -> None:
    """They were left at home without a word, though the column was there."""
    privatiser = fitted(easy)
    digest = privatiser.privatise(easy.people[:3], LABEL).report(0).digest
    assert privatiser.privatise(easy.people[:3]).report(0).digest == digest
    alone = privatiser.privatise(easy.people[:3].drop(columns=LABEL)).report(0).digest
    assert alone != digest and privatiser.privatise(easy.people[:3], None).report(0).digest == alone
    with pytest.raises(TableError, match="in row 0, column ill, got 'perhaps'"):
        privatiser.privatise(easy.people[:1].assign(ill="perhaps"))
    other = LocalPrivatiser(epsilon=8.0, reports=3_000).fit(easy.public.drop(columns=LABEL), easy.public[LABEL])
    assert other.privatise(easy.people[:1]).report(0).digest != other.privatise(easy.people[:1], LABEL).report(0).digest


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_pictures_have_their_labels_where_the_public_ones_had(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    for name in ("public/cat", "public/dog", "flat"):
        (tmp_path / name).mkdir(parents=True)
        for at in range(20):
            Image.fromarray(generator.integers(0, 256, (8, 8), dtype=np.uint8)).save(tmp_path / name / f"{at}.png")
    privatiser = LocalPrivatiser(epsilon=8.0, reports=500).fit(tmp_path / "public", "folder")
    with_labels = privatiser.privatise(tmp_path / "public", "folder").report(0).digest
    assert privatiser.privatise(tmp_path / "public").report(0).digest == with_labels
    assert privatiser.privatise(tmp_path / "flat").report(0).digest != with_labels
    assert privatiser.privatise(tmp_path / "public", None).report(0).digest != with_labels


def test_a_ledger_is_a_ledger(easy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    privatiser = fitted(easy)
    monkeypatch.setattr("os.urandom", lambda _: pytest.fail("drew"))
    with pytest.raises(TypeError, match="Expected a Ledger for ledger, got a value of type int"):
        privatiser.privatise(easy.people[:2], ledger=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("labels", [{"no", "yes"}, {"no": 1, "yes": 2}, (each for each in ("no", "yes")), b"ab", 3])
def test_labels_without_an_order_are_refused(easy: Any, labels: Any) -> None:
    """A set has another order in every process."""
    privatiser = fitted(easy)
    with pytest.raises(TypeError, match="Expected a list of labels, or the name of their column as text, got"):
        privatiser.privatise(easy.people[:2], labels)
    with pytest.raises(TypeError, match="Expected a list of labels"):
        LocalPrivatiser().fit(np.zeros((2, 8, 8), np.uint8), labels)


@pytest.mark.parametrize("device", ["tpu", "CUDA", "cuda:", "", None, 0])
def test_a_device_that_there_is_not_is_refused_at_once(easy: Any, device: Any) -> None:
    with pytest.raises(ValueError, match="Expected device auto, cpu, cuda, cuda:1"):
        fitted(easy, device=device)
