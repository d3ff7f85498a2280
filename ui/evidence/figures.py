"""Accuracy against ε, ours and the paper's, as a figure; the cell-by-cell table and the answer as HTML."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np

from benchmarks.summary import Cell, shown_name
from rlm_core.catalogue import TEST_SHARE
from rlm_core.theory import krr_cap, vertex_accuracy
from ui.evidence.data import Level, Need, View
from ui.kit.charts import Figure, axis, inked, layout, level
from ui.kit.colours import COLLECTOR, NEUTRAL
from ui.kit.formats import epsilon_up, number
from ui.kit.gain_chart import release_words
from ui.kit.html import table_html
from ui.kit.mechanism_style import looks

LOW, HIGH = 0.4, 10.1
END_LABELS = 11.9  # room for the mechanisms' names at the right


def accuracy_chart(view: View, *, with_paper: bool) -> Figure:
    """One solid line per mechanism for ours, one dashed for the paper's; chance, no-LDP and baseline lines."""
    look = looks(view.mechanisms)
    traces: list[Figure] = []
    if view.experiment == "private_inference":
        traces += _theory(round(100 / view.chance))
    for name in view.mechanisms:
        ours = [cell for cell in view.ours.get(name, []) if math.isfinite(cell.epsilon)]
        paper = {epsilon: cell for epsilon, cell in view.paper.get(name, {}).items() if math.isfinite(epsilon)}
        if ours:
            traces.append(_ours(name, ours, look[name]))
        if paper and with_paper:
            traces.append(_paper(name, paper, look[name]))
    values = [y for trace in traces for y in trace["y"]] + [each.accuracy for each in view.without_ldp]
    lowest, highest = min([*values, view.chance]), max([*values, view.chance])
    room = max(highest - lowest, 5.0)
    lines, labels = _levels(view, {name: colour for name, (colour, _) in look.items()}, room)
    labels += _ends(view, look, room, with_paper=with_paper)
    return {
        "data": traces + lines,
        "layout": layout(540)
        | {
            "xaxis": axis("ε of one person") | {"range": [LOW, END_LABELS], "tickvals": [1, 2, 4, 6, 8, 10]},
            "yaxis": axis("right answers")
            | {"range": [max(0.0, lowest - 0.08 * room), highest + 0.09 * room], "ticksuffix": " %"},
            "annotations": labels,
        },
    }


def _ends(view: View, look: dict[str, tuple[str, str]], room: float, *, with_paper: bool) -> list[Figure]:
    """Every mechanism's name at the right end of its curve, ours where there is one; moved apart where they collide."""
    ends = []
    for name in view.mechanisms:
        curve = {cell.epsilon: cell.mean for cell in view.ours.get(name, [])}
        if not curve and with_paper:
            curve = {epsilon: mean for epsilon, (mean, _) in view.paper.get(name, {}).items()}
        finite = {epsilon: mean for epsilon, mean in curve.items() if math.isfinite(epsilon)}
        if finite:
            ends.append((finite[max(finite)], name))
    labels, lowest = [], -math.inf
    for y, name in sorted(ends):
        lowest = max(y, lowest + 0.045 * room)
        words = inked(f"<b>{shown_name(name)}</b>", look[name][0])
        labels.append(_label(lowest, words, "middle") | {"x": HIGH, "xshift": 7, "font": {"size": 12}})
    return labels


def _theory(classes: int) -> list[Figure]:
    """The bound and the cap at the ε of a test point, over the ε of training."""
    epsilon = np.linspace(0.5, 10.0, 96)
    curves = (
        ("theory: Laplace, classes on vertices", vertex_accuracy(TEST_SHARE * epsilon, classes), COLLECTOR, "solid"),
        ("theory: cap of any ε-LDP report", krr_cap(TEST_SHARE * epsilon, classes), NEUTRAL, "dash"),
    )
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": epsilon.round(3).tolist(),
            "y": (100 * values).round(3).tolist(),
            "line": {"color": colour, "width": 1.4, "dash": dash},
            "name": name,
            "hovertemplate": f"{name}<br>%{{y:.1f}} % at ε = %{{x}}<extra></extra>",
        }
        for name, values, colour, dash in curves
    ]


def _ours(name: str, cells: Sequence[Cell], look: tuple[str, str]) -> Figure:
    colour, mark = look
    ordered = sorted(cells, key=lambda cell: cell.epsilon)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [cell.epsilon for cell in ordered],
        "y": [round(cell.mean, 3) for cell in ordered],
        "error_y": _whiskers([0.0 if math.isnan(cell.std) else cell.std for cell in ordered], colour),
        "line": {"color": colour, "width": 2.2},
        "marker": {"color": colour, "symbol": mark, "size": 8},
        "name": f"{shown_name(name)}, ours",
        "legendgroup": name,
        "customdata": [settings(cell) for cell in ordered],
        "hovertemplate": f"<b>{shown_name(name)}, ours</b><br>%{{customdata}}<extra></extra>",
    }


def _paper(name: str, curve: dict[float, tuple[float, float]], look: tuple[str, str]) -> Figure:
    colour, mark = look
    epsilons = sorted(curve)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": epsilons,
        "y": [curve[epsilon][0] for epsilon in epsilons],
        "error_y": _whiskers([curve[epsilon][1] for epsilon in epsilons], colour),
        "line": {"color": colour, "width": 1.6, "dash": "dash"},
        "marker": {"color": colour, "symbol": f"{mark}-open", "size": 8, "line": {"width": 1.5}},
        "name": f"{shown_name(name)}, paper",
        "legendgroup": name,
        "customdata": [f"ε = {number(e)}: {curve[e][0]:.1f} ± {curve[e][1]:.1f} %<br>3 trials" for e in epsilons],
        "hovertemplate": f"<b>{shown_name(name)}, paper</b><br>%{{customdata}}<extra></extra>",
    }


def _whiskers(sizes: list[float], colour: str) -> Figure:
    return {"type": "data", "array": [round(size, 3) for size in sizes], "color": colour, "thickness": 1.1, "width": 4}


def settings(cell: Cell) -> str:
    """Everything behind one mark: accuracy, release (pair or split), k or d, l, ε_pre, people, seeds, version."""
    seeds = f"{cell.seeds} seed" + "s" * (cell.seeds != 1)
    parts = [
        release_words(cell) if cell.experiment == "data_collection" else _size(cell),
        f"l = {cell.radius.removesuffix('.0')}" if cell.radius else "",
        f"ε_pre = {cell.epsilon_pretraining.removesuffix('.0')}" if cell.epsilon_pretraining else "",
    ]
    chosen = ", ".join(part for part in parts if part)
    return html.escape(
        f"ε = {number(cell.epsilon)}: {mean_std(cell.mean, cell.std)} % over {seeds}"
        + (f"\n{chosen}" if chosen else "")
        + (f"\n± {cell.draw_std:.1f} between draws of the noise, within a seed" if cell.draw_std >= 0 else "")
        + f"\n{cell.train_rows} people sent a report, {cell.test_rows} were tested"
        + f"\nprotocol {cell.protocol}, version {cell.version}"
    ).replace("\n", "<br>")


def _size(cell: Cell) -> str:
    """λ and d, as far as they are known."""
    known = (f"λ = {cell.lam}" if cell.lam else "", f"d = {cell.latent_dim}" if cell.latent_dim else "")
    return ", ".join(each for each in known if each)


def mean_std(mean: float, std: float | None) -> str:
    """ "86.1 ± 1.0"; one seed has no deviation.

    >>> mean_std(86.12, 1.0), mean_std(50.0, float("nan"))
    ('86.1 ± 1.0', '50.0')
    """
    return f"{mean:.1f}" if std is None or math.isnan(std) else f"{mean:.1f} ± {std:.1f}"


def _levels(view: View, colours: dict[str, str], room: float) -> tuple[list[Figure], list[Figure]]:
    """Chance, no LDP and clean features only: thin lines; those that lie close together share one label."""
    lines = [level(view.chance, "chance", low=LOW, high=HIGH)]
    labels = [_label(view.chance, f"chance, {view.chance:g} %", "top") | {"x": 4.2}]  # between two ε: no mark is there
    groups: list[list[Level]] = []
    for each in view.without_ldp:  # highest first
        words = f"no LDP: {', '.join(map(shown_name, each.mechanisms))} ({each.source})"
        colour = colours[each.mechanisms[0]] if len(each.mechanisms) == 1 else NEUTRAL
        lines.append(level(each.accuracy, words, low=LOW, high=HIGH, colour=colour, dash="solid") | {"opacity": 0.55})
        if groups and groups[-1][0].accuracy - each.accuracy < 0.08 * room:
            groups[-1].append(each)
        else:
            groups.append([each])
    for group in groups:
        high, low = group[0].accuracy, group[-1].accuracy
        names = [name for each in group for name in each.mechanisms]
        whose = f"{shown_name(names[0])} " if len(names) == 1 else ""
        words = f"{whose}without LDP, {low:.1f} to {high:.1f} %"
        labels.append(_label(high, words.replace(f"{high:.1f} to {high:.1f}", f"{high:.1f}"), "bottom"))
    clean = view.clean_features
    if clean is not None:
        words = f"clean features only ({clean.source})"
        lines.append(level(clean.accuracy, words, low=LOW, high=HIGH, dash="dashdot"))
        labels.append(_label(clean.accuracy, f"clean features only, {clean.accuracy:.1f} %", "top"))
    return lines, labels


def _label(y: float, words: str, anchor: str) -> Figure:
    return {
        "x": LOW + 0.05,
        "y": y,
        "text": words if words.startswith("<") else inked(words),
        "showarrow": False,
        "xanchor": "left",
        "yanchor": anchor,
        "font": {"size": 11},
    }


def cells_table(view: View) -> str:
    """The paper's table with ours in it: mechanisms down, ε across, as HTML that scrolls sideways on a phone."""
    names = [*view.mechanisms, *(name for name in view.ours if name not in view.mechanisms)]
    ours = {(cell.mechanism, cell.epsilon): cell for cell in view.cells}
    epsilons = {cell.epsilon for cell in view.cells} | {e for curve in view.paper.values() for e in curve}
    columns = sorted((each for each in epsilons if math.isfinite(each)), reverse=True)
    columns += [math.inf] if math.inf in epsilons else []
    head = ("", *("no LDP" if math.isinf(each) else f"ε = {number(each)}" for each in columns))
    rows = []
    for name in names:
        paper, title = view.paper.get(name, {}), shown_name(name)
        cells = "".join(_cell(ours.get((name, each)), paper.get(each), hint=title) for each in columns)
        rows.append(f"<tr><th>{html.escape(title)}</th>{cells}</tr>")
    return table_html(head, rows, look="rlm-cells", around="rlm-wide-table")


def _cell(cell: Cell | None, paper: tuple[float, float] | None, *, hint: str) -> str:
    small = "" if paper is None else f"<small>paper {mean_std(*paper)}</small>"
    if cell is None:
        return f"<td><span>–</span>{small}</td>"
    title = html.escape(f"{hint}: {cell.seeds} seeds, protocol {cell.protocol}, version {cell.version}")
    if cell.difference is None:
        return f'<td title="{title}"><b>{mean_std(cell.mean, cell.std)}</b>{small}</td>'
    small = small or f"<small>paper {mean_std(cell.paper_mean or 0.0, cell.paper_std)}</small>"
    mark = "●" if cell.reaches else "◐" if cell.within_two_std else "○"
    difference = f"{cell.difference:+.1f}".replace("-", "−")
    return (
        f'<td title="{title}"><b>{mean_std(cell.mean, cell.std)}</b>{small}'
        f'<em class="rlm-{"low" if mark == "○" else "fine"}">{mark} {difference}</em></td>'
    )


def needs_list(found: Sequence[Need], accuracy: float) -> str:
    """A bar for each mechanism, as long as the ε it needs, as HTML."""
    look = looks(dict.fromkeys(need.mechanism for need in found))
    rows = []
    for need in found:
        colour = look[need.mechanism][0]
        name = f"{need.name}, {need.source}"
        if need.epsilon is None:
            bar, words = "", f"never: best {need.best:.1f} % at ε = {number(need.best_epsilon)}"
        else:
            dashes = f"repeating-linear-gradient(90deg,{colour} 0 6px,transparent 6px 9px)"
            paint = colour if need.source == "ours" else dashes
            bar = f'<i style="width:{10 * need.epsilon:.1f}%;background:{paint}"></i>'
            words = f"ε {'≤' if need.at_most else '≈'} {epsilon_up(need.epsilon)}"
        rows.append(f"<li><span>{name}</span><div>{bar}</div><em>{words}</em></li>")
    return f'<ul class="rlm-shares rlm-needs" aria-label="ε needed for {accuracy:g} %">{"".join(rows)}</ul>'
