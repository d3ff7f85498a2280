"""Runs side by side: the table on the page and the one for download."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rlm_core.catalogue import DATASETS
from ui.collect import text
from ui.collect.figures import colour_of
from ui.collect.reports import Choice
from ui.collect.runs import Run
from ui.collect.task import objective_in_use
from ui.kit.formats import number
from ui.kit.html import table_html, table_row

HEAD = (
    "#",
    "experiment",
    "data",
    "people",
    "sends",
    "ε",
    "λ",
    "learnt by",
    "clean",
    "private",
    "validation",
    "kept",
    "time",
    "",
)


def table(runs: list[Run]) -> str:
    """All runs, newest first, as HTML."""
    return table_html(HEAD, (_row(run) for run in reversed(runs)))


def _row(run: Run) -> str:
    choice, result = run.choice, run.result
    lam = number(choice.lam) if choice.experiment in ("collection", "private") and choice.codes is None else "–"
    cells = [
        f"{dot(run)} {run.number}",
        text.EXPERIMENTS[choice.experiment].lower(),
        DATASETS[choice.dataset].title,
        f"{run.reports:,}",
        "numbers" if choice.codes is None else f"{choice.codes} codes",
        number(choice.epsilon),
        lam,
        learnt_by(choice),
        percent_of(result and result.clean),
        percent_of(result and result.private),
        percent_of(result and result.validation and result.validation.displayed)
        + (text.interval(result.validation) if result else ""),
        f"{result.epoch} of {result.epochs}" if result and choice.codes is None else "–",
        f"{result.seconds:.1f} s" if result else "–",
        state_of(run),
    ]
    return table_row(*cells, title=choice.mechanism)


def learnt_by(choice: Choice) -> str:
    """The estimator in a word or two."""
    if choice.codes is not None:
        return "likelihood"
    return text.OBJECTIVES[objective_in_use(choice.objective, choice.budget.epsilon_x)].lower()


def state_of(run: Run) -> str:
    """How a run ended, where that is not plain."""
    if run.active:
        return "going on"
    if run.state == "failed":
        return "failed: please try again"
    stopped = run.state == "stopped" or (run.result is not None and run.result.stopped)
    notes = (["stopped"] if stopped else []) + (["same reports"] if run.reused else [])
    return ", ".join(notes + (["PrivUnit"] if run.choice.noise == "PrivUnit" else []))


def frame(runs: list[Run]) -> pd.DataFrame:
    """All finished runs as a table for download; the columns are those of the benchmarks where they exist there."""
    return pd.DataFrame(
        [
            {
                "run": run.number,
                "experiment": run.choice.experiment,
                "dataset": run.choice.dataset,
                "mechanism": run.choice.mechanism,
                "noise": run.choice.noise,
                "codes": run.choice.codes,
                "objective": learnt_by(run.choice),
                "people": run.reports,
                "epsilon": run.choice.epsilon,
                "lam": run.choice.lam,
                "epsilon_x": run.choice.budget.epsilon_x,
                "epsilon_y": run.choice.budget.epsilon_y,
                "clean_accuracy": 100 * run.result.clean,
                "private_accuracy": 100 * run.result.private,
                "validation_estimate": 100 * run.result.validation.estimate if run.result.validation else None,
                "validation_low": 100 * run.result.validation.low if run.result.validation else None,
                "validation_high": 100 * run.result.validation.high if run.result.validation else None,
                "validation_queries": run.result.queries,
                "kept_epoch": run.result.epoch,
                "epochs": run.result.epochs,
                "seconds": round(run.result.seconds, 2),
            }
            for run in runs
            if run.result is not None
        ]
    )


def dot(run: Run) -> str:
    """The run's colour."""
    return f'<b class="rlm-run" style="background:{colour_of(run.number)}"></b>'


def percent_of(share: Any) -> str:
    """A measured share with one decimal; a dash where there is none yet."""
    return "–" if share is None else f"{100 * share:.1f} %"
