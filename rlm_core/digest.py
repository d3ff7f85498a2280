"""A short name for exactly this mechanism: the digest of all that defines what it releases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LENGTH = 32


def digest_of(definition: Mapping[str, Any]) -> str:
    """The first half of SHA-256 of a definition's canonical JSON, as 32 hexadecimal digits.

    >>> digest_of({"radius": 5.0, "kind": "V-RLM"}) == digest_of({"kind": "V-RLM", "radius": 5})
    True
    """
    return hashlib.sha256(canonical_json(definition).encode()).hexdigest()[:LENGTH]


def canonical_json(value: Any, *, infinite: bool = False) -> str:
    """One text for one meaning: keys sorted, no spaces, UTF-8, whole numbers without a decimal point.

    ``infinite`` lets ∞ through, which a digest refuses.

    >>> canonical_json({"radius": 5.0, "kind": "V-RLM"})
    '{"kind":"V-RLM","radius":5}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=infinite)


def definition_of(value: Any) -> dict[str, Any]:
    """What a mechanism's public fields say of it, without ε: that is in every report.

    An encoder that cannot be written down is there by its module and name.
    """
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"Expected a mechanism that is a dataclass or has a digest, got a {type(value).__name__}.")
    return {"kind": type(value).__name__} | {
        field.name: getattr(value, field.name) for field in fields(value) if field.init and field.name != "epsilon"
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, np.ndarray):
        content = np.ascontiguousarray(value, dtype="<f8").tobytes()
        return {"shape": list(value.shape), "sha256": hashlib.sha256(content).hexdigest()}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(definition_of(value))
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


def mechanism_digest(mechanism: Any) -> str:
    """A mechanism's own digest if it has one, else the digest of its fields."""
    own = getattr(mechanism, "digest", None)
    return own if isinstance(own, str) else digest_of(definition_of(mechanism))
