"""static/device for tests: a small server, a page in Chromium, and the vectors run in either engine."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rlm_core.device.description import weights

HERE = Path(__file__).resolve().parent
DEVICE = HERE.parents[1] / "static" / "device"
VECTORS = HERE / "vectors"

Outcome = dict[str, Any]
"""How many checks were made, and a line for each that failed."""


class Handler(SimpleHTTPRequestHandler):
    """Files, without a line on the terminal for each."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a folder while it is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def site(folder: Path, device: Path = DEVICE) -> Path:
    """A folder to serve: the device's scripts, the runner, the vectors and the weights by their checksum."""
    (folder / "weights").mkdir(parents=True)
    for name, target in (("device", device), ("conformance", HERE / "conformance"), ("vectors", VECTORS)):
        (folder / name).symlink_to(target)
    for checksum, path in weights().items():
        (folder / "weights" / checksum).symlink_to(path)
    (folder / "index.html").write_text("<!doctype html><title>device</title>", encoding="utf-8")
    return folder


RUN = """async (names) => {
    const { run } = await import("/conformance/run.js");
    const vectors = {};
    for (const name of names) vectors[name] = await (await fetch(`/vectors/${name}.json`)).json();
    const address = (name) => (name.endsWith(".wasm") ? `/device/${name}` : `/weights/${name}`);
    const read = async (name) => (await fetch(address(name))).arrayBuffer();
    return run(`${location.origin}/device/`, vectors, read);
}"""


def in_chromium(browser: Any, folder: Path, names: list[str]) -> Outcome:
    """The vectors of these names, in Chromium."""
    with serving(folder) as address:
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(address)
        outcome: Outcome = page.evaluate(RUN, names)
        page.close()
    return outcome


def in_node(node: str, device: Path = DEVICE, vectors: Path = VECTORS) -> Outcome:
    """All vectors, in node."""
    files = json.dumps({checksum: str(path) for checksum, path in weights().items()})
    command = [node, str(HERE / "conformance" / "node.mjs"), str(device), str(vectors)]
    done = subprocess.run(command, input=files, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    outcome: Outcome = json.loads(done.stdout)
    return outcome


@contextmanager
def app_server(app: Any) -> Iterator[str]:
    """The address of an ASGI app while uvicorn runs it in a thread."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=30)
