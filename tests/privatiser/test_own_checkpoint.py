"""A checkpoint belongs to its training: other public rows, another seed or other settings do not go on from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import load_digits

from rlm_core.cli import main
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.plan import CODES, VRLM

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

LABEL = "ill"
NETWORKS: dict[str, dict[str, Any]] = {
    "V-RLM": {"kind": VRLM},
    "under central DP": {"kind": VRLM, "central_epsilon": 2.0},
    "codes": {"kind": CODES, "encoder": "network"},
}


def interrupted(rows: pd.DataFrame, file: Path, *, at: tuple[int, ...] = (2,), **given: Any) -> LocalPrivatiser:
    """One whose training stopped after an epoch, or after (of how many, which): under central DP there are two."""

    def interrupt(now: Any) -> None:
        if (now.epochs, now.epoch)[-len(at) :] == at:
            raise KeyboardInterrupt

    privatiser = LocalPrivatiser(reports=3_000, checkpoint=file, **given)
    with pytest.raises(KeyboardInterrupt):
        privatiser.fit(rows, LABEL, progress=interrupt)
    return privatiser


def refused(privatiser: LocalPrivatiser, rows: pd.DataFrame) -> str:
    """What is said, before an epoch was trained."""
    with pytest.raises(ValueError) as found:
        privatiser.fit(rows, LABEL, progress=lambda _: pytest.fail("trained"))
    return str(found.value)


@pytest.mark.parametrize("network", NETWORKS)
def test_other_rows_do_not_go_on_from_it(network: str, easy: Any, tmp_path: Path) -> None:
    rows = easy.public[:300]
    privatiser = interrupted(rows, tmp_path / "half.pt", **NETWORKS[network])
    one_number = rows.assign(age=rows["age"].where(np.arange(len(rows)) != 7, 41.0))
    for others in (one_number, rows[::-1], easy.public[300:]):
        said = refused(privatiser, others)
        assert "'data': 'SHA-256 " in said and said.endswith("it belongs to another training. Delete it to start anew.")
    seen: list[int] = []
    privatiser.fit(rows.copy(), LABEL, progress=lambda now: seen.append(now.epoch))  # the same rows do
    assert seen[0] == 3 and not list(tmp_path.iterdir())


@pytest.mark.parametrize("network", NETWORKS)
def test_another_seed_does_not_go_on_from_it(network: str, easy: Any, tmp_path: Path) -> None:
    privatiser = interrupted(easy.public, tmp_path / "half.pt", **NETWORKS[network])
    assert "settings {'seed': 1}, got {'seed': 0}" in refused(privatiser.set_params(seed=1), easy.public)


def test_other_settings_of_as_many_steps_do_not_go_on_from_it(tmp_path: Path) -> None:
    """The card would claim what was not trained."""
    digits = load_digits()
    given: dict[str, Any] = {"kind": VRLM, "reports": 3_000, "checkpoint": tmp_path / "half.pt"}
    privatiser = LocalPrivatiser(epsilon=4.0, **given)

    def interrupt(now: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        privatiser.fit(digits.images[:200], digits.target[:200], progress=interrupt)
    assert (tmp_path / "half.pt").exists()
    with pytest.raises(ValueError, match=r"settings {'epsilon_pretraining': 7\.0}, got {'epsilon_pretraining': 32\.0}"):
        privatiser.set_params(epsilon=2.0).fit(digits.images[:200], digits.target[:200])
    privatiser.set_params(epsilon=4.0, lam=0.6).fit(
        digits.images[:200], digits.target[:200]
    )  # λ is none of the network's


def test_less_noise_under_central_dp_does_not_go_on_from_it(easy: Any, tmp_path: Path) -> None:
    """The steps that were taken spent ε = 8: a card that says 2 would be false."""
    given = {"kind": VRLM, "central_epsilon": 8.0}
    privatiser = interrupted(easy.public, tmp_path / "half.pt", at=(5, 2), **given)  # DP-Adam has five epochs
    said = refused(privatiser.set_params(central_epsilon=2.0), easy.public)
    assert said.index("'epsilon': 2.0") < said.index("got {'central'") < said.index("'epsilon': 8.0")


def test_a_checkpoint_of_the_first_version_goes_on(easy: Any, tmp_path: Path) -> None:
    file = tmp_path / "half.pt"
    privatiser = interrupted(easy.public, file, kind=VRLM)
    state = torch.load(file, weights_only=True)
    names = ("epochs", "learning_rate", "schedule", "batch_size", "rows")
    torch.save(state | {"settings": {name: state["settings"][name] for name in names}}, file)
    seen: list[int] = []
    privatiser.fit(easy.public, LABEL, progress=lambda now: seen.append(now.epoch))
    assert seen[0] == 3


def test_the_command_says_so(easy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interrupted(easy.public, tmp_path / "half.pt", kind=VRLM)
    easy.public[::-1].to_parquet(tmp_path / "others.parquet", index=False)
    call = ["fit", str(tmp_path / "others.parquet"), "--label", LABEL, "--kind", VRLM, "--reports", "3000"]
    assert main([*call, "--checkpoint", str(tmp_path / "half.pt"), "--out", str(tmp_path / "mine")]) == 2
    said = capsys.readouterr().err
    assert "half.pt to have settings {'data': 'SHA-256 " in said and "Delete it to start anew." in said
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("damage", ["garbage", "nothing", "half", "pickle", "another", "model"])
def test_a_damaged_one_is_named(damage: str, easy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "half.pt"
    privatiser = interrupted(easy.public, file, kind=VRLM)
    whole, state = file.read_bytes(), torch.load(file, weights_only=True)
    parts = {"garbage": b"garbage\n", "nothing": b"", "half": whole[: len(whole) // 2], "pickle": b"\x80\x02]q"}
    if damage in parts:
        file.write_bytes(parts[damage])
    else:
        torch.save({"weights": torch.zeros(2)} if damage == "another" else state | {"model": {}}, file)
    before = file.read_bytes()
    expected = f"Expected a checkpoint of this training in {file}, got a damaged file: delete it to start anew."
    assert refused(privatiser, easy.public) == expected and file.read_bytes() == before
    easy.public.to_parquet(tmp_path / "public.parquet", index=False)
    call = ["fit", str(tmp_path / "public.parquet"), "--label", LABEL, "--kind", VRLM, "--reports", "3000"]
    assert main([*call, "--checkpoint", str(file), "--out", str(tmp_path / "mine")]) == 2
    assert capsys.readouterr().err == f"rlm fit: {expected}\n"
    file.unlink()
    privatiser.fit(easy.public, LABEL)


@pytest.mark.parametrize(
    ("checkpoint", "message"),
    [
        ("none/half.pt", "Expected a folder that is there for checkpoint, got 'none'"),
        (".", "Expected a file for checkpoint, got the folder '.'"),
        (5, "Expected the path of a file for checkpoint, got checkpoint=5"),
    ],
)
def test_a_place_for_it_is_looked_for_before_the_training(
    checkpoint: Any, message: str, easy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=message):
        LocalPrivatiser(kind=VRLM, checkpoint=checkpoint).fit(
            easy.public, LABEL, progress=lambda _: pytest.fail("trained")
        )
