"""The zoo of pretrained mechanisms: ``zoo.load("mnist-vrlm-l10-eps33").mechanism(7.0).privatise(x)``.

    rlm models            lists what is shipped
    rlm models ship RUN   turns training runs into shipped mechanisms

A Q-RLM's finest codes come with the order of their merges: ``mnist-qrlm-k23`` is cut from ``mnist-qrlm-k96``, and
``choose_codes`` names the number of codes that fits ε and the number of reports.

Weights are stored in float16 (loading gives float32), each file with its SHA-256 in the card.
"""

from typing import TYPE_CHECKING, Any

from rlm_core.zoo.cards import Card, names
from rlm_core.zoo.code_tree import choose_codes, code_name
from rlm_core.zoo.lookup import card

if TYPE_CHECKING:
    from rlm_core.zoo.model import Bundle, ZooModel, choose, load

__all__ = ["Bundle", "Card", "ZooModel", "card", "choose", "choose_codes", "code_name", "load", "names"]


def __getattr__(name: str) -> Any:
    """What needs torch, on its first use: reading cards does not."""
    if name not in __all__:
        raise AttributeError(f"module 'rlm_core.zoo' has no attribute {name!r}")
    from rlm_core.zoo import model

    return getattr(model, name)
