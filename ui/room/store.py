"""The campaigns' store, and who may see what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from collection.store import Created, State, Store, wall_key


@lru_cache(maxsize=1)
def store() -> Store:
    """One for the whole server."""
    return Store()


def remember(made: Created) -> None:
    """Put the creator's secret link into the address."""
    st.query_params.from_dict({"campaign": made.id, "token": made.token})


@dataclass(frozen=True, kw_only=True)
class Link:
    """What the address names: a campaign, and what opens it."""

    campaign: str
    token: str = ""
    wall: str = ""

    @property
    def wall_address(self) -> str:
        """The page for the wall, for its creator to open: it shows the campaign and can do nothing to it."""
        return f"/room?campaign={self.campaign}&wall={wall_key(self.token)}"

    def is_creators(self) -> bool:
        """Whether it may close, export and delete."""
        return bool(self.token) and store().is_creator(self.campaign, self.token)

    def state(self) -> State | None:
        """The campaign, for its creator and for the wall; nobody else's link finds it."""
        is_open = self.is_creators() or (bool(self.wall) and store().is_watcher(self.campaign, self.wall))
        return store().state(self.campaign) if is_open else None


def current() -> Link | None:
    """The link in the address, if any."""
    campaign, token, wall = (st.query_params.get(name) or "" for name in ("campaign", "token", "wall"))
    return Link(campaign=campaign, token=token, wall=wall) if campaign and (token or wall) else None
