"""Loading a shipped mechanism: the owner's encoder, the collector's decoder, and public data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn

from rlm_core.collector.code_decoder import CodeDecoder
from rlm_core.collector.decoder import ImageDecoder, MLPDecoder, TableDecoder
from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.learning.device import in_blocks, pick_device
from rlm_core.mechanism import RLM, rows
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.encoder import MLPEncoder, TrunkEncoder
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.merged_encoder import MergedEncoder
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.report import Report
from rlm_core.training.paper_settings import PAPER
from rlm_core.training.presets import preset_name
from rlm_core.types import FloatArray, IntArray
from rlm_core.vision import FEATURES, resnet18_trunk
from rlm_core.zoo.cards import (
    DECODER,
    ENCODER,
    PREPROCESSOR,
    Card,
    encoder_card,
    trunk_files,
    trunk_folder,
)
from rlm_core.zoo.checksums import verify
from rlm_core.zoo.lookup import card
from rlm_core.zoo.pack import unpacked

SIDE = 32  # of a CIFAR-10 picture
BLOCK = 256  # records encoded or decoded at a time; a GPU takes as many as fill it
CODES = "Q-RLM"
"""The kind whose representation is one of k codes, as a one-hot vector."""
CPU = torch.device("cpu")


@dataclass(frozen=True, kw_only=True, eq=False)
class Bundle:
    """Clean representations of PUBLIC data, so that a page can collect and learn without any dataset.

    ``prior``: auxiliary records (D₁), which a collector may know; ``train``, ``valid``: the
    classifier's split (D₂), to be privatised before use; ``test``: to measure with. ``*_clean``:
    columns of the same people that the collector of a data join has in the clear; else None.
    """

    prior_z: FloatArray
    prior_y: IntArray
    train_z: FloatArray
    train_y: IntArray
    valid_z: FloatArray
    valid_y: IntArray
    test_z: FloatArray
    test_y: IntArray
    train_clean: FloatArray | None = None
    valid_clean: FloatArray | None = None
    test_clean: FloatArray | None = None


@dataclass(eq=False)
class ZooModel:
    """A pretrained mechanism. ``mechanism(ε)`` is the owner's, ``decode`` the collector's."""

    card: Card
    device: str
    encoder: nn.Module = field(repr=False)
    decoder: nn.Module = field(repr=False)
    preprocessor: LoanPreprocessor | None = field(default=None, repr=False)
    half: torch.dtype | None = None

    def mechanism(self, epsilon_x: float) -> RLM:
        """The RLM that releases representations at εx; any εx, whatever noise it was trained with."""
        return RLM(
            name=self.card.name,
            encoder=self.encode,
            noise=self.noise(epsilon_x),
            input_dim=self.card.input_dim,
            output_dim=self.card.latent_dim,
            card_digest=self.digest,
        )

    @cached_property
    def digest(self) -> str:
        """The card's, read once."""
        return self.card.digest

    def vector(self, report: Report) -> FloatArray:
        """z̃ (d,) of a report by this mechanism, for :meth:`decode`; raises if another one made it."""
        if report.mechanism != self.card.name or report.digest not in (None, self.digest):
            raise ValueError(
                f"Expected a report by {self.card.name} ({self.digest}), got one by {report.mechanism} "
                f"({report.digest})."
            )
        return self.mechanism(report.epsilon_x).vector(report)

    def noise(self, epsilon_x: float) -> LaplaceNoise | SubsetSelection:
        """What follows the encoder: clip and noise, or, for codes, a random set of them."""
        if self.card.kind == CODES:
            return SubsetSelection(epsilon=epsilon_x, symbols=self.card.latent_dim)
        return LaplaceNoise(epsilon=epsilon_x, clip=L1Clip(radius=self.card.radius))

    def encode(self, x: ArrayLike) -> FloatArray:
        """h for each row: (n, input_dim) to (n, d). NOT private."""
        inputs = torch.from_numpy(rows("x", x, self.card.input_dim)).float()
        if self.card.dataset == "cifar10":
            inputs = inputs.view(-1, SIDE, SIDE, 3).permute(0, 3, 1, 2)  # (n, 3, 32, 32)
        return self._blockwise(self.encoder, inputs, self.card.latent_dim)

    def decode(self, z_private: ArrayLike) -> FloatArray:
        """x̃ for each row: (n, d) to (n, input_dim). Post-processing: costs no budget."""
        inputs = torch.from_numpy(rows("z_private", z_private, self.card.latent_dim)).float()
        decoded = self._blockwise(self.decoder.decode, inputs, self.card.input_dim)
        if self.card.dataset == "cifar10" and len(decoded):
            decoded = np.moveaxis(decoded, 1, -1).reshape(len(decoded), -1)  # back to rows of H, W, 3
        return decoded

    @cached_property
    def bundle(self) -> Bundle:
        """Representations of public data, read on first use."""
        if "bundle.safetensors" not in self.card.files:
            raise ValueError(f"Expected a bundle of public data with {self.card.name}; its card lists none.")
        tensors = load_file(self.card.folder / "bundle.safetensors")
        arrays: dict[str, Any] = {name: self._stored(name, tensor.numpy()) for name, tensor in tensors.items()}
        return Bundle(**arrays)

    def _stored(self, name: str, values: Any) -> FloatArray | IntArray:
        if name.endswith("_y"):
            labels: IntArray = values.astype(np.int64)
            return labels
        if name.endswith("_clean"):
            columns: FloatArray = values.astype(np.float64)
            return columns
        if self.card.kind == CODES:  # one number a record instead of k
            codes = np.asarray(self.card.architecture.get("cut", range(self.card.latent_dim)))[values.astype(np.int64)]
            one_hot: FloatArray = np.eye(self.card.latent_dim)[codes]
            return one_hot
        return L1Clip(radius=self.card.radius)(values)  # float16 rounding may have left the ball

    def _blockwise(self, network: Any, inputs: torch.Tensor, width: int) -> FloatArray:
        if not len(inputs):
            return np.empty((0, width))
        return in_blocks(network, inputs, device=self.device, block=BLOCK, half=self.half).double().numpy()


def load(name: str | Path, device: str = "auto", *, half: torch.dtype | None = None) -> ZooModel:
    """Load a mechanism, after comparing every file with its checksum.

    Args:
        name: one of :func:`rlm_core.zoo.names`, a cut of the finest codes (``mnist-qrlm-k23``), or, as a ``Path``, the
            folder of any other.
        device: "auto" takes cuda, then mps, then cpu; "cuda:1" is that one.
        half: ``torch.float16`` or ``torch.bfloat16`` to encode and decode in half precision, which a GPU does faster.
            h is then rounded more coarsely; the guarantee holds for any h.
    """
    if half not in (None, torch.float16, torch.bfloat16):
        raise ValueError(f"Expected half in torch.float16, torch.bfloat16 and None, got half={half!r}.")
    about = card(name)
    verify(about.folder, about.files)
    where = pick_device(device)
    owner = encoder_card(about)
    verify(owner.folder, {ENCODER: owner.files[ENCODER]})
    try:
        encoder, decoder = build(about, where)
        for module, path in ((trained_part(encoder), owner.folder / ENCODER), (decoder, about.folder / DECODER)):
            module.load_state_dict(unpacked(load_file(path)))
        if isinstance(decoder, CodeDecoder) and "cut" in about.architecture:
            decoder = decoder.merged(about.architecture["cut"])
    except (KeyError, TypeError, IndexError, RuntimeError, SafetensorError) as error:
        raise ValueError(f"The weights of {about.name} do not fit its card: {type(error).__name__} {error}.") from error
    table = about.folder / PREPROCESSOR
    return ZooModel(
        card=about,
        device=str(where),
        encoder=encoder.to(where).eval(),
        decoder=decoder.to(where).eval(),
        preprocessor=LoanPreprocessor.from_json(table.read_text(encoding="utf-8"))
        if PREPROCESSOR in about.files
        else None,
        half=half,
    )


def build(about: Card, device: torch.device = CPU) -> tuple[nn.Module, nn.Module]:
    """Encoder and decoder of a card's architecture, untrained but for the shared trunk, which is on ``device``."""
    shape = about.architecture
    if about.kind == CODES:
        scores = MergedEncoder(MLPEncoder(shape["sizes"]), shape["merge"])
        encoder = _behind_trunk(scores, about, device) if about.dataset == "cifar10" else scores
        return encoder, CodeDecoder(len(shape.get("cut", range(about.latent_dim))), tuple(shape["record"]))
    if about.dataset == "cifar10":
        adapter = MLPEncoder((FEATURES, *shape["adapter_hidden"], about.latent_dim))
        return _behind_trunk(adapter, about, device), ImageDecoder(about.latent_dim)
    sizes = (about.input_dim, *shape["hidden"], about.latent_dim)
    if about.dataset == "lending_club":
        blocks = [(start, stop) for start, stop in shape["categorical"]]
        return MLPEncoder(sizes), TableDecoder(sizes[::-1], numeric=shape["numeric"], categorical=blocks)
    return MLPEncoder(sizes), MLPDecoder(sizes[::-1])


def _behind_trunk(adapter: nn.Module, about: Card, device: torch.device) -> TrunkEncoder:
    shape, folder = about.architecture, trunk_folder(about)
    shared = trunk(folder, trunk_files(about)["trunk.safetensors"], str(device))
    return TrunkEncoder(shared, adapter, side=shape["side"], mirrored=shape["mirrored"])


@cache
def trunk(folder: Path, checksum: str, device: str) -> nn.Module:
    """The ResNet-18 trunk, verified and read once for each device: mechanisms there share it, and nobody moves it."""
    verify(folder, {"trunk.safetensors": checksum})
    return resnet18_trunk(folder / "trunk.safetensors").to(device)


def trained_part(encoder: nn.Module) -> nn.Module:
    """What the run trained: without the shared trunk, and without the merging of codes."""
    part = encoder.adapter if isinstance(encoder, TrunkEncoder) else encoder
    return part.fine if isinstance(part, MergedEncoder) else part


def choose(dataset: str, epsilon: float, purpose: str = "data_collection") -> str:
    """The mechanism of the paper's row nearest to the total budget ε (in ratio; ∞ has a row of its own).

    Nobody's labels are used to choose: the paper's table is public.
    """
    if not epsilon > 0:
        raise ValueError(f"Expected epsilon > 0, got epsilon={epsilon!r}.")
    if (purpose, dataset) not in PAPER:
        raise ValueError(f"Expected (purpose, dataset) in {sorted(PAPER)}, got {(purpose, dataset)}.")
    listed = [line.epsilon for line in PAPER[purpose, dataset]]
    if math.isinf(epsilon):
        return preset_name(purpose, dataset, math.inf)
    finite_rows = [value for value in listed if not math.isinf(value)]
    nearest = min(finite_rows, key=lambda value: abs(math.log(value / epsilon)))
    return preset_name(purpose, dataset, nearest)
