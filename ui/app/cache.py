"""The only ``st.cache_*`` of the app: models, samples and pictures of fixed things. Never a draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
import torch

from rlm_core import zoo
from rlm_core.catalogue import DATASETS
from rlm_core.data.samples import ImageSamples, LoanExamples, cifar10_samples, loan_examples, mnist_samples
from rlm_core.learning.device import pick_device
from ui.app import recommendation
from ui.kit.pictures import data_address, png

torch.set_num_threads(1)  # small networks are faster with one thread, and other visitors are not starved

PICTURES = tuple(name for name, facts in DATASETS.items() if facts.record == "picture")
"""The names of the datasets of pictures."""


@st.cache_resource(show_spinner="Loading the mechanism …", max_entries=40)
def model(name: str) -> Any:
    """A pretrained mechanism with its decoder and public prior (verified on loading)."""
    return zoo.load(name)


@st.cache_resource(show_spinner=False)
def samples(dataset: str) -> ImageSamples:
    """Test pictures that come with the project."""
    return {"mnist": mnist_samples, "cifar10": cifar10_samples}[dataset]()


@st.cache_resource(show_spinner=False)
def loans() -> LoanExamples:
    """Invented loans that come with the project."""
    return loan_examples()


@st.cache_data(show_spinner=False)
def gallery(dataset: str, per_class: int) -> dict[str, tuple[int, str]]:
    """Names of samples ("7-2", "frog-1") to their row among the samples and a picture's address.

    Ordered by number, then by class: a row of the gallery shows each class once.
    """
    chosen = samples(dataset)
    rows = [np.flatnonzero(chosen.labels == label)[:per_class] for label in range(len(chosen.classes))]
    return {
        f"{chosen.classes[label]}-{number + 1}": (int(row), data_address(png(chosen.images[row] / 255.0)))
        for number, of_class in enumerate(zip(*rows, strict=True))
        for label, row in enumerate(of_class)
    }


@st.cache_data(show_spinner=False)
def mechanism_names(dataset: str) -> list[str]:
    """Mechanisms in the zoo for whole records of a dataset: not for some columns, or all classes but one."""
    return [each for each in zoo.names(dataset) if zoo.card(each).preset.get("split") == "data_collection"]


@st.cache_data(show_spinner=False)
def chosen_mechanism(dataset: str, epsilon: float) -> str:
    """The mechanism that the zoo recommends for a total budget."""
    return str(zoo.choose(dataset, epsilon))


@st.cache_data(show_spinner=False)
def mechanisms_of(dataset: str, split: str) -> list[str]:
    """Mechanisms in the zoo that were trained on one split of a dataset, e.g. without the novel class."""
    return [each for each in zoo.names(dataset) if zoo.card(each).preset.get("split") == split]


@st.cache_data(show_spinner=False)
def suited_mechanism(dataset: str, epsilon: float, purpose: str, names: tuple[str, ...]) -> str:
    """Of ``names``, the one recommended for a purpose at the budget nearest to ε."""
    return recommendation.suited_mechanism(dataset, epsilon, purpose, names)


@st.cache_resource(show_spinner=False)
def device() -> str:
    """Where the models run: cuda, mps or cpu."""
    return pick_device("auto").type


def pair_pictures(card: str, sets: np.ndarray, epsilon: float) -> np.ndarray:
    """What the collector can see of drawings that came as sets of pairs: (n, k·K) to pictures (n, 28, 28)."""
    from rlm_core.collector.pair_decoder import pair_pictures as pictures

    decoder = model(card).decoder
    frequencies, prototypes = decoder.frequencies.cpu().numpy(), decoder.prototypes.cpu().numpy()
    found = pictures(sets, epsilon=epsilon, frequencies=frequencies / frequencies.sum(), prototypes=prototypes)
    return found.reshape(len(sets), 28, 28)


@st.cache_resource(show_spinner=False, max_entries=40)
def prior_records(name: str, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of at most ``most`` public records of a mechanism's bundle, and what its decoder makes of each."""
    prior = model(name).bundle.prior_z
    rows = np.arange(0, len(prior), -(-len(prior) // most))
    return rows, model(name).decode(prior[rows])


@st.cache_resource(show_spinner=False, max_entries=20)
def code_records(name: str) -> np.ndarray:
    """The mean record of every code of a mechanism: (k, input_dim)."""
    found: np.ndarray = model(name).decode(np.eye(model(name).card.latent_dim))
    return found
