"""The owner's side of one mechanism as a single HTML file: works from disk, offline, and can connect to nothing.

The file holds the scripts of ``static/device``, the weights, and a form or a place for a picture. Its policy allows no
connection at all (``default-src 'none'``), and of scripts and styles only these, by their SHA-256. What it makes is a
report, as text: sending it is up to the owner.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from rlm_core import places
from rlm_core.device.description import description, weights

SCRIPTS = places.app() / "static" / "device"
"""The scripts of the owner's side."""

ENTRY = "owner_page.js"
_IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:const|function|class) (\w+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class OwnerFile:
    """The file, and the policy in it."""

    html: str
    policy: str


def has_file(name: str) -> bool:
    """Whether a mechanism is small enough for one file: it has no trunk of 22 MB."""
    return "trunk" not in description(name)


def owner_file(name: str) -> OwnerFile:
    """The file of one shipped mechanism."""
    about = description(name)
    if not has_file(name):
        raise ValueError(f"Expected a mechanism without a trunk, got name={name!r}.")
    encoder = about["files"].get("encoder")
    return owner_page(about, weights()[encoder["sha256"]].read_bytes() if encoder else b"")


def owner_page(about: Mapping[str, Any], encoder: bytes) -> OwnerFile:
    """The file of a mechanism by its description and its encoder's weights; empty where nothing is learnt."""
    style = (SCRIPTS / "owner_page.css").read_text(encoding="utf-8")
    program = bundle(ENTRY)
    content = base64.b64encode(encoder).decode()
    policy = (
        f"default-src 'none'; script-src '{_source(program)}'; style-src '{_source(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    data = json.dumps(about, separators=(",", ":")).replace("<", "\\u003c")
    html = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(about["name"])}: your side</title>
<style>{style}</style>
<main></main>
<script type="application/json" id="description">{data}</script>
<script type="application/octet-stream" id="encoder">{content}</script>
<script type="module">{program}</script>
</html>
"""
    return OwnerFile(html=html, policy=policy)


def bundle(entry: str) -> str:
    """A module and all that it imports as one script: each module a function that gives its exports.

    It reads the plain forms that static/device is written in (one import a line, declarations exported where they
    stand), and refuses others.
    """
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in parts:
            return
        source = (SCRIPTS / f"{name}.js").read_text(encoding="utf-8")
        for _, other in _IMPORT.findall(source):
            add(other)
        body = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = module_{found[2]};\n", source)
        exports = _EXPORT.findall(body)
        body = re.sub(r"^export (?=(?:async )?(?:const|function|class) )", "", body, flags=re.MULTILINE)
        if re.search(r"^(?:import|export)\b", body, re.MULTILINE):
            raise ValueError(f"Expected plain imports and exports in {name}.js.")
        parts[name] = f"const module_{name} = (() => {{\n{body}return {{ {', '.join(exports)} }};\n}})();\n"

    add(entry.removesuffix(".js"))
    return "\n" + "".join(parts.values()).replace("</script", "<\\/script")


def _source(text: str) -> str:
    """A CSP source for an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
