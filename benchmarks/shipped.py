"""To which protocol the shipped codes of a dataset belong, and the results that may stand beside them.

    origin("cifar10")                        Origin(seed=…, protocol=…), from the card in models/
    cells("data_collection", "cifar10")      codes as that protocol has them, other mechanisms as the newest has

Codes of another protocol may be learnt otherwise: their accuracy says nothing about the encoder that a page has in its
hands. The other learnt mechanisms have the same presets in every protocol (docs/protocol.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchmarks import summary
from benchmarks.code_settings import protocol_of, setting
from benchmarks.summary import Cell
from rlm_core import zoo
from rlm_core.catalogue import CODES
from rlm_core.zoo import cards


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a shipped mechanism comes from: the seed on its card, and the protocol whose seed it is."""

    seed: int
    protocol: int


def origin(dataset: str, *, codes: bool = True) -> Origin:
    """Of the codes that are shipped for a dataset, or of its mechanisms of numbers, which all have one seed."""
    return _origin(dataset, codes, tuple(cards.places()))


@lru_cache(maxsize=32)
def _origin(dataset: str, codes: bool, places: tuple[Path, ...]) -> Origin:
    """Cards are read once: a mechanism is, too."""
    seed = zoo.card((zoo.choose_codes if codes else zoo.choose)(dataset, 1.0)).seed
    return Origin(seed=seed, protocol=protocol_of(seed))


def network_from(dataset: str) -> float | None:
    """From which ε on the experiments with the shipped codes try a network beside the table; None: at none."""
    found = setting("data_collection", dataset, origin(dataset).protocol).network_from
    return None if found is None or math.isinf(found) else found


def cells(experiment: str, dataset: str, *, same_seed: bool = False) -> list[Cell]:
    """The cells of a dataset, in the order of ``summary.cells``; those of codes are of the shipped codes' protocol.

    With ``same_seed`` codes are also of the shipped seed: what was measured on the shipped encoder itself.
    """
    about = origin(dataset)
    of_codes = {
        (cell.mechanism, cell.epsilon): cell
        for cell in summary.cells(experiment, protocol=about.protocol, seed=about.seed if same_seed else None)
        if cell.dataset == dataset and _is_codes(cell)
    }
    newest = (cell for cell in summary.cells(experiment) if cell.dataset == dataset)
    found = (of_codes.get((cell.mechanism, cell.epsilon)) if _is_codes(cell) else cell for cell in newest)
    return [cell for cell in found if cell is not None]


def newer_protocol(experiment: str, dataset: str) -> int | None:
    """The newest protocol that measured codes on this dataset, if it is newer than that of the shipped ones."""
    found = [cell.protocol for cell in summary.cells(experiment) if cell.dataset == dataset and _is_codes(cell)]
    newest = max(found, default=0)
    return newest if newest > origin(dataset).protocol else None


def _is_codes(cell: Cell) -> bool:
    """Variants ("Q-RLM people=2") are codes too."""
    return cell.mechanism.split(" ")[0] == CODES
