"""A PostgreSQL of one's own on loopback, for tests and benchmarks: made in a folder, killed and started at will."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
USER = "postgres"


def missing() -> str | None:
    """Why there can be none here, or None."""
    if not BINARIES:
        return "PostgreSQL is not installed (Debian's package `postgresql`)"
    if os.geteuid() == 0 and USER not in {entry.pw_name for entry in pwd.getpwall()}:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return None


class Cluster:
    """``with Cluster() as cluster: cluster.url``. Trusts everybody, so it listens on loopback only."""

    def __init__(self) -> None:
        self.folder = Path()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """As ``RLM_DATABASE`` takes it."""
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Cluster:
        self.folder = Path(tempfile.mkdtemp(prefix="rlm-postgresql-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER, USER)
        options = ["--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", "-D", str(self.folder), *options)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start, after a kill with recovery from its log, and wait until it answers."""
        (self.folder / "postmaster.pid").unlink(missing_ok=True)  # of a server that was killed
        settings = (f"port={self.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=on")
        flags = [part for setting in settings for part in ("-c", setting)]
        command = self._as_user(str(BINARIES[-1] / "postgres"), "-D", str(self.folder), *flags)
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd="/", start_new_session=True)
        deadline = time.monotonic() + 60
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError("PostgreSQL did not start.")
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL to the server and all its processes, as a power cut would end them."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        ask = [str(BINARIES[-1] / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ask, cwd="/", check=False).returncode == 0

    def _run(self, name: str, *arguments: str) -> None:
        command = self._as_user(str(BINARIES[-1] / name), *arguments)
        subprocess.run(command, check=True, capture_output=True, cwd="/")

    def _as_user(self, *command: str) -> list[str]:
        return [
            *(["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if os.geteuid() == 0 else []),
            *command,
        ]
