"""The collector's choices: widgets to one :class:`Choice`, each in the address."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rlm_core import Budget, LaplaceNoise, catalogue, zoo
from rlm_core.catalogue import CODES, DATASETS
from rlm_core.training.features_share import features_share
from ui.app import cache, controls
from ui.app.network_title import network_title
from ui.app.two_guarantees import two_guarantees
from ui.collect import text
from ui.collect.code_reports import shipped_codes, why_so_many
from ui.collect.reports import Choice, own_columns, people_available, sends_labels
from ui.collect.task import CHECKS
from ui.kit.address import in_address
from ui.kit.formats import number

RECOMMENDED = {"collection": "denoising", "private": "denoising", "novel": "denoising", "join": "naive"}
"""The objective that we suggest."""

EVERYONE = 1_000_000
PEOPLE = (250, 500, 1_000, 2_000, 4_000, 8_000, EVERYONE)
NOISES = {"Laplace": "Laplace (the mechanism’s own)", "PrivUnit": "PrivUnit"}
EPSILON = 1.0
"""The page opens with the ε of the question that most visitors bring along: is 1 enough?"""

SUGGESTED = "collect_suggested_lam"
"""What λ was suggested last: a λ that still equals it was not moved by hand."""

BY_THE_RULE = "by the rule"
SOME_CODES = (2, 4, 8, 10, 12, 16, 24, 48, 96)


def choose(experiment: str, more: DeltaGenerator) -> Choice:
    """Show all controls of an experiment, the finer ones in the place ``more``; return the visitor's choice."""
    dataset = dataset_control(experiment)
    codes = sends_codes(experiment, dataset)
    people = int(people_control())
    epsilon = controls.epsilon_control(EPSILON)
    if codes:
        return code_choice(experiment, dataset, epsilon, people, more)
    budget = Budget(epsilon=epsilon, lam=1.0)
    if experiment in ("collection", "private"):
        budget = lambda_control(experiment, dataset, epsilon)
    objective = "naive" if experiment == "join" else objective_control(experiment)
    about = text.ABOUT_JOINED if experiment == "join" else text.ABOUT_OBJECTIVE[objective]
    if experiment == "novel" and objective == "denoising":
        about += f" {text.ABOUT_COMPLETED}"
    st.html(f'<p class="rlm-note">{about}</p>')
    with more:
        mechanism, noise = network_control(experiment, dataset, epsilon)
    available = people_available(cache.model(mechanism).bundle, experiment)
    return Choice(
        experiment=experiment,
        dataset=dataset,
        mechanism=mechanism,
        noise=noise,
        people=min(people, available),
        epsilon=epsilon,
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
    )
    experiment = key_of(titles, chosen, "collection")
    st.html(f'<p class="rlm-note">{text.ABOUT[experiment]}</p>')
    return experiment


def _suggest_objective() -> None:
    experiment = key_of(text.EXPERIMENTS, st.session_state.get("exp"), "collection")
    st.session_state["objective"] = text.OBJECTIVES[RECOMMENDED[experiment]]


def dataset_control(experiment: str) -> str:
    """Which people; the novel class and the join have one dataset each."""
    if experiment == "novel":
        return "mnist"
    return "lending_club" if experiment == "join" else controls.dataset_control(DATASETS)


def sends_codes(experiment: str, dataset: str) -> bool:
    """What everybody sends, by a name that people read: codes, or numbers with noise."""
    if experiment not in ("collection", "private") or not shipped_codes(dataset):
        return False
    chosen = st.segmented_control(
        "What everybody sends",
        [text.CODES_NAME, text.NUMBERS_NAME],
        default=text.CODES_NAME,
        required=True,
        **in_address("send"),
        help=text.ABOUT_PIXELS,
    )
    codes = bool(chosen != text.NUMBERS_NAME)
    st.html(f'<p class="rlm-note">{text.ABOUT_CODES if codes else text.ABOUT_NUMBERS}</p>')
    return codes


def lambda_control(experiment: str, dataset: str, epsilon: float) -> Budget:
    """λ as the experiments divide ε, until the visitor moves it."""
    suggested = features_share(catalogue.experiment(experiment).name, dataset, epsilon)
    if st.session_state.get("lam") == st.session_state.get(SUGGESTED):  # not moved by hand: it follows ε
        st.session_state["lam"] = suggested
    st.session_state[SUGGESTED] = suggested
    budget = controls.lambda_control(epsilon, features=DATASETS[dataset].record, default_lam=suggested)
    st.html(f'<p class="rlm-note">{text.suggested_lambda(suggested, budget.lam)}</p>')
    return budget


def people_control() -> int:
    """How many people are asked."""
    return int(
        st.select_slider(
            "People, each with one report",
            PEOPLE,
            value=EVERYONE,
            format_func=people_name,
            **in_address("people"),
        )
    )


def people_name(people: int) -> str:
    """A number of people, for the slider and the address."""
    return "everyone" if people == EVERYONE else f"{people:,}"


def code_choice(experiment: str, dataset: str, epsilon: float, people: int, more: DeltaGenerator) -> Choice:
    """The mechanism with as many codes as the rule gives, or as the visitor wants."""
    finest = shipped_codes(dataset)[-1]
    count = min(people, int(finest.bundle["train_y"][0]))
    name = zoo.choose_codes(dataset, epsilon, count)
    above = more.container()
    if "order" in finest.architecture:
        with more.expander("Advanced: how many codes"):
            few = [str(each) for each in SOME_CODES if each <= finest.latent_dim]
            chosen = st.selectbox("Codes", [BY_THE_RULE, *few], **in_address("codes"))
            if chosen in few:
                name = zoo.code_name(dataset, int(chosen))
            st.caption(text.REAL_PEOPLE)
    codes = zoo.card(name).latent_dim
    above.html(f'<p class="rlm-note">{text.NO_LAMBDA}</p>')
    above.caption(f"{why_so_many(dataset, epsilon, count, codes)} {text.learnt_from_codes(dataset, epsilon)}")
    return Choice(
        experiment=experiment,
        dataset=dataset,
        mechanism=name,
        noise="pairs",
        people=count,
        epsilon=epsilon,
        lam=1.0,
        objective="denoising",
        codes=codes,
    )


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


def network_control(experiment: str, dataset: str, epsilon: float) -> tuple[str, str]:
    """The network that makes the numbers, and their noise, under "advanced"."""
    split = catalogue.experiment(experiment).split
    names = tuple(
        name
        for name in cache.mechanisms_of(dataset, split) or cache.mechanisms_of(dataset, "data_collection")
        if zoo.card(name).kind != CODES
    )
    recommended = cache.suited_mechanism(dataset, epsilon, catalogue.experiment(experiment).name, names)
    titles = network_titles(names)
    with st.expander("Advanced: network and noise"):
        chosen = st.selectbox(
            "Network",
            [controls.AUTOMATIC, *titles.values()],
            **in_address("network"),
            help="Automatic takes the one recommended for this experiment near ε: the paper’s choice or, for private "
            "inference on MNIST, the best of our private search.",
        )
        name = key_of(titles, chosen, recommended)
        model = cache.model(name)
        card = model.card
        noise = None
        if isinstance(model.mechanism(1.0).noise, LaplaceNoise):  # numbers in a ball: other noise fits them too
            noise = noise_control()
        st.caption(f"In use: **{network_title(card)}** ({card.name}). {text.REAL_PEOPLE}")
        if noise is not None:
            st.caption(text.OTHER_NOISE)
    if card.central_dp is not None:
        st.html(two_guarantees(card.central_dp, epsilon))
    if experiment == "novel":
        real = card.preset.get("split") == "novel_class"
        st.caption(text.NOVEL_REAL if real else text.NOVEL_STAND_IN)
    return name, key_of(NOISES, noise, "Laplace")


def network_titles(names: tuple[str, ...]) -> dict[str, str]:
    """Names of files to names for people; equal ones are numbered.

    >>> network_titles(("mnist-vrlm-l10-eps33",))["mnist-vrlm-l10-eps33"]
    '8 numbers within 10, trained with noise of ε = 33'
    """
    titles: dict[str, str] = {}
    for name in names:
        words, count = network_title(zoo.card(name)), 2
        while words in titles.values():
            words, count = f"{network_title(zoo.card(name))} ({count})", count + 1
        titles[name] = words
    return titles


def noise_control() -> str | None:
    """The noise on the representation: the mechanism's own, or another."""
    chosen: str | None = st.segmented_control(
        "Noise on the numbers",
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
    if choice.experiment == "join":
        return 0.0
    return choice.epsilon * (CHECKS if choice.codes is None else 1)


def can_learn(choice: Choice) -> bool:
    """Without labels nothing can be learnt, except where they are known anyway, or inside a pair."""
    return not sends_labels(choice) or choice.budget.epsilon_y > 0


def title_of(choice: Choice) -> str:
    """A run in a few words."""
    parts = [DATASETS[choice.dataset].title, f"ε = {number(choice.epsilon)}"]
    if choice.codes is not None:
        return ", ".join([*parts, f"{choice.codes} codes"])
    if choice.experiment in ("collection", "private"):
        parts.append(f"λ = {number(choice.lam)}")
    parts.append("joined" if choice.experiment == "join" else text.OBJECTIVES[choice.objective].lower())
    if math.isinf(choice.epsilon):
        parts[-1] = "no noise"
    return ", ".join(parts)
