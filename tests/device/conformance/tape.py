"""Random bytes that both sides can make: SHA-256 of a label and a counter, after a chosen beginning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from rlm_core.owner import randomness


def rounded(values: Any) -> list[Any]:
    """As a list, to six digits: the last bits of exp and log differ between processors, a committed vector may not."""
    return np.vectorize(lambda value: float(f"{value:.6g}"), otypes=[np.float64])(values).tolist()


class Tape:
    """``tape(n)`` gives the next n bytes: first ``head``, then SHA-256(label, 0), SHA-256(label, 1), …"""

    def __init__(self, label: str, head: bytes = b"") -> None:
        self.label, self.rest, self.block = label.encode(), head, 0

    def __call__(self, count: int) -> bytes:
        parts, have = [self.rest], len(self.rest)
        while have < count:
            parts.append(hashlib.sha256(self.label + self.block.to_bytes(8, "big")).digest())
            self.block += 1
            have += 32
        joined = b"".join(parts)
        self.rest = joined[count:]
        return joined[:count]


@contextmanager
def forged(label: str, head: bytes = b"") -> Iterator[None]:
    """While open, releases draw from a tape instead of the operating system. For vectors only: nothing is private.

    Others keep the real source: a library that is imported meanwhile may read random bytes of its own.
    """
    with patch.object(randomness, "os", SimpleNamespace(urandom=Tape(label, head))):
        yield
