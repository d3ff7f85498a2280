"""Codes on the collect page: the same release, the same k and the same estimator as in the experiments."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks import shipped, summary, table
from benchmarks.code_settings import setting
from benchmarks.gain import PREFIX
from rlm_core import private_accuracy, zoo
from rlm_core.catalogue import CODES, DATASETS
from rlm_core.collector.code_labels import labels_of_codes
from ui.collect import findings, text
from ui.collect.code_reports import collect_pairs, frequencies, pair_task, shipped_codes, told_apart, why_so_many
from ui.collect.events import Event, Point, Result, Stopped
from ui.collect.pairs import PairTask, sizes
from ui.collect.reports import Choice
from ui.collect.strip import PICTURES, first_reports

DRAWS = 3


@pytest.fixture(scope="module")
def models() -> Any:
    """Every mechanism is read once."""
    kept: dict[str, Any] = {}
    return lambda name: kept.setdefault(name, kept.get(name) or zoo.load(name, device="cpu"))


def choice_of(dataset: str, epsilon: float, people: int | None = None) -> Choice:
    name = zoo.choose_codes(dataset, epsilon, people)
    card = zoo.card(name)
    return Choice(
        experiment="collection",
        dataset=dataset,
        mechanism=name,
        noise="pairs",
        people=people or int(card.bundle["train_y"][0]),
        epsilon=epsilon,
        lam=1.0,
        objective="denoising",
        codes=card.latent_dim,
    )


def task(choice: Choice, models: Any) -> PairTask:
    """The page's own path: everybody sends, and the worker's task is made of it."""
    model = models(choice.mechanism)
    return pair_task(choice, collect_pairs(choice, model), model, models(told_apart(choice.dataset)))


def run(work: PairTask, stop_after: int | None = None) -> tuple[Result, list[Point]]:
    events: list[Event] = []
    result = work.learn(events.append, lambda: stop_after is not None and len(events) >= stop_after)
    return result, [event for event in events if isinstance(event, Point)]


def committed(dataset: str, epsilon: float, seed: int) -> list[table.Row]:
    """The draws of a benchmark's cell, with the encoder of one seed."""
    rows = [table.parse(each) for each in table.read("data_collection")]
    newest = max(row.protocol for row in rows if (row.dataset, row.mechanism, row.seed) == (dataset, CODES, seed))
    wanted = (dataset, CODES, epsilon, seed, newest)
    return [row for row in rows if (row.dataset, row.mechanism, row.epsilon, row.seed, row.protocol) == wanted]


@pytest.mark.parametrize(
    ("dataset", "epsilon"), [("mnist", 1.0), ("mnist", 4.0), ("lending_club", 2.0), ("cifar10", 1.0)]
)
def test_the_page_confirms_a_committed_cell(models: Any, dataset: str, epsilon: float) -> None:
    """The same encoder, k, people and test people as in a committed cell: the same accuracy within four standard errors
    of the draws, no finer than one code's worth of test people.

    A draw differs from another by the label of a code or two; at the k of the rule, labels are 3.5 deviations apart.
    """
    choice = choice_of(dataset, epsilon)
    model = models(choice.mechanism)
    cell = committed(dataset, epsilon, model.card.seed)
    assert {(row.latent_dim, row.train_rows, row.test_rows) for row in cell} == {
        (choice.codes, choice.people, len(model.bundle.test_y))
    }
    found = [100 * run(replace(task(choice, models), done=choice.people - 1))[0].clean for _ in range(DRAWS)]
    known = [row.accuracy for row in cell]
    spread = [float(np.std(each, ddof=1)) if len(each) > 1 else 0.0 for each in (found, known)]
    error = math.hypot(spread[0] / math.sqrt(len(found)), spread[1] / math.sqrt(len(known)))
    assert abs(np.mean(found) - np.mean(known)) <= max(4 * error, 0.1)


@pytest.mark.parametrize("dataset", ["lending_club", "cifar10"])
def test_the_table_alone_is_compared_with_the_tables_own_run(models: Any, dataset: str) -> None:
    """Where the experiments have a network too, the committed table is compared with, not that."""
    cells = [each for each in shipped.cells("people_needed", dataset, same_seed=True) if each.epsilon == 4.0]
    own = next(each for each in cells if each.mechanism == f"{PREFIX}1")
    choice = choice_of(dataset, 4.0)
    assert str(choice.codes) == own.latent_dim
    found = [100 * run(replace(task(choice, models), done=choice.people - 1))[0].clean for _ in range(DRAWS)]
    deviation = max(float(np.std(found, ddof=1)), own.draw_std, 0.5)
    assert abs(np.mean(found) - own.mean) <= 4 * deviation
    has_network = shipped.network_from(dataset) is not None
    assert ("this page only counts" in text.learnt_from_codes(dataset, 4.0)) == has_network
    assert "this page only counts" not in text.learnt_from_codes(dataset, 2.0) + text.learnt_from_codes("mnist", 10.0)


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_network_is_named_from_where_the_experiments_of_the_shipped_codes_have_it(dataset: str) -> None:
    begins = setting("data_collection", dataset, shipped.origin(dataset).protocol).network_from
    for epsilon in (1.0, 2.0, 4.0, 10.0):
        said = f"From ε = {begins:g} on" in text.learnt_from_codes(dataset, epsilon) if begins is not None else False
        assert said == (begins is not None and epsilon >= begins)
        assert ("network" in text.learnt_from_codes(dataset, epsilon)) == said


def test_curve_is_the_librarys_and_ends_with_everybody(models: Any) -> None:
    choice = choice_of("mnist", 4.0, 1_000)
    work = task(choice, models)
    result, points = run(work)
    assert [point.epoch for point in points] == sizes(1_000) and result.epochs == 1_000 and not result.stopped
    model = models(choice.mechanism)
    prior = frequencies(model)
    test = model.bundle.test_z.argmax(axis=1)
    for point in points[-2:]:
        fitted = labels_of_codes(work.pairs.sets(point.epoch), prior)
        assert point.clean == fitted.score(test, model.bundle.test_y)
    assert result.queries == 1 and result.validation is not None and points[0].validation is None
    exact = replace(choice, epsilon=math.inf)
    certain, _ = run(task(exact, models))
    right = private_accuracy(np.ones(1, dtype=np.int64), epsilon=math.inf)
    assert certain.validation is not None and right.estimate == 1.0 and certain.validation.estimate > 0.8


def test_those_who_are_classified_send_one_code_with_their_share(models: Any) -> None:
    """Private inference at two ε: near the committed cell, and worse the smaller ε is."""
    for epsilon in (4.0, 10.0):
        choice = replace(choice_of("mnist", epsilon), experiment="private")
        result, _ = run(replace(task(choice, models), done=choice.people - 1))
        cells = [each for each in summary.cells("private_inference") if each.dataset == "mnist"]
        cell = next(each for each in cells if (each.mechanism, each.epsilon) == (CODES, epsilon))
        assert abs(100 * result.private - cell.mean) < 6.0


def test_stop_and_go_on(models: Any) -> None:
    work = task(choice_of("mnist", 2.0, 1_000), models)
    with pytest.raises(Stopped):
        run(work, stop_after=0)
    result, points = run(work, stop_after=3)
    assert result.stopped and result.epochs == points[-1].epoch == 200 and result.validation is None
    after, rest = run(work.resumed(points))
    assert [point.epoch for point in (*points, *rest)] == sizes(1_000) and not after.stopped
    read: PairTask = pickle.loads(pickle.dumps(work))
    assert np.array_equal(read.pairs.members(), work.pairs.members())


def test_the_rule_in_words() -> None:
    most = shipped_codes("mnist")[-1].latent_dim
    assert "never use fewer than 10" in why_so_many("mnist", 1.0, 13_500, 10)
    assert "42 codes apart. More would drown" in why_so_many("mnist", 4.0, 13_500, 42)
    assert f"Only {most} were learnt" in why_so_many("mnist", 10.0, 13_500, most)
    assert "as you chose" in why_so_many("mnist", 4.0, 13_500, 12)


def test_what_was_measured_stands_beside_the_same_collection_only() -> None:
    words = findings.measured_before("mnist", 1.0, 13_500, 10)
    assert "numbers with noise" in words and "noise on every pixel" in words
    same = np.mean([row.accuracy for row in committed("mnist", 1.0, 10)])
    assert f"the encoder of this page {same:.1f} %" in words
    assert findings.measured_before("mnist", 1.0, 500, 10) == findings.measured_before("mnist", 1.5, 13_500, 10) == ""


def test_best_lambda_says_what_cannot_be_told_apart() -> None:
    answers = [
        private_accuracy(np.r_[np.ones(n), np.zeros(100 - n)].astype(np.int64), epsilon=2.0) for n in (40, 80, 82)
    ]
    words = findings.best_lambda([(0.1, 0.2, answers[0]), (0.5, 0.9, answers[1]), (0.9, 0.8, answers[2])])
    assert (
        "<b>λ = 0.9</b> is best" in words
        and "λ = 0.5 may be as good" in words
        and "on test people <b>λ = 0.5</b>" in words
    )


@pytest.mark.parametrize(("epsilon", "shown"), [(1.0, 0), (10.0, PICTURES)])
def test_reports_whose_pictures_look_the_same_are_said_not_drawn(models: Any, epsilon: float, shown: int) -> None:
    choice = choice_of("cifar10", epsilon)
    model = models(choice.mechanism)
    found = first_reports(collect_pairs(choice, model), model)
    assert found.count("<img") == shown and f" of {10 * (choice.codes or 0)} pairs" in found
    assert (f"<b>{choice.people:,} reports.</b>" in found) == (shown == 0)
