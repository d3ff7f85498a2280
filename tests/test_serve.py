"""What `make run` starts listens on loopback only, contacts no other host, and knows its own names.

The server's sockets are watched from inside by an audit hook, which no Python code can go round.
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINUX = sys.platform == "linux" and shutil.which("make") is not None
HOOK = """
import os, sys
def note(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        address = arguments
    else:
        return
    host = address[0] if isinstance(address, tuple) else address
    with open(os.environ["RLM_TEST_SOCKETS"], "a") as log:
        log.write(f"{event} {host!s}\\n")
sys.addaudithook(note)
"""


@dataclass(frozen=True)
class Server:
    """A running server and the log of its sockets."""

    port: int
    log: Path

    def sockets(self, *events: str) -> set[str]:
        """Every host that one of these events named."""
        lines = [line.split(" ", 1) for line in self.log.read_text().splitlines()]
        return {host for event, host in lines if event in events}

    def get(self, path: str = "/", **headers: str) -> int:
        """The status of a GET."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers=headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def handshake(self, **headers: str) -> int:
        """The status of a websocket handshake; 101 is a connection."""
        key = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        return self.get("/_stcore/stream", **key, **{"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}, **headers)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def started(tmp: Path, *settings: str) -> Iterator[Server]:
    """Exactly the line that ``make run`` ends with, by this Python."""
    (tmp / "sitecustomize.py").write_text(HOOK)
    port, log = free_port(), tmp / "sockets.log"
    plan = subprocess.run(
        ["make", "--no-print-directory", "-n", "run", f"PORT={port}", *settings],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    bin_folder = Path(sys.executable).parent
    command = plan.stdout.strip().splitlines()[-1].replace(".venv/bin", str(bin_folder))
    environment = os.environ | {"PYTHONPATH": str(tmp), "RLM_TEST_SOCKETS": str(log), "OMP_NUM_THREADS": "1"}
    with (tmp / "output").open("wb") as output:
        process = subprocess.Popen(["/bin/sh", "-c", f"exec {command}"], cwd=ROOT, env=environment, stdout=output)
    try:
        server, deadline = Server(port, log), time.monotonic() + 240
        while True:
            try:
                assert server.get("/_stcore/health") == 200
                break
            except ConnectionError:
                assert process.poll() is None and time.monotonic() < deadline, (tmp / "output").read_text()
                time.sleep(0.3)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What ``make run`` starts."""
    yield from started(tmp_path_factory.mktemp("server"))


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in ("localhost", "None") or host.startswith("/")  # a path: a socket of this machine


def assert_it_contacted_nobody(server: Server) -> None:
    asked = server.sockets("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo")
    asked |= server.sockets("socket.gethostbyname", "socket.gethostbyaddr")
    assert [host for host in asked if not is_loopback(host) and host != "0.0.0.0"] == []


@pytest.mark.skipif(not LINUX, reason="needs make and /proc")
def test_it_listens_on_loopback_only(server: Server) -> None:
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            if state == "0A" and int(local.split(":")[1], 16) == server.port:
                listening.append(local.split(":")[0])
    assert listening == ["0100007F"]
    assert server.sockets("socket.bind") == {"127.0.0.1"}


@pytest.mark.skipif(not LINUX, reason="needs make")
def test_it_contacts_nobody_whatever_a_handshake_says(server: Server) -> None:
    own = f"127.0.0.1:{server.port}"
    assert server.handshake(Host=own, Origin=f"http://{own}") == 101
    assert server.handshake(Host=own, Origin="http://evil.example") == 403
    assert server.handshake(Host="evil.example", Origin="http://evil.example") == 403
    assert server.get("/", Host=own, Origin="http://evil.example") == 403
    assert server.get("/") == 200
    time.sleep(1.0)  # a lookup would run into its time-out after the answer
    assert server.sockets("socket.bind"), "the hook saw nothing"
    assert_it_contacted_nobody(server)


@pytest.mark.skipif(not LINUX, reason="needs make")
def test_a_foreign_name_is_refused(server: Server) -> None:
    """DNS rebinding: the browser believes that we are evil.example."""
    assert server.get("/", Host="evil.example") == 400
    assert server.get("/_stcore/health", Host=f"evil.example:{server.port}") == 400
    assert server.get("/", Host=f"localhost:{server.port}") == 200


@pytest.mark.skipif(not LINUX, reason="needs make")
@pytest.mark.parametrize("folder", ["device", "app/static", "join/files"])
def test_a_long_address_is_no_fault_of_the_server(server: Server, folder: str) -> None:
    assert server.get(f"/{folder}/{'a' * 5000}.js") == 414


@pytest.mark.skipif(not LINUX, reason="needs make")
@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json"])
def test_inner_addresses_are_closed(server: Server, path: str) -> None:
    assert server.get(path) == 404


@pytest.mark.slow
@pytest.mark.skipif(not LINUX, reason="needs make")
def test_serving_others_is_a_choice_and_contacts_nobody_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLM_ALLOWED_HOSTS", "ldp.example, second.example")
    for server in started(tmp_path, "HOST=0.0.0.0"):
        assert server.get("/", Host="ldp.example") == server.get("/", Host="second.example") == 200
        assert server.handshake(Host="ldp.example", Origin="https://ldp.example") == 101
        assert server.handshake(Host="ldp.example", Origin="https://second.example") == 403
        assert server.get("/", Host="evil.example") == 400
        time.sleep(1.0)
        assert server.sockets("socket.bind") == {"0.0.0.0"}
        assert_it_contacted_nobody(server)


def refusal(host: str | None, origin: str | None = None, *, names: tuple[str, ...] = (), path: str = "/") -> int:
    from server.known_hosts import KnownHosts

    given = {b"host": host, b"origin": origin}
    headers = [(name, value.encode()) for name, value in given.items() if value is not None]
    answer = KnownHosts(None, names).refusal({"headers": headers, "path": path})
    return 200 if answer is None else answer[0]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8501", "127.0.0.1", "[::1]:8501", "192.0.2.7:8501", "ldp.example"]
)
def test_known_hosts_pass(host: str) -> None:
    assert refusal(host, names=("ldp.example",)) == 200
    assert refusal(host, f"http://{host}", names=("ldp.example",)) == 200


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        ":8501",
        "evil.example",
        "localhost.evil.example",
        "ldp.example.evil.example",
        "127.0.0.1.nip.io",
        "[::1",
        "evil.example@127.0.0.1",
        "localhost/.evil.example",
        "localhost?.evil.example",
        "localhost#.evil.example",
        "127.0.0.1:8501:80",
        "localhost:",
    ],
)
def test_unknown_hosts_do_not(host: str | None) -> None:
    assert refusal(host, names=("ldp.example",)) == 400


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "http://localhost:3000", "http://6.6.6.6", "http://ldp.example@evil.example"],
)
def test_pages_of_other_sites_may_not_ask(origin: str) -> None:
    assert refusal("localhost:8501", origin, names=("ldp.example",)) == 403


def test_only_sites_that_were_named_may_frame_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    from server.strict_headers import content_policy, framing_sites

    monkeypatch.delenv("RLM_FRAME_ANCESTORS", raising=False)
    assert content_policy([], framing_sites()).endswith("; frame-ancestors 'self'")
    monkeypatch.setenv("RLM_FRAME_ANCESTORS", "https://spaces.example, https://www.second.example:8443")
    ours = "frame-ancestors 'self' https://spaces.example https://www.second.example:8443"
    assert content_policy([], framing_sites()).endswith(f"; {ours}")
    for wrong in (
        "*",
        "https://*.example",
        "http://spaces.example",
        "https://spaces.example/a",
        "https:",
        "https://a.example; script-src *",
        "https://a.example https://b.example",
        "'none'",
    ):
        monkeypatch.setenv("RLM_FRAME_ANCESTORS", wrong)
        with pytest.raises(ValueError, match="RLM_FRAME_ANCESTORS"):
            framing_sites()


def test_an_address_that_no_file_can_have_is_refused_in_words() -> None:
    assert refusal("localhost", path="/device/" + "a" * 5000 + ".js") == 414
    assert refusal("localhost", path="/device/worker.js") == 200


def test_no_script_runs_that_is_not_ours() -> None:
    """Neither eval nor a script that was written into the page; those of the two frames by their hash."""
    from serve import POLICY

    (scripts,) = (part for part in POLICY.split("; ") if part.startswith("script-src "))
    assert "unsafe" not in scripts and "*" not in scripts and scripts.count("'sha256-") == 2


def test_two_hosts_in_one_request_are_refused() -> None:
    from server.known_hosts import KnownHosts

    scope = {"headers": [(b"host", b"localhost"), (b"host", b"evil.example")], "path": "/"}
    assert KnownHosts(None).refusal(scope) is not None


def test_streamlit_cannot_look_up_its_address() -> None:
    from streamlit import net_util

    import serve  # noqa: F401

    assert net_util.get_external_ip() is None and net_util.get_internal_ip() is None
