"""The collector's page, control by control. Fits are small and happen in this process, when the test says so."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from page_driver import Open, charts, healthy, words
from stepped_worker import SteppedWorker
from streamlit.testing.v1 import AppTest

from benchmarks import gain, summary
from benchmarks.experiments import private_grid
from rlm_core import catalogue, private_accuracy, zoo
from rlm_core.catalogue import DATASETS
from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.training.features_share import features_share
from ui.app import cache, recommendation
from ui.app.network_title import network_title
from ui.collect import actions, queue, text
from ui.collect import reports as collected
from ui.collect.example import example
from ui.collect.pairs import Pairs
from ui.collect.queue import RunQueue, run_queue
from ui.collect.runs import Run
from ui.collect.table import frame, percent_of
from ui.collect.task import Task, batch_size

NUMBERS = {"send": text.NUMBERS_NAME, "eps": "10"}
SMALL = NUMBERS | {"people": "250", "objective": "Naive"}  # the least to compute


@pytest.fixture(autouse=True)
def stepped_queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A new queue whose worker waits for the test; four epochs with a small prior."""
    monkeypatch.setattr(RunQueue, "_start_process", lambda self, *callbacks: SteppedWorker(*callbacks))
    monkeypatch.setattr(collected, "Task", functools.partial(Task, epochs=4, checks=2, max_prior=150))
    run_queue.cache_clear()
    run_queue().limit = 1
    yield
    run_queue.cache_clear()


def runs(app: AppTest) -> list[Run]:
    return run_queue().runs(app.session_state["collect_visit"])


def collect(app: AppTest) -> AppTest:
    return healthy(app.button(key="collect_learn").click().run())


def finish(app: AppTest) -> AppTest:
    (worker,) = run_queue().workers
    worker.finish()
    return healthy(app.run())


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def figure(app: AppTest, index: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = charts(app)[index]["figure"]
    return found


@pytest.mark.parametrize("page_experiment", ["collection", "private"])
def test_lambda_starts_where_the_measured_experiments_had_it(open_page: Open, page_experiment: str) -> None:
    """The page's λ, the rule's and that of the committed rows are one, at every ε that was measured."""
    about = catalogue.experiment(page_experiment)
    app = open_page("collect", exp=text.EXPERIMENTS[page_experiment], send=text.NUMBERS_NAME)
    cells = [cell for cell in summary.current_cells(about.name) if cell.mechanism in ("V-RLM", "C-RLM") and cell.lam]
    assert len(cells) >= 12
    for cell in cells:
        healthy(app.segmented_control(key="data").set_value(DATASETS[cell.dataset].title).run())
        healthy(app.select_slider(key="eps").set_value(cell.epsilon).run())
        assert app.slider(key="lam").value == float(cell.lam) == features_share(about.name, cell.dataset, cell.epsilon)
        assert f"Our experiments use λ = {float(cell.lam):g} here, too." in words(app)


def test_a_lambda_moved_by_hand_or_linked_to_stays(open_page: Open) -> None:
    app = open_page("collect", **NUMBERS | {"eps": "1"})
    assert app.slider(key="lam").value == 0.5
    healthy(app.slider(key="lam").set_value(0.3).run())
    healthy(app.select_slider(key="eps").set_value(8.0).run())
    assert app.slider(key="lam").value == 0.3 and "Our experiments use λ = 0.7 here" in words(app)
    linked = open_page("collect", **NUMBERS | {"eps": "1", "lam": "0.7"})
    assert linked.slider(key="lam").value == 0.7


def test_opens_with_a_finished_example_and_nothing_drawn(open_page: Open) -> None:
    app = open_page("collect")
    assert (
        app.button(key="collect_learn").label
        == "Collect 13,500 reports and learn (spends ε = 1 for each person, ε = 1 for each validation member)"
    )
    choice, points = example()
    assert choice.epsilon == 1.0 and f"<strong>{percent_of(points[-1].clean)}</strong>" in words(app)
    assert "nobody was asked" in words(app) and "2.7 times" in words(app)
    assert figure(app)["data"][0]["y"] == pytest.approx([100 * point.clean for point in points])
    assert not run_queue().collections and not run_queue().visits and "visit" not in app.query_params
    assert keys(app) == {"collect_learn"}
    assert "**10 codes.**" in words(app) and text.NO_LAMBDA in words(app)
    assert "lam" not in {each.key for each in app.slider}  # one line, no slider that does nothing


def test_the_example_says_when_it_is_of_something_else(open_page: Open) -> None:
    said = text.NOT_YOURS.format(dataset="MNIST")
    assert said not in words(open_page("collect", eps="4"))
    assert said in words(open_page("collect", data="CIFAR-10"))
    numbers = words(open_page("collect", **NUMBERS))
    (cell,) = (each for each in gain.collected("mnist") if (each.mechanism, each.epsilon) == ("V-RLM", 10.0))
    assert said in numbers and f"were measured before: {cell.mean:.1f} % right on clean records" in numbers


def test_collect_and_learn_and_the_numbers_are_the_librarys(open_page: Open) -> None:
    app = collect(open_page("collect", people="250", **NUMBERS))
    (run,) = runs(app)
    assert run.choice.objective == "denoising" and run.reports == 250
    assert "250 reports have arrived" in app.main.get("progress")[0].proto.text
    assert "collect_stop" in keys(app) and app.button(key="collect_learn").disabled
    (worker,) = run_queue().workers
    worker.step(2)  # the weights, the first epoch
    healthy(app.run())
    assert "epoch 1 of 4" in app.main.get("progress")[0].proto.text
    assert f"<strong>{percent_of(run.points[0].clean)}</strong>" in words(app)
    finish(app)
    assert run.state == "done" and run.result is not None and not app.main.get("progress")
    model, reports = cache.model(run.choice.mechanism), run_queue().reports(run.visit, run.choice)
    assert reports is not None
    scores: list[float] = []
    NoiseAwareClassifier(classes=10, epochs=4, max_prior=150, batch_size=batch_size(250)).fit(
        reports.z_private,
        reports.y_private,
        transition=reports.transition,
        log_density=model.mechanism(7.0).log_density_pairs,
        prior=model.bundle.prior_z,
        progress=lambda now, net: scores.append(net.score(model.bundle.test_z, model.bundle.test_y)),
    )
    assert figure(app)["data"][0]["y"] == pytest.approx([100 * score for score in scores])
    kept = percent_of(scores[run.result.epoch - 1])
    assert f"<strong>{kept}</strong>" in words(app) and f"<td>{kept}</td>" in words(app)
    answer = run.result.validation
    assert answer is not None
    assert text.interval(answer) in words(app)
    assert f"{100 * answer.estimate:.6g}"[:6] in frame([run]).to_csv()  # raw, in the download
    assert "ỹ = " in words(app) and "one report: <b>ε = 10</b>" in words(app)
    assert "charged for 2 questions, ε = 20 in total" in words(app)


def test_another_objective_learns_from_the_same_reports_for_nothing(open_page: Open) -> None:
    app = finish(collect(open_page("collect", **SMALL)))
    first = run_queue().reports(runs(app)[0].visit, runs(app)[0].choice)
    healthy(app.segmented_control(key="objective").set_value("Label noise only").run())
    assert (
        app.button(key="collect_learn").label
        == "Learn from the reports you have (spends ε = 50 for each validation member)"
    )
    finish(collect(app))
    one, two = runs(app)
    assert two.reused and not one.reused and run_queue().reports(two.visit, two.choice) is first
    assert "one report: <b>ε = 10</b>" in words(app) and "same reports" in words(app)
    assert len(figure(app)["data"]) == 2 * (2 + 1 + 1)  # both runs: two lines, the answers, the ring
    assert list(app.pills(key="collect_shown").value) == [1, 2]
    healthy(app.pills(key="collect_shown").set_value([2]).run())
    assert {trace["name"][:2] for trace in figure(app)["data"]} == {"#2"}
    healthy(app.button(key="collect_anew").click().run())
    assert run_queue().reports(two.visit, two.choice) is not first
    assert "2 reports: <b>ε = 20</b>" in words(app)
    table = frame(runs(app))
    assert table["clean_accuracy"].tolist() == [100 * run.result.clean for run in (one, two) if run.result]


def test_every_control_changes_what_is_collected(open_page: Open) -> None:
    app = open_page("collect", **SMALL)
    healthy(app.select_slider(key="eps").set_value(4.0).run())
    healthy(app.slider(key="lam").set_value(0.5).run())
    healthy(app.segmented_control(key="data").set_value("Lending Club").run())
    healthy(app.select_slider(key="people").set_value(500).run())
    assert "δ" not in words(app).replace("(ε, δ)-LDP rather than", "")
    healthy(app.segmented_control(key="noise").set_value("PrivUnit").run())
    assert "(ε, δ)-LDP with **δ =" in words(app) and "as private" not in words(app)
    assert (
        app.button(key="collect_learn").label
        == "Collect 500 reports and learn (spends ε = 4 for each person, ε = 20 for each validation member)"
    )
    finish(collect(app))
    choice = runs(app)[0].choice
    assert (choice.dataset, choice.people, choice.epsilon, choice.lam) == ("lending_club", 500, 4.0, 0.5)
    assert choice.noise == "PrivUnit" and choice.mechanism == cache.chosen_mechanism("lending_club", 4.0)
    assert "Lending Club" in words(app) and "PrivUnit" in words(app) and "rlm-mini" in words(app)
    assert figure(app)["layout"]["shapes"][0]["y0"] == 50.0  # guessing between two classes


def test_code_and_label_are_one_pair_and_the_result_stands_beside_what_was_measured(open_page: Open) -> None:
    app = collect(open_page("collect"))
    (run,) = runs(app)
    pairs = run_queue().reports(run.visit, run.choice)
    assert isinstance(pairs, Pairs) and run.choice.codes == pairs.codes == 10 and len(pairs) == 13_500
    ledger = run_queue().visits[run.visit].ledger
    assert [(each.epsilon_x, each.epsilon_y) for each in ledger.of("people of mnist")] == [(1.0, 0.0)]
    assert "reports have arrived; counting" in app.main.get("progress")[0].proto.text
    (worker,) = run_queue().workers
    worker.step(3)
    healthy(app.run())
    assert "200 of 13,500 reports counted" in app.main.get("progress")[0].proto.text
    assert "200 of 13,500 reports have arrived" in words(app)
    finish(app)
    assert run.result is not None and run.result.clean > 0.9
    assert f"<strong>{percent_of(run.result.clean)}</strong>" in words(app) and "<td>10 codes</td>" in words(app)
    assert "Measured before" in words(app) and "noise on every pixel" in words(app)
    assert "of 100 pairs" in words(app) and "one report: <b>ε = 1</b>" in words(app)
    assert run_queue().spent(run.visit, "validation group of mnist") == (1, 1.0)
    assert figure(app)["layout"]["xaxis"]["type"] == "log"


def test_the_number_of_codes_follows_the_rule_or_the_visitor(open_page: Open) -> None:
    app = open_page("collect", eps="4", people="1,000")
    assert "**11 codes.** From 1,000 reports at ε = 4 a collector can tell about 11 codes apart" in words(app)
    healthy(app.selectbox(key="codes").set_value("24").run())
    assert "**24 codes**, as you chose; the rule for 1,000 people at ε = 4 takes 11." in words(app)
    finish(collect(app))
    (run,) = runs(app)
    assert run.choice.mechanism == "mnist-qrlm-k24" and "Measured before" not in words(app)


def test_what_was_stopped_can_go_on(open_page: Open) -> None:
    app = collect(open_page("collect", **SMALL))
    (run,) = runs(app)
    (worker,) = run_queue().workers
    worker.step()
    healthy(app.run())
    healthy(app.button(key="collect_stop").click().run())
    finish(app)
    assert run.result is not None and run.result.epochs == 2 and "collect_resume_1" in keys(app)
    spent = run_queue().spent(run.visit, "validation group of mnist")
    healthy(app.button(key="collect_resume_1").click().run())
    finish(app)
    assert run.result.epochs == 4 and not run.result.stopped and [point.epoch for point in run.points] == [1, 2, 3, 4]
    assert run_queue().spent(run.visit, "validation group of mnist") == spent and "collect_resume_1" not in keys(app)


def test_everyone_is_as_many_as_there_are(open_page: Open) -> None:
    for data in ("CIFAR-10", "Lending Club"):
        app = open_page("collect", data=data, people="8,000", **NUMBERS)
        name = cache.chosen_mechanism({"CIFAR-10": "cifar10"}.get(data, "lending_club"), 10.0)
        people = min(8_000, len(cache.model(name).bundle.train_y))
        assert f"Collect {people:,} reports" in app.button(key="collect_learn").label


def test_without_a_label_there_is_nothing_to_learn(open_page: Open) -> None:
    app = open_page("collect", lam="1", **NUMBERS)
    assert text.NO_LABELS in words(app) and "collect_learn" not in keys(app)


def test_private_inference_takes_its_own_mechanism_and_objective(open_page: Open) -> None:
    app = open_page("collect", people="250", **NUMBERS)
    healthy(app.segmented_control(key="objective").set_value("Naive").run())
    healthy(app.segmented_control(key="exp").set_value("Private inference").run())
    assert app.segmented_control(key="objective").value == "Denoising"
    finish(collect(app))
    choice = runs(app)[0].choice
    assert choice.epsilon == 10.0 and choice.objective == "denoising"
    assert choice.mechanism == private_grid.chosen(
        "mnist", 10.0, seed=0, among=cache.mechanism_names("mnist")
    )  # by our search, not by the paper's


def test_the_sweep_is_five_collections_and_says_so(open_page: Open) -> None:
    app = finish(collect(open_page("collect", **SMALL)))  # λ = 0.7 is there already
    assert (
        "spends ε = 40 for each person, ε = 250 for each validation member"
        in app.button(key="collect_sweep_start").label
    )
    healthy(app.button(key="collect_sweep_start").click().run())
    assert app.button(key="collect_stop").label == "Stop all 5"
    finish(app)
    swept = [run for run in runs(app) if run.sweep is not None]
    assert [run.choice.lam for run in swept] == list(actions.LAMS)
    assert [run.reused for run in swept] == [False, False, False, True, False]
    line = figure(app, 1)["data"][0]
    assert line["x"] == list(actions.LAMS)
    assert line["y"] == pytest.approx([100 * run.result.clean for run in swept if run.result])
    assert "5 reports: <b>ε = 50</b>" in words(app)
    assert "As far as you can tell, <b>λ = " in words(app)
    assert words(app).count("<tr title=") == 1  # the table has the single run only


def test_stop_keeps_what_was_learnt(open_page: Open) -> None:
    app = collect(open_page("collect", **SMALL))
    (worker,) = run_queue().workers
    worker.step()
    healthy(app.run())
    healthy(app.button(key="collect_stop").click().run())
    assert "stopping" in app.main.get("progress")[0].proto.text
    finish(app)
    (run,) = runs(app)
    assert run.result is not None and run.result.stopped and run.result.epochs == 2
    assert "<td>stopped</td>" in words(app) and f"<td>{percent_of(run.result.clean)}</td>" in words(app)


def test_a_refreshed_page_finds_its_runs_and_what_is_still_going_on(open_page: Open) -> None:
    app = finish(collect(open_page("collect", **SMALL)))
    healthy(app.button(key="collect_anew").click().run())
    name = app.session_state["collect_visit"]
    assert app.query_params["visit"] in (name, [name])
    again = open_page("collect", visit=name, **SMALL)
    assert len(again.main.get("progress")) == 1 and words(again).count('rlm-run"') >= 2
    assert "2 reports: <b>ε = 20</b>" in words(again)


def test_a_shared_address_shows_and_only_who_started_controls(open_page: Open) -> None:
    app = collect(open_page("collect", **SMALL))
    (run,) = runs(app)
    other = open_page("collect", visit=run.visit, **SMALL)
    assert "collect_stop" in keys(app) and "collect_stop" not in keys(other) and "You are watching" in words(other)
    assert "collect_forget" not in keys(other) and "collect_visit" not in other.session_state
    assert "Collect 250 reports" in other.button(key="collect_learn").label  # they cannot learn from these
    healthy(other.button(key="collect_learn").click().run())
    assert other.session_state["collect_visit"] != run.visit and len(runs(other)) == 1 and runs(app) == [run]
    assert other.query_params["visit"] in (other.session_state["collect_visit"], [other.session_state["collect_visit"]])


def test_a_visit_that_an_address_chooses_is_not_adopted(open_page: Open) -> None:
    chosen = "x" * 12
    app = open_page("collect", visit=chosen, **SMALL)
    assert "collect_visit" not in app.session_state and "The runs of this address are gone" in app.info[0].value
    collect(app)
    assert app.session_state["collect_visit"] != chosen and not run_queue().knows(chosen)
    healthy(open_page("collect", visit=chosen, **SMALL))  # who laid the address out finds nothing under it


def test_leaving_the_page_and_coming_back(open_page: Open) -> None:
    app = finish(collect(open_page("collect", data="Lending Club", **SMALL)))
    healthy(app.switch_page("pages/image.py").run())  # which knows no loans
    healthy(app.switch_page("pages/collect.py").run())
    assert len(runs(app)) == 1 and "<td>Lending Club</td>" in words(app)
    assert app.query_params["visit"] in (app.session_state["collect_visit"], [app.session_state["collect_visit"]])


def test_a_crash_and_a_full_house_are_explained(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = collect(open_page("collect", **SMALL))
    (worker,) = run_queue().workers
    worker.end()
    healthy(app.run())
    assert "failed: please try again" in words(app) and "collect_stop" not in keys(app)
    monkeypatch.setattr(queue, "MOST_RUNS", 1)
    collect(app)
    assert "at most 1 runs" in app.warning[0].value and len(runs(app)) == 1
    healthy(app.run())
    assert not app.warning
    healthy(app.button(key="collect_forget").click().run())
    assert not runs(app) and "An example to begin with" in words(app)
    finish(collect(app))
    assert runs(app)[0].state == "done"


def test_novel_class_with_the_mechanism_that_saw_nines_says_so(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        cache, "mechanisms_of", lambda data, split: cache.mechanism_names(data) if "coll" in split else []
    )
    app = open_page("collect", exp="Novel class", people="250", eps="4")
    assert "has seen 9s" in words(app) and "lam" not in {str(each.key) for each in app.slider}
    assert app.segmented_control(key="objective").value == "Denoising" and text.ABOUT_COMPLETED in words(app)
    finish(collect(app))
    (run,) = runs(app)
    assert run.choice.budget.epsilon_x == 4.0
    assert run_queue().spent(run.visit, "people of mnist") == (1, 4.0)
    assert figure(app)["layout"]["shapes"][0]["y0"] == 50.0 and len(figure(app)["layout"]["shapes"]) == 1


def test_novel_class_with_a_mechanism_made_for_it(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = cache.model("mnist-vrlm-l7.5-eps13")
    card = replace(ordinary.card, name="mnist-novel-l7.5-eps13", preset=ordinary.card.preset | {"split": "novel_class"})
    bundle = replace(
        ordinary.bundle,
        **{
            f"{part}_y": (getattr(ordinary.bundle, f"{part}_y") == 9).astype(np.int64)
            for part in ("train", "valid", "test")
        },
    )
    fake = SimpleNamespace(card=card, bundle=bundle, mechanism=ordinary.mechanism, decode=ordinary.decode)
    known, real = cache.mechanisms_of, cache.model
    monkeypatch.setattr(
        cache, "mechanisms_of", lambda d, split: [card.name] if split == "novel_class" else known(d, split)
    )
    monkeypatch.setattr(cache, "model", lambda name: fake if name == card.name else real(name))
    app = open_page("collect", exp="Novel class", people="250", eps="10")
    assert "has seen 9s" not in words(app) and text.NOVEL_REAL in words(app)
    finish(collect(app))
    (run,) = runs(app)
    assert run.choice.mechanism == card.name and run.result is not None
    assert "y = 9" in words(app) and "y = not 9" in words(app) and "Nobody sent a label" in words(app)


def join_model() -> SimpleNamespace:
    """A mechanism for some columns of a loan, and a collector who has two others in the clear."""
    ordinary = cache.model("lending-vrlm-l5-eps15")
    preset = ordinary.card.preset | {"split": "data_join"}
    parts = {name: getattr(ordinary.bundle, name) for name in vars(ordinary.bundle)}
    generator = np.random.default_rng(0)
    for part in ("train", "valid", "test"):
        y = parts[f"{part}_y"]
        parts[f"{part}_clean"] = np.stack([y + generator.normal(0, 1.5, len(y)), generator.normal(size=len(y))], axis=1)
    return SimpleNamespace(
        card=replace(ordinary.card, name="lending-join-d8-l5-eps10", preset=preset),
        bundle=SimpleNamespace(**parts),
        mechanism=ordinary.mechanism,
        decode=ordinary.decode,
        preprocessor=ordinary.preprocessor,
    )


def test_data_join_appears_with_its_mechanism(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    fake, known, real = join_model(), cache.mechanisms_of, cache.model
    names = [fake.card.name]
    monkeypatch.setattr(cache, "mechanisms_of", lambda d, split: names if split == "data_join" else known(d, split))
    monkeypatch.setattr(cache, "model", lambda name: fake if name == fake.card.name else real(name))
    app = open_page("collect", exp="Data join", people="1,000", eps="6")
    assert "objective" not in {str(each.key) for each in app.main.get("button_group")} and "lam" not in app.query_params
    finish(collect(app))
    (run,) = runs(app)
    assert run.choice.budget.epsilon_x == 6.0 and run.result is not None and run.alone is not None
    reports = run_queue().reports(run.visit, run.choice)
    assert reports is not None
    task = collected.task_of(run.choice, reports, fake)
    assert task.own is not None
    own = NoiseAwareClassifier(classes=2, objective="naive", epochs=4, checks=2, batch_size=batch_size(1_000))
    valid = functools.partial(private_accuracy, epsilon=float("inf"))
    own.fit(
        task.own, reports.y_private, transition=np.eye(2), validate=lambda f: valid(f(task.valid.own) == task.valid.y)
    )
    assert run.alone == own.score(task.test.own, task.test.y)
    assert f"<strong>{percent_of(run.alone)}</strong><span>right with your columns alone" in words(app)
    assert run_queue().spent(run.visit, "people of lending_club") == (1, 6.0)
    assert run_queue().spent(run.visit, "validation group of lending_club") == (0, 0.0)  # the collector's own rows
    assert "A member of the validation group" not in words(app)


def test_data_join_is_not_offered_without_clean_columns(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    known = cache.mechanisms_of
    ordinary = ["lending-vrlm-l5-eps15"]
    monkeypatch.setattr(cache, "mechanisms_of", lambda d, split: ordinary if split == "data_join" else known(d, split))
    app = open_page("collect", exp="Data join")
    assert list(app.segmented_control(key="exp").options) == ["Data collection", "Private inference", "Novel class"]
    assert app.segmented_control(key="exp").value == "Data collection"


def test_a_link_opens_the_same_view(open_page: Open) -> None:
    name = [each for each in cache.mechanism_names("cifar10") if "crlm" in each][-1]
    link = {"exp": "Private inference", "data": "CIFAR-10", "people": "2,000", "eps": "6", "lam": "0.6"}
    title = network_title(zoo.card(name))
    app = open_page("collect", **link, objective="Naive", noise="PrivUnit", network=title, send=text.NUMBERS_NAME)
    assert (
        app.button(key="collect_learn").label
        == "Collect 2,000 reports and learn (spends ε = 6 for each person, ε = 30 for each validation member)"
    )
    assert app.segmented_control(key="objective").value == "Naive"
    assert app.segmented_control(key="noise").value == "PrivUnit" and app.selectbox(key="network").value == title
    assert title in words(app)


BROKEN = [
    {"exp": "Fax"},
    {"data": "ImageNet"},
    {"people": "-1"},
    {"objective": "x"},
    {"visit": "../../x"},
    {"network": "x"},
    {"send": "x"},
    {"codes": "x"},
]


@pytest.mark.parametrize("address", BROKEN)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    app = open_page("collect", **address)
    assert app.button(key="collect_learn").label.startswith("Collect 13,500 reports")
    assert not run_queue().visits


def test_infinity_collects_without_noise(open_page: Open) -> None:
    app = finish(collect(open_page("collect", people="250", send=text.NUMBERS_NAME, eps="∞")))
    (run,) = runs(app)
    assert run.result is not None and run.result.clean == run.result.private
    assert "there is no promise" in words(app) and "no noise" in words(app)


def test_a_failure_is_an_apology_not_a_traceback(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = finish(collect(open_page("collect", **SMALL)))

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("ui.collect.view.curves", broken)
    app.run()
    assert not app.exception and "went wrong on our side" in app.error[0].value
    assert "secret detail" not in words(app) + app.error[0].value
    monkeypatch.undo()


def test_the_queue_is_one_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_queue() is run_queue() and isinstance(run_queue(), RunQueue)


def test_the_recommended_mechanism_for_private_inference(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(cache.mechanism_names("mnist"))
    found = cache.suited_mechanism("mnist", 8.5, "private_inference", names)
    assert found == private_grid.chosen("mnist", 8.0, seed=0, among=names) and "eps5" not in found
    cache.suited_mechanism.clear()
    monkeypatch.setattr(recommendation.table, "read", lambda experiment: [])  # no search: the paper's choice
    assert cache.suited_mechanism("mnist", 8.5, "private_inference", names) == "mnist-vrlm-l7.5-eps5"
    loans = tuple(cache.mechanism_names("lending_club"))  # the paper has no such table: as for data collection
    assert cache.suited_mechanism("lending_club", 8.5, "private_inference", loans) == "lending-vrlm-l5-eps29"
    cache.suited_mechanism.clear()
