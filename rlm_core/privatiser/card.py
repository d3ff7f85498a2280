"""The card of a saved folder: what it is, made when and of what, the checksum of every other file, and its own.

``sha256`` is of all else that the card says, as canonical JSON: layout and order of keys do not matter; ε, λ and the
promise under central DP do. It guards against accidents (an editor, half a copy, a merge), not against malice: whoever
means to can write a new checksum, or leave it out. Cards of version 1.0.0 have none, and are read with the checks
that there were then.
"""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import sklearn

from rlm_core.digest import canonical_json
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.zoo.cards import OWN_FORMAT
from rlm_core.zoo.checksums import check_inside

if TYPE_CHECKING:
    from rlm_core.privatiser.estimator import LocalPrivatiser

CARD, FORMAT, CHECKSUM = "card.json", OWN_FORMAT, "sha256"

LIMITS = "ε-LDP holds for one report of a row; further reports of the same row add up."
PUBLIC_ROWS = (
    "The public rows themselves are not protected: their means, levels and some representations are in this folder."
)
CENTRAL = (
    "The rows that it was fitted on have another promise: the encoder's training is (ε, δ)-differentially private, "
    "given its decoder, as central_dp says. That covers the encoder's weights alone. This folder also has means, "
    "levels and some representations of those rows: it is for the collector; devices get encoder and preprocessing."
)
EDITING = (
    "Copy the folder again, or fit it anew. To change a whole one, say so in Python: "
    "LocalPrivatiser.load(folder).set_params(epsilon=2).save(folder)."
)


def write_card(privatiser: LocalPrivatiser, folder: Path, files: dict[str, str]) -> None:
    """Write what a fitted one is, with the checksums of its files and the card's own."""
    card = _card(privatiser, folder.resolve().name, files)
    text = json.dumps(card | {CHECKSUM: checksum_of(card)}, indent=1, ensure_ascii=False)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")


def read_card(folder: Path) -> dict[str, Any]:
    """The card in a folder; raise if it is of another format, or does not say what was written."""
    check_inside(folder, CARD)
    try:
        card: dict[str, Any] = json.loads((folder / CARD).read_text(encoding="utf-8"))
        if card["format"] != FORMAT:
            raise ValueError(f"format={card['format']!r}")
        found = checksum_of(card)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise refusal(folder, error) from None
    expected = str(card.get(CHECKSUM, found))
    if expected != found:
        raise ValueError(
            f"Expected the card of {folder.name!r} as it was saved, with SHA-256 {expected[:12]}…, got {found[:12]}…: "
            f"it was edited, or copied in part. {EDITING}"
        )
    return card


def refusal(folder: Path, error: Exception) -> ValueError:
    """What to raise for a card that cannot be read."""
    return ValueError(f"Expected a card of format {FORMAT!r} in {folder.name!r}, got {error!r}.")


def checksum_of(card: dict[str, Any]) -> str:
    """SHA-256 of all that a card says but for its own checksum.

    >>> checksum_of({"size": 8, "epsilon": 4.0}) == checksum_of({"epsilon": 4, "size": 8, "sha256": "of something"})
    True
    """
    said = {name: value for name, value in card.items() if name != CHECKSUM}
    return hashlib.sha256(canonical_json(said, infinite=True).encode()).hexdigest()


def _card(privatiser: LocalPrivatiser, name: str, files: dict[str, str]) -> dict[str, Any]:
    """All that a card says but for its own checksum."""
    from rlm_core import __version__

    method, plan = privatiser.method_, privatiser.method_.plan
    central = method.central if isinstance(method, SplitMethod) else None
    learnt = hasattr(privatiser, "classifier_")
    return {
        "format": FORMAT,
        "name": name,
        "kind": plan.kind,
        "size": plan.size,
        "encoder": plan.encoder,
        "classes": list(privatiser.class_names),
        "class_type": privatiser.classes_.dtype.kind,
        "label": privatiser.label_,
        "input_dim": method.encoder.input_dim,
        **method.card,
        "digest": method.digest,
        "parameters": _parameters(privatiser),
        "data": {"public_rows": privatiser.public_rows_, "columns": list(map(str, privatiser.feature_names_in_))},
        "notes": list(privatiser.fit_notes_),
        "seconds": round(privatiser.seconds_, 2),
        "learnt": {"reports": privatiser.reports_, "epsilon": privatiser.reports_epsilon_} if learnt else None,
        "versions": {
            "rlm_core": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pandas": pd.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "summary": f"Reports of kind “{plan.kind}” with {plan.size} numbers or codes by a {plan.encoder} encoder, "
        "fitted on public records.",
        "limits": f"{LIMITS} {PUBLIC_ROWS if central is None else CENTRAL}",
        "files": files,
    }


def _parameters(privatiser: LocalPrivatiser) -> dict[str, Any]:
    """The arguments, as JSON has them; the schema has a file of its own, and this says whether it was an argument.

    A checkpoint is a file of the machine that trained: it is not kept.
    """
    given: dict[str, Any] = privatiser.get_params(deep=False)
    classes = given.pop("classes")
    del given["checkpoint"]
    plain = None if classes is None else [each.item() if isinstance(each, np.generic) else each for each in classes]
    given = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
    return given | {"classes": plain, "schema": given["schema"] is not None and privatiser.pictures_ is None}
