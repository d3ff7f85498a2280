"""`export("encoder.onnx")`: what a phone's runtime computes is what the library computes, for every kind of encoder."""

from __future__ import annotations

import json
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from rlm_core import LocalPrivatiser
from rlm_core.data import adult_sample
from rlm_core.privatiser import KINDS, UtilityWarning
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.plan import BITS, CODES
from rlm_core.types import FloatArray

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

ADULT, LABEL = adult_sample(), "income-per-year"
TOLERANCE = 1e-12
"""Of h, relative to the largest: both sides add in float64, in another order."""


@cache
def table(kind: str) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=4.0, reports=4_500, kind=kind).fit(ADULT[:2_000], LABEL)


def digits(**given: Any) -> LocalPrivatiser:
    pictures, labels = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        return LocalPrivatiser(epsilon=8.0, reports=900, **given).fit(pictures[:600].reshape(-1, 8, 8), labels[:600])


def run(file: Path, x: NDArray[np.float32]) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {"x": x}), strict=True))


def agrees(privatiser: LocalPrivatiser, file: Path, x: NDArray[np.float32]) -> dict[str, Any]:
    """What the runtime gives, after comparing it with the library's h and codes on all rows."""
    found, h = run(file, x), privatiser.method_.encoder(x)
    assert found["h"].dtype == np.float64 and found["h"].shape == h.shape
    assert np.abs(found["h"] - h).max() <= TOLERANCE * np.abs(h).max()
    if privatiser.plan_.kind == CODES:
        assert np.array_equal(found["code"], privatiser.method_.codes(h))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_tables_encoder_gives_the_same_numbers_and_codes(kind: str, tmp_path: Path) -> None:
    privatiser = table(kind)
    file = privatiser.export(tmp_path / "encoder.onnx")
    onnx.checker.check_model(onnx.load(file), full_check=True)
    x = privatiser.encode_table(ADULT.drop(columns=LABEL))
    found = agrees(privatiser, file, x)
    assert sorted(found) == (["code", "h"] if kind == CODES else ["h"])
    for count in (1, 2, 513):  # the number of rows is free
        assert np.allclose(run(file, x[:count])["h"], found["h"][:count], rtol=1e-12, atol=1e-12)


def test_what_the_runtime_computes_can_be_released_and_learnt_from(tmp_path: Path) -> None:
    """h from the model, noise from the exact sampler that the metadata name: the reports are the mechanism's."""
    privatiser = table(BITS)
    file = privatiser.export(tmp_path / "encoder.onnx")
    h: FloatArray = run(file, privatiser.encode_table(ADULT[:50].drop(columns=LABEL)))["h"]
    y = (ADULT[:50][LABEL] == ">50K").to_numpy(dtype=np.int64)
    joint = privatiser.method_.together(4.0, 2)
    sent = joint.send(h, y)
    facts = metadata(file)["joint"]
    assert facts["digests"][joint.bits - 1] == privatiser.privatise(ADULT[:1], LABEL).digest  # type: ignore[union-attr]
    assert facts["low"] == list(joint.low) and len(sent) == 50  # type: ignore[union-attr]


def metadata(file: Path) -> dict[str, Any]:
    texts = {each.key: each.value for each in onnx.load(file).metadata_props}
    plain = {"format", "name", "kind", "encoder", "digest", "input", "noise"}
    return {name: text if name in plain else json.loads(text) for name, text in texts.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_says_what_it_is_and_that_it_has_no_noise(kind: str, tmp_path: Path) -> None:
    privatiser = table(kind)
    file = privatiser.export(tmp_path / "encoder.onnx")
    model, facts = onnx.load(file), metadata(file)
    assert facts["kind"] == kind and facts["size"] == privatiser.plan_.size and facts["classes"] == ["<=50K", ">50K"]
    assert facts["digest"] == privatiser.method_.digest
    assert "NO noise" in facts["noise"] and "exact sampler" in facts["noise"] and facts["noise"] == model.doc_string
    assert facts["preprocessor"]["clip"] == 4.0 and len(facts["preprocessor"]["numbers"]) == 6
    assert not any("epsilon" in name for name in facts)
    twin = LocalPrivatiser.load(privatiser.save(tmp_path / "mine")).set_params(epsilon=1.0)
    assert twin.export(tmp_path / "other.onnx").read_bytes() == file.read_bytes()  # ε changes nothing


def test_pictures_go_in_as_pixels(tmp_path: Path) -> None:
    privatiser = digits()
    file = privatiser.export(tmp_path / "encoder.onnx")
    agrees(privatiser, file, privatiser.encode_table(load_digits().data.reshape(-1, 8, 8)))
    assert metadata(file)["pictures"]["white"] == 16.0 and "8 × 8 grey pixels" in metadata(file)["input"]


def test_merged_codes_of_a_network_are_the_same(tmp_path: Path) -> None:
    """Weights at random: three layers, and forty fine codes in seven groups of different sizes."""
    privatiser, generator = digits(), np.random.default_rng(3)
    sizes = (64, 50, 30, 40)
    layers = tuple(
        (generator.normal(size=(out, into)).astype(np.float32), generator.normal(size=out).astype(np.float32))
        for into, out in zip(sizes[:-1], sizes[1:], strict=True)
    )
    merge = (*range(7), *generator.integers(0, 7, 33).tolist())
    method = privatiser.method_
    object.__setattr__(method, "encoder", NetworkEncoder(layers=layers, merge=merge))
    object.__setattr__(method.plan, "size", 7)
    found = agrees(privatiser, privatiser.export(tmp_path / "e.ONNX"), privatiser.encode_table(load_digits().images))
    assert len(np.unique(found["code"])) > 3


@pytest.mark.slow
def test_a_trained_network_is_exported(tmp_path: Path) -> None:
    privatiser = digits(encoder="network")
    agrees(privatiser, privatiser.export(tmp_path / "encoder.onnx"), privatiser.encode_table(load_digits().images))


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"The package onnx is missing.*pip install .*\.\[onnx\]"):
        table(BITS).export(tmp_path / "encoder.onnx")
    assert not (tmp_path / "encoder.onnx").exists()


@pytest.mark.parametrize("name", ["encoder.pt", "encoder", "onnx", "page.html.txt"])
def test_another_ending_is_refused_by_what_is_accepted(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in \.html .* or \.onnx .*, got "):
        table(BITS).export(tmp_path / name)


def test_a_vrlm_is_exported_with_its_radius_and_share(easy: Any, tmp_path: Path) -> None:
    """Its label leaves apart, so there is nothing joint to tell."""
    privatiser = LocalPrivatiser(epsilon=8.0, reports=3_000, kind="V-RLM", encoder="network").fit(easy.public, "ill")
    file = privatiser.export(tmp_path / "encoder.onnx")
    agrees(privatiser, file, privatiser.encode_table(easy.test.drop(columns="ill")))
    facts = {each.key: each.value for each in onnx.load(file).metadata_props}
    assert float(facts["radius"]) == privatiser.method_.radius and "joint" not in facts
    assert float(facts["lam"]) == 0.5
