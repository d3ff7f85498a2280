"""Many visitors at once: how long a moved slider takes on a server that others use too.

No browsers: each session is a websocket that speaks Streamlit's protocol. It opens a page, moves the page's
first slider once a second, and waits each time until the server says that the page is finished. The server is
the one that ``make run`` starts. A figure is wall time, so the machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.result_file import write_result

RESULTS = Path(__file__).resolve().parents[1] / "results" / "load.json"
ROOT = Path(__file__).resolve().parents[2]
PAUSE = 1.0
PATIENCE = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--sessions", type=int, nargs="+", default=[20, 40], help="default: 20 and 40")
    parser.add_argument("--moves", type=int, default=20, help="of each session; default: %(default)s")
    parser.add_argument("--page", default="advise", help="which page; default: %(default)s")
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {RESULTS.relative_to(ROOT)}")


def main(options: argparse.Namespace) -> int:
    """Measure each number of sessions on a server of its own; the exit code says whether all went well."""
    figures: dict[str, float] = {}
    errors = 0
    for sessions in options.sessions:
        with running() as port:
            crowd = asyncio.run(visit(port, options.page, sessions, options.moves))
        milliseconds = sorted(1000 * each for session in crowd for each in session.seconds)
        errors += sum(session.errors for session in crowd)
        for share in (50, 90, 99):
            figures[f"sessions_{sessions}_p{share}_ms"] = round(percentile(milliseconds, share), 1)
    print(json.dumps(figures | {"errors": errors}, indent=1))
    if options.write:
        write_result(RESULTS, figures | {"errors": errors, "page": options.page})
    return int(errors > 0)


def percentile(values: list[float], share: int) -> float:
    """The smallest value that at least ``share`` percent do not exceed; NaN of nothing.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 50), percentile([1.0, 2.0, 3.0, 4.0], 90)
    (2.0, 4.0)
    """
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)] if values else float("nan")


@contextmanager
def running(settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[int]:
    """The port of a server that is started as ``make run`` starts it, and ended afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "rlm_core", "run", "--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", **settings}
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env=environment)
    try:
        deadline = time.monotonic() + 240
        while not answers(port):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Expected a running server, got exit code {server.poll()}.")
            time.sleep(0.3)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=60)


def answers(port: int) -> bool:
    """Whether the server is ready."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=30):
            return True
    except OSError:
        return False


async def visit(port: int, page: str, sessions: int, moves: int) -> list[Session]:
    """All sessions at once: first everybody opens the page, then everybody moves the slider."""
    crowd = [Session(port=port, page=page) for _ in range(sessions)]
    try:
        for session in crowd:  # one after the other: opening is not what is measured
            await session.open()
        for counted in (2, moves):  # the first moves load what the page needs, and do not count
            for session in crowd:
                session.seconds.clear()
            await asyncio.gather(*(session.move(counted) for session in crowd))
    finally:
        await asyncio.gather(*(session.connection.close() for session in crowd if session.connection))
    return crowd


@dataclass(kw_only=True, eq=False)
class Session:
    """One visitor: the page's first slider, how long each move took, and what went wrong."""

    port: int
    page: str
    seconds: list[float] = field(default_factory=list)
    errors: int = 0
    connection: ClientConnection | None = None
    slider: str = ""
    fragment: str = ""
    page_hash: str = ""
    options: list[str] = field(default_factory=list)

    async def open(self) -> None:
        """Connect and load the page."""
        place = f"127.0.0.1:{self.port}"
        self.connection = await connect(f"ws://{place}/_stcore/stream", origin=f"http://{place}", max_size=None)  # type: ignore[arg-type]
        message = BackMsg()
        message.rerun_script.page_name = self.page
        await self.run(message)
        if not self.options:
            raise RuntimeError(f"Expected a slider with options on the page, got none on page={self.page}.")

    async def move(self, times: int) -> None:
        """Move the slider to another option, again and again, about once a second."""
        await asyncio.sleep(PAUSE * random.random())  # visitors do not move together
        for step in range(times):
            message = BackMsg()
            message.rerun_script.page_script_hash = self.page_hash
            message.rerun_script.fragment_id = self.fragment
            state = message.rerun_script.widget_states.widgets.add()
            state.id = self.slider
            state.string_array_value.data.append(self.options[step % len(self.options)])
            start = time.perf_counter()
            await self.run(message)
            self.seconds.append(time.perf_counter() - start)
            await asyncio.sleep(max(0.0, PAUSE - self.seconds[-1]))

    async def run(self, message: BackMsg) -> None:
        """Send a message and read until the script that it starts is finished."""
        assert self.connection is not None
        await self.connection.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = ForwardMsg.FromString(await self.connection.recv(decode=False))
                kind = answer.WhichOneof("type")
                if kind == "new_session":
                    self.page_hash = answer.new_session.page_script_hash
                elif kind == "delta":
                    self.look(answer)
                elif kind == "script_finished":
                    status = answer.script_finished
                    if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        continue
                    self.errors += status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR
                    return

    def look(self, answer: ForwardMsg) -> None:
        """Remember the first slider; count what the page shows as an error."""
        element = answer.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception" or (kind == "alert" and element.alert.format == element.alert.ERROR):
            self.errors += 1
        if kind == "slider" and element.slider.options and self.slider in ("", element.slider.id):
            self.slider, self.fragment = element.slider.id, answer.delta.fragment_id
            self.options = list(element.slider.options)
