"""Tables about codes, from committed results and cards: what codes give beside the paper's, and which are shipped."""

from __future__ import annotations

import math

from benchmarks import shipped, summary
from rlm_core import zoo
from rlm_core.catalogue import CODES, TEST_SHARE
from rlm_core.theory import krr_cap, vertex_accuracy

BUDGETS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0, math.inf)
SHORT = {"mnist": "MNIST", "cifar10": "CIFAR-10", "lending_club": "loans"}
NUMBERS = {"mnist": "V-RLM", "cifar10": "C-RLM", "lending_club": "V-RLM"}

COLLECTION = "Data collection, clean test records:"
INFERENCE = (
    'Private inference, ε_test = 0.7 ε. "Maximum" is the best that Laplace noise with classes on the vertices can do,'
    '\n"cap" what any ε-LDP report can (see `rlm_core.theory`):'
)
OTHERS = "Novel class (is it a 9, with codes learnt without nines; no label is collected) and data join on loans:"


def result_lines() -> list[str]:
    """Which codes are shipped, and three tables, whose rows end with the protocol and the number of seeds."""
    collected = [
        (f"{SHORT[name]}, {mechanism}", "data_collection", name, mechanism)
        for name in SHORT
        for mechanism in (CODES, f"joint {NUMBERS[name]}", NUMBERS[name])
    ]
    inferred = [
        (f"{SHORT[name]}, {mechanism}", "private_inference", name, mechanism)
        for name in ("mnist", "cifar10")
        for mechanism in (CODES, NUMBERS[name])
    ]
    others = [
        (f"novel class, {SHORT[name]}, {mechanism}", "novel_class", name, mechanism)
        for name in ("mnist", "cifar10")
        for mechanism in (CODES, f"joint {CODES}", NUMBERS[name])
    ] + [(f"data join, loans, {mechanism}", "data_join", "lending_club", mechanism) for mechanism in (CODES, "V-RLM")]
    finite = BUDGETS[:-1]
    limits = [
        _line(name, [f"{100 * limit(TEST_SHARE * epsilon, 10):.1f}" for epsilon in finite], "", "")
        for name, limit in (("Maximum of the Laplace mechanism", vertex_accuracy), ("cap", krr_cap))
    ]
    origins = [(SHORT[name], shipped.origin(name)) for name in SHORT]
    sources = ", ".join(f"{title} protocol {each.protocol} (seed {each.seed})" for title, each in origins)
    return [
        *(f"The codes in `models/` belong to: {sources}.", ""),
        *(COLLECTION, "", *_table(collected, BUDGETS), ""),
        *(INFERENCE, "", *_table(inferred, finite), *limits, ""),
        *(OTHERS, "", *_table(others, BUDGETS)),
    ]


def _table(rows: list[tuple[str, str, str, str]], budgets: tuple[float, ...]) -> list[str]:
    heads = [f"ε={budgets[0]:g}", *("∞" if math.isinf(each) else f"{each:g}" for each in budgets[1:])]
    found = [_line("", heads, "protocol", "seeds"), "|---" * (len(budgets) + 3) + "|"]
    for title, experiment, dataset, mechanism in rows:
        wanted = (dataset, mechanism)
        cells = {c.epsilon: c for c in summary.cells(experiment) if (c.dataset, c.mechanism) == wanted}
        if cells:
            figures = [f"{cells[each].mean:.1f}" if each in cells else "" for each in budgets]
            used = [cells[each] for each in budgets if each in cells]
            found.append(_line(title, figures, _joined(c.protocol for c in used), _joined(c.seeds for c in used)))
    return found


def _line(title: str, figures: list[str], *last: str) -> str:
    return "| " + " | ".join([title, *figures, *last]) + " |"


def _joined(values: object) -> str:
    return "/".join(str(each) for each in sorted(set(values)))  # type: ignore[call-overload]


def shipped_lines() -> list[str]:
    """The shipped codes, from their cards."""
    heads = ("name", "k", "seed", "protocol", "epochs", "clean %", "MB")
    found = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for about in sorted((zoo.card(zoo.choose_codes(name, math.inf)) for name in SHORT), key=lambda each: each.name):
        whole = zoo.card(about.architecture.get("encoder_of", about.name))
        figures = [
            str(whole.latent_dim),
            str(whole.seed),
            str(shipped.origin(whole.dataset).protocol),
            str(whole.epochs["mechanism"]),
            f"{whole.metrics['clean_accuracy_percent']:.1f}",
            f"{whole.size() / 1e6:.2f}",
        ]
        found.append(_line(f"`{whole.name}`", figures))
    return found
