"""The zoo of pretrained mechanisms: ``zoo.load("mnist-vrlm-l10-eps33").mechanism(7.0).privatise(x)``.

    python -m rlm_core.zoo            lists what is shipped
    python -m rlm_core.zoo ship RUN   turns training runs into shipped mechanisms

Weights are stored in float16 (loading gives float32), each file with its SHA-256 in the card.
"""

from rlm_core.zoo.cards import Card, card, names
from rlm_core.zoo.model import Bundle, ZooModel, choose, load

__all__ = ["Bundle", "Card", "ZooModel", "card", "choose", "load", "names"]
