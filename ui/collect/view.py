"""What the collector sees: progress, curves, runs side by side, the λ trade-off. Drawn anew every second."""

from __future__ import annotations

import html

import streamlit as st

from rlm_core.catalogue import DATASETS, experiment
from ui.app import cache
from ui.app.errors import guarded
from ui.collect import actions, text
from ui.collect.arrivals import arrivals
from ui.collect.controls import people_name, title_of
from ui.collect.example import example
from ui.collect.figures import Curve, Sweep, colour_of, curves, trade_off
from ui.collect.findings import best_lambda, measured_before, measured_numbers
from ui.collect.queue import run_queue
from ui.collect.reports import Choice
from ui.collect.runs import Run, people_of, validators_of
from ui.collect.table import dot, percent_of, table
from ui.collect.task import EPOCHS
from ui.components.chart import chart
from ui.components.glance import glance
from ui.kit.formats import number
from ui.kit.html import figures_html, legend_html

TICK = 1.0
"""Seconds between two looks at a run that is going on."""


def watch(shown: list[int]) -> None:
    """The live part of the page: it looks again by itself while something is going on, and only then."""
    ticking = any(run.active for run in run_queue().runs(actions.shown_visit()))
    st.fragment(live, run_every=TICK if ticking else None)(shown, ticking)


@guarded
def live(shown: list[int], ticking: bool) -> None:
    """Everything that changes while a classifier learns."""
    run_queue().end_unresponsive()
    runs = run_queue().runs(actions.shown_visit())
    active = [run for run in runs if run.active]
    if ticking and not active:
        st.rerun()  # the whole page: its buttons change, and the clock stops
    # Places that are always there: what comes and goes in one does not push the others about while it is redrawn.
    bars = st.container(key="collect_progress")
    stop_place, results, sweep_place = (st.container() for _ in range(3))
    if active:
        with bars:
            progress(active)
        with stop_place:
            if active[0].visit == actions.own_visit():
                stop_button(active)
            else:
                st.caption(text.ONLY_WATCHING)
    with stop_place:
        resume_buttons([run for run in runs if run.resumable and run.visit == actions.own_visit()])
    single = [run for run in runs if run.sweep is None]
    if single:
        with results:
            chosen = [run for run in single if run.number in shown] or single[-1:]
            headline(chosen[-1])
            curves_view(chosen)
            if known := compared(chosen[-1].choice):
                st.html(f'<p class="rlm-note">{known}</p>')
            st.html(f'<div class="rlm-runs">{table(single)}</div>')
            st.caption(text.TABLE)
    swept = [run for run in runs if run.sweep is not None]
    if swept:
        with sweep_place:
            sweep_view(swept)


def progress(active: list[Run]) -> None:
    """One bar for the run that is going on, and a line for those that wait."""
    st.html(f'<p class="rlm-unseen" role="status">{html.escape(progress_words(active))}</p>')
    for run in active[:3]:
        st.progress(min(1.0, max(0.0, run.share)), text=f"**#{run.number}** {title_of(run.choice)}: {stage(run)}")
    if len(active) > 3:
        st.caption(f"and {len(active) - 3} more waiting")


def progress_words(active: list[Run]) -> str:
    """What a screen reader says of it: by quarters, not at every tick."""
    run = active[0]
    waiting = f", {len(active) - 1} more to come" if len(active) > 1 else ""
    return f"Run {run.number}: {int(4 * min(1.0, max(0.0, run.share))) * 25} % done{waiting}."


def stop_button(active: list[Run]) -> None:
    """Stop everything that is going on in this visit."""
    words = "Stop" if len(active) == 1 else f"Stop all {len(active)}"
    st.button(
        words,
        key="collect_stop",
        icon=":material/stop_circle:",
        on_click=guarded(actions.stop),
        args=(active,),
        help="What was learnt so far is kept.",
    )


def resume_buttons(stopped: list[Run]) -> None:
    """Go on with what was stopped, the newest three."""
    with st.container(horizontal=True, gap="small"):
        for run in stopped[-3:]:
            st.button(
                f"Go on with #{run.number}",
                key=f"collect_resume_{run.number}",
                icon=":material/play_circle:",
                on_click=guarded(actions.resume),
                args=(run,),
                help="From where it was stopped, with the same reports. It costs nobody anything more.",
            )


def stage(run: Run) -> str:
    """Where a run stands, in words."""
    if run.stop_asked is not None:
        return "stopping …"
    if run.state == "waiting":
        ahead = run_queue().runs_before(run)
        return "starting …" if ahead == 0 else f"waiting for {ahead} other run{'s' if ahead > 1 else ''} to end"
    if run.state == "weighing":
        if run.points:
            return f"catching up with epoch {run.points[-1].epoch} …"
        if run.choice.codes is not None:
            return f"{run.reports:,} reports have arrived; counting …"
        if run.share == 0.0:
            return f"{run.reports:,} reports have arrived; getting ready …"
        return f"comparing {run.reports:,} reports with the public records, {100 * run.share:.0f} % …"
    point = run.points[-1]
    if run.choice.codes is not None:
        return f"{point.epoch:,} of {point.epochs:,} reports counted"
    left = point.seconds / point.epoch * (point.epochs - point.epoch)
    return f"epoch {point.epoch} of {point.epochs}, about {left:.0f} s left"


def headline(run: Run) -> None:
    """The run in four figures, and the reports that have arrived."""
    last = run.points[-1] if run.points else None
    result = None if run.active else run.result
    clean = result.clean if result else last.clean if last else None
    private = result.private if result else last.private if last else None
    answer = result.validation if result else next((p.validation for p in reversed(run.points) if p.validation), None)
    words = text.FIGURES_JOINED if run.choice.experiment == "join" else text.FIGURES
    figures = [
        (percent_of(clean), words[0]),
        (percent_of(private), words[1]),
        (percent_of(answer and answer.displayed), words[2] + text.interval(answer)),
        (f"{run.reports:,}", f"reports, ε = {number(run.choice.epsilon)} each"),
    ]
    glance(*in_short(run, clean, private), key="collect_glance")
    if run.alone is not None:
        figures.insert(0, (percent_of(run.alone), "right with your columns alone"))
    st.html(
        '<div role="status">'
        f'<p class="rlm-note">{dot(run)} <b>#{run.number}</b> {html.escape(title_of(run.choice))}</p>'
        + figures_html(*figures)
        + "</div>"
        + arrivals(run.reports, *arrived(run))
    )


def in_short(run: Run, clean: float | None, private: float | None) -> list[tuple[str, str]]:
    """A run in a line, for the bar of a phone: how far it is, and the accuracy that its experiment asks for."""
    going = [(f"#{run.number}", stage(run))] if run.active else []
    words = text.FIGURES_JOINED if run.choice.experiment == "join" else text.FIGURES
    at_both_ends = run.choice.experiment in ("join", "private")  # who is classified sends a report, too
    value, of = (private, words[1]) if at_both_ends else (clean, words[0])
    return going if value is None else [*going, (percent_of(value), of)]


def arrived(run: Run) -> tuple[int, int]:
    """How many reports have been taken in so far, and how many at the last look but one."""
    if run.choice.codes is None:
        share = run.share if run.state == "weighing" and not run.points else float(run.state != "waiting")
        return round(share * run.reports), 0
    counts = [0, *(point.epoch for point in run.points)]
    return counts[-1], counts[-2] if run.active and len(counts) > 1 else 0


def compared(choice: Choice) -> str:
    """What experiments say about this collection, where it is one of theirs."""
    if choice.experiment != "collection" or choice.codes is None:
        return ""
    seed = cache.model(choice.mechanism).card.seed
    return measured_before(choice.dataset, choice.epsilon, choice.people, seed)


def example_view(wanted: Choice) -> None:
    """A collection that is over, to begin with. Where the visitor has chosen another, it says so."""
    choice, points = example()
    last, dataset = points[-1], DATASETS[choice.dataset].title
    words = text.EXAMPLE.format(
        dataset=dataset, people=f"{choice.people:,}", epsilon=number(choice.epsilon), codes=choice.codes
    )
    if not is_like(wanted, choice):
        known = measured_numbers(wanted.dataset, wanted.epsilon) if wanted.experiment == "collection" else ""
        words += f"<br>{text.NOT_YOURS.format(dataset=dataset)}{known if wanted.codes is None else ''}"
    glance((percent_of(last.clean), f"right: an example, codes on {dataset}"), key="collect_glance")
    st.html(
        f'<p class="rlm-note">{words}</p>'
        + figures_html(
            (percent_of(last.clean), text.FIGURES[0]),
            (percent_of(last.private), text.FIGURES[1]),
            (f"{choice.people:,}", f"reports, ε = {number(choice.epsilon)} each"),
        )
        + arrivals(choice.people, choice.people)
    )
    chart(
        curves(
            [Curve(name="example", colour=colour_of(1), points=points)],
            epochs=choice.people,
            chance=chance(choice),
            ceiling=ceiling(choice),
            by_reports=True,
        ),
        key="collect_example",
        alt="Accuracy after so many reports, from a simulation",
    )
    st.caption(text.EXAMPLE_CURVE)
    st.html(f'<p class="rlm-note">{compared(choice)}</p>')


def is_like(wanted: Choice, shown: Choice) -> bool:
    """Whether a collection is of the kind that the visitor has chosen; people and ε may differ."""
    kinds = [(each.experiment, each.dataset, each.codes is None) for each in (wanted, shown)]
    return kinds[0] == kinds[1]


def curves_view(chosen: list[Run]) -> None:
    """The curves of the chosen runs over each other; epochs and reports do not share an axis."""
    newest = chosen[-1]
    by_reports = newest.choice.codes is not None
    chosen = [run for run in chosen if (run.choice.codes is not None) == by_reports]
    chart(
        curves(
            [
                Curve(
                    name=f"#{run.number}",
                    colour=colour_of(run.number),
                    points=list(run.points),
                    kept=run.result.epoch if run.result else None,
                )
                for run in chosen
            ],
            epochs=max(run.reports for run in chosen) if by_reports else EPOCHS,
            chance=chance(newest.choice),
            ceiling=ceiling(newest.choice) if newest.choice.experiment != "join" else newest.alone,
            ceiling_name="no LDP" if newest.choice.experiment != "join" else "your columns alone",
            by_reports=by_reports,
        ),
        key="collect_curves",
        alt=f"Accuracy after {'so many reports' if by_reports else 'each epoch'}: on clean records, on privatised "
        "records, and by private validation",
    )
    st.html(legend_html([(colour_of(run.number), f"#{run.number} {title_of(run.choice)}") for run in chosen]))
    st.caption(text.CURVES_CODES if by_reports else text.CURVES)


def sweep_view(swept: list[Run]) -> None:
    """Accuracy against λ, one line for each sweep."""
    st.header("How should ε be divided?", anchor=False)
    sweeps, legend = [], []
    for first in dict.fromkeys(run.sweep for run in swept):
        mine = [run for run in swept if run.sweep == first]
        results = [(run.choice.lam, run.result) for run in mine if run.result is not None]
        words = sweep_title(mine[0].choice)
        legend.append((colour_of(first or 1), words))
        sweeps.append(
            Sweep(
                name=words,
                colour=colour_of(first or 1),
                results=[(lam, each.clean, each.private, each.validation) for lam, each in results],
            )
        )
    chart(
        trade_off(sweeps, chance=chance(swept[-1].choice)),
        key="collect_sweep",
        alt="Accuracy against λ",
    )
    st.html(legend_html(legend))
    newest = [(lam, clean, answer) for lam, clean, _, answer in sweeps[-1].results]
    if len(newest) > 1:
        st.html(f'<p class="rlm-lede" role="status">{best_lambda(newest)}</p>')
    st.caption(text.SWEEP)


def sweep_title(choice: Choice) -> str:
    """A sweep in a few words: everything but λ."""
    dataset, objective = DATASETS[choice.dataset].title, text.OBJECTIVES[choice.objective].lower()
    return f"{dataset}, ε = {number(choice.epsilon)}, {people_name(choice.people)} people, {objective}"


def spent_view(dataset_choice: Choice) -> None:
    """What the visit has cost the people of this dataset so far."""
    name = actions.shown_visit()
    reports, epsilon = run_queue().spent(name, people_of(dataset_choice))
    questions, of_group = run_queue().spent(name, validators_of(dataset_choice))
    if reports:
        st.html(f'<p class="rlm-note">{text.spent(reports, epsilon, questions, of_group)}</p>')
    if dropped := run_queue().dropped(name):
        st.caption(text.dropped(dropped))


def chance(choice: Choice) -> float:
    """How often guessing is right: the classes are about equally many in each dataset."""
    return 0.5 if choice.experiment == "novel" else 1.0 / len(cache.model(choice.mechanism).card.classes)


def ceiling(choice: Choice) -> float | None:
    """The mechanism's accuracy without LDP, from its card; none if the card's question is another one."""
    card = cache.model(choice.mechanism).card
    value = card.metrics.get("clean_accuracy_percent")
    same_question = card.preset.get("split") == experiment(choice.experiment).split
    return float(value) / 100 if value is not None and same_question else None
