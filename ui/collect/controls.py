"""The collector's choices: widgets to one :class:`Choice`, each in the address."""

from __future__ import annotations

import math

import streamlit as st

from rlm_core import Budget, LaplaceNoise, catalogue
from rlm_core.catalogue import DATASETS
from ui.app import cache, controls
from ui.app.two_guarantees import two_guarantees
from ui.collect import text
from ui.collect.reports import Choice, own_columns, people_available, sends_labels
from ui.collect.task import CHECKS
from ui.kit.address import in_address
from ui.kit.formats import number

RECOMMENDED = {"collection": "denoising", "private": "denoising", "novel": "denoising", "join": "naive"}
"""The objective that we suggest."""

EVERYONE = 1_000_000
PEOPLE = (250, 500, 1_000, 2_000, 4_000, 8_000, EVERYONE)
NOISES = {"Laplace": "Laplace (the mechanism’s own)", "PrivUnit": "PrivUnit"}


def choose() -> Choice:
    """Show all controls of the page; return the visitor's choice."""
    experiment = experiment_control()
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        dataset = dataset_control(experiment)
        objective = "naive" if experiment == "join" else objective_control(experiment)
    about = text.ABOUT_JOINED if experiment == "join" else text.ABOUT_OBJECTIVE[objective]
    if experiment == "novel" and objective == "denoising":
        about += f" {text.ABOUT_COMPLETED}"
    st.html(f'<p class="rlm-note">{about}</p>')
    st.header("Whom do you ask, and how privately?", anchor=False)
    budget, people = budget_and_people(experiment, dataset)
    mechanism, noise = mechanism_control(experiment, dataset, budget.epsilon)
    available = people_available(cache.model(mechanism).bundle, experiment)
    return Choice(
        experiment=experiment,
        dataset=dataset,
        mechanism=mechanism,
        noise=noise,
        people=min(people, available),
        epsilon=budget.epsilon,
        lam=budget.lam,
        objective=objective,  # type: ignore[arg-type]
    )


def experiments() -> dict[str, str]:
    """The experiments that this copy can show: a join needs a mechanism for some columns only."""
    joins = [cache.model(each) for each in cache.mechanisms_of("lending_club", "data_join")]
    can_join = any(own_columns(each.bundle) for each in joins)
    return {key: title for key, title in text.EXPERIMENTS.items() if key != "join" or can_join}


def experiment_control() -> str:
    """Which of the paper's experiments; changing it suggests its objective."""
    titles = experiments()
    chosen = st.segmented_control(
        "Experiment",
        list(titles.values()),
        default=titles["collection"],
        required=True,
        **in_address("exp"),
        on_change=_suggest_objective,
        label_visibility="collapsed",
    )
    experiment = key_of(titles, chosen, "collection")
    st.html(f'<p class="rlm-lede">{text.ABOUT[experiment]}</p>')
    return experiment


def _suggest_objective() -> None:
    experiment = key_of(text.EXPERIMENTS, st.session_state.get("exp"), "collection")
    st.session_state["objective"] = text.OBJECTIVES[RECOMMENDED[experiment]]


def dataset_control(experiment: str) -> str:
    """Which people; the novel class and the join have one dataset each."""
    if experiment == "novel":
        return "mnist"
    return "lending_club" if experiment == "join" else controls.dataset_control(DATASETS)


def objective_control(experiment: str) -> str:
    """How the classifier treats the noise."""
    titles = text.OBJECTIVES
    chosen = st.segmented_control(
        "How to learn from noisy reports",
        list(titles.values()),
        default=titles[RECOMMENDED[experiment]],
        required=True,
        **in_address("objective"),
        help="The collector’s choice, made after the reports have arrived: it costs nobody any privacy.",
    )
    return key_of(titles, chosen, RECOMMENDED[experiment])


def budget_and_people(experiment: str, dataset: str) -> tuple[Budget, int]:
    """ε and λ (where a label is sent), and how many people are asked."""
    people = st.select_slider(
        "**People** — each sends one report",
        PEOPLE,
        value=EVERYONE,
        format_func=people_name,
        **in_address("people"),
    )
    if experiment in ("novel", "join"):
        return Budget(epsilon=controls.epsilon_control(), lam=1.0), int(people)
    return controls.budget_controls(features=DATASETS[dataset].record), int(people)


def people_name(people: int) -> str:
    """A number of people, for the slider and the address."""
    return "everyone" if people == EVERYONE else f"{people:,}"


def mechanism_control(experiment: str, dataset: str, epsilon: float) -> tuple[str, str]:
    """The mechanism and its noise, under "advanced"."""
    names = tuple(cache.mechanisms_of(dataset, catalogue.experiment(experiment).split)) or tuple(
        cache.mechanisms_of(dataset, "data_collection")
    )
    recommended = cache.suited_mechanism(dataset, epsilon, catalogue.experiment(experiment).name, names)
    with st.expander("Advanced: the mechanism"):
        left, right = st.columns([3, 2], gap="large")
        chosen = left.selectbox(
            "Mechanism",
            [controls.AUTOMATIC, *names],
            **in_address("mech"),
            help="Automatic takes the one recommended for this experiment near ε: the paper’s choice or, for private "
            "inference on MNIST, the best of our private search.",
        )
        name = str(chosen) if chosen in names else recommended
        model = cache.model(name)
        card = model.card
        noise = None
        if isinstance(model.mechanism(1.0).noise, LaplaceNoise):  # numbers in a ball: other noise fits them too
            with right:
                noise = noise_control()
        st.caption(f"In use: **{card.name}**. {card.summary} {text.REAL_PEOPLE}")
        if noise is not None:
            st.caption(text.OTHER_NOISE)
    if card.kind == catalogue.CODES and experiment == "collection":
        st.info(text.CODES_APART, icon=":material/call_split:")
    if card.central_dp is not None:
        st.html(two_guarantees(card.central_dp, epsilon))
    if experiment == "novel":
        real = card.preset.get("split") == "novel_class"
        st.caption(text.NOVEL_REAL if real else text.NOVEL_STAND_IN)
    return name, key_of(NOISES, noise, "Laplace")


def noise_control() -> str | None:
    """The noise on the representation: the mechanism's own, or another."""
    chosen: str | None = st.segmented_control(
        "Noise on the representation",
        list(NOISES.values()),
        default=NOISES["Laplace"],
        required=True,
        **in_address("noise"),
    )
    return chosen


def key_of(titles: dict[str, str], title: str | None, default: str) -> str:
    """The key of a title; the default for a title that is unknown or missing."""
    return {words: key for key, words in titles.items()}.get(title or "", default)


def cost(choice: Choice) -> float:
    """ε of one report: without a label, its share is not spent."""
    return choice.budget.epsilon_x + (choice.budget.epsilon_y if sends_labels(choice) else 0.0)


def validation_cost(choice: Choice) -> float:
    """ε of the questions of one whole run, for each member of the validation group; a join has its own rows."""
    return 0.0 if choice.experiment == "join" else CHECKS * choice.epsilon


def can_learn(choice: Choice) -> bool:
    """Without labels nothing can be learnt, except where they are known anyway."""
    return not sends_labels(choice) or choice.budget.epsilon_y > 0


def title_of(choice: Choice) -> str:
    """A run in a few words."""
    parts = [DATASETS[choice.dataset].title, f"ε = {number(choice.epsilon)}"]
    if choice.experiment in ("collection", "private"):
        parts.append(f"λ = {number(choice.lam)}")
    parts.append("joined" if choice.experiment == "join" else text.OBJECTIVES[choice.objective].lower())
    if math.isinf(choice.epsilon):
        parts[-1] = "no noise"
    return ", ".join(parts)
