"""Everything that leaves a page: requests and frames of web sockets, in order; and a search for a record in them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np

RANDOM = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DECORATION = re.compile(rb"^GET \S+/(favicon\.png|static/media/[\w.-]+\.woff2) $")
"""Ids that a server or a browser draws for every visit. Not checksums: they say which weights were fetched."""

SPY = """
  const Original = window.Worker;
  window.toWorker = [];
  window.fromWorker = [];
  window.Worker = class extends Original {
    constructor(...options) {
      super(...options);
      this.addEventListener("message", ({ data }) => window.fromWorker.push(data));
    }
    postMessage(message, ...rest) {
      window.toWorker.push(message);
      super.postMessage(message, ...rest);
    }
  };
"""
"""Keeps what the page tells the Worker and hears from it, so that a test knows the record and all rehearsals."""


@dataclass
class Traffic:
    """What one page sent, each as one piece of bytes."""

    sent: list[bytes] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        """From now on; before the page is opened."""
        page.on("request", lambda request: self.sent.append(_request(request)))
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: self.sent.append(_frame(frame))))

    def since(self, mark: int) -> list[bytes]:
        """What was sent after the first ``mark`` pieces."""
        return self.sent[mark:]

    def comparable(self, opened: int = 0) -> list[bytes]:
        """All of it with random ids taken out. The first ``opened`` pieces are sorted: while a page opens, the browser
        asks for several scripts at once, in any order. The tab's icon and the fonts are left out: the browser asks for
        them when it likes, or has them already, and their bare addresses say nothing."""
        opened -= sum(bool(DECORATION.search(each)) for each in self.sent[:opened])
        plain = [RANDOM.sub(b"<id>", each) for each in self.sent if not DECORATION.search(each)]
        return sorted(plain[:opened]) + plain[opened:]


def _request(request: Any) -> bytes:
    body = request.post_data_buffer or b""
    return b" ".join([request.method.encode(), request.url.encode(), body])


def _frame(frame: Any) -> bytes:
    return b"frame " + (frame.encode() if isinstance(frame, str) else bytes(frame))


Secret = np.ndarray | bytes | str
"""Numbers; a file, such as a picture; or words."""


def found(pieces: Iterable[bytes], secrets: Mapping[str, Secret]) -> list[str]:
    """The names of the secrets that are in any piece, in any of the encodings that :func:`needles` lists."""
    text = b"\n".join(dict.fromkeys(pieces))
    haystacks = {text, unquote_to_bytes(text)}
    return [
        name for name, secret in secrets.items() if any(part in hay for part in needles(secret) for hay in haystacks)
    ]


def needles(secret: Secret) -> Iterator[bytes]:
    """Pieces of a secret that no message has by chance, in every encoding that code of ours could use.

    Numbers: eight in a row that are not all alike, from three places; as float32, float64 and bytes (alone, and as the
    red, green, blue, alpha of a grey picture), and as decimals, short and exact, with and without their places.
    A set, as zeros and ones: packed into bits, either end first; one byte a symbol; the list of its members.
    A file: eighteen bytes of its middle. All of these also in base64 at its three alignments and in hexadecimal digits.
    Words: as they are, and in base64. A percent sign is undone by :func:`found`.

    What is too short to be told from chance has no needle (a label, a code, a small set): whether such a thing
    leaves is seen by comparing two visits.
    """
    if isinstance(secret, str):
        yield secret.encode()
        yield from _written(secret.encode())
    elif isinstance(secret, bytes):
        yield from _written(secret[len(secret) // 2 :][:18])
    elif secret.dtype == np.bool_:
        yield from _set(secret)
    else:
        yield from _numbers(np.asarray(secret, dtype=np.float64).reshape(-1))


def _numbers(values: np.ndarray) -> Iterator[bytes]:
    for start in _telling(values):
        run = values[start : start + 8]
        forms = [run.astype("<f4").tobytes(), run.astype("<f8").tobytes(), run.astype(">f4").tobytes()]
        if 0.0 <= run.min() and run.max() <= 1.0:
            for grey in (np.round(run * 255).astype(np.uint8), np.floor(run * 255).astype(np.uint8)):
                forms += [grey.tobytes(), np.stack([grey, grey, grey, np.full(8, 255, np.uint8)], axis=1).tobytes()]
        for form in forms:
            yield from _written(form)
        for write in (repr, _javascript, lambda v: _javascript(float(np.float32(v))), lambda v: f"{v:.4g}", _byte):
            yield from _listed([write(float(value)) for value in run], start)


def _set(members: np.ndarray) -> Iterator[bytes]:
    listed = np.flatnonzero(members)
    if len(listed) < 4 or len(members) < 40:
        return
    first, last = int(listed[0]), int(listed[3])  # four members, and what is between them
    for order in ("big", "little"):
        packed = np.packbits(members, bitorder=order)
        start = min(first // 8, max(0, len(packed) - 8))
        yield from _written(packed[start : max(start + 8, last // 8 + 1)].tobytes())
    start = min(first, len(members) - 40)
    bits = members[start : max(start + 40, last + 1)].astype(np.uint8)
    yield from _written(bits.tobytes())
    yield from _listed([str(bit) for bit in bits], start)
    yield "".join(str(bit) for bit in bits).encode()
    yield from _listed([str(each) for each in listed[:8]])
    for kind in ("<u2", "<u4", "<f4", "<f8"):
        yield from _written(listed[:8].astype(kind).tobytes())


def _written(form: bytes) -> Iterator[bytes]:
    """Some bytes as they are, in hexadecimal digits, and in base64 wherever they begin in a longer text."""
    yield form
    yield form.hex().encode()
    for shift in range(3):
        known = slice(-(-8 * shift // 6), 8 * (shift + len(form)) // 6)  # letters that no neighbour has a part in
        yield base64.b64encode(b"\0" * shift + form)[known]


def _listed(words: list[str], start: int | None = None) -> Iterator[bytes]:
    """As a list in JSON and in Python, and as JSON writes a typed array: with its places."""
    yield ",".join(words).encode()
    yield ", ".join(words).encode()
    if start is not None:
        yield ",".join(f'"{start + i}":{word}' for i, word in enumerate(words)).encode()


def _javascript(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _byte(value: float) -> str:
    return str(round(255 * value))


def _telling(values: np.ndarray) -> list[int]:
    """Where runs of eight begin that have at least four different values: the three that vary most."""
    if len(values) < 8:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(values, 8)
    varied = [i for i in range(len(windows)) if len(set(windows[i].tolist())) >= 4]
    return sorted(varied, key=lambda i: -float(windows[i].std()))[:3]
