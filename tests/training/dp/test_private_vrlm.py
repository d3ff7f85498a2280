"""The second stage on tiny made-up digits: what is new, what is fixed, what is spent, what is repeatable."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from rlm_core.learning.loop import Progress
from rlm_core.training import presets
from rlm_core.training.dp import private_vrlm
from rlm_core.training.dp.accountant import CentralDP, epsilon_spent
from rlm_core.training.dp.dp_settings import FIRST_STAGE_EPOCHS
from rlm_core.training.dp.private_vrlm import FirstStage, build_second_stage, train_second_stage
from rlm_core.training.paper_settings import DP_ADAM, PAPER
from rlm_core.training.presets import PRESETS, VRLMPreset, preset_name, private_name, public_name
from rlm_core.training.rows import RowData
from rlm_core.training.train_mechanism import train_mechanism as run
from rlm_core.training.vrlm.train_vrlm import build_vrlm

PUBLIC = "mnist-vrlm-l10-eps33"
PRIVATE = "mnist-vrlm-l10-eps33-cdp5"
NOISE = 3.0  # few rows need much
CPU = torch.device("cpu")


def small(name: str) -> VRLMPreset:
    preset = PRESETS[name]
    assert isinstance(preset, VRLMPreset)
    central = None if preset.central is None else CentralDP(epsilon=5.0, noise_multiplier=NOISE)
    return replace(preset, hidden=(20,), epochs=3, batch_size=50, central=central)


@pytest.fixture
def data() -> RowData:
    rows = torch.randint(0, 256, (500, 784), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    return RowData(train=rows[:400], valid=rows[400:], facts={})


@pytest.fixture
def first(data: RowData) -> FirstStage:
    model = build_vrlm(small(PUBLIC), data, seed=0)
    return FirstStage(decoder=model.decoder.state_dict(), scale=20 / 33)


def flat(module: torch.nn.Module) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in module.parameters()])


def test_the_encoder_is_new_and_the_decoder_stays(data: RowData, first: FirstStage) -> None:
    stage_one = build_vrlm(small(PUBLIC), data, seed=0)
    before = build_second_stage(small(PRIVATE), data, first, seed=0)
    assert not torch.equal(flat(before.encoder), flat(stage_one.encoder))
    assert torch.equal(flat(before.decoder), flat(stage_one.decoder))
    after, history, _ = train_second_stage(small(PRIVATE), data, first, seed=0, device=CPU)
    assert not torch.equal(flat(after.encoder), flat(before.encoder))
    assert torch.equal(flat(after.decoder), flat(stage_one.decoder))
    assert after.scale.item() == pytest.approx(20 / 33) and not after.posterior_log_scale.requires_grad
    assert len(history) == 3


def test_a_learnt_scale_is_taken_over_and_fixed(data: RowData, first: FirstStage) -> None:
    learnt = replace(small(PRIVATE), epsilon_pretraining="learnt")
    model = build_second_stage(learnt, data, replace(first, scale=0.123), seed=0)
    assert model.scale.item() == pytest.approx(0.123)
    assert {name.split(".")[0] for name, p in model.named_parameters() if p.requires_grad} == {"encoder"}


def test_what_is_spent_is_what_the_accountant_says(data: RowData, first: FirstStage) -> None:
    _, history, spent = train_second_stage(small(PRIVATE), data, first, seed=0, device=CPU)
    expected = epsilon_spent(noise_multiplier=NOISE, sample_rate=spent["sample_rate"], steps=spent["steps"], delta=1e-5)
    assert spent["epsilon"] == pytest.approx(expected, abs=1e-4) and spent["epsilon"] <= spent["target_epsilon"] == 5.0
    assert spent["steps"] == sum(record.steps for record in history)
    assert spent["sample_rate"] == pytest.approx(50 / 400, abs=1e-6) and spent["rows"] == 400
    assert any("decoder" in each for each in spent["not_covered"])


def test_noise_and_sampling_are_secret_unless_a_generator_is_given(data: RowData, first: FirstStage) -> None:
    def train(seeded: bool) -> Tensor:
        generator = torch.Generator().manual_seed(7) if seeded else None
        return flat(train_second_stage(small(PRIVATE), data, first, seed=0, device=CPU, generator=generator)[0].encoder)

    assert torch.equal(train(True), train(True))
    assert not torch.equal(train(False), train(False))


def test_an_interrupted_second_stage_ends_with_the_same_bits(data: RowData, first: FirstStage, tmp_path: Path) -> None:
    class Interrupted(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.epoch == 1 and progress.valid_loss is not None:
            raise Interrupted

    def generator() -> torch.Generator:
        return torch.Generator().manual_seed(7)

    preset, file = small(PRIVATE), tmp_path / "a.checkpoint"
    with pytest.raises(Interrupted):
        train_second_stage(
            preset, data, first, seed=0, device=CPU, generator=generator(), checkpoint=file, progress=stop
        )
    # The state of the generator comes from the checkpoint, so a resumed training repeats no noise of its own.
    other = torch.Generator().manual_seed(99)
    resumed = train_second_stage(preset, data, first, seed=0, device=CPU, generator=other, checkpoint=file)[0]
    whole = train_second_stage(preset, data, first, seed=0, device=CPU, generator=generator())[0]
    assert torch.equal(flat(resumed.encoder), flat(whole.encoder))


def test_it_is_the_one_loop(data: RowData, first: FirstStage, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(private_vrlm, "train", lambda *_, **options: calls.append(options) or [])
    train_second_stage(small(PRIVATE), data, first, seed=0, device=CPU)
    assert len(calls) == 1 and type(calls[0]["step"]).__name__ == "DPStep"


def test_a_preset_without_central_dp_is_refused(data: RowData, first: FirstStage) -> None:
    with pytest.raises(ValueError, match="got central=None"):
        train_second_stage(small(PUBLIC), data, first, seed=0, device=CPU)


def test_the_run_trains_the_first_stage_when_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    folder = tmp_path / "data" / "mnist"
    folder.mkdir(parents=True)
    for part, n in (("train", 600), ("test", 100)):
        np.save(folder / f"{part}_images.npy", generator.integers(0, 256, (n, 28, 28), dtype=np.uint8))
        np.save(folder / f"{part}_labels.npy", np.arange(n) % 10)
    monkeypatch.setenv("RLM_DATA_DIR", str(tmp_path / "data"))
    for name in (PUBLIC, PRIVATE):
        monkeypatch.setitem(presets.PRESETS, name, small(name))
    private = run(PRIVATE, seed=0, out=tmp_path / "runs", device="cpu")
    public = tmp_path / "runs" / "first_stage" / f"{PUBLIC}-seed0"  # shorter, so not where the mechanism's own run goes
    assert sorted(p.name for p in private.iterdir()) == ["decoder.safetensors", "encoder.safetensors", "run.json"]
    decoders = [load_file(each / "decoder.safetensors") for each in (public, private)]
    assert all(torch.equal(decoders[0][key], decoders[1][key]) for key in decoders[0])
    record = json.loads((private / "run.json").read_text(encoding="utf-8"))
    assert record["central_dp"]["decoder_from"] == public.name and record["central_dp"]["delta"] == 1e-5
    assert record["central_dp"]["decoder_epochs"] == min(presets.PRESETS[PUBLIC].epochs, FIRST_STAGE_EPOCHS["mnist"])
    assert record["training_noise_scale"] == pytest.approx(20 / 33)
    assert "central_dp" not in json.loads((public / "run.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("dataset", "epsilon"), DP_ADAM)
def test_every_mechanism_of_the_table_has_private_presets(dataset: str, epsilon: float) -> None:
    for line in PAPER["data_collection", dataset]:
        public = preset_name("data_collection", dataset, line.epsilon)
        name = private_name(public, epsilon)
        ordinary, preset = PRESETS[public], PRESETS[name]
        assert public_name(name) == public
        assert isinstance(preset, VRLMPreset) and isinstance(preset.central, CentralDP)
        assert preset.central.epsilon == epsilon
        assert (preset.central.delta, preset.central.max_grad_norm) == (1e-5, 1.0)
        paper = PRESETS[f"{name}-paper"]
        assert isinstance(paper, VRLMPreset) and paper.central is not None and public_name(f"{name}-paper") == public
        assert (paper.learning_rate, paper.batch_size, paper.central.noise_multiplier) == DP_ADAM[dataset, epsilon]
        same = ("dataset", "split", "hidden", "latent_dim", "radius", "epsilon_pretraining", "share")
        assert all(getattr(preset, field) == getattr(ordinary, field) for field in same)
