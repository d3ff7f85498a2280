"""A mechanism's network by what tells it from others, instead of the name of its folder."""

from __future__ import annotations

from rlm_core.zoo import Card
from ui.kit.formats import number


def network_title(card: Card) -> str:
    """Its codes; or its numbers, their range, and the noise in its training.

    >>> from rlm_core import zoo
    >>> network_title(zoo.card("mnist-vrlm-l10-eps33"))
    '8 numbers within 10, trained with noise of ε = 33'
    """
    if card.kind == "Q-RLM":
        return f"{card.latent_dim} codes learnt without labels"
    trained = card.epsilon_pretraining
    noise = {"none": "without noise", "learnt": "with noise that it learnt"}.get(
        str(trained), f"with noise of ε = {trained if isinstance(trained, str) else number(trained)}"
    )
    central = card.central_dp
    people = f", its people protected by central DP (ε = {number(central['epsilon'])})" if central else ""
    return f"{card.latent_dim} numbers within {number(card.radius)}, trained {noise}{people}"
