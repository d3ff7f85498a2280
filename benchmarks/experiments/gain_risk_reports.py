"""The reports that :mod:`gain_risk` attacks, one function a kind of release, and their likelihoods.

Every function gives the arguments of ``gain_risk.Attacked``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from benchmarks.experiments import joint, participants
from benchmarks.experiments.protocol import LABELLED, Trial
from benchmarks.experiments.shipped_codes import coded_people
from rlm_core import zoo
from rlm_core.baselines import Duchi, DuchiTable, Rescaled
from rlm_core.baselines.duchi import half_spaces
from rlm_core.collector.inference import label_log_likelihood
from rlm_core.mechanism import Mechanism
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.pairs import PairSelection
from rlm_core.training.presets import preset_name
from rlm_core.types import FloatArray

Density = Callable[[ArrayLike, ArrayLike], FloatArray]


def learnt(trial: Trial, budget: Budget, *, senders: int, public: int, block: int) -> dict[str, Any]:
    """The paper's mechanism: noisy numbers with εx, and the label by randomised response with εy."""
    model = zoo.load(preset_name("data_collection", trial.dataset, trial.epsilon), device="cpu")
    bundle, card = model.bundle, model.card
    noise = model.noise(budget.epsilon_x)
    facts = {"latent_dim": card.latent_dim, "radius": card.radius, "epsilon_pretraining": card.epsilon_pretraining}
    return _split_reports(
        trial,
        budget,
        sent=(bundle.train_z[:senders], bundle.train_y[:senders]),
        known=(bundle.prior_z[:public], bundle.prior_y[:public]),
        simulate=noise.simulate,
        density=noise.log_density_pairs,
        classes=len(card.classes),
        facts=facts,
        block=block,
    )


def raw(trial: Trial, budget: Budget, *, senders: int, public: int, block: int) -> dict[str, Any]:
    """The paper's benchmarks. The public records are the validation and test people, who send nothing here."""
    people = participants.raw(preset_name("data_collection", trial.dataset, trial.epsilon), trial.mechanism, trial.seed)
    mechanism = people.make(budget.epsilon_x)
    known = tuple(np.concatenate(pair)[:public] for pair in zip(people.valid, people.test, strict=True))
    return _split_reports(
        trial,
        budget,
        sent=(people.train[0][:senders], people.train[1][:senders]),
        known=cast(LABELLED, known),
        simulate=mechanism.simulate,
        density=density_of(mechanism),
        classes=people.classes,
        facts={"latent_dim": mechanism.output_dim},
        block=block,
    )


def _split_reports(
    trial: Trial,
    budget: Budget,
    *,
    sent: LABELLED,
    known: LABELLED,
    simulate: Callable[..., FloatArray],
    density: Density,
    classes: int,
    facts: dict[str, Any],
    block: int,
) -> dict[str, Any]:
    generator = trial.generator()
    labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=classes)
    z_private = simulate(sent[0], generator=generator)
    y_private = labels.simulate(sent[1], generator=generator)
    by_label = np.stack([label_log_likelihood(y, labels.transition_matrix) for y in range(classes)])  # ỹ down, y across

    def likelihoods() -> Iterator[FloatArray]:
        for at in range(0, len(z_private), block):
            rows = slice(at, at + block)
            yield density(z_private[rows], known[0]) + by_label[y_private[rows]][:, known[1]]

    return {
        "likelihoods": likelihoods(),
        "truth": sent[1],
        "public_y": known[1],
        "classes": classes,
        "columns": {"epsilon_x": budget.epsilon_x, "epsilon_y": budget.epsilon_y, "lam": budget.lam, **facts},
    }


def pairs(trial: Trial, *, senders: int, public: int, block: int) -> dict[str, Any]:
    """The Q-RLM: code and label as one symbol with all of ε; k by the rule where the codes' tree is shipped."""
    people = coded_people(trial.dataset, trial.epsilon)
    channel = PairSelection(epsilon=trial.epsilon, codes=people.k, classes=people.classes)
    labels, public_y = people.train[1][:senders], people.prior[1][:public]
    members = channel.simulate(people.train[0][:senders], labels, generator=trial.generator())
    sets = channel.channel.vector(members)
    symbols = channel.symbols(people.prior[0][:public], public_y)
    everything = np.eye(people.k * people.classes)

    def likelihoods() -> Iterator[FloatArray]:
        for at in range(0, len(sets), block):
            yield channel.channel.log_density_pairs(sets[at : at + block], everything)[:, symbols]

    return {
        "likelihoods": likelihoods(),
        "truth": labels,
        "public_y": public_y,
        "classes": people.classes,
        "columns": _one_release(trial) | {"latent_dim": people.k, "radius": 1.0, "epsilon_pretraining": "none"},
    }


def joint_reports(trial: Trial, *, senders: int, public: int, block: int) -> dict[str, Any]:
    """Numbers and label in one release with all of ε (``rlm_core.owner.joint``)."""
    model = zoo.load(joint.RUNS[trial.dataset], device="cpu")
    bundle, classes = model.bundle, len(model.card.classes)
    sent, known = (bundle.train_z[:senders], bundle.train_y[:senders]), (bundle.prior_z[:public], bundle.prior_y)
    public_y, generator = known[1][:public], trial.generator()
    columns = _one_release(trial) | {"latent_dim": model.card.latent_dim}
    if classes == 2:
        signed, _ = joint.signed_report(bundle.prior_z, trial.epsilon)
        reports = signed.simulate(*sent, generator=generator)
        places = signed.noise.clip(signed.signed(known[0], public_y))
        columns["radius"] = signed.radius

        def likelihoods() -> Iterator[FloatArray]:
            for at in range(0, len(reports), block):
                yield signed.noise.log_density_pairs(reports[at : at + block], places)

    else:
        chosen = joint.coordinate_report(bundle.prior_z, classes, trial.epsilon)
        coordinates, members = chosen.simulate(*sent, generator=generator)
        sets, t = chosen.channel.vector(members), chosen.scaled(known[0])

        def likelihoods() -> Iterator[FloatArray]:
            for at in range(0, len(sets), block):
                rows = slice(at, at + block)
                by_symbol = np.exp(chosen.channel.log_density_pairs(sets[rows], np.eye(2 * classes)))  # (n, 2K)
                one = t[:, coordinates[rows]].T  # (n, M): P(bit = 1)
                yield np.log(one * by_symbol[:, 2 * public_y + 1] + (1 - one) * by_symbol[:, 2 * public_y])

    return {
        "likelihoods": likelihoods(),
        "truth": sent[1],
        "public_y": public_y,
        "classes": classes,
        "columns": columns,
    }


def _one_release(trial: Trial) -> dict[str, Any]:
    return {"epsilon_x": trial.epsilon, "epsilon_y": 0.0}


def density_of(mechanism: Mechanism) -> Density:
    """log p(z̃ₙ | xₘ) of a benchmark, up to a constant; Duchi's by :func:`duchi_density`."""
    if isinstance(mechanism, Rescaled):
        duchi, bounds = cast(Duchi, mechanism.mechanism), mechanism.bounds
        middle = (np.asarray(bounds.low) + np.asarray(bounds.high)) / 2  # what a feature that never varies reports
        return lambda z_private, x: duchi_density(duchi, np.sign(z_private - middle), bounds.to_cube(x))
    if isinstance(mechanism, DuchiTable):
        parts = [(columns, density_of(part)) for columns, part in mechanism.parts]
        return lambda z_private, x: sum(  # type: ignore[return-value]
            density(np.asarray(z_private)[:, columns], np.asarray(x)[:, columns]) for columns, density in parts
        )
    return cast(Density, mechanism.log_density_pairs)  # type: ignore[attr-defined]  # all others have one


def duchi_density(duchi: Duchi, signs: FloatArray, x: FloatArray) -> FloatArray:
    """log p(t | x) of a corner t, up to a constant: (n, d) of ±1 and (m, d) in the cube to (n, m).

    p(t | x) ∝ 1 + (r − 1)·P(t·v ≥ 0 | x) with r = p|T⁻|/((1 − p)|T⁺|), about e^ε. t·v is a sum of d independent signs
    with mean t·x and variance Σ(1 − xⱼ²), normal to a good approximation; its values are 2 apart, so P(t·v ≥ 0) is
    P(t·v > −1) for even d.
    """
    plus, minus = half_spaces(duchi.dimension)
    ratio = float(duchi.probability * minus / ((1 - duchi.probability) * plus))
    deviation = np.sqrt(np.maximum((1.0 - x**2).sum(axis=1), 1e-12))  # (m,)
    towards = ndtr((signs @ x.T + (duchi.dimension % 2 == 0)) / deviation)
    density: FloatArray = np.log1p((ratio - 1.0) * towards)
    return density
