"""The campaigns' store, and who may see what."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from collection.store import Created, State, Store


@lru_cache(maxsize=1)
def store() -> Store:
    """One for the whole server."""
    return Store()


def remember(made: Created) -> None:
    """Put the creator's secret link into the address."""
    st.query_params.from_dict({"campaign": made.id, "token": made.token})


def current() -> tuple[str, str] | None:
    """Id and token in the address, if any."""
    campaign_id, token = st.query_params.get("campaign"), st.query_params.get("token")
    return (campaign_id, token) if campaign_id and token else None


def own_state(campaign_id: str, token: str) -> State | None:
    """The campaign, for its creator alone."""
    return store().state(campaign_id) if store().is_creator(campaign_id, token) else None
