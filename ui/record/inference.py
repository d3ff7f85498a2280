"""What can the collector infer? The Bayesian observer's belief, beside the limit that ε sets."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from rlm_core import RandomisedResponse
from rlm_core.collector.inference import (
    Posterior,
    infer,
    label_log_likelihood,
    nearest_log_likelihood,
    posterior_limit,
)
from rlm_core.types import FloatArray, IntArray
from ui.kit.colours import COLLECTOR
from ui.kit.formats import number, percent, times
from ui.kit.html import shares
from ui.record import text
from ui.record.release import Drawn, Subject

ShowRecords = Callable[[IntArray, FloatArray], str]
"""Indices of prior records and their probabilities, to HTML that shows them."""


def posterior(draws: list[Drawn], model: Any, *, classes: int) -> Posterior:
    """The observer's belief after one or several reports of one record by one mechanism."""
    prior_z, prior_y = model.bundle.prior_z, model.bundle.prior_y
    exact = [drawn for drawn in draws if drawn.scale == 0.0]
    if exact:  # a report without noise says more than all others: look for its nearest public record
        label = exact[-1].report.label
        possible = np.ones(len(prior_y), dtype=bool) if label is None else prior_y == label
        log_likelihood = np.full(len(prior_y), -np.inf)
        log_likelihood[possible] = nearest_log_likelihood(exact[-1].z_private, prior_z[possible])
        return infer(log_likelihood, prior_y, classes=classes)
    log_likelihood, by_label = np.zeros(len(prior_y)), np.zeros(classes)
    for drawn in draws:
        rlm = model.mechanism(drawn.report.epsilon_x)
        log_likelihood += rlm.log_density_pairs(drawn.z_private[None], prior_z)[0]  # (M,)
        if drawn.report.label is not None:
            channel = RandomisedResponse(epsilon=drawn.report.epsilon_y, classes=classes)
            by_label += label_log_likelihood(drawn.report.label, channel.transition_matrix)
    return infer(log_likelihood, prior_y, classes=classes, log_label_likelihood=by_label)


def inference_view(subject: Subject, model: Any, drawn: Drawn, *, show_records: ShowRecords | None = None) -> None:
    """Belief over the classes with its limit, the verdict in words, and the nearest public records."""
    belief = posterior([drawn], model, classes=len(subject.classes))
    epsilon = drawn.report.epsilon
    limits = posterior_limit(belief.prior, epsilon)
    st.html(f'<p class="rlm-lede">{verdict(belief, subject)}</p>')
    st.html(
        shares(
            subject.classes, belief.classes, side="collector", limits=limits, priors=belief.prior, mark=subject.label
        )
        + '<div class="rlm-legend">'
        f'<span><b style="background:{COLLECTOR}"></b>belief after the report</span>'
        '<span><b class="rlm-dot"></b>before</span>'
        '<span><b class="rlm-tick"></b>the most that ε allows</span>'
        "<span>shaded row: the truth</span></div>"
    )
    st.html(f'<p class="rlm-note">{odds_sentence(belief, epsilon)}</p>')
    if show_records is not None:
        nearest = belief.nearest(6)
        st.html(show_records(nearest, belief.records[nearest]))
    with st.expander("How is this computed, and what are its limits?"):
        st.caption(text.INFERENCE + " " + text.INFERENCE_LIMITS)


def verdict(belief: Posterior, subject: Subject) -> str:
    """ "true class is #k with p %", in a sentence."""
    guess, rank = int(belief.classes.argmax()), belief.rank(subject.label)
    names = [html.escape(name) for name in subject.classes]
    chance = percent(float(belief.classes[subject.label]))
    if rank == 1:
        return f'The collector’s best guess is the truth: <b class="rlm-own">{names[subject.label]}</b>, with {chance}.'
    return (
        f'The collector’s best guess is <b class="rlm-col">{names[guess]}</b> with '
        f"{percent(float(belief.classes[guess]))}. The true class, "
        f'<b class="rlm-own">{names[subject.label]}</b>, is #{rank} with {chance}.'
    )


def odds_sentence(belief: Posterior, epsilon: float) -> str:
    """How far the odds moved, and how far they could have."""
    if math.isinf(epsilon):
        return "Without noise there is no limit: the observer takes the nearest public record for the sender."
    return (
        f"This report changed the odds between two classes by a factor of {times(belief.odds_factor)} at most; "
        f"ε = {number(epsilon)} would have allowed {times(math.exp(epsilon))}."
    )
