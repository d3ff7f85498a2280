"""``central_epsilon``: what the card promises is what the accountant counts, and both promises are on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rlm_core.cli import main
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.plan import BITS, CODES, VRLM
from rlm_core.privatiser.vrlm import training
from rlm_core.training.dp.accountant import epsilon_spent

pytestmark = pytest.mark.filterwarnings("ignore:.* reports are few for epsilon")  # of trainings this short

LABEL = "ill"


@pytest.fixture(scope="module")
def fitted(easy: Any) -> LocalPrivatiser:
    return LocalPrivatiser(kind=VRLM, reports=3_000, central_epsilon=2.0).fit(easy.public, LABEL)


@pytest.mark.parametrize("asked", [0.5, 2.0, 8.0])
def test_no_more_is_spent_than_was_asked(easy: Any, asked: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MOST_EPOCHS", 4)
    spent = LocalPrivatiser(kind=VRLM, reports=3_000, central_epsilon=asked).fit(easy.public, LABEL).central_dp_
    assert spent is not None and 0.9 * asked < spent["epsilon"] <= asked == spent["target_epsilon"]
    names = ("noise_multiplier", "sample_rate", "steps", "delta")
    counted = epsilon_spent(**{name: spent[name] for name in names})
    assert counted <= spent["epsilon"] <= counted + 1.01e-4  # rounded up to four digits
    assert spent["delta"] == 1e-5 and spent["rows"] == len(easy.public)
    assert spent["sample_rate"] >= 75 / 600 and spent["steps"] == 5 * 8  # batches of an eighth of the rows


def test_the_card_has_both_promises(easy: Any, fitted: LocalPrivatiser, tmp_path: Path) -> None:
    loaded = LocalPrivatiser.load(fitted.save(tmp_path / "mine"))
    assert loaded.central_dp_ == fitted.central_dp_ and loaded.get_params()["central_epsilon"] == 2.0
    card = json.loads((tmp_path / "mine" / "card.json").read_text(encoding="utf-8"))
    spent = card["central_dp"]
    assert "ε-LDP holds for one report" in card["limits"] and "(ε, δ)-differentially private" in card["limits"]
    assert spent["covers"].startswith("the encoder's weights, given the decoder")
    assert any("the two stages together" in each for each in spent["not_covered"])
    assert any("prior.safetensors" in each for each in spent["not_covered"])
    assert not list((tmp_path / "mine").glob("*decoder*"))
    assert loaded.privatise(easy.people[:2], LABEL).epsilon <= 4.0  # the first promise is as it was


def test_two_trainings_differ_since_their_noise_is_secret(easy: Any, fitted: LocalPrivatiser) -> None:
    again = LocalPrivatiser(kind=VRLM, reports=3_000, central_epsilon=2.0).fit(easy.public, LABEL)
    assert again.method_.digest != fitted.method_.digest


def test_both_stages_resume_and_leave_no_secret_behind(easy: Any, tmp_path: Path) -> None:
    privatiser = LocalPrivatiser(kind=VRLM, reports=3_000, central_epsilon=2.0, checkpoint=tmp_path / "half.pt")
    seen: list[tuple[int, int]] = []

    def interrupt(now: Any) -> None:
        seen.append((now.epochs, now.epoch))
        if now.epochs == 5 and now.epoch == 2:  # of the second stage
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        privatiser.fit(easy.public, LABEL, progress=interrupt)
    assert seen[0] == (6, 1) and seen[-1] == (5, 2)  # half of twelve epochs, then five
    seen.clear()
    privatiser.fit(easy.public, LABEL, progress=lambda now: seen.append((now.epochs, now.epoch)))
    assert seen[0] == (5, 3) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["auto", BITS, CODES])
def test_other_kinds_have_no_such_promise(easy: Any, kind: str) -> None:
    with pytest.raises(ValueError, match="central_epsilon with kind='V-RLM' alone.*fitted to the public rows without"):
        LocalPrivatiser(kind=kind, central_epsilon=2.0).fit(easy.public, LABEL)


@pytest.mark.parametrize(("asked", "message"), [(0.0, "central_epsilon > 0"), (float("nan"), "central_epsilon > 0")])
def test_a_central_epsilon_that_is_none_is_named(easy: Any, asked: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LocalPrivatiser(kind=VRLM, central_epsilon=asked).fit(easy.public, LABEL)


def test_a_budget_that_no_noise_keeps_is_refused_before_training(easy: Any) -> None:
    privatiser = LocalPrivatiser(kind=VRLM, central_epsilon=1e-9)
    with pytest.raises(ValueError, match="Expected a budget for 40 steps"):
        privatiser.fit(easy.public, LABEL, progress=lambda _: pytest.fail("trained"))


def test_the_command_says_what_was_spent(easy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    easy.public.to_csv(tmp_path / "public.csv", index=False)
    call = ["fit", str(tmp_path / "public.csv"), "--label", LABEL, "--out", str(tmp_path / "mine")]
    assert main([*call, "--kind", VRLM, "--central-epsilon", "3", "--reports", "3000"]) == 0
    said = capsys.readouterr().out
    assert "central DP: the encoder's training spent epsilon = " in said and " of 3 (delta = 1e-05)" in said
