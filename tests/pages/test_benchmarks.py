"""The benchmarks page, control by control, on the committed results and on made-up ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from page_driver import Open, charts, healthy, words
from streamlit.testing.v1 import AppTest

from benchmarks import gain, summary, table
from benchmarks.table import Row
from rlm_core.catalogue import DATASETS, EXPERIMENTS
from rlm_core.registry import REGISTRY
from ui.evidence.data import experiments
from ui.kit.formats import epsilon_up


def accuracy_chart(app: AppTest) -> Any:
    """The chart of accuracy against ε: the one that may be saved."""
    (found,) = [each for each in charts(app) if each["save"]]
    return found


def chart(app: AppTest) -> dict[str, dict]:
    return {each["name"]: each for each in accuracy_chart(app)["figure"]["data"]}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two mechanisms on MNIST."""
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    for mechanism, better in (("V-RLM", 0.5), ("Q-RLM", 5.0)):
        for epsilon, (mean, _) in summary.paper_curve("data_collection", "mnist", "V-RLM").items():
            for seed in range(3):
                row = Row(
                    experiment="data_collection",
                    dataset="mnist",
                    mechanism=mechanism,
                    epsilon=epsilon,
                    seed=seed,
                    accuracy=mean + better + seed - 1,
                    lam=0.7,
                    latent_dim=8,
                    radius=5.0,
                    epsilon_pretraining=15,
                    train_rows=13500,
                    test_rows=2500,
                    seconds=1.0,
                    version="0.1.0",
                )
                table.append(row, tmp_path)
    return tmp_path


def test_every_committed_experiment_opens_with_its_cells(open_page: Open) -> None:
    app = open_page("benchmarks")
    for experiment in experiments():
        healthy(app.selectbox(key="exp").set_value(EXPERIMENTS[experiment].title).run())
        dataset = next(key for key, facts in DATASETS.items() if facts.title == app.segmented_control(key="data").value)
        lines = chart(app)
        cells = [cell for cell in summary.cells(experiment) if cell.dataset == dataset and math.isfinite(cell.epsilon)]
        for cell in cells:
            if cell.mechanism != summary.CLEAN_FEATURES:
                line = lines[f"{summary.shown_name(cell.mechanism)}, ours"]
                assert dict(zip(line["x"], line["y"], strict=True))[cell.epsilon] == pytest.approx(cell.mean, abs=1e-3)
        for mechanism in summary.paper_mechanisms(experiment, dataset):
            assert f"{summary.shown_name(mechanism)}, paper" in lines
        assert bool(app.info) == (not any(cell.dataset == dataset for cell in summary.cells(experiment)))
        assert all(name in words(app) for name in REGISTRY)


def test_ours_and_the_papers_with_counts_and_answer(open_page: Open, results: Path) -> None:
    app = open_page("benchmarks")
    assert {"V-RLM, ours", "V-RLM, paper", "Q-RLM, ours", "chance"} <= set(chart(app))
    assert "7 of 7" in words(app) and "● +0.5" in words(app) and not app.info
    assert "3 seeds" in chart(app)["V-RLM, ours"]["customdata"][0]
    cells = [cell for cell in summary.cells("data_collection") if cell.mechanism == "Q-RLM"]
    assert f"<b>Q-RLM</b> needs about <b>ε = {epsilon_up(summary.epsilon_needed(cells, 80.0))}</b>" in words(app)
    healthy(app.slider(key="need").set_value(60).run())
    assert f"<b>Q-RLM</b> needs about <b>ε = {epsilon_up(summary.epsilon_needed(cells, 60.0))}</b>" in words(app)
    healthy(app.toggle(key="paper").set_value(False).run())
    assert "V-RLM, paper" not in chart(app) and "V-RLM, ours" in chart(app)
    assert {each.key for each in app.main.get("download_button")} == {"download_cells", "download_trials"}


def test_what_is_not_measured_is_said_and_the_papers_shown(open_page: Open, results: Path) -> None:
    app = open_page("benchmarks", exp="Novel class", data="CIFAR-10")
    assert "We have not run this experiment" in app.info[0].value and "C-RLM, paper" in chart(app)
    assert {each.key for each in app.main.get("download_button")} == {"download_cells"}
    healthy(app.selectbox(key="exp").set_value("Data join").run())  # has no CIFAR-10
    assert app.segmented_control(key="data").value == "Lending Club"
    assert "clean features only (paper)" in chart(app)


def test_the_chart_is_saved_under_the_name_of_what_it_shows(open_page: Open, results: Path) -> None:
    app = open_page("benchmarks", data="Lending Club")
    assert accuracy_chart(app)["save"] == "data_collection-lending_club"


def test_a_link_opens_the_same_view(open_page: Open, results: Path) -> None:
    app = open_page("benchmarks", exp="Private inference", data="CIFAR-10", need="30", paper="false")
    assert app.slider(key="need").value == 30 and app.toggle(key="paper").value is False
    assert "C-RLM, paper" not in chart(app) and "theory: cap of any ε-LDP report" in chart(app)


@pytest.mark.parametrize("address", [{"exp": "Alchemy"}, {"data": "ImageNet"}, {"need": "400"}])
def test_a_broken_link_still_opens(open_page: Open, results: Path, address: dict[str, str]) -> None:
    app = open_page("benchmarks", **address)
    assert "V-RLM, ours" in chart(app) and app.slider(key="need").value == 80


def test_other_pages_open_after_a_dataset_that_they_do_not_have(open_page: Open, results: Path) -> None:
    app = open_page("benchmarks", data="Lending Club")
    for page in ("bound", "image", "benchmarks"):
        app.switch_page(f"pages/{page}.py")
        healthy(app.run())
    assert app.segmented_control(key="data").value in [facts.title for facts in DATASETS.values()]


def test_the_answer_comes_first_then_gain_against_risk(open_page: Open) -> None:
    app = open_page("benchmarks")
    text = words(app)
    assert "reaches the paper if our mean" in text  # what "222 of 302" counts
    (gains,) = [each for each in charts(app) if not each["save"]]
    lines = {each["name"]: each for each in gains["figure"]["data"]}
    first = gain.points("mnist")["Q-RLM"][0]
    assert lines["Q-RLM"]["x"][0] == pytest.approx(first.risk, abs=1e-3)
    assert "code and label as one pair, k = " in lines["Q-RLM"]["customdata"][0]
    assert "13,500 people" in lines["Q-RLM"]["customdata"][0] and "apart, λ = " in lines["V-RLM"]["customdata"][0]
    assert f"<b>{first.gain:.0f} %</b>" in text and f"<b>{first.risk:.0f} %</b>" in text
    html = [each.value for each in app.main.get("html")]
    order = [
        next(i for i, each in enumerate(html) if mark in each) for mark in ("needs", "gives everybody", "rlm-figures")
    ]
    assert order == sorted(order)
    healthy(app.selectbox(key="exp").set_value("Novel class").run())
    assert len(charts(app)) == 1  # whose reports were not attacked
