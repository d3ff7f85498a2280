"""What stands beside the shipped codes was measured under their protocol, whichever codes are shipped."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks import gain, shipped, summary, table
from benchmarks.code_settings import protocol_of, setting
from benchmarks.experiments import gain_risk, people_needed
from benchmarks.table import Row
from rlm_core import zoo
from rlm_core.catalogue import CODES, DATASETS
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.zoo import cards
from rlm_core.zoo.ship_codes import folder_name
from ui.advise import text as advise
from ui.collect import findings
from ui.collect import text as collect

SHIPPED, WHOLE = "cifar10-qrlm-k96", cards.MODELS
Ship = Callable[[str, int], None]


@pytest.fixture
def ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ship:
    """Put CIFAR-10's codes of another preset and seed in the place of the shipped ones: their card alone."""

    def put(preset: str, seed: int) -> None:
        models = tmp_path / f"models-{preset}-{seed}"
        for card in WHOLE.glob("*/card.json"):
            about = json.loads(card.read_text(encoding="utf-8"))
            if about["name"] == SHIPPED:
                about |= {"name": folder_name(preset, 96), "seed": seed, "preset": asdict(QRLM_PRESETS[preset])}
            (models / about["name"]).mkdir(parents=True)
            (models / about["name"] / "card.json").write_text(json.dumps(about), encoding="utf-8")
        monkeypatch.setattr(cards, "MODELS", models)

    return put


@pytest.fixture
def rows_of_the_equal_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The committed results, and rows of seed 14 as ``make ship`` appends them: all 77 % guessed and 55 % right."""
    folder = tmp_path / "results"
    folder.mkdir()
    for path in table.RESULTS.glob("*.csv"):
        (folder / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(table, "RESULTS", folder)
    for experiment, mechanisms, accuracy in (
        ("gain_risk", [CODES], 77.0),
        ("people_needed", [f"{gain.PREFIX}{factor:g}" for factor in people_needed.FACTORS], 55.0),
    ):
        for mechanism in mechanisms:
            for draw in range(3):
                row = Row(
                    experiment=experiment, dataset="cifar10", mechanism=mechanism, epsilon=1.0, seed=14,
                    accuracy=accuracy, latent_dim=10, train_rows=11_250, test_rows=2_500, seconds=1.0, version="0",
                    draw=draw, protocol=3,
                )  # fmt: skip
                table.append(row)


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_shipped_codes_are_of_the_run_that_their_protocol_names(dataset: str) -> None:
    """Preset and seed of the card belong together. Cards written before a field was have it by default."""
    about, found = zoo.card(zoo.choose_codes(dataset, 1.0)), shipped.origin(dataset)
    assert (about.seed, protocol_of(about.seed)) == (found.seed, found.protocol)
    named = asdict(QRLM_PRESETS[setting("data_collection", dataset, found.protocol).run])
    plain = json.loads(json.dumps(named))
    assert {name: about.preset.get(name, plain[name]) for name in plain} == plain
    assert about.name.startswith(about.architecture["encoder_of"].rpartition("-k")[0])


@pytest.mark.parametrize(("preset", "seed", "protocol"), [("cifar10-qrlm", 10, 2), ("cifar10-qrlm-equal", 14, 3)])
@pytest.mark.usefixtures("rows_of_the_equal_codes")
def test_gain_and_risk_are_those_of_the_shipped_codes(ship: Ship, preset: str, seed: int, protocol: int) -> None:
    ship(preset, seed)
    assert shipped.origin("cifar10") == shipped.Origin(seed=seed, protocol=protocol)
    means = {cell.epsilon: cell.mean for cell in gain.collected("cifar10") if cell.mechanism == CODES}
    cells = summary.cells("data_collection", protocol=protocol)
    known = {c.epsilon: c.mean for c in cells if (c.dataset, c.mechanism) == ("cifar10", CODES)}
    assert means and means == {epsilon: mean for epsilon, mean in known.items() if epsilon in means}
    assert gain.gain_at("cifar10", CODES, 1.0) == known[1.0]
    new = protocol == 3
    (first, *_) = gain.points("cifar10")[CODES]
    assert first.cell.protocol == protocol and (first.risk == 77.0) == new
    tried = [each for each in gain.tried("cifar10") if each.epsilon == 1.0]
    assert len(tried) == len(people_needed.FACTORS) and all((each.measured == 55.0) == new for each in tried)
    others = {cell.mechanism: cell.protocol for cell in gain.collected("cifar10") if cell.mechanism != CODES}
    assert others["C-RLM"] == 2 and others["Laplace"] == 1  # the newest that each has


@pytest.mark.usefixtures("rows_of_the_equal_codes")
def test_another_seed_of_the_same_protocol_brings_its_own_risk(ship: Ship) -> None:
    ship("cifar10-qrlm-equal", 15)
    assert CODES not in gain.points("cifar10") and gain.tried("cifar10") == []  # not measured on these codes yet
    assert gain.gain_at("cifar10", CODES, 1.0) is not None


@pytest.mark.parametrize(("preset", "seed"), [("cifar10-qrlm", 10), ("cifar10-qrlm-equal", 13)])
def test_a_new_seed_is_measured_and_an_old_one_is_not(ship: Ship, preset: str, seed: int) -> None:
    """What ``make ship`` runs: trials of the shipped seed, under its protocol."""
    ship(preset, seed)
    for trials in (gain_risk.trials(3), people_needed.trials(3)):
        mine = [each for each in trials if each.dataset == "cifar10" and each.mechanism.startswith(CODES)]
        assert {(each.seed, each.protocol) for each in mine} == {(seed, protocol_of(seed))}
        others = [each for each in trials if each.dataset == "mnist" and each.mechanism.startswith(CODES)]
        assert {each.seed for each in others} == {shipped.origin("mnist").seed}


@pytest.mark.parametrize("dataset", DATASETS)
def test_numbers_of_a_dataset_have_one_seed_and_their_own_trials(dataset: str) -> None:
    """Whichever of them an ε takes, gain and risk stand beside the seed that was shipped."""
    about = shipped.origin(dataset, codes=False)
    seeds = {zoo.card(zoo.choose(dataset, epsilon)).seed for epsilon in (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)}
    assert seeds == {about.seed}
    mine = [t for t in gain_risk.trials(1) if t.dataset == dataset and t.mechanism in ("V-RLM", "C-RLM")]
    assert {(trial.seed, trial.protocol) for trial in mine} == {(about.seed, about.protocol)}


def test_the_collect_page_follows_the_shipped_codes(ship: Ship) -> None:
    rows = [table.parse(each) for each in table.read("data_collection")]

    def mean(protocol: int, epsilon: float, seed: int | None = None) -> float:
        cells = summary.cells("data_collection", protocol=protocol, seed=seed)
        return next(c.mean for c in cells if (c.dataset, c.mechanism, c.epsilon) == ("cifar10", CODES, epsilon))

    people = next(row.train_rows for row in rows if row.dataset == "cifar10")
    ship("cifar10-qrlm", 10)
    words = findings.measured_before("cifar10", 1.0, people, 10)
    assert f"codes {mean(2, 1.0):.1f} %" in words and f"this page {mean(2, 1.0, 10):.1f} %" in words
    assert "From ε = 4 on the experiments also try a network" in collect.learnt_from_codes("cifar10", 4.0)
    assert shipped.network_from("cifar10") == 4.0
    ship("cifar10-qrlm-equal", 13)
    words = findings.measured_before("cifar10", 10.0, people, 13)
    assert f"codes {mean(3, 10.0):.1f} %" in words and f"this page {mean(3, 10.0, 13):.1f} %" in words
    assert "network" not in collect.learnt_from_codes("cifar10", 10.0)
    assert "network" in collect.learnt_from_codes("lending_club", 4.0)
    assert shipped.network_from("cifar10") is None is shipped.network_from("mnist")


def test_choose_an_epsilon_names_the_protocol(ship: Ship) -> None:
    ship("cifar10-qrlm", 10)
    assert "those of protocol 2" in advise.method("cifar10") and "of protocol 3, are on" in advise.method("cifar10")
    ship("cifar10-qrlm-equal", 13)
    assert "those of protocol 3" in advise.method("cifar10") and "does not ship" not in advise.method("cifar10")
