"""What docs/own-data.md says of Adult, Lending Club and MNIST is what the committed runs have."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from rlm_core.privatiser.vrlm.rules import ENOUGH
from tests.docs.page_text import ROOT

RESULTS = ROOT / "benchmarks" / "results"
EPSILONS = [1.0, 2.0, 4.0, 8.0]
OWN = pd.read_csv(RESULTS / "own_data.csv")
EXPERIMENTS = pd.read_csv(RESULTS / "data_collection.csv")
PAPER = EXPERIMENTS.query("protocol == 1")
PAGE = re.sub(r"\s+", " ", (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8"))


def means(table: pd.DataFrame, dataset: str, mechanism: str) -> list[float]:
    """Mean accuracy at every ε, over the seeds that both experiments have."""
    rows = table.query("dataset == @dataset and mechanism == @mechanism and seed in (0, 1, 2)")
    assert set(rows["seed"]) == {0, 1, 2}
    return [float(rows[rows["epsilon"] == epsilon]["accuracy"].mean()) for epsilon in EPSILONS]


@pytest.mark.parametrize("dataset", ["mnist", "lending_club"])
@pytest.mark.parametrize("mechanism", ["Q-RLM", "V-RLM"])
def test_the_numbers_that_it_compares_with_are_the_committed_ones(dataset: str, mechanism: str) -> None:
    assert ", ".join(f"{each:.1f}" for each in means(PAPER, dataset, mechanism)) in PAGE


@pytest.mark.parametrize(
    ("dataset", "ours", "margin"),
    [
        ("mnist", "LocalPrivatiser", 0.0),
        ("lending_club", "LocalPrivatiser", 1.0),
        ("lending_club", "codes by a network", 1.0),
    ],
)
def test_this_door_reaches_the_q_rlm(dataset: str, ours: str, margin: float) -> None:
    pairs = zip(means(OWN, dataset, ours), means(PAPER, dataset, "Q-RLM"), strict=True)
    assert all(here >= there - margin for here, there in pairs)


@pytest.mark.parametrize("dataset", ["mnist", "lending_club"])
def test_this_door_is_better_than_the_v_rlm(dataset: str) -> None:
    pairs = zip(means(OWN, dataset, "LocalPrivatiser"), means(PAPER, dataset, "V-RLM"), strict=True)
    assert all(here > there for here, there in pairs)


def test_the_v_rlm_reaches_its_rows_in_the_experiments() -> None:
    """Within a point or above, at every ε; of the experiments all committed rows count, those of both protocols."""
    for dataset in ("mnist", "lending_club"):
        rows = EXPERIMENTS.query("dataset == @dataset and mechanism == 'V-RLM'")
        assert set(rows["seed"]) == {0, 1, 2, 10, 11, 12}
        there = rows.groupby("epsilon")["accuracy"].mean()
        for epsilon, here in zip(EPSILONS, means(OWN, dataset, "V-RLM"), strict=True):
            assert here >= there[epsilon] - 1.0, (dataset, epsilon)


def test_digits_by_the_v_rlm_are_as_the_page_says() -> None:
    here, there = means(OWN, "mnist", "V-RLM"), means(PAPER, "mnist", "V-RLM")
    two, four, eight = (f"{a - b:.1f}" for a, b in zip(here[1:], there[1:], strict=True))
    assert f"it is {two}, {four} and {eight} points above those rows at ε = 2, 4 and 8" in PAGE
    both = EXPERIMENTS.query("dataset == 'mnist' and mechanism == 'V-RLM' and epsilon == 1.0")
    later = both.query("protocol == 2")["accuracy"].mean()
    said = f"the experiment had {there[0]:.1f} with these three splits and {later:.1f} with those of protocol 2"
    assert f"it has {here[0]:.1f}, of 36 collections; {said}, {both['accuracy'].mean():.1f} in all" in PAGE
    single = OWN.query("dataset == 'mnist' and mechanism == 'V-RLM' and epsilon == 1.0")
    assert len(single) == 36
    here_from, here_to = (f"{each:.0f}" for each in (single["accuracy"].min(), single["accuracy"].max()))
    there_from, there_to = (f"{each:.0f}" for each in (both["accuracy"].min(), both["accuracy"].max()))
    assert f"went from {here_from} to {here_to} % here and from {there_from} to {there_to} % there" in PAGE
    assert f"the mean was {single.query('draw < 3')['accuracy'].mean():.1f};" in PAGE
    settings = json.loads((RESULTS / "vrlm_settings.json").read_text(encoding="utf-8"))["rows"]
    chosen = next(
        each
        for each in settings
        if (each["mechanism"], each["epsilon"], each["lam"]) == ("mnist-vrlm-l5-eps7", 1.0, 0.5)
    )
    assert f"asks for some {ENOUGH / chosen['told']:.0f} times as many reports" in PAGE
    at_four = [
        next(each["mean"] for each in settings if (each["mechanism"], each["epsilon"], each["lam"]) == (name, 4.0, lam))
        for name, lam in (("mnist-vrlm-l7.5-eps13", 0.7), ("mnist-vrlm-l7.5-eps13", 0.5), ("mnist-vrlm-l5-eps32", 0.5))
    ]
    unfit, halves, finer = (f"{each:.1f}" for each in at_four)
    assert f"ε_pre = 13: {unfit} %, with ½ {halves})" in PAGE and f"(ε_pre = 32: {finer})" in PAGE


@pytest.mark.parametrize(("dataset", "title"), [("mnist", "MNIST"), ("lending_club", "Lending Club")])
@pytest.mark.parametrize("mechanism", ["V-RLM", "V-RLM eps_cdp=5"])
def test_the_tables_rows_of_the_v_rlm(dataset: str, title: str, mechanism: str) -> None:
    rows = OWN.query("dataset == @dataset and mechanism == @mechanism")
    if mechanism != "V-RLM" and dataset == "mnist":
        assert not len(rows)
        return
    of_seed = rows.groupby(["epsilon", "seed"])["accuracy"].mean().groupby("epsilon")
    cells = " | ".join(f"{of_seed.mean()[each]:.1f} ± {of_seed.std()[each]:.1f}" for each in EPSILONS)
    name = "V-RLM" if mechanism == "V-RLM" else "V-RLM, its encoder under central DP, ε_CDP = 5"
    assert f"| {name} | {cells} |" in PAGE[PAGE.index(f"**{title}**") :]


def test_adult_reaches_what_was_asked() -> None:
    found = dict(zip(EPSILONS, means(OWN, "adult", "LocalPrivatiser"), strict=True))
    assert found[4.0] >= 81.5 and found[2.0] >= 80.0 and found[1.0] >= 79.0
    assert set(OWN.query("dataset == 'adult' and mechanism == 'LocalPrivatiser'")["train_rows"]) == {14_000}
