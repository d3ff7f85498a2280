"""Collecting and learning without a page: what is drawn, what is learnt, what is said on the way."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from rlm_core import zoo
from rlm_core.collector.classifier import NoiseAwareClassifier
from ui.collect.events import Event, Point, Result, Stopped, Weighing
from ui.collect.reports import NOVEL, Choice, channel, collect, groups, people_available, task_of
from ui.collect.task import Task, batch_size, learn, objective_in_use, prior_and_density

NAME = "mnist-vrlm-l10-eps33"
CHOICE = Choice(
    experiment="collection",
    dataset="mnist",
    mechanism=NAME,
    noise="Laplace",
    people=400,
    epsilon=10.0,
    lam=0.7,
    objective="denoising",
)


@pytest.fixture(scope="module")
def model() -> object:
    if NAME not in zoo.names("mnist"):
        pytest.skip(f"models/ has no {NAME}")
    return zoo.load(NAME, device="cpu")


def small(task: Task) -> Task:
    return replace(task, epochs=4, checks=2, max_prior=150)


def run(task: Task, stop_after: int | None = None) -> tuple[Result, list[Event]]:
    events: list[Event] = []
    result = learn(task, events.append, lambda: stop_after is not None and len(events) >= stop_after)
    return result, events


def points(events: list[Event]) -> list[Point]:
    return [event for event in events if isinstance(event, Point)]


def on_reports(net: NoiseAwareClassifier, task: Task) -> float:
    """A denoising classifier reads a report by Bayes' rule, the others as it is."""
    predict = net.predict_private if net.objective == "denoising" else net.predict
    return float((predict(task.test.z_private) == task.test.y).mean())


@pytest.mark.parametrize("objective", ["denoising", "label-noise", "naive"])
@pytest.mark.parametrize("noise", ["Laplace", "PrivUnit"])
def test_curves_are_the_librarys(model, objective: str, noise: str) -> None:
    choice = replace(CHOICE, objective=objective, noise=noise)
    reports = collect(choice, model)
    task = small(task_of(choice, reports, model))
    result, events = run(task)
    scores: list[tuple[float, float]] = []
    fitted = NoiseAwareClassifier(
        classes=10, objective=objective, epochs=4, max_prior=150, batch_size=batch_size(400), seed=0
    ).fit(  # the library's classifier by itself, on the same reports
        reports.z_private,
        reports.y_private,
        transition=reports.transition,
        log_density=task.noise.log_density_pairs,
        prior=model.bundle.prior_z,
        progress=lambda now, net: scores.append((net.score(task.test.z, task.test.y), on_reports(net, task))),
    )
    assert [(point.clean, point.private) for point in points(events)] == scores
    assert result.epochs == 4 and result.queries == 2 and not result.stopped
    kept = points(events)[result.epoch - 1]
    assert (result.clean, result.private) == (kept.clean, kept.private)
    assert result.epoch in (2, 4) and result.validation == kept.validation
    assert len(fitted.history_) == 4


def test_validation_without_noise_is_the_accuracy_of_the_group(model) -> None:
    choice = replace(CHOICE, epsilon=math.inf, objective="naive")
    task = small(task_of(choice, collect(choice, model), model))
    result, events = run(task)
    assert result.validation is not None and result.validation.people == len(model.bundle.valid_y)
    best = max(point.validation.estimate for point in points(events) if point.validation)
    assert result.validation.estimate == best
    assert result.clean == result.private  # nothing was privatised


def test_private_inference_asks_the_group_about_private_inputs(model) -> None:
    choice = replace(CHOICE, experiment="private", objective="label-noise", epsilon=60.0, people=2_000)
    clean, private = (small(task_of(each, collect(each, model), model)) for each in (CHOICE, choice))
    assert private.on_private and not clean.on_private
    # εx = 42: little noise. If the answers were about other inputs than z̃ they would not follow them.
    shuffled = replace(private, valid=replace(private.valid, z_private=private.valid.z_private[::-1].copy()))
    good, bad = (run(each)[0].validation for each in (private, shuffled))
    assert good is not None and bad is not None and good.low > 0.4 > bad.high


def test_stopping_keeps_what_was_learnt(model) -> None:
    task = small(task_of(CHOICE, collect(CHOICE, model), model))
    result, events = run(task, stop_after=2)  # the weights are one block; then the first epoch
    assert isinstance(events[0], Weighing) and events[0].share == 1.0
    assert result.stopped and result.epochs == 1 == result.epoch and result.validation is None
    assert result.clean == points(events)[0].clean
    with pytest.raises(Stopped):
        run(task, stop_after=0)


def test_a_stopped_fit_goes_on_to_the_same_end_and_asks_nobody_twice(model) -> None:
    task = small(task_of(CHOICE, collect(CHOICE, model), model))
    whole, events = run(task)
    again, rest = run(task.resumed(points(events)[:2]))
    assert [point.epoch for point in points(rest)] == [3, 4]
    assert [point.clean for point in points(rest)] == [point.clean for point in points(events)[2:]]
    assert task.resumed(points(events)[:2]).answered == (points(events)[1].validation,)
    assert again.queries == whole.queries == task.questions and again.epochs == 4


def test_reports_are_new_noise_on_the_same_people(model) -> None:
    first, second = collect(CHOICE, model), collect(CHOICE, model)
    z, y = groups(model.bundle, model.card.classes, "collection").train
    assert first.z_private.shape == (400, 8) and not np.array_equal(first.z_private, second.z_private)
    exact = collect(replace(CHOICE, epsilon=math.inf), model)
    assert np.array_equal(exact.z_private, z[:400]) and np.array_equal(exact.y_private, y[:400])
    more = collect(replace(CHOICE, people=10**6, epsilon=math.inf), model)
    assert len(more.y_private) == len(model.bundle.train_y) == people_available(model.bundle, "collection")
    assert np.array_equal(more.z_private[:400], exact.z_private)  # fewer people are the first of all


def test_without_noise_there_is_nothing_to_denoise(model) -> None:
    assert objective_in_use("denoising", math.inf) == "label-noise"
    assert objective_in_use("denoising", 5.0) == "denoising" and objective_in_use("naive", math.inf) == "naive"
    choice = replace(CHOICE, epsilon=math.inf)
    result, events = run(small(task_of(choice, collect(choice, model), model)))
    assert result.clean > 0.4 and not any(isinstance(event, Weighing) for event in events)


@pytest.mark.parametrize("made_for_it", [False, True])
def test_novel_class_is_balanced_sends_no_label_and_has_no_nine_in_the_prior(model, made_for_it: bool) -> None:
    bundle = model.bundle
    if made_for_it:  # a bundle whose labels already say "9 or not", and whose prior has none
        known, names = bundle.prior_y != NOVEL, ("train_y", "valid_y", "test_y")
        bundle = replace(
            bundle,
            prior_z=bundle.prior_z[known],
            prior_y=np.zeros(int(known.sum()), dtype=np.int64),
            **{name: (getattr(bundle, name) == NOVEL).astype(np.int64) for name in names},
        )
    fake = type("Model", (), {"bundle": bundle, "card": model.card, "mechanism": model.mechanism})()
    choice = replace(CHOICE, experiment="novel", lam=1.0, objective="label-noise", epsilon=6.0, people=300)
    reports = collect(choice, fake)
    assert reports.classes == ("not 9", "9") and np.array_equal(reports.transition, np.eye(2))
    assert reports.y_private.tolist() == [1, 0] * 150  # as they are: nobody sends a label
    task = small(task_of(choice, reports, fake))
    assert task.noise.epsilon == 6.0 and len(task.prior_z) == int((model.bundle.prior_y != NOVEL).sum())
    assert task.test.y.mean() == task.valid.y.mean() == 0.5
    truth = model.bundle.test_z[model.bundle.test_y == NOVEL]
    assert np.array_equal(task.test.z[task.test.y == 1], truth[: int(task.test.y.sum())])
    assert run(task)[0].clean > 0.6
    shares = [event.share for event in run(replace(task, objective="denoising"))[1] if isinstance(event, Weighing)]
    assert shares == sorted(shares) and shares[-1] == 1.0 and shares[len(shares) // 2 - 1] == 0.5  # two passes


def test_the_prior_of_a_new_class_is_completed_for_denoising_alone(model) -> None:
    choice = replace(CHOICE, experiment="novel", lam=1.0, epsilon=8.0, people=500)
    task = task_of(choice, collect(choice, model), model)
    same, _, _ = prior_and_density(task, "label-noise", lambda event: None, lambda: False)
    assert same is task.prior_z and task.new_class
    points, density, told = prior_and_density(task, "denoising", lambda event: None, lambda: False)
    assert len(points) == min(task.max_prior, len(task.prior_z)) and not np.isin(points, task.prior_z).all()
    z_private = task.z_private[:3]
    assert np.array_equal(density(z_private, points), told(z_private, points))
    shares = density(z_private, points) - task.noise.log_density_pairs(z_private, points)
    assert np.exp(shares[0]).sum() == pytest.approx(1.0)


def test_collections_do_not_depend_on_the_objective() -> None:
    other = replace(CHOICE, objective="naive")
    assert other != CHOICE and other.collection == CHOICE.collection
    for change in ({"people": 500}, {"epsilon": 9.0}, {"lam": 0.5}, {"noise": "PrivUnit"}, {"mechanism": "x"}):
        assert replace(CHOICE, **change).collection != CHOICE.collection


def test_a_task_can_be_sent_to_another_process(model) -> None:
    for noise in ("Laplace", "PrivUnit"):
        choice = replace(CHOICE, noise=noise, people=20)
        task = task_of(choice, collect(choice, model), model)
        read: Task = pickle.loads(pickle.dumps(task))
        here, there = (each.noise.log_density_pairs(each.z_private, each.prior_z[:5]) for each in (task, read))
        assert np.array_equal(here, there) and read.noise == channel(model, noise, choice.budget.epsilon_x)
