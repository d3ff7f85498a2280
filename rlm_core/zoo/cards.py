"""What is known about a shipped mechanism: its card, and the files that belong to it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rlm_core.places import shipped_models

MODELS = shipped_models()
"""Where the shipped mechanisms live."""

TRUNK = "resnet18-imagenet"
"""The folder of the ResNet-18 trunk, stored once for all C-RLMs."""

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Card:
    """One mechanism: what it is, what it was trained on and how, what it measured, what it cannot do.

    ``training_noise_scale`` is b of the noise used in *training*; it gives no guarantee. The
    guarantee for a record comes from the ε chosen when it is released. ``central_dp`` is another
    guarantee, for the people in the auxiliary data: what training by DP-Adam spent (ε, δ), by which
    accountant, and what it covers; None where training was not private.
    """

    name: str
    kind: str
    dataset: str
    classes: tuple[str, ...]
    input_dim: int
    latent_dim: int
    radius: float
    epsilon_pretraining: float | str
    training_noise_scale: float
    architecture: dict[str, Any]
    preset: dict[str, Any]
    data: dict[str, Any]
    seed: int
    seconds: float
    epochs: dict[str, int]
    versions: dict[str, str]
    metrics: dict[str, Any]
    bundle: dict[str, Any]
    summary: str
    limits: str
    licence: str
    files: dict[str, str] = field(default_factory=dict)
    central_dp: dict[str, Any] | None = None
    format: int = FORMAT

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return MODELS / self.name

    def size(self) -> int:
        """Bytes on disk, without the shared trunk."""
        return sum((self.folder / file).stat().st_size for file in self.files)

    def to_json(self) -> str:
        """Readable JSON."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Card:
        """The card in a file; a clear error if it is not one."""
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            if fields["format"] != FORMAT:
                raise ValueError(f"format {fields['format']!r} is not {FORMAT}")
            return cls(**(fields | {"classes": tuple(fields["classes"])}))
        except FileNotFoundError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"Expected a model card in {path.name} of {path.parent.name}, got {error}.") from error


def names(dataset: str | None = None) -> list[str]:
    """The shipped mechanisms, those of one dataset if it is given."""
    found = sorted(path.parent.name for path in MODELS.glob("*/card.json") if path.parent.name != TRUNK)
    return [name for name in found if dataset is None or card(name).dataset == dataset]


def card(name: str) -> Card:
    """The card of one mechanism; reads no weights."""
    path = MODELS / name / "card.json"
    if Path(name).name != name or not path.is_file():
        raise ValueError(f"Expected a shipped mechanism in {', '.join(names())}, got name={name!r}.")
    return Card.read(path)


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(folder: Path, files: dict[str, str]) -> None:
    """Compare every file with its checksum; raise with the name of the first that differs."""
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            raise FileNotFoundError(f"Expected the file {name} of the model {folder.name}; it is missing.")
        found = sha256(path)
        if found != expected:
            raise ValueError(
                f"The file {name} of the model {folder.name} is damaged: expected SHA-256 {expected[:12]}…, "
                f"got {found[:12]}…. Restore it (git checkout models/{folder.name}) or train it again."
            )
