"""Saved own mechanisms of tables and grey pictures, offered to a device like shipped ones: by the name of their folder.

A folder that ``LocalPrivatiser.save`` or ``rlm fit`` wrote, in a place that ``RLM_MODELS`` names. One of colour
pictures needs a trunk of 22 MB, so it is not offered. Means, levels and encoder leave the server; public rows'
representations do not.

A folder may come from a stranger. What leaves is what ``LocalPrivatiser.load`` understood of it, never a file as it is:
no link and no checksum on a card can make the server hand out anything else.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from rlm_core.device.owner_file import OwnerFile, owner_page
from rlm_core.privatiser.card import CARD
from rlm_core.privatiser.estimator import LocalPrivatiser
from rlm_core.privatiser.own_mechanism import encoder_file, own_description
from rlm_core.types import quote
from rlm_core.zoo import names
from rlm_core.zoo.cards import is_name, own_folders

MOST_KEPT = 128
"""Folders whose description and encoder stay in memory."""


@dataclass(frozen=True, kw_only=True)
class SavedTable:
    """What a device gets: the description for ``static/device/mechanism.js``, and the encoder that it names."""

    description: dict[str, Any]
    encoder: bytes = field(repr=False)

    def page(self) -> OwnerFile:
        """The owner's side as one file."""
        return owner_page(self.description, self.encoder)


def saved_table(name: str) -> SavedTable | None:
    """What is offered by this name; None if nothing is."""
    folder = _folders().get(name)
    return None if folder is None else _offered(folder)


def saved_encoder(checksum: str) -> bytes | None:
    """The encoder with this SHA-256 that some description names, as a file; None if there is none."""
    offered = filter(None, map(_offered, _folders().values()))
    return next((each.encoder for each in offered if _sha256(each.encoder) == checksum), None)


def _folders() -> dict[str, Path]:
    """The folders, by name; a shipped mechanism of the same name comes first, and hides one."""
    shipped = set(names())
    return {name: folder for name, folder in own_folders().items() if is_name(name) and name not in shipped}


def _offered(folder: Path) -> SavedTable | None:
    try:
        written = (folder / CARD).stat().st_mtime_ns
    except OSError:  # gone since it was listed
        return None
    return _read(folder, written)


@lru_cache(maxsize=MOST_KEPT)
def _read(folder: Path, written: int) -> SavedTable | None:
    """Read once for each time that the folder was written; one that cannot be loaded is named and left out."""
    try:
        privatiser = LocalPrivatiser.load(folder)
    except (OSError, TypeError, ValueError) as error:
        warnings.warn(f"A mechanism is left out: {quote(folder.name)} cannot be loaded. {error}", stacklevel=2)
        return None
    encoder = encoder_file(privatiser)
    try:
        description = own_description(privatiser, url=f"weights/{_sha256(encoder)}", pictures=True)
    except ValueError:  # of colour pictures, or without privacy: fit for its owner's own machine alone
        return None
    return SavedTable(description=description, encoder=encoder)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
