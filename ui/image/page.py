"""Privatise a picture: your device and the collector side by side, and between them what crosses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from rlm_core.collector.inference import Posterior
from rlm_core.types import FloatArray
from ui.app import cache
from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.image import text
from ui.kit.html import picture
from ui.kit.pictures import as_picture, png
from ui.record import observer, public_photos
from ui.record.download import downloads, take_home
from ui.record.observer import Received
from ui.record.sides import sides


def show() -> None:
    """The whole page."""
    require_app()
    heading("Privatise a picture", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Both sides; they run again when a report arrives, and at no other time."""
    box = sides("image", cache.PICTURES, record_name="picture", show_record=imagined)
    if not box.reports:
        take_home(cache.PICTURES)
        return
    with st.expander("Take it with you: the report, the picture, a summary"):
        newest = box.reports[-1]
        x = observer.decoded(newest)
        shown = observer.best_record(newest, observer.belief([newest])) if x is None else x
        downloads(newest, decoded_png=png(as_picture(shown, newest.dataset), enlarge=8))


def imagined(each: Received, found: Posterior) -> str:
    """What the collector can see: of a digit x̃ and its best picture; of a photo the public ones nearest to it."""
    decoded = observer.decoded(each)
    if each.dataset == public_photos.DATASET:
        return _nearest(each, found) + ("" if decoded is None else _figure(decoded, each, "x̃, decoded from the report"))
    best = _figure(observer.best_record(each, found), each, "its best picture, given this report")
    return best if decoded is None else _figure(decoded, each, "x̃, decoded from the report") + best


def _figure(x: FloatArray, each: Received, words: str) -> str:
    image = picture(as_picture(x, each.dataset), alt=words, side="collector", size=128)
    return f"<figure>{image}<figcaption>{words}</figcaption></figure>"


def _nearest(each: Received, found: Posterior) -> str:
    samples, rows = cache.samples(each.dataset), public_photos.public_rows()
    chosen = rows[public_photos.nearest_photos(each, found, public_photos.NEAREST)]
    names = [samples.classes[samples.labels[row]] for row in chosen]
    images = [
        picture(samples.images[row] / 255.0, alt=f"a public photo of class {name}", side="collector", size=62)
        for row, name in zip(chosen, names, strict=True)
    ]
    return (
        f'<figure><div class="mosaic">{"".join(images)}</div>'
        f"<figcaption>public photos nearest to the report: {counted(names)}</figcaption></figure>"
    )


def counted(names: Sequence[str]) -> str:
    """Names in their order, each once.

    >>> counted(["automobile", "truck", "automobile"])
    '2 × automobile, truck'
    """
    return ", ".join(name if times == 1 else f"{times} × {name}" for name, times in Counter(names).items())
