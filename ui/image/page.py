"""Privatise an image: follow a picture across the privacy boundary, then ask what can be inferred from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from rlm_core.types import FloatArray, IntArray
from ui.app import controls
from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.components.drawing import drawing
from ui.image import text
from ui.image.source import image_source, source_control
from ui.image.taxicab import taxicab
from ui.kit.formats import times
from ui.kit.html import picture
from ui.kit.pictures import PIXELS, as_picture, png
from ui.kit.promise import promise
from ui.record import release
from ui.record.budget_strip import strip_view
from ui.record.code_pipeline import code_of, members
from ui.record.download import downloads
from ui.record.inference import inference_view
from ui.record.ledger import draw_again, ledger_view, spent_line
from ui.record.pipeline import Stage, label_stages, noise_stage, pipeline, reach_of, report_stage, representation_stage
from ui.record.release import Drawn, Subject


def show() -> None:
    """The whole page."""
    require_app()
    heading("Privatise an image", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Everything that changes with a control; the frame around it is not run again."""
    dataset, subject = choose_picture()
    st.header("Choose a budget", anchor=False)
    budget = controls.budget_controls()
    st.html(f'<div class="rlm-promise">{promise(budget.epsilon)}</div>')
    charged = st.empty()
    model = controls.choose_mechanism(dataset, budget.epsilon)
    if subject is None:
        st.info(text.NO_PICTURE_YET, icon=":material/arrow_upward:")
        return
    drawn = release.current(subject, model, budget)
    charged.html(f'<p class="rlm-note">{text.MOVING_DRAWS} {spent_line(subject)}</p>')
    decoded = model.decode(drawn.z_private[None])[0]

    st.header("The way of your picture", anchor=False)
    st.html(f'<div class="rlm-frame">{image_pipeline(subject, model, drawn, decoded, dataset)}</div>')
    draw_again(subject, model, budget)

    left, right = st.columns([1, 1], gap="large")
    with left:
        st.header("What can the collector infer?", anchor=False)
        inference_view(subject, model, drawn, show_records=lambda rows, p: prior_records(model, dataset, rows, p))
    with right:
        if drawn.set_size is None:
            st.header("The noise, seen from above", anchor=False)
            noise_from_above(subject, model, drawn)
        else:
            st.header("What left your device: a set", anchor=False)
            st.html(sent_codes(model, drawn, dataset))

    st.header("What has been given away so far?", anchor=False)
    ledger_view(subject, model, drawn, show_decoded=lambda x, words: figure(x, dataset, words))
    st.header("The same picture at six budgets", anchor=False)
    choice = st.session_state.get("mech") or controls.AUTOMATIC
    strip_view(subject, dataset, budget.lam, choice, show_decoded=lambda x, words: figure(x, dataset, words))
    st.header("Take it with you", anchor=False)
    downloads(subject, model, drawn, decoded_png=png(as_picture(decoded, dataset), enlarge=8))


def choose_picture() -> tuple[str, Subject | None]:
    """Dataset, source, picture."""
    st.header("Choose a picture", anchor=False)
    with st.container(horizontal=True, gap="large"):
        dataset = controls.dataset_control()
        source = source_control(dataset)
    return dataset, image_source(dataset, source)


def image_pipeline(subject: Subject, model: Any, drawn: Drawn, decoded: FloatArray, dataset: str) -> str:
    """x, h → z, noise, y on the owner's side; z̃, x̃, ỹ on the collector's."""
    radius = model.card.radius
    reach = reach_of(drawn.z, drawn.z_private, drawn.noise)  # not h: it may be many times larger, and is cut off
    label, label_private = label_stages(drawn, subject)
    original = Stage(
        letter="x",
        title="your picture",
        body=picture(
            as_picture(subject.x, dataset), alt=f"the picture: {subject.title}", side="owner", size=PIXELS[dataset]
        ),
        caption=f"{subject.x.size:,} numbers, one for each pixel{' and colour' if dataset == 'cifar10' else ''}. "
        "They never leave this side.",
    )
    guess = Stage(
        letter="x̃",
        title="decoded",
        body=picture(
            as_picture(decoded, dataset),
            alt="the picture decoded from the report",
            side="collector",
            size=PIXELS[dataset],
        ),
        caption="What a decoder makes of what arrived. A guess in the shape of a picture, not your picture.",
    )
    return pipeline(
        [
            original,
            representation_stage(drawn, radius=radius, reach=reach),
            noise_stage(drawn, radius=radius, reach=reach),
            label,
        ],
        [report_stage(drawn, reach=reach), guess, label_private],
    )


@st.fragment
@guarded
def noise_from_above(subject: Subject, model: Any, drawn: Drawn) -> None:
    """Two chosen dimensions; moving them draws nothing and reruns nothing else."""
    numbers = list(range(1, drawn.z.size + 1))
    strongest = (np.argsort(-np.abs(drawn.z), kind="stable")[:2] + 1).tolist()
    first, second = st.columns(2)
    a = first.selectbox("Across", numbers, index=strongest[0] - 1, key=f"dim_a_{drawn.z.size}")
    b = second.selectbox("Upwards", numbers, index=strongest[1] - 1, key=f"dim_b_{drawn.z.size}")
    earlier = [each.z_private for each in release.draws_of(subject, model.card.name) if each is not drawn]
    chart, legend = taxicab(
        drawn.z, drawn.z_private, radius=model.card.radius, scale=drawn.scale, dims=(a - 1, b - 1), earlier=earlier
    )
    drawing(chart, key="taxicab")
    st.html(legend)
    st.caption(text.TAXICAB)


def sent_codes(model: Any, drawn: Drawn, dataset: str) -> str:
    """The mean picture of every code in the set, and of the record's own."""
    own, sent = code_of(drawn), members(drawn)
    shown = [own, *(code for code in sent if code != own)][:12]
    pictures = model.decode(np.eye(drawn.z.size)[shown])
    figures = "".join(
        f"<figure>{picture(as_picture(x, dataset), alt=f'mean picture of code {code + 1}', size=84, side=side)}"
        f"code {code + 1}<small>{words}</small></figure>"
        for code, x in zip(shown, pictures, strict=True)
        for side, words in [
            ("owner", "yours, sent" if own in sent else "yours, not sent") if code == own else ("collector", "sent")
        ]
    )
    left_out = len([code for code in sent if code not in shown])
    rest = f" {left_out} more were sent and are not shown." if left_out else ""
    return f'<div class="rlm-strip rlm-small">{figures}</div><p class="rlm-note">{text.SENT_CODES}{rest}</p>'


def figure(x: FloatArray, dataset: str, words: str) -> str:
    """A decoded picture with a caption under it."""
    return f"<figure>{picture(as_picture(x, dataset), alt=words, side='collector', size=96)}{words}</figure>"


def prior_records(model: Any, dataset: str, rows: IntArray, probabilities: FloatArray) -> str:
    """The public records that most likely sent the report, as the decoder shows their clean z."""
    decoded = model.decode(model.bundle.prior_z[rows])
    names = [model.card.classes[label] for label in model.bundle.prior_y[rows]]
    figures = "".join(
        f"<figure>{picture(as_picture(x, dataset), alt=f'public record: {name}', size=84)}{name}"
        f"<small>{times(float(p) * len(model.bundle.prior_y))} ×</small></figure>"
        for x, name, p in zip(decoded, names, probabilities, strict=True)
    )
    return (
        '<p class="rlm-note">The public records that most likely sent this report, as the decoder shows them, and how '
        "many times as likely the report has made each:</p>"
        f'<div class="rlm-strip rlm-small">{figures}</div>'
    )
