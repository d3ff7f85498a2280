"""The code and the link on the wall, for an address that phones reach."""

from __future__ import annotations

import html
import os
from ipaddress import ip_address
from urllib.parse import urlsplit

import segno

VARIABLE = "RLM_PUBLIC_URL"


def public_address(opened: str | None) -> str:
    """Where phones find this server: what ``RLM_PUBLIC_URL`` says, else the address in the creator's browser."""
    named = os.environ.get(VARIABLE, "").strip() or opened or "http://localhost:8501"
    parts = urlsplit(named)
    return f"{parts.scheme}://{parts.netloc}"


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach it.

    >>> is_loopback("http://127.0.0.1:8501"), is_loopback("http://192.168.0.7:8501"), is_loopback("https://lecture-hall")
    (True, False, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def invitation_html(address: str, campaign_id: str) -> str:
    """The code, large, and the link under it."""
    link = f"{address}/join/{campaign_id}"
    picture = segno.make(link, error="m").svg_data_uri(scale=8, border=3, dark="#000", light="#fff")
    shown = html.escape(link)
    return (
        f'<div class="rlm-invitation"><img src="{picture}" alt="Code that opens {shown}">'
        f'<a href="{shown}" target="_blank" rel="noopener">{shown}</a></div>'
    )
