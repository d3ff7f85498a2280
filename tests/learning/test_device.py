"""Devices by name, and what reaches them. There is no GPU here: a fake one stands in, that computes on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.collector.code_network import CodeNetwork
from rlm_core.collector.codes import PairSets
from rlm_core.learning.device import block_rows, check_device, in_blocks, pick_device
from rlm_core.training.codes.code_presets import QRLMPreset
from rlm_core.training.codes.pairs_of_views import corrupted_rows
from rlm_core.training.codes.train_codes import train_codes

FAKE, CPU = torch.device("cuda:1"), torch.device("cpu")


class FakeGPU(TorchFunctionMode):
    """Every call with the device ``FAKE`` runs on the CPU instead, and is counted by the function's name."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, int] = {}

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        def here(value: Any) -> Any:
            if isinstance(value, torch.device) and value == FAKE:
                name = getattr(function, "__name__", str(function))
                self.calls[name] = self.calls.get(name, 0) + 1
                return CPU
            return value

        return function(*map(here, args), **{key: here(value) for key, value in (kwargs or {}).items()})


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGPU]:
    """A machine that has ``cuda:1``."""
    fake, generator = FakeGPU(), torch.Generator

    def make(device: Any = CPU) -> torch.Generator:
        if str(device) == str(FAKE):
            fake.calls["Generator"] = fake.calls.get("Generator", 0) + 1
            return generator()
        return generator(device=device)

    with fake:
        monkeypatch.setattr(torch, "Generator", make)
        yield fake


def test_a_device_keeps_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(pick_device("cuda:1")) == "cuda:1" and pick_device("cuda:1").index == 1
    assert str(pick_device("meta")) == "meta"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert str(pick_device()) == "cuda"
    with pytest.raises(RuntimeError, match="device"):
        pick_device("abacus")


def test_a_device_that_is_not_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for name in ("cuda", "cuda:0", "mps", "abacus"):
        with pytest.raises(ValueError, match=rf"Expected a device that is here \(cpu\) or auto, got device='{name}'\."):
            check_device(name)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    for name in ("auto", "cpu", "cuda", "cuda:1", "mps"):
        check_device(name)
    with pytest.raises(ValueError, match=r"\(cpu, cuda:0, cuda:1, mps\) or auto, got device='cuda:2'"):
        check_device("cuda:2")


def test_blocks_fill_a_gpu_and_stay_small_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = torch.zeros(3, 784)
    asked = []
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (asked.append(device), (8 * 2**30, 16 * 2**30))[1])
    assert block_rows(inputs, CPU, 256) == block_rows(inputs, torch.device("meta"), 256) == 256
    rows = block_rows(inputs, FAKE, 256)
    assert 10_000 < rows < 100_000 and asked == [FAKE]
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2**20, 16 * 2**30))
    assert block_rows(inputs, FAKE, 256) == 256  # next to nothing is free: as elsewhere
    assert block_rows(inputs[:0], FAKE, 256) == 256


def test_in_blocks_gives_what_one_pass_gives() -> None:
    network, inputs = torch.nn.Linear(5, 3), torch.randn(100, 5, generator=torch.Generator().manual_seed(0))
    sizes: list[int] = []

    def watched(rows: torch.Tensor) -> torch.Tensor:
        sizes.append(len(rows))
        return network(rows)

    found = in_blocks(watched, inputs, block=32)
    assert sizes == [32, 32, 32, 4] and not found.requires_grad
    torch.testing.assert_close(found, network(inputs).detach())
    halved = in_blocks(network, inputs, half=torch.bfloat16)
    assert halved.dtype == torch.float32 and not torch.equal(halved, found)
    torch.testing.assert_close(halved, found, atol=0.05, rtol=0.05)  # bfloat16 has 8 bits: 2^-8 of each of 5 terms


@pytest.mark.parametrize("objective", ["naive", "label-noise", "denoising"])
def test_a_classifier_learns_where_it_is_told(gpu: FakeGPU, objective: Any) -> None:
    generator = np.random.default_rng(0)
    z, y = generator.normal(size=(60, 2)), np.arange(60) % 2

    def fit(device: str) -> np.ndarray:
        classifier = NoiseAwareClassifier(classes=2, objective=objective, epochs=2, batch_size=20, device=device)
        density = None if objective != "denoising" else lambda a, b: -np.abs(a[:, None] - b[None]).sum(2)
        prior = z[:30] if objective == "denoising" else None
        classifier.fit(z, y, transition=np.eye(2), log_density=density, prior=prior)
        return classifier.predict_proba(z)

    expected = fit("cpu")
    assert gpu.calls == {}
    np.testing.assert_array_equal(fit("cuda:1"), expected)
    assert gpu.calls["Generator"] == 1 and gpu.calls["to"] >= 3 and gpu.calls["_parse_to"] >= 1  # the last: of a module


def test_a_network_of_codes_is_fitted_where_it_is_told(gpu: FakeGPU) -> None:
    generator = np.random.default_rng(0)
    members = generator.random((50, 6)) < 0.5
    reports = PairSets(members=members, epsilon=2.0, codes=3, classes=2)
    features, codes = generator.normal(size=(40, 4)), np.arange(40) % 3

    def fit(device: str) -> np.ndarray:
        network = CodeNetwork(classes=2, steps=3, device=device).fit(reports, features, codes, np.ones(3))
        return network.predict_proba(features)

    expected = fit("cpu")
    assert gpu.calls == {}
    np.testing.assert_array_equal(fit("cuda:1"), expected)
    assert gpu.calls["to"] >= 4 and gpu.calls["_parse_to"] >= 1


def test_codes_are_learnt_where_they_are_told(gpu: FakeGPU, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (8 * 2**30, 16 * 2**30))
    table = torch.randn(80, 4, generator=torch.Generator().manual_seed(0))
    pairs = corrupted_rows(table, [(0, 2), (2, 4)], 0.3)
    preset = QRLMPreset(dataset="lending_club", hidden=(8,), embedding=3, codes=5, epochs=1, batch_size=20)
    expected = train_codes(preset, pairs, table, seed=0)
    assert gpu.calls == {}
    found = train_codes(preset, pairs, table, seed=0, device=FAKE)
    assert found.order == expected.order and gpu.calls["Generator"] >= 1 and gpu.calls["randperm"] == 1
    assert {str(value.device) for value in found.encoder.state_dict().values()} == {"cpu"}
