"""Where the picture comes from: gallery, upload, drawing or camera. Each gives one Subject, or None."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.catalogue import DATASETS
from ui.app import cache
from ui.app.decoding import DecodingError, decode_once
from ui.components.canvas import canvas
from ui.image import text
from ui.image.files import MAX_BYTES, SUFFIXES, ImageError, fit_file
from ui.kit import html
from ui.kit.address import in_address
from ui.kit.pictures import PIXELS
from ui.record.release import Subject

SOURCES = {"mnist": ("Gallery", "Draw", "Upload"), "cifar10": ("Gallery", "Upload", "Camera")}
PER_CLASS = 3


def source_control(dataset: str) -> str:
    """Which of the dataset's sources."""
    sources = SOURCES[dataset]
    source = st.segmented_control(
        "Picture from",
        sources,
        default=sources[0],
        required=True,
        **in_address("source"),
    )
    return source if source in sources else sources[0]


def image_source(dataset: str, source: str) -> Subject | None:
    """Ask for a picture of the dataset; None until there is one."""
    if source == "Upload":
        return _from_file(dataset)
    if source == "Draw":
        return _from_drawing(dataset)
    if source == "Camera":
        return _from_camera(dataset)
    return _from_gallery(dataset)


def _from_gallery(dataset: str) -> Subject:
    pictures = cache.gallery(dataset, PER_CLASS)
    names = list(pictures)
    # Pills that show their picture: native keyboard use, a place in the address, and no component.
    rules = "".join(
        f'.st-key-sample [role="radiogroup"] button:nth-of-type({place}){{background-image:url({address})}}'
        for place, (_, address) in enumerate(pictures.values(), start=1)
    )
    st.html(f"<style>{rules}</style>")
    default = names[len(cache.samples(dataset).classes) - 3] if dataset == "mnist" else names[6]
    name = st.pills(
        "Sample",
        names,
        default=default,
        required=True,
        **in_address("sample"),
        label_visibility="collapsed",
        width="stretch",
    )
    name = name if name in pictures else default
    samples = cache.samples(dataset)
    row = pictures[name][0]
    st.caption(text.gallery_caption(dataset, name))
    return Subject(
        title=f"{DATASETS[dataset].title} test picture {name}",
        x=samples.images[row].astype(np.float64) / 255.0,
        label=int(samples.labels[row]),
        classes=samples.classes,
    )


def _from_file(dataset: str) -> Subject | None:
    left, right = st.columns(2, gap="large")
    with left:
        upload = st.file_uploader(
            "A picture file",
            type=list(SUFFIXES),
            key=f"upload_{dataset}",
            max_upload_size=MAX_BYTES // 2**20,
            help="It stays on this server and is forgotten with your visit.",
        )
        st.caption(text.UPLOAD[dataset])
    with right:
        return _fitted(dataset, upload.getvalue(), f"your file {upload.name}") if upload is not None else None


def _from_drawing(dataset: str) -> Subject | None:
    left, right = st.columns(2, gap="large")
    with left:
        st.caption(text.DRAWING)
        drawing = canvas("canvas")
    with right:
        return _fitted(dataset, drawing, "your drawing") if drawing is not None else None


def _from_camera(dataset: str) -> Subject | None:
    left, right = st.columns(2, gap="large")
    with left:
        photo = st.camera_input("A photo", key="camera", help="Taken in your browser, sent to this server only.")
        st.caption(text.UPLOAD[dataset])
    with right:
        return _fitted(dataset, photo.getvalue(), "your photo") if photo is not None else None


def _fitted(dataset: str, data: bytes, title: str) -> Subject | None:
    """Decode, fit, show what came of it, and ask for the label."""
    try:
        picture = decode_once(fit_file, data, dataset)
    except (ImageError, DecodingError) as error:
        st.warning(f"**This picture cannot be used.** {error}", icon=":material/broken_image:")
        st.caption("Try another file, or pick one from the gallery.")
        return None
    classes = cache.samples(dataset).classes
    st.html(
        html.picture(picture, alt="the fitted picture", side="owner", size=PIXELS[dataset])
        + f'<p class="rlm-note" style="margin-top:.6rem">{text.FITTED[dataset]}</p>'
    )
    # No default: with a label that nobody chose, the first report would be about a record that is not there.
    label = st.selectbox(
        "What does it show?",
        classes,
        index=None,
        placeholder="Choose its true label",
        key=f"label_{dataset}",
        help="Only you know it. It is privatised like the picture; nothing is released before you choose.",
    )
    if label is None:
        return None
    return Subject(title=title, x=picture.reshape(-1), label=classes.index(label), classes=classes)
