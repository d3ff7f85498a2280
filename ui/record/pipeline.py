"""The pipeline of a record: the owner's stages on the left, the privacy boundary, the collector's on the right.

On a narrow screen the boundary lies across and the collector comes below. Pages for pictures and
for rows put their own stages in; the frame and the words of the shared stages are here.
"""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np

from rlm_core import RandomisedResponse
from rlm_core.types import FloatArray
from ui.kit.formats import number, percent
from ui.kit.html import meter, signed_bars
from ui.record import code_pipeline
from ui.record.release import Drawn, Subject


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step: its letter, what it is, a picture of it (HTML) and a caption in plain words (HTML)."""

    letter: str
    title: str
    body: str
    caption: str
    wide: bool = False


def pipeline(owner: list[Stage], collector: list[Stage]) -> str:
    """Both sides and the boundary as one piece of HTML."""
    return (
        '<section class="rlm-pipeline">'
        f'<div class="rlm-side rlm-side-owner"><h4>Your side</h4>{_stages(owner)}</div>'
        '<div class="rlm-boundary" role="separator" aria-label="privacy boundary">'
        "<span>privacy boundary</span></div>"
        f'<div class="rlm-side rlm-side-collector"><h4>The collector’s side</h4>{_stages(collector)}</div>'
        "</section>"
    )


def representation_stage(drawn: Drawn, *, radius: float, reach: float) -> Stage:
    """h as outlines, z as bars, and how much of the ℓ1 budget l is used; or the one code."""
    if drawn.set_size is not None:
        return _code_stage("x → c", code_pipeline.code_cell(drawn))
    norm, before, d = float(np.abs(drawn.z).sum()), float(np.abs(drawn.h).sum()), drawn.z.size
    return Stage(
        letter="h → z",
        title=f"{d} numbers",
        body=signed_bars(
            drawn.z,
            reach=reach,
            side="owner",
            ghost=drawn.h,
            alt=f"z: {d} numbers, absolute values add up to {norm:.2f}",
        )
        + meter(norm / radius, side="owner", label=f"‖z‖₁ = {norm:.2f} of l = {radius:g}"),
        caption=(
            f"A public network turns the record into {d} numbers <i>h</i> (outlines). They are scaled down, if need "
            f"be, until their absolute values add up to at most l = {radius:g}: that is <i>z</i> (solid). "
            + (f"Here from {before:.1f}." if before > radius else "Here nothing had to be scaled.")
        ),
    )


def noise_stage(drawn: Drawn, *, radius: float, reach: float) -> Stage:
    """The noise that was drawn, and the scale it was drawn with; or how the set is drawn."""
    if drawn.set_size is not None:
        return _code_stage("c → S", code_pipeline.channel_cell(drawn))
    without = drawn.scale == 0.0
    return Stage(
        letter="+",
        title="noise",
        body=signed_bars(drawn.noise, reach=reach, side="neutral", alt="the noise that was added to each number"),
        caption=(
            "ε = ∞: no noise is added, and nothing is private."
            if without
            else f"One random number for each, from the Laplace distribution of scale b = 2l/ε<sub>x</sub> = "
            f"{2 * radius:g}/{number(drawn.report.epsilon_x)} = {drawn.scale:.2f}. Drawn once from the operating "
            "system’s randomness."
        ),
    )


def report_stage(drawn: Drawn, *, reach: float) -> Stage:
    """z̃: all that the collector has of x; or the set of codes."""
    if drawn.set_size is not None:
        return _code_stage("S", code_pipeline.set_cell(drawn))
    return Stage(
        letter="z̃",
        title="what arrives",
        body=signed_bars(
            drawn.z_private, reach=reach, side="collector", alt=f"z̃: the {drawn.z.size} numbers that were sent"
        ),
        caption="<i>z</i> plus noise. These numbers are all that the collector gets of the record.",
    )


def label_stages(drawn: Drawn, subject: Subject) -> tuple[Stage, Stage]:
    """y with its flip probabilities on the owner's side, ỹ on the collector's."""
    classes, true = len(subject.classes), subject.classes[subject.label]
    if drawn.report.label is None:
        caption = "λ = 1: the whole budget goes to the features, and the label is not sent."
        before = Stage(letter="y", title="label", body=_chip(true, "owner"), caption=caption, wide=True)
        after = Stage(letter="ỹ", title="label", body=_chip("—", "collector"), caption="Not sent.", wide=True)
        return before, after
    row = RandomisedResponse(epsilon=drawn.report.epsilon_y, classes=classes).transition_matrix[subject.label]
    truth, other = float(row[subject.label]), float(row[subject.label - 1])
    reported = drawn.report.label
    before = Stage(
        letter="y",
        title="label",
        body=_chip(true, "owner") + meter(truth, side="owner", label=f"sent as it is with {percent(truth)}"),
        caption=(
            f"The label goes through randomised response: it is sent truthfully with probability {percent(truth)}, "
            f"and as {'the other' if classes == 2 else f'each of the {classes - 1} others'} with {percent(other)}."
        ),
        wide=True,
    )
    after = Stage(
        letter="ỹ",
        title="label",
        body=_chip(subject.classes[reported], "collector"),
        caption=f"What arrived. Is it the true one? The collector cannot tell: {percent(1 - truth)} of all senders "
        "report another."
        if truth < 1
        else "At ε = ∞ this is the true label.",
        wide=True,
    )
    return before, after


def reach_of(*series: FloatArray) -> float:
    """One scale for all bars of a pipeline, so that they can be compared."""
    return max(1e-9, *(float(np.abs(values).max()) for values in series)) * 1.04


def _code_stage(letter: str, cell: code_pipeline.Cell) -> Stage:
    title, body, caption = cell
    return Stage(letter=letter, title=title, body=body, caption=caption)


def _stages(stages: list[Stage]) -> str:
    return '<div class="rlm-stages">' + "".join(_stage(stage) for stage in stages) + "</div>"


def _stage(stage: Stage) -> str:
    wide = " rlm-wide" if stage.wide else ""
    return (
        f'<figure class="rlm-stage{wide}"><h5><span class="rlm-symbol">{html.escape(stage.letter)}</span>'
        f"{html.escape(stage.title)}</h5>{stage.body}<figcaption>{stage.caption}</figcaption></figure>"
    )


def _chip(text: str, side: str) -> str:
    return f'<div class="rlm-chip rlm-{side}">{html.escape(text)}</div>'
