"""Saved own mechanisms of tables and grey pictures, offered to a device like shipped ones: by the name of their folder.

A folder that ``LocalPrivatiser.save`` or ``rlm fit`` wrote, in a place that ``RLM_MODELS`` names. One of colour
pictures needs a trunk of 22 MB, so it is not offered. Means, levels and encoder leave the server; public rows'
representations do not.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from rlm_core.device.owner_file import OwnerFile, owner_page
from rlm_core.pictures.format import PictureFormat
from rlm_core.privatiser.estimator import LocalPrivatiser
from rlm_core.privatiser.folder import ENCODER, PICTURES
from rlm_core.privatiser.own_mechanism import own_description
from rlm_core.zoo import names
from rlm_core.zoo.cards import is_name, own_card, own_folders


def saved_tables() -> dict[str, Path]:
    """The folders, by name; a shipped mechanism of the same name comes first, and hides one."""
    shipped = set(names())
    found = {name: folder for name, folder in own_folders().items() if is_name(name) and name not in shipped}
    return {name: folder for name, folder in found.items() if not _is_colour(folder / PICTURES)}


def _is_colour(file: Path) -> bool:
    """Of pictures in colour; of ones that cannot be read, too."""
    try:
        return file.is_file() and PictureFormat.from_json(file.read_text(encoding="utf-8")).colour
    except ValueError:
        return True


def saved_description(folder: Path) -> dict[str, Any]:
    """For ``static/device/mechanism.js``, as a shipped mechanism's; its encoder is named by its SHA-256."""
    return _description(folder, (folder / "card.json").stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _description(folder: Path, written: int) -> dict[str, Any]:
    """Read once for each time that the folder was written."""
    return own_description(LocalPrivatiser.load(folder), url=f"weights/{_checksum(folder)}", pictures=True)


def saved_encoders() -> dict[str, Path]:
    """The file of every encoder that a description names, by its SHA-256."""
    return {_checksum(folder): folder / ENCODER for folder in saved_tables().values()}


def saved_page(folder: Path) -> OwnerFile:
    """The owner's side as one file."""
    return owner_page(saved_description(folder), (folder / ENCODER).read_bytes())


def _checksum(folder: Path) -> str:
    card = own_card(folder / "card.json")
    return "" if card is None else str(card["files"][ENCODER])
