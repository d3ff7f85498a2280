"""Other packages for the same draws, measured beside ours where they are installed.

They are not dependencies: they want packages that we do not pin (numba, Dash, Ray). So they are installed into a
folder of their own, without what they ask for but for what their samplers need, and nothing of ours moves:

    pip install --no-deps --target .peers -r requirements-peers.txt
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / ".peers"
INSTALL = "pip install --no-deps --target .peers -r requirements-peers.txt"
Release = Callable[[list[int]], object]
"""All values of a list, one by one, as the package's own examples do."""


def subset_selection_peers(symbols: int, epsilon: float) -> dict[str, Release]:
    """Subset selection of the packages that have it; pure-LDP has none."""
    found: dict[str, Release] = {}
    if (module := _load("multi_freq_ldpy.pure_frequency_oracles.SS")) is not None:
        client = module.SS_Client
        found["multi-freq-ldpy"] = lambda values: [client(value, symbols, epsilon) for value in values]
    if (module := _load("ldp_toolbox.protocols.frequency.ss")) is not None:
        obfuscate = module.SubsetSelection(symbols, epsilon).obfuscate
        found["LDP Toolbox"] = lambda values: [obfuscate(value) for value in values]
    return found


def krr_peers(classes: int, epsilon: float) -> dict[str, Release]:
    """k-ary randomised response of the packages."""
    found: dict[str, Release] = {}
    if (module := _load("multi_freq_ldpy.pure_frequency_oracles.GRR")) is not None:
        client = module.GRR_Client
        found["multi-freq-ldpy"] = lambda values: [client(value, classes, epsilon) for value in values]
    if (module := _load("ldp_toolbox.protocols.frequency.grr")) is not None:
        obfuscate = module.GeneralizedRandomizedResponse(classes, epsilon).obfuscate
        found["LDP Toolbox"] = lambda values: [obfuscate(value) for value in values]
    if (module := _load("pure_ldp.frequency_oracles.direct_encoding")) is not None:
        privatise = module.DEClient(epsilon, classes, index_mapper=lambda value: value).privatise
        found["pure-LDP"] = lambda values: [privatise(value) for value in values]
    return found


def _load(name: str) -> Any:
    """A peer's module; None with a note if it cannot be imported."""
    if FOLDER.is_dir() and str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))  # last: what we pin comes first
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old spellings of theirs are not our errors
            return import_module(name)
    except Exception as error:
        print(f"{name.split('.')[0]} is not compared: {error}. {INSTALL}", file=sys.stderr)
        return None
