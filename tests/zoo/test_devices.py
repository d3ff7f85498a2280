"""Where a mechanism runs: the device that was asked for, and a trunk that nobody moves."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rlm_core import zoo
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


def test_the_trunk_is_kept_by_device(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(model_module, "trunk", lambda folder, checksum, device: asked.append(device) or torch.nn.ReLU())
    for device in ("cpu", "cuda:0", "cuda:1"):
        model_module.build(zoo.card(PICTURES[0]), torch.device(device))
    assert asked == ["cpu", "cuda:0", "cuda:1"]
