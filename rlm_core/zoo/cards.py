"""What is known about a shipped mechanism: its card, and the files that belong to it."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rlm_core.digest import digest_of
from rlm_core.places import added_models, shipped_models
from rlm_core.types import positive, printable, quote

MODELS = shipped_models()
"""Where the shipped mechanisms live."""

TRUNK = "resnet18-imagenet"
"""The folder of the ResNet-18 trunk, stored once for all C-RLMs."""

FORMAT = 1
OWN_FORMAT = "rlm-own/1"
"""Of the card in a folder that :meth:`rlm_core.LocalPrivatiser.save` wrote: another kind of mechanism."""

ENCODER, DECODER, PREPROCESSOR = "encoder.safetensors", "decoder.safetensors", "preprocessor.json"


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
    location: Path | None = field(default=None, repr=False, compare=False)  # not a part of what is written

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return MODELS / self.name if self.location is None else self.location

    @property
    def digest(self) -> str:
        """Of all that defines what is released, but for ε: reads cards, no weights.

        The kind, the encoder's file (and the trunk's), what becomes of its output (radius, or codes and how
        they are merged), how a record becomes the encoder's input, and the classes that labels name. Metrics,
        decoder and texts are not in it: they change nothing that is sent.
        """
        shape = self.architecture
        trunk = {"trunk": trunk_files(self)["trunk.safetensors"]} if self.dataset == "cifar10" else {}
        return digest_of(
            {
                "kind": self.kind,
                "encoder": encoder_card(self).files[ENCODER],
                "radius": self.radius,
                "numbers": self.latent_dim,
                "input": {"dataset": self.dataset, "numbers": self.input_dim},
                "preprocessor": self.files.get(PREPROCESSOR),
                "classes": self.classes,
            }
            | {name: shape[name] for name in ("merge", "side", "mirrored") if name in shape}
            | trunk
        )

    def size(self) -> int:
        """Bytes on disk, without the shared trunk."""
        return sum((self.folder / file).stat().st_size for file in self.files)

    def to_json(self) -> str:
        """Readable JSON."""
        fields = asdict(self)
        del fields["location"]
        return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Card:
        """The card in a file, checked; a clear error if it is not one."""
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(fields, dict) and fields.get("format") == OWN_FORMAT:
                raise ValueError(f"a mechanism of own data: LocalPrivatiser.load({path.parent.name!r}) reads it")
            if not isinstance(fields, dict) or fields.get("format") != FORMAT:
                raise ValueError(f"something that is not of format {FORMAT}")
            if "location" in fields:
                raise ValueError("the unknown field location")
            card = cls(**(fields | {"classes": tuple(fields["classes"]), "location": path.parent}))
            _check(card)
            return card
        except FileNotFoundError:
            raise
        except (KeyError, TypeError, ValueError, OSError, RecursionError) as error:
            where = f"{path.name} of {printable(path.parent.name)}"
            raise ValueError(f"Expected a model card in {where}, got {str(error)[:200]}.") from error


def _check(card: Card) -> None:
    """Raise unless the fields that loading needs are what they must be."""
    for name, kind in (("name", str), ("kind", str), ("dataset", str), ("architecture", dict), ("files", dict)):
        if not isinstance(getattr(card, name), kind):
            raise TypeError(f"{name}={quote(getattr(card, name))}, which is no {kind.__name__}")
    for name in ("input_dim", "latent_dim"):
        value = getattr(card, name)
        if type(value) is not int or value < 1:
            raise ValueError(f"{name}={quote(value)}, which is no count")
    positive("radius", card.radius)
    if len(card.classes) < 2 or not all(isinstance(each, str) for each in card.classes):
        raise ValueError(f"classes={quote(card.classes)}")
    for file, checksum in card.files.items():
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", file) or not re.fullmatch("[0-9a-f]{64}", str(checksum)):
            raise ValueError(f"the file {quote(file)} with the checksum {quote(checksum)}")
    for file in (ENCODER, DECODER):
        if file not in card.files and not (file == ENCODER and "encoder_of" in card.architecture):
            raise ValueError(f"files without {file}")


def places() -> list[Path]:
    """Where mechanisms are looked for: the shipped ones first, then what ``RLM_MODELS`` names."""
    return [MODELS, *added_models()]


def names(dataset: str | None = None) -> list[str]:
    """The mechanisms with a folder of their own, those of one dataset if it is given.

    Codes with an order of merges can be loaded with any smaller number too (``rlm_core.zoo.code_tree``).
    A folder whose card is damaged, or is called otherwise than its card, is named in a warning and left out.
    """
    return sorted({each.name for each in _cards() if dataset is None or each.dataset == dataset})


def _cards() -> Iterator[Card]:
    for place in places():
        for path in sorted(place.glob("*/card.json")):
            if path.parent.name == TRUNK or own_card(path) is not None:
                continue
            try:
                if not path.is_file():  # reading a pipe would wait for ever
                    raise ValueError(f"Expected a file {path.name} in {quote(path.parent.name)}, got something else.")
                found = Card.read(path)
                if found.name != path.parent.name:
                    raise ValueError(f"Expected the card of {path.parent.name}, got the name {quote(found.name)}.")
            except (ValueError, OSError) as error:
                warnings.warn(f"A mechanism is left out: {error}", stacklevel=3)
            else:
                yield found


def own_card(path: Path) -> dict[str, Any] | None:
    """The card that a LocalPrivatiser wrote to this file, unchecked; None if it is none of those."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) and fields.get("format") == OWN_FORMAT else None


def own_folders() -> dict[str, Path]:
    """The folders of mechanisms of own data in the places, by name; the first of a name counts."""
    return {folder.name: folder for folder in reversed(own_cards())}


def own_cards() -> dict[Path, dict[str, Any]]:
    """The cards of mechanisms of own data in the places, by folder: a damaged one is named and left out, as others are.

    They have what a list shows, in the right types. Whether files and card are what was saved, loading finds out.
    """
    found = {}
    for path in (path for place in places() for path in sorted(place.glob("*/card.json"))):
        fields = own_card(path)
        if fields is None:
            continue
        problem = _own_problem(fields)
        if problem is None:
            found[path.parent] = fields
        else:
            where = f"Expected a card of own data in {quote(path.parent.name)}"
            warnings.warn(f"A mechanism is left out: {where}, got {problem}.", stacklevel=3)
    return found


def _own_problem(fields: dict[str, Any]) -> str | None:
    """The first field that is not what a list shows, or None."""
    size, data, classes, files = (fields.get(name) for name in ("size", "data", "classes", "files"))
    rows = data.get("public_rows") if isinstance(data, dict) else None
    right = {
        "kind": isinstance(fields.get("kind"), str),
        "size": type(size) is int and size >= 1,
        "data": type(rows) is int and rows >= 0,
        "classes": isinstance(classes, list) and all(isinstance(each, str) for each in classes),
        "files": isinstance(files, dict) and ENCODER in files,
    }
    wrong = next((name for name, fits in right.items() if not fits), None)
    return None if wrong is None else f"{wrong}={quote(fields.get(wrong))}"


def stored_card(name: str) -> Card | None:
    """The card of a mechanism with a folder of its own, by its name; None if there is none of that name."""
    if not is_name(name):
        return None
    found = (place / name / "card.json" for place in places())
    return next((Card.read(path) for path in found if path.is_file()), None)


def is_name(name: object) -> bool:
    """Whether this may be the name of a mechanism."""
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][\w.+-]{0,99}", name) is not None and name != TRUNK


def encoder_card(about: Card) -> Card:
    """The card whose folder has the encoder's weights: Q-RLMs of one tree of codes share the finest one's."""
    other = about.architecture.get("encoder_of")
    if other is None:
        return about
    if not isinstance(other, str) or Path(other).name != other:
        raise ValueError(f"Expected the name of a mechanism in encoder_of of {about.name}, got {quote(other)}.")
    beside = about.folder.parent / other / "card.json"
    owner = Card.read(beside) if beside.is_file() else stored_card(other)
    if owner is None:
        raise ValueError(f"Expected the mechanism {other}, whose encoder {about.name} has, got none of that name.")
    if ENCODER not in owner.files:
        raise ValueError(f"Expected {ENCODER} in the card of {owner.name}, which {about.name} takes it from.")
    return owner


def trunk_folder(about: Card) -> Path:
    """The shared trunk beside a mechanism, or the shipped one."""
    beside = about.folder.parent / TRUNK
    return beside if beside.is_dir() else MODELS / TRUNK


def trunk_files(about: Card) -> dict[str, str]:
    """The trunk's checksums, from its card."""
    path = trunk_folder(about) / "card.json"
    try:
        files: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["files"]
        return {"trunk.safetensors": files["trunk.safetensors"]}
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"Expected the card of the trunk {TRUNK} for {about.name}, got {quote(error)}.") from error
