"""What a preset says: everything that a training needs to know but the seed and the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rlm_core.learning.loop import Schedule
from rlm_core.training.dp.accountant import CentralDP
from rlm_core.training.paper_settings import EpsilonPre

Split = Literal["data_collection", "novel_class", "data_join"]


@dataclass(frozen=True, kw_only=True)
class VRLMPreset:
    """A V-RLM: an MLP encoder and decoder trained by the ELBO.

    ``hidden`` are the encoder's hidden layers, mirrored in the decoder; ``share`` is the
    part of the training set that the mechanism gets (η in the paper). ``warm_up`` is the
    share of training during which the weight of the KL rises to 1. With ``first_epsilon`` the
    noise starts at that ε_pre and grows to its own from 30 to 70 % of training. With ``central`` the
    encoder is trained anew by DP-Adam through the decoder of the preset without it
    (``two_stage.py``), for at most ``epochs``.
    """

    dataset: Literal["mnist", "lending_club"]
    split: Split
    hidden: tuple[int, ...]
    latent_dim: int
    radius: float
    epsilon_pretraining: EpsilonPre
    learning_rate: float
    batch_size: int
    epochs: int
    schedule: Schedule = "cosine"
    warm_up: float = 0.0
    first_epsilon: float | None = None
    share: float = 0.75
    central: CentralDP | None = None


@dataclass(frozen=True, kw_only=True)
class CRLMPreset:
    """A C-RLM: ResNet-18 and a final layer trained by NT-Xent, then a decoder for pictures.

    Args:
        finetune: train the whole ResNet from pictures; otherwise only the adapter, on
            cached features of the frozen trunk.
        adapter_hidden: hidden layers between the 512 features and the 32 outputs; () is
            the paper's single final layer.
        projection_hidden, projection_dim: sizes of g(z) = W₂σ(W₁z). SimCLR projects to
            128 dimensions; the paper does not say.
        neighbours: nearest neighbours by the trunk's features that count as views (``neighbours.py``);
            0 is the paper's contrast of augmented views alone.
        temperature: τ of NT-Xent. The paper does not say; 0.5 is SimCLR's choice for
            CIFAR-10 (Chen et al. 2020, appendix "CIFAR-10").
        side: pixels to which pictures are enlarged; the paper has 224.
        central: train adapter and projection by DP-Adam.
        groups: with ``central``, into how many groups a batch is dealt for the contrastive loss.
    """

    dataset: Literal["cifar10"] = "cifar10"
    split: Split
    latent_dim: int
    radius: float
    epsilon_pretraining: EpsilonPre
    finetune: bool
    adapter_hidden: tuple[int, ...]
    projection_hidden: int
    projection_dim: int
    neighbours: int
    temperature: float
    side: int
    learning_rate: float
    batch_size: int
    epochs: int
    schedule: Schedule = "cosine"
    share: float = 0.75
    decoder_epochs: int
    decoder_learning_rate: float
    central: CentralDP | None = None
    groups: int = 0


Preset = VRLMPreset | CRLMPreset
