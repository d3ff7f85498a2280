"""Phones, many at once, from a process of their own: each sends its report until it is acknowledged.

``python -m benchmarks.service.phones PORT PATH BODIES CONNECTIONS`` reads one body a line and prints a JSON object:
``seconds``, ``milliseconds`` of every acknowledged request, ``errors`` (what was neither 2xx nor a reason to try again)
and ``retries``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

PAUSE = 0.2
TRY_AGAIN = (429, 503)


@dataclass
class Load:
    """What happened."""

    milliseconds: list[float] = field(default_factory=list)
    errors: int = 0
    retries: int = 0


async def send_all(port: int, path: str, bodies: list[bytes], connections: int) -> Load:
    """Send every body once, or as often as it takes."""
    waiting, load = asyncio.Queue[bytes](), Load()
    for body in bodies:
        waiting.put_nowait(body)
    await asyncio.gather(*(_phone(port, path, waiting, load) for _ in range(connections)))
    return load


async def _phone(port: int, path: str, waiting: asyncio.Queue[bytes], load: Load) -> None:
    """One connection, kept as long as it lasts."""
    stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    while not waiting.empty():
        body = waiting.get_nowait()
        while True:
            start = time.perf_counter()
            try:
                stream = stream or await asyncio.open_connection("127.0.0.1", port)
                status = await asyncio.wait_for(_request(*stream, path, body), 30)
            except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
                stream, status = None, 503
            if status not in TRY_AGAIN:
                break
            load.retries += 1
            await asyncio.sleep(PAUSE)
        if status in (200, 201):
            load.milliseconds.append(1000 * (time.perf_counter() - start))
        else:
            load.errors += 1


async def open_page(port: int, path: str, count: int) -> Load:
    """So many phones open a page at the same moment, each by a connection of its own."""
    load = Load()

    async def visit() -> None:
        start = time.perf_counter()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n".encode())
            content = await asyncio.wait_for(reader.read(), 60)
            writer.close()
        except (OSError, TimeoutError):
            content = b""
        load.milliseconds.append(1000 * (time.perf_counter() - start))
        load.errors += not content.startswith(b"HTTP/1.1 200")

    await asyncio.gather(*(visit() for _ in range(count)))
    return load


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes) -> int:
    kind = f"content-type: application/json\r\ncontent-length: {len(body)}"
    writer.write(f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{kind}\r\n\r\n".encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    lines = answer.decode("latin-1").lower().split("\r\n")
    length = next(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
    await reader.readexactly(length)
    return int(lines[0].split()[1])


def main(port: str, path: str, bodies: str, connections: str) -> None:
    """See the module."""
    lines = Path(bodies).read_bytes().splitlines()
    start = time.perf_counter()
    load = asyncio.run(send_all(int(port), path, lines, int(connections)))
    print(json.dumps({"seconds": time.perf_counter() - start} | vars(load)))


if __name__ == "__main__":
    main(*sys.argv[1:])
