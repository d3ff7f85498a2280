"""From the command line to a run folder, on tiny made-up datasets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import rlm_core
from rlm_core.collector.decoder import ImageDecoder, MLPDecoder
from rlm_core.learning.device import pick_device
from rlm_core.learning.loop import Progress
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training import presets
from rlm_core.training import train_mechanism as train_module
from rlm_core.training.__main__ import main
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.training.crlm.picture_source import cifar10_pictures, complete_views
from rlm_core.training.train_mechanism import train_mechanism as run

VRLM, NOVEL, CRLM = "mnist-vrlm-l10-eps33", "mnist-novel-l10-eps33", "cifar10-crlm-eps70"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with 1,000 blurred random pictures a dataset, and features of three views."""
    generator = np.random.default_rng(0)
    for name, shape in (("mnist", (28, 28)), ("cifar10", (32, 32, 3))):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        for part, n in (("train", 1000), ("test", 200)):
            labels = np.arange(n) % 10
            prototypes = np.random.default_rng(1).integers(0, 256, (10, *shape))
            noise = generator.integers(-20, 21, (n, *shape))
            np.save(folder / f"{part}_images.npy", (prototypes[labels] + noise).clip(0, 255).astype(np.uint8))
            np.save(folder / f"{part}_labels.npy", labels.astype(np.int64))
    features = tmp_path / "data" / "cifar10" / "mirrored_features"
    features.mkdir()
    base = generator.normal(size=(10, 512))
    for view in range(3):
        values = base[np.arange(1000) % 10] + 0.5 * generator.normal(size=(1000, 512))
        np.save(features / f"train-view{view}-000.npy", values.astype(np.float16))
    test_features = base[np.arange(200) % 10] + 0.5 * generator.normal(size=(200, 512))
    np.save(features / "test-view0-000.npy", test_features.astype(np.float16))
    monkeypatch.setenv("RLM_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Presets shrunk to a second of training."""
    for name, preset in list(presets.PRESETS.items()):
        smaller = replace(preset, epochs=2, batch_size=32)
        if isinstance(smaller, presets.VRLMPreset):
            smaller = replace(smaller, hidden=(30,))
        else:
            smaller = replace(smaller, decoder_epochs=1)
        monkeypatch.setitem(presets.PRESETS, name, smaller)


def read(folder: Path) -> dict[str, dict[str, object]]:
    record: dict[str, dict[str, object]] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return record


@pytest.mark.usefixtures("small")
def test_vrlm_folder(data: Path) -> None:
    reports: list[Progress] = []
    folder = run(VRLM, seed=3, out=data / "runs", device="cpu", progress=reports.append)
    assert folder == data / "runs" / f"{VRLM}-seed3"
    assert sorted(p.name for p in folder.iterdir()) == ["decoder.safetensors", "encoder.safetensors", "run.json"]
    encoder, decoder = MLPEncoder((784, 30, 8)), MLPDecoder((8, 30, 784))
    encoder.load_state_dict(load_file(folder / "encoder.safetensors"))
    decoder.load_state_dict(load_file(folder / "decoder.safetensors"))
    record = read(folder)
    assert record["seed"] == 3 and record["name"] == VRLM
    assert record["data"]["mechanism_train_rows"] == 750 and record["data"]["split_seed"] == 3
    assert record["training_noise_scale"] == pytest.approx(20 / 33)
    losses = record["stages"]["mechanism"]
    assert losses["train_loss"][1] < losses["train_loss"][0]  # type: ignore[index]
    assert len(losses["valid_loss"]) == 2 == losses["epochs"]  # type: ignore[index]
    assert record["versions"]["torch"] == torch.__version__
    assert record["versions"]["rlm_core"] == rlm_core.__version__
    assert reports[-1].epoch == 2


@pytest.mark.usefixtures("small")
def test_same_seed_same_weights_other_seed_other_weights(data: Path) -> None:
    weights = [
        load_file(run(VRLM, seed=seed, out=data / out, device="cpu") / "encoder.safetensors")
        for out, seed in (("a", 0), ("b", 0), ("c", 1))
    ]
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])
    assert not all(torch.equal(weights[0][key], weights[2][key]) for key in weights[0])


@pytest.mark.usefixtures("small")
def test_finished_run_is_left_alone_and_an_interrupted_one_resumed(data: Path) -> None:
    class Interrupted(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.epoch == 1 and progress.valid_loss is not None:
            raise Interrupted

    with pytest.raises(Interrupted):
        run(VRLM, seed=0, out=data / "a", device="cpu", progress=stop)
    assert (data / "a" / f"{VRLM}-seed0" / "mechanism.checkpoint").exists()
    resumed = load_file(run(VRLM, seed=0, out=data / "a", device="cpu") / "encoder.safetensors")
    whole = load_file(run(VRLM, seed=0, out=data / "b", device="cpu") / "encoder.safetensors")
    assert all(torch.equal(whole[key], resumed[key]) for key in whole)
    stamp = (data / "a" / f"{VRLM}-seed0" / "run.json").stat().st_mtime_ns
    run(VRLM, seed=0, out=data / "a", device="cpu")
    assert (data / "a" / f"{VRLM}-seed0" / "run.json").stat().st_mtime_ns == stamp


@pytest.mark.usefixtures("small")
def test_novel_class_mechanism_never_sees_a_nine(data: Path) -> None:
    record = read(run(NOVEL, seed=0, out=data / "runs", device="cpu"))
    assert record["data"]["mechanism_train_rows"] == 9 * round(100 * 8 / 9)


@pytest.mark.usefixtures("small")
def test_crlm_folder_has_a_picture_decoder(data: Path) -> None:
    folder = run(CRLM, seed=0, out=data / "runs", device="cpu")
    preset = presets.PRESETS[CRLM]
    assert isinstance(preset, presets.CRLMPreset)
    encoder = MLPEncoder((512, *preset.adapter_hidden, 32))
    encoder.load_state_dict(load_file(folder / "encoder.safetensors"))
    decoder = ImageDecoder(32)
    decoder.load_state_dict(load_file(folder / "decoder.safetensors"))
    record = read(folder)
    assert record["data"]["feature_views"] == 3
    assert record["data"]["contrastive_train_rows"] == 712 and record["data"]["contrastive_valid_rows"] == 38
    assert set(record["stages"]) == {"mechanism", "decoder"}
    assert record["training_noise_scale"] == pytest.approx(10 / 70)


@pytest.mark.usefixtures("data")
def test_pictures_and_features_are_of_the_same_rows() -> None:
    preset = presets.PRESETS[CRLM]
    assert isinstance(preset, presets.CRLMPreset)
    pictures = cifar10_pictures(preset, 0)
    assert pictures.views.shape == (712, 3, 512) and pictures.views_valid.shape == (38, 3, 512)
    assert pictures.pictures.shape == (750, 3, 32, 32) and pictures.inputs.shape == (750, 512)
    assert pictures.inputs_valid.shape == (150, 512) and pictures.pictures_valid.shape == (150, 3, 32, 32)
    # Both are prototypes plus noise: rows are close in pixels exactly when they are in features.
    x = pictures.pictures[:60].float().flatten(1)
    f = pictures.inputs[:60]
    assert torch.equal(torch.cdist(x, x) < 2000, torch.cdist(f, f) < 22)


def test_finetuning_trains_the_trunk(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{CRLM}-finetune"
    trunk = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 512))
    before = trunk[2].weight.detach().clone()
    monkeypatch.setattr("rlm_core.training.crlm.train_crlm.resnet18_trunk", lambda weights: trunk)
    small = replace(presets.PRESETS[name], epochs=1, decoder_epochs=1, batch_size=64, side=40)
    monkeypatch.setitem(presets.PRESETS, name, small)
    folder = run(name, seed=0, out=data / "runs", device="cpu")
    saved = load_file(folder / "encoder.safetensors")
    assert {"trunk.2.weight", "adapter.0.weight"} <= set(saved)
    assert not torch.equal(saved["trunk.2.weight"], before)


def test_incomplete_views_are_not_used(data: Path) -> None:
    folder = data / "data" / "cifar10" / "mirrored_features"
    assert complete_views(folder, 1000) == [0, 1, 2]
    (folder / "train-view1-000.npy").unlink()
    with pytest.raises(FileNotFoundError, match=r"at least 2 complete views .* got 1"):
        complete_views(folder, 1000)


def test_missing_data_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLM_DATA_DIR", str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="rlm data get mnist"):
        run(VRLM, seed=0, out=tmp_path, device="cpu")


def test_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name='mnist'"):
        run("mnist", seed=0, out=tmp_path)


def test_device_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert pick_device().type == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert pick_device().type == "cuda"
    assert pick_device("cpu").type == "cpu"


@pytest.mark.usefixtures("small")
def test_command_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([VRLM, NOVEL, "--seed", "1", "--device", "cpu", "--epochs", "1", "--out", str(data / "runs")])
    assert capsys.readouterr().out.split() == [str(data / "runs" / f"{name}-seed1") for name in (VRLM, NOVEL)]
    assert read(data / "runs" / f"{VRLM}-seed1")["preset"]["epochs"] == 1
    assert (torch.tensor(1e-30) * torch.tensor(1e-10)).item() > 0  # tiny numbers are numbers again


def test_command_line_lists_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*presets.PRESETS, *QRLM_PRESETS]
    assert "radius=7.5 epsilon_pretraining=13.0" in next(
        line for line in lines if line.startswith("mnist-vrlm-l7.5-eps13 ")
    )


@pytest.mark.parametrize(("arguments", "message"), [([], "name a preset"), (["nothing"], "unknown preset nothing")])
def test_command_line_errors(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_trunk_weights_lie_in_the_project() -> None:
    assert train_module.TRUNK_WEIGHTS.parts[-3:] == ("models", "resnet18-imagenet", "trunk.safetensors")
