"""The Q-RLM in the paper's experiments: reports are sets of codes, the collector's fit is maximum likelihood.

Who is in a trial, and with which ε, is as for every other mechanism of the same table. Two things differ:

* data collection sends (code, label) as one symbol with all of ε, so there is no λ; where ``benchmarks.code_settings``
  says so, the private validation chooses between the table of p(y | code) and a network over the encoder's
  features that is fitted to the same reports;
* the number of codes follows from ε and the number of reports (``rlm_core.training.codes.choice``); where there are
  as many codes as classes, and they are as frequent, every label owns a code. In private inference one report has
  to be told from others, not many counted: people to be classified send one of K codes by k-RR. In the data
  join too a record's own report is classified: see :data:`JOIN_CODES`.

docs/protocol.md and docs/protocol-3.md say what was chosen how; what differs between them is in
``benchmarks.code_settings``. Rows of protocol 1 were measured by version 0.1.0.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.code_settings import setting
from benchmarks.experiments.participants import CLASSIFIER_PARTS, MissingRun
from benchmarks.experiments.protocol import Answers, People, Trial, ask_group
from benchmarks.table import Row
from rlm_core.catalogue import CODES, NOVEL_CLASS
from rlm_core.collector.code_labels import labels_of_codes, merged_table
from rlm_core.collector.code_network import CodeNetwork
from rlm_core.collector.codes import (
    CodeClassifier,
    PairSets,
    code_posterior,
    expectation_maximisation,
)
from rlm_core.data.splits import Part
from rlm_core.mechanism import RLM
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.registry import identity
from rlm_core.training.codes.choice import codes_for, fewest_codes
from rlm_core.training.codes.run_codes import CodeRun
from rlm_core.types import BoolArray, FloatArray, IntArray

JOIN_CODES = 4
"""Codes of the private columns in the data join below ε = 4: each is one report, told by itself."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Coded:
    """Fine codes and labels of everybody in a split, and how codes merge."""

    run: CodeRun = field(repr=False)
    train: tuple[IntArray, IntArray] = field(repr=False)
    valid: tuple[IntArray, IntArray] = field(repr=False)
    test: tuple[IntArray, IntArray] = field(repr=False)
    prior: IntArray = field(repr=False)
    features: dict[str, FloatArray] = field(repr=False)
    classes: int

    def codes_for(self, epsilon: float) -> int:
        """k by the rule."""
        preset, reports = self.run.preset, len(self.train[1])
        fewest = 10 if preset.split == "novel_class" else fewest_codes(self.classes)
        return codes_for(epsilon, reports, contrast=preset.contrast, finest=self.run.finest, fewest=fewest)

    def frequencies(self, k: int) -> FloatArray:
        """How often each of k codes occurs in D₁: (k,)."""
        return np.bincount(self.run.merge(k)[self.prior], minlength=k).astype(np.float64)


@lru_cache(maxsize=2)
def coded(experiment: str, dataset: str, seed: int, runs: Path, protocol: int = 1) -> Coded:
    """Everybody's codes from the run of this experiment, seed and protocol."""
    name = setting(experiment, dataset, protocol).run
    folder = runs / f"{name}-seed{seed}"
    if not (folder / "codes.json").is_file():
        raise MissingRun(f"rlm train {name} --seed {seed} --out {runs}")
    run = CodeRun.read(folder)
    novel = run.preset.split == "novel_class"
    parts: dict[Part, tuple[IntArray, IntArray]] = {}
    features: dict[str, FloatArray] = {}
    for part in CLASSIFIER_PARTS:
        labels = run.data.labels(part)
        fine, features[part] = run.encode(part)
        parts[part] = fine, (labels == NOVEL_CLASS).astype(np.int64) if novel else labels
    prior, features["mechanism_train"] = run.encode("mechanism_train")
    return Coded(
        run=run,
        train=parts["classifier_train"],
        valid=parts["classifier_valid"],
        test=parts["classifier_test"],
        prior=prior,
        features=features,
        classes=2 if novel else len(run.data.dataset.classes),
    )


def collection(trial: Trial, runs: Path) -> Answers:
    """Table 1: everybody sends one set of pairs (code, label); clean records are classified."""
    everybody = coded(trial.experiment, trial.dataset, trial.seed, runs, trial.protocol)
    k, generator = everybody.codes_for(trial.epsilon), trial.generator()
    reports = collect_pairs(everybody, k, trial.epsilon, generator)
    fitted, merge = fit(everybody, reports), everybody.run.merge(k)
    correct = [tuple(fitted.predict(merge[fine]) == labels for fine, labels in (everybody.valid, everybody.test))]
    network_from = setting(trial.experiment, trial.dataset, trial.protocol).network_from
    if network_from is not None and trial.epsilon >= network_from:
        network = CodeNetwork(classes=everybody.classes, seed=trial.seed).fit(
            reports, everybody.features["mechanism_train"], merge[everybody.prior], everybody.frequencies(k)
        )
        correct.append(
            tuple(
                network.predict(everybody.features[part]) == labels
                for part, labels in (
                    ("classifier_valid", everybody.valid[1]),
                    ("classifier_test", everybody.test[1]),
                )
            )
        )
    estimates = (
        [estimated_accuracy(trial.epsilon, valid, generator) for valid, _ in correct] if len(correct) > 1 else [1.0]
    )
    return answers_of(trial, everybody, correct[int(np.argmax(estimates))][1], k)


def fit(everybody: Coded, reports: PairSets) -> CodeClassifier:
    """Labels of codes by the rule, with the frequencies of D₁."""
    return labels_of_codes(reports, everybody.frequencies(reports.codes))


def estimated_accuracy(epsilon: float, correct: BoolArray, generator: np.random.Generator) -> float:
    """The private validation's estimate from the members' correct-or-not bits."""
    group = ask_group(epsilon, (correct.astype(np.float64), np.ones(len(correct), dtype=np.int64)), generator)
    return group(lambda bits: bits.astype(np.int64)).estimate


def collect_pairs(everybody: Coded, k: int, epsilon: float, generator: np.random.Generator) -> PairSets:
    """The training people's sets of pairs."""
    codes, labels = everybody.run.merge(k)[everybody.train[0]], everybody.train[1]
    channel = PairSelection(epsilon=epsilon, codes=k, classes=everybody.classes)
    members = channel.simulate(codes, labels, generator=generator)
    return PairSets(members=members, epsilon=epsilon, codes=k, classes=everybody.classes)


def inference(trial: Trial, runs: Path, share: float) -> Answers:
    """Table 4: whoever is classified sends one of K codes by k-RR, with ``share`` of ε.

    Sets are optimal for counting. To tell one report, ω = 1 is: no ε-LDP report tells K equally likely codes
    better (Kairouz et al. 2016), and the accuracy is the cap e^ε/(e^ε + K − 1) times the purity of the codes, about.
    Nobody is asked which k is best: the validation group sends nothing here.
    """
    everybody = coded(trial.experiment, trial.dataset, trial.seed, runs, trial.protocol)
    generator = trial.generator()
    collected, k = everybody.codes_for(trial.epsilon), everybody.classes
    fitted = fit(everybody, collect_pairs(everybody, collected, trial.epsilon, generator))
    table = coarser_table(everybody, fitted.table, collected, k)
    channel = SubsetSelection(epsilon=share * trial.epsilon, symbols=k, subset=1)
    fine, labels = everybody.test
    sent = channel.simulate(np.eye(k)[everybody.run.merge(k)[fine]], generator=generator)
    belief = code_posterior(channel.log_density_pairs(sent, np.eye(k)), everybody.frequencies(k))
    correct = (belief @ table).argmax(axis=1) == labels
    return answers_of(trial, everybody, correct, k)


def coarser_table(everybody: Coded, table: FloatArray, collected: int, k: int) -> FloatArray:
    """p(y | code) of k merged codes from that of ``collected`` finer ones: the mean over D₁'s records, (k, K)."""
    into = np.zeros(collected, dtype=np.int64)
    into[everybody.run.merge(collected)] = everybody.run.merge(k)  # codes are nested: every fine code agrees
    return merged_table(table, into, everybody.frequencies(collected))


def novel(trial: Trial, runs: Path) -> Row:
    """Table 2: the codes of nines and of others are counted from their sets; a code is a nine if more nines have it."""
    start = time.perf_counter()
    everybody = coded(trial.experiment, trial.dataset, trial.seed, runs, trial.protocol)
    fine, labels = everybody.train
    k = everybody.codes_for(trial.epsilon)
    codes, generator = everybody.run.merge(k)[fine], trial.generator()
    channel = SubsetSelection(epsilon=trial.epsilon, symbols=k)
    shares = []
    for label in range(2):
        members = channel.simulate_symbols(codes[labels == label], generator=generator)
        reports = PairSets(members=members, epsilon=trial.epsilon, codes=1, classes=k)
        shares.append(expectation_maximisation(reports, [1.0]).table[0] * (labels == label).mean())
    fitted = CodeClassifier(table=np.stack(shares, axis=1))
    correct = fitted.predict(everybody.run.merge(k)[everybody.test[0]]) == everybody.test[1]
    return answers_of(trial, everybody, correct, k).row(trial, start)


def one_hot_people(trial: Trial, runs: Path) -> People:
    """Table 3: people whose private columns are a code, as any mechanism's people."""
    everybody = coded(trial.experiment, trial.dataset, trial.seed, runs, trial.protocol)
    k = everybody.codes_for(trial.epsilon) if trial.epsilon >= 4.0 else JOIN_CODES
    train, valid, test = (
        (np.eye(k)[everybody.run.merge(k)[fine]], labels)
        for fine, labels in (everybody.train, everybody.valid, everybody.test)
    )

    def make(epsilon_x: float) -> RLM:
        noise = SubsetSelection(epsilon=epsilon_x, symbols=k)
        return RLM(name=CODES, encoder=identity, noise=noise, input_dim=k, output_dim=k)

    facts = {"latent_dim": k, "radius": 1.0, "epsilon_pretraining": "none"}
    return People(make=make, train=train, valid=valid, test=test, classes=everybody.classes, hidden=((),), facts=facts)


def answers_of(trial: Trial, everybody: Coded, correct: BoolArray, k: int) -> Answers:
    """What a trial with k codes or numbers came to: all of ε is the one release's."""
    people = People(
        make=_no_mechanism,
        train=everybody.train,  # type: ignore[arg-type]  # codes instead of vectors: only their number is used
        valid=everybody.valid,  # type: ignore[arg-type]
        test=everybody.test,  # type: ignore[arg-type]
        classes=everybody.classes,
        hidden=(),
        facts={"latent_dim": k, "radius": 1.0, "epsilon_pretraining": "none"},
    )
    budget = {} if math.isinf(trial.epsilon) else {"epsilon_x": trial.epsilon, "epsilon_y": 0.0}
    return Answers(correct=correct, people=people, columns=budget)


def _no_mechanism(epsilon_x: float) -> RLM:
    raise ValueError(f"Expected no mechanism to be made here, got epsilon_x={epsilon_x:g}.")
