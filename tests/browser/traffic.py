"""Everything that leaves a page: requests and frames of web sockets, in order; and a search for a record in them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
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


def found(pieces: Iterable[bytes], secrets: dict[str, np.ndarray]) -> list[str]:
    """The names of the secrets that are in any piece, in any encoding."""
    text = b"\n".join(pieces)
    haystacks = (text, unquote_to_bytes(text))
    return [
        name for name, values in secrets.items() if any(part in hay for part in needles(values) for hay in haystacks)
    ]


def needles(values: np.ndarray) -> Iterator[bytes]:
    """Pieces of the vector that no message has by chance, in every encoding that code of ours could use.

    Eight numbers in a row that are not all alike, from three places; as float32, float64 and bytes, each also in
    base64 at its three alignments and in hexadecimal digits; and as decimals, short and exact.
    """
    values = np.asarray(values, dtype=np.float64).reshape(-1)
    for start in _telling(values):
        run = values[start : start + 8]
        forms = [run.astype("<f4").tobytes(), run.astype("<f8").tobytes(), run.astype(">f4").tobytes()]
        if 0.0 <= run.min() and run.max() <= 1.0:
            forms.append(np.round(run * 255).astype(np.uint8).tobytes())
        for form in forms:
            yield form
            yield form.hex().encode()
            for shift in range(3):
                encoded = base64.b64encode(b"\0" * shift + form)
                yield encoded[4:-4] if shift else encoded[:-4]
        for write in (repr, lambda v: repr(float(np.float32(v))), lambda v: f"{v:.4g}", lambda v: str(round(255 * v))):
            words = [write(float(value)) for value in run[:5]]
            yield ",".join(words).encode()
            yield ", ".join(words).encode()


def _telling(values: np.ndarray) -> list[int]:
    """Where runs of eight begin that have at least four different values: the three that vary most."""
    if len(values) < 8:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(values, 8)
    varied = [i for i in range(len(windows)) if len(set(windows[i].tolist())) >= 4]
    return sorted(varied, key=lambda i: -float(windows[i].std()))[:3]
