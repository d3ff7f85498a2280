"""The same likelihood with a smooth network: p(y | code) as the mean of p_ψ(y | features) over D₁'s records of it.

    θ_cy = (1/M_c) Σ_{m: c_m = c} p_ψ(y | f_m),      maximise  Σₙ log Σ_c π_c Σ_y θ_cy L(reportₙ | c, y)

This is the paper's denoising objective, summed over the prior records of each code (their weights
are equal). The table of :func:`~rlm_core.collector.codes.expectation_maximisation` says one label for all
records of a code; a network also follows what changes from code to code, and so can tell records of
one code apart. The features are any public function of a record; only D₁'s are used in the fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from rlm_core.collector.codes import PairSets
from rlm_core.learning.device import pick_device
from rlm_core.types import FloatArray, IntArray, finite


@dataclass(kw_only=True)
class CodeNetwork:
    """A linear (or one-hidden-layer) classifier of features, fitted to sets of pairs.

    Args:
        classes: K.
        hidden: sizes of hidden layers.
        steps, learning_rate: of Adam on the whole likelihood, with a cosine schedule.
        weight_decay: ℓ2 penalty on the weights.
        max_prior: at most so many of D₁'s records are used.
        seed: of the first weights and the choice of records.
        device: where it is fitted and predicts: "cpu", "cuda", "cuda:1", "mps" or "auto".
    """

    classes: int
    hidden: tuple[int, ...] = ()
    steps: int = 150
    learning_rate: float = 0.05
    weight_decay: float = 1e-4
    max_prior: int = 4_000
    seed: int = 0
    device: str = "cpu"
    network_: nn.Module = field(init=False, repr=False)
    centre_: Tensor = field(init=False, repr=False)
    spread_: Tensor = field(init=False, repr=False)
    log_likelihood_: list[float] = field(init=False, default_factory=list, repr=False)

    def fit(self, reports: PairSets, features: ArrayLike, codes: ArrayLike, frequencies: ArrayLike) -> CodeNetwork:
        """Train on reports.

        Args:
            reports: sets of pairs (code, label).
            features: (M, p) of D₁'s records.
            codes: (M,) of the same records.
            frequencies: (k,) of the codes in D₁.
        """
        inputs, of_code = finite("features", features), np.asarray(codes)
        if inputs.ndim != 2 or of_code.shape != inputs.shape[:1]:
            raise ValueError(f"Expected features (M, p) and M codes, got {inputs.shape} and {of_code.shape}.")
        keep = np.random.default_rng(self.seed).permutation(len(inputs))[: self.max_prior]
        where = pick_device(self.device)
        x = torch.from_numpy(inputs[keep]).float().to(where)  # (M, p)
        groups = torch.from_numpy(of_code[keep]).long().to(where)  # (M,)
        counts = torch.bincount(groups, minlength=reports.codes).float().clamp_min(1.0)
        prior = torch.from_numpy(finite("frequencies", frequencies)).float().to(where)
        weights = (prior / prior.sum() / counts)[groups]  # (M,): π_c / M_c
        self.centre_, self.spread_ = x.mean(0), x.std(0).clamp_min(1e-6)
        self.network_ = self._build(x.shape[1]).to(where)
        optimiser = torch.optim.AdamW(
            self.network_.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay / self.learning_rate
        )
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps)
        members = torch.from_numpy(reports.members.astype(np.float32)).to(where)  # (n, kK)
        outside = math.exp(-reports.epsilon)
        self.log_likelihood_ = []
        for _ in range(self.steps):
            probabilities = self._logits(x).softmax(1) * weights[:, None]  # (M, K)
            joint = x.new_zeros(reports.codes, self.classes).index_add(0, groups, probabilities)  # (k, K)
            inside = members @ joint.flatten()  # (n,)
            value = (inside + outside * (joint.sum() - inside)).clamp_min(1e-30).log().mean()
            optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(-value)
            optimiser.step()
            schedule.step()
            self.log_likelihood_.append(value.item())
        return self

    def predict_proba(self, features: ArrayLike) -> FloatArray:
        """p_ψ(y | features): (n, p) to (n, K)."""
        inputs = torch.from_numpy(finite("features", features)).float().to(self.centre_.device)
        with torch.no_grad():
            result: FloatArray = self._logits(inputs).softmax(1).cpu().double().numpy()
        return result

    def predict(self, features: ArrayLike) -> IntArray:
        """The most likely label: (n, p) to (n,)."""
        labels: IntArray = self.predict_proba(features).argmax(axis=1)
        return labels

    def score(self, features: ArrayLike, y: ArrayLike) -> float:
        """The share of records whose label is predicted rightly."""
        return float((self.predict(features) == np.asarray(y)).mean())

    def _logits(self, inputs: Tensor) -> Tensor:
        logits: Tensor = self.network_((inputs - self.centre_) / self.spread_)
        return logits

    def _build(self, width: int) -> nn.Module:
        layers: list[nn.Module] = []
        sizes = (width, *self.hidden, self.classes)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            for size_in, size_out in zip(sizes[:-1], sizes[1:], strict=True):
                layers += [nn.Linear(size_in, size_out), nn.ReLU()]
        network = nn.Sequential(*layers[:-1])
        if not self.hidden:
            nn.init.zeros_(network[-1].weight)  # type: ignore[arg-type]  # start from "no idea"
        return network
