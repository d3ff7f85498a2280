"""Learning to classify from privatised reports: the noise is marginalised, not ignored.

Three objectives, for a collected report (z̃, ỹ) and a network p_ψ(y | ·):

    denoising     log Σₘ wₘ Σ_y p(ỹ|y) p_ψ(y|z′ₘ),  wₘ ∝ p(z̃|z′ₘ)      for clean inputs
    label-noise   log Σ_y p(ỹ|y) p_ψ(y|z̃)                              for private inputs
    naive         log p_ψ(ỹ|z̃)                                         the noise ignored

z′₁ … z′_M are representations of the auxiliary data D₁, a prior over clean
representations. Source: Mansbridge et al., section "Downstream Model Training on LDP
Data", equations "clean objective" and "noisy objective". The paper's p(z̃) is a constant
in ψ and left out: the weights w are normalised over m.

The weights depend on the reports and the prior alone, so they are computed once, in
blocks, and kept in float16: 2 bytes for each (report, prior record) pair. ``max_prior``
bounds how many prior records are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from rlm_core.collector.validation import PrivateAccuracy, Validate
from rlm_core.learning.device import pick_device
from rlm_core.learning.loop import Batches, Progress, train
from rlm_core.types import FloatArray, IntArray, finite

Objective = Literal["denoising", "label-noise", "naive"]
LogDensity = Callable[[FloatArray, FloatArray], FloatArray]
BLOCK = 500  # reports whose densities are computed at a time


class StopTraining(Exception):
    """Raise it in ``progress`` to stop a fit early; what was learnt so far is kept."""


@dataclass(kw_only=True)
class NoiseAwareClassifier:
    """A small network trained on reports, in scikit-learn's manner.

    Args:
        classes: K.
        objective: see the module's docstring.
        hidden: sizes of hidden layers; the paper has (50,) for MNIST and loans, () (logistic
            regression) for CIFAR-10, (400, 150, 50) for raw pictures.
        epochs, learning_rate, batch_size: of Adam with a cosine schedule.
        max_prior: at most so many prior records are used, drawn at random.
        checks: how many times during a fit the private validation is asked. Each time costs
            the members of the validation group one more ε; ``validation_queries_`` counts.
        seed: of the order of rows, the first weights and the choice of prior records.
        device: where the network learns and predicts: "cpu", "cuda", "cuda:1", "mps" or "auto".

    Attributes:
        network_: the fitted network, the best by private validation where there was one.
        support_, log_density_: the prior records used and the mechanism's density (denoising only).
        validation_: the private accuracy of ``network_`` (None without validation).
        validation_queries_: how often the validation group was asked.
        history_: what ``progress`` was told at the end of each epoch.
    """

    classes: int
    objective: Objective = "denoising"
    hidden: tuple[int, ...] = (50,)
    epochs: int = 30
    learning_rate: float = 3e-3
    batch_size: int = 256
    max_prior: int = 10_000
    checks: int = 10
    seed: int = 0
    device: str = "cpu"
    network_: nn.Module = field(init=False, repr=False)
    centre_: Tensor = field(init=False, repr=False)
    spread_: Tensor = field(init=False, repr=False)
    support_: FloatArray = field(init=False, repr=False)
    log_density_: LogDensity = field(init=False, repr=False)
    validation_: PrivateAccuracy | None = field(init=False, default=None)
    validation_queries_: int = field(init=False, default=0)
    history_: list[Progress] = field(init=False, default_factory=list, repr=False)

    def fit(
        self,
        z_private: ArrayLike,
        y_private: ArrayLike,
        *,
        transition: ArrayLike,
        log_density: LogDensity | None = None,
        prior: ArrayLike | None = None,
        validate: Validate | None = None,
        progress: Callable[[Progress, NoiseAwareClassifier], None] | None = None,
    ) -> NoiseAwareClassifier:
        """Train on reports.

        Args:
            z_private: (n, d).
            y_private: (n,) reported labels.
            transition: (K, K), p(ỹ | y) with the true label in rows; the identity for clean labels.
            log_density: (n, d), (m, d) to log p(z̃ₙ | zₘ), (n, m): any mechanism's. Denoising only.
            prior: (M, d) clean representations of auxiliary data. Denoising only.
            validate: asks the validation group how often a predictor is right.
            progress: called at the end of each epoch; may raise :class:`StopTraining`.
        """
        reports = torch.from_numpy(finite("z_private", z_private)).float()  # (n, d)
        labels = torch.from_numpy(np.asarray(y_private, dtype=np.int64))  # (n,)
        if reports.ndim != 2 or labels.shape != reports.shape[:1] or len(labels) == 0:
            raise ValueError(
                f"Expected z_private of shape (n, d) and n labels, "
                f"got {tuple(reports.shape)} and {tuple(labels.shape)}."
            )
        channel = torch.from_numpy(finite("transition", transition)).float()  # (K, K)
        if channel.shape != (self.classes, self.classes):
            raise ValueError(f"Expected a transition matrix {(self.classes,) * 2}, got {tuple(channel.shape)}.")
        if self.objective == "naive":
            channel = torch.eye(self.classes)
        where = pick_device(self.device)
        generator = torch.Generator(device=where).manual_seed(self.seed)
        labels, channel = labels.to(where), channel.to(where)
        if self.objective == "denoising":
            if log_density is None or prior is None:
                raise ValueError("Expected log_density and prior: the denoising objective needs both.")
            support = self._choose(finite("prior", prior))
            self.support_, self.log_density_ = support, log_density
            weights = posterior_weights(finite("z_private", z_private), support, log_density)
            inputs = torch.from_numpy(support).float().to(where)
            loss = _denoising_loss(inputs, weights, labels, channel, self)
        else:
            inputs = reports.to(where)
            loss = _plain_loss(inputs, labels, channel, self)
        self.centre_, self.spread_ = inputs.mean(0), inputs.std(0).clamp_min(1e-6)
        self.network_ = self._build(inputs.shape[1]).to(where)
        self._train(loss, len(labels), generator, validate, progress)
        return self

    def decision_function(self, z: ArrayLike) -> FloatArray:
        """Logits: (n, d) to (n, K)."""
        inputs = torch.from_numpy(finite("z", z)).float().to(self.centre_.device)
        with torch.no_grad():
            logits: Tensor = self.logits(inputs)
        return logits.cpu().double().numpy()

    def predict_proba(self, z: ArrayLike) -> FloatArray:
        """p_ψ(y | z): (n, d) to (n, K)."""
        return torch.from_numpy(self.decision_function(z)).softmax(1).numpy()

    def predict(self, z: ArrayLike) -> IntArray:
        """The most likely label: (n, d) to (n,)."""
        labels: IntArray = self.decision_function(z).argmax(1)
        return labels

    def predict_proba_private(self, z_private: ArrayLike, weights: Tensor | None = None) -> FloatArray:
        """p(y | z̃) = Σₘ wₘ p_ψ(y|z′ₘ): Bayes' rule with the prior that ψ was trained with, (n, d) to (n, K).

        For a classifier of clean inputs (denoising) that is shown a report. The weights, of
        :func:`posterior_weights`, do not depend on ψ: whoever asks after every epoch may keep them.
        """
        if self.objective != "denoising":
            raise ValueError(f"Expected a classifier with objective='denoising', got {self.objective!r}.")
        if weights is None:
            weights = posterior_weights(finite("z_private", z_private), self.support_, self.log_density_)  # (n, M)
        known = torch.from_numpy(self.predict_proba(self.support_)).float()  # (M, K)
        mixed = torch.cat([block.float() @ known for block in torch.split(weights, BLOCK)])
        return (mixed / mixed.sum(1, keepdim=True)).double().numpy()

    def predict_private(self, z_private: ArrayLike, weights: Tensor | None = None) -> IntArray:
        """The most likely label given a report: (n, d) to (n,)."""
        labels: IntArray = self.predict_proba_private(z_private, weights).argmax(1)
        return labels

    def score(self, z: ArrayLike, y: ArrayLike) -> float:
        """The share of rows whose label is predicted rightly."""
        return float((self.predict(z) == np.asarray(y)).mean())

    def logits(self, inputs: Tensor) -> Tensor:
        """The network on standardised inputs."""
        result: Tensor = self.network_((inputs - self.centre_) / self.spread_)
        return result

    def _build(self, dimension: int) -> nn.Module:
        layers: list[nn.Module] = []
        sizes = (dimension, *self.hidden, self.classes)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            for size_in, size_out in pairwise(sizes):
                layers += [nn.Linear(size_in, size_out), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    def _choose(self, prior: FloatArray) -> FloatArray:
        if len(prior) <= self.max_prior:
            return prior
        chosen = np.random.default_rng(self.seed).choice(len(prior), self.max_prior, replace=False)
        return prior[np.sort(chosen)]

    def _train(
        self,
        loss: Callable[[nn.Module, Tensor, torch.Generator], Tensor],
        rows: int,
        generator: torch.Generator,
        validate: Validate | None,
        progress: Callable[[Progress, NoiseAwareClassifier], None] | None,
    ) -> None:
        """The project's one loop over row numbers; keep the best network that was validated.

        A later network wins over an earlier one unless that was better by more than the flipped bits
        explain: at a small ε the highest of ten noisy estimates is luck, and stopping by it costs accuracy.
        """
        self.validation_, self.validation_queries_, self.history_ = None, 0, []
        best: dict[str, Tensor] = {}
        every = max(1, self.epochs // self.checks)

        def at_epoch_end(now: Progress) -> None:
            nonlocal best
            if now.valid_loss is None:
                return
            self.history_.append(now)
            if validate is not None and (now.epoch % every == 0 or now.epoch == now.epochs):
                measured = validate(self.predict)
                self.validation_queries_ += 1
                if self.validation_ is None or measured.estimate >= self.validation_.estimate - measured.flip_noise:
                    self.validation_ = measured
                    best = {name: value.clone() for name, value in self.network_.state_dict().items()}
            if progress is not None:
                progress(now, self)

        numbers = torch.arange(rows)
        batches = Batches(train=numbers, valid=numbers[: self.batch_size], batch_size=self.batch_size)
        try:
            train(
                self.network_,
                loss,
                batches,
                epochs=self.epochs,
                learning_rate=self.learning_rate,
                generator=generator,
                schedule="cosine",
                progress=at_epoch_end,
                device=generator.device,
            )
        except StopTraining:
            pass
        if best:
            self.network_.load_state_dict(best)
        self.network_.eval()


def posterior_weights(z_private: FloatArray, prior: FloatArray, log_density: LogDensity) -> Tensor:
    """wₙₘ = p(z̃ₙ|z′ₘ) / Σₘ p(z̃ₙ|z′ₘ) in float16, scaled by M so that small weights survive: (n, M).

    >>> w = posterior_weights(np.zeros((1, 1)), np.zeros((4, 1)), lambda a, b: np.zeros((len(a), len(b))))
    >>> w.tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """
    scaled = torch.empty(len(z_private), len(prior), dtype=torch.float16)
    for start in range(0, len(z_private), BLOCK):
        block = torch.from_numpy(log_density(z_private[start : start + BLOCK], prior)).float()
        scaled[start : start + BLOCK] = (block.softmax(1) * len(prior)).clamp_max(65_000)  # float16's largest
    return scaled


def _denoising_loss(
    prior: Tensor, weights: Tensor, labels: Tensor, channel: Tensor, owner: NoiseAwareClassifier
) -> Callable[[nn.Module, Tensor, torch.Generator], Tensor]:
    def loss(network: nn.Module, numbers: Tensor, generator: torch.Generator) -> Tensor:
        reported = owner.logits(prior).softmax(1) @ channel  # (M, K): p(ỹ | z′ₘ)
        rows = weights[numbers.cpu()].to(numbers.device).float()  # (b, M); they stay in main memory, 2 bytes each
        likelihood = rows @ reported / rows.sum(1, keepdim=True)  # (b, K)
        return -likelihood.gather(1, labels[numbers, None]).squeeze(1).clamp_min(1e-12).log()

    return loss


def _plain_loss(
    reports: Tensor, labels: Tensor, channel: Tensor, owner: NoiseAwareClassifier
) -> Callable[[nn.Module, Tensor, torch.Generator], Tensor]:
    def loss(network: nn.Module, numbers: Tensor, generator: torch.Generator) -> Tensor:
        likelihood = owner.logits(reports[numbers]).softmax(1) @ channel  # (b, K): p(ỹ | z̃)
        return -likelihood.gather(1, labels[numbers, None]).squeeze(1).clamp_min(1e-12).log()

    return loss
