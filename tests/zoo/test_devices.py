"""Where a mechanism runs: the device that was asked for, and a trunk that nobody moves."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rlm_core import zoo
from rlm_core.data import mnist_samples
from rlm_core.learning import device as device_module
from rlm_core.zoo import model as model_module

PICTURES = "cifar10-crlm-eps8", "cifar10-crlm-eps15"


def devices(module: torch.nn.Module) -> set[str]:
    return {str(each.device) for each in (*module.parameters(), *module.buffers())}


def test_mechanisms_on_one_device_share_the_trunk_and_another_device_has_its_own() -> None:
    """The ``meta`` device stands for a GPU."""
    here = zoo.load(PICTURES[0], device="cpu")
    x = np.full((1, 3072), 0.5)
    before = here.encode(x)
    there = zoo.load(PICTURES[1], device="meta")
    beside = zoo.load(PICTURES[1], device="cpu")
    assert devices(here.encoder) == {"cpu"} and devices(there.encoder) == {"meta"}
    assert here.encoder.trunk is beside.encoder.trunk  # type: ignore[union-attr]
    assert here.encoder.trunk is not there.encoder.trunk  # type: ignore[union-attr]
    np.testing.assert_array_equal(here.encode(x), before)


@pytest.mark.parametrize("name", ["cuda:1", "cpu", "mps"])
def test_a_device_keeps_its_number(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are not moved here: the machine may have no such device."""
    moved = []

    def to(module: torch.nn.Module, where: torch.device) -> torch.nn.Module:
        moved.append(str(where))
        return module

    monkeypatch.setattr(torch.nn.Module, "to", to)
    assert zoo.load("mnist-vrlm-l5-eps5", device=name).device == name
    assert moved == [name, name]


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_where_it_is_asked_for(half: torch.dtype) -> None:
    """bfloat16 keeps 8 bits of every factor, float16 11: h differs, and by little."""
    x = mnist_samples().images[:5].reshape(5, -1) / 255
    whole, rounded = (zoo.load("mnist-vrlm-l5-eps5", device="cpu", half=each).encode(x) for each in (None, half))
    assert not np.array_equal(whole, rounded)
    np.testing.assert_allclose(rounded, whole, atol=0.05 * np.abs(whole).max())
    with pytest.raises(ValueError, match="Expected half in"):
        zoo.load("mnist-vrlm-l5-eps5", half=torch.float64)


def test_large_batches_reach_a_gpu_in_blocks_that_fill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model, sizes = zoo.load("mnist-vrlm-l5-eps5", device="cpu"), []
    monkeypatch.setattr(device_module, "block_rows", lambda inputs, device, at_least: 4 * at_least)
    monkeypatch.setattr(model.encoder, "forward", lambda rows: (sizes.append(len(rows)), rows[:, :8])[1])
    assert model.encode(np.zeros((2_100, 784))).shape == (2_100, 8) and sizes == [1_024, 1_024, 52]


@pytest.mark.parametrize("name", ["mnist-vrlm-l5-eps5", "lending-vrlm-l5-eps15", "mnist-qrlm-k12", PICTURES[0]])
def test_no_records_give_no_rows(name: str) -> None:
    model = zoo.load(name, device="cpu")
    assert model.encode(np.empty((0, model.card.input_dim))).shape == (0, model.card.latent_dim)
    assert model.decode(np.empty((0, model.card.latent_dim))).shape == (0, model.card.input_dim)


def test_the_trunk_is_kept_by_device(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(model_module, "trunk", lambda folder, checksum, device: asked.append(device) or torch.nn.ReLU())
    for device in ("cpu", "cuda:0", "cuda:1"):
        model_module.build(zoo.card(PICTURES[0]), torch.device(device))
    assert asked == ["cpu", "cuda:0", "cuda:1"]
