"""``rlm run``: serve the app, by default to this machine alone.

The app is a process of its own, started from its folder: the library imports nothing of it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from rlm_core.places import app

HOSTS_VARIABLE = "RLM_ALLOWED_HOSTS"
EPILOG = """By default only this machine can open the app, and the app contacts nobody.

Serving others is your choice:
  rlm run --host 0.0.0.0                               everybody in your network, by this machine's IP address
  rlm run --host 0.0.0.0 --allowed-host ldp.example    the same, and under this name
What visitors send travels unencrypted unless a proxy with HTTPS stands in front (docs/deployment.md)."""


def main(arguments: Sequence[str]) -> int:
    """Start the server and stay until it ends."""
    options = parse(arguments)
    for package in ("streamlit", "torch"):
        if importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    folder = app()
    if not (folder / "serve.py").is_file():
        raise FileNotFoundError(f"Expected the app in {folder}, but serve.py is not there.")
    environment = os.environ | {HOSTS_VARIABLE: ",".join(options.allowed_host)}
    command = server_command(folder, host=options.host, port=options.port, names=options.allowed_host)
    if os.name == "nt":  # there exec does not replace the process
        return subprocess.call(command, cwd=folder, env=environment)
    os.chdir(folder)
    os.execve(command[0], command, environment)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser(
        prog="rlm run",
        description="Serve the app.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1", help="IP address to listen on; default: %(default)s")
    parser.add_argument("--port", type=int, default=8501, help="default: %(default)s")
    parser.add_argument(
        "--allowed-host",
        action="append",
        metavar="NAME",
        help=f"a name under which visitors may open the app; may be repeated (or {HOSTS_VARIABLE}, divided by commas)",
    )
    options = parser.parse_args(arguments)
    if options.host == "localhost":
        options.host = "127.0.0.1"
    try:
        ip_address(options.host)
    except ValueError:
        parser.error(f"argument --host: expected an IP address of this machine, got {options.host!r}")
    if not 1 <= options.port <= 65535:
        parser.error(f"argument --port: expected 1 to 65535, got {options.port}")
    names = options.allowed_host or os.environ.get(HOSTS_VARIABLE, "").split(",")
    options.allowed_host = [name.strip().lower() for name in names if name.strip()]
    for name in options.allowed_host:
        if not name.replace("-", "").replace(".", "").isalnum():
            parser.error(f"argument --allowed-host: expected a host name such as ldp.example, got {name!r}")
    return options


def server_command(folder: Path, *, host: str, port: int, names: Sequence[str] = ()) -> list[str]:
    """The process that serves the app.

    ``browser.serverAddress`` is the address that Streamlit prints; without one it would ask a public
    host for ours.
    """
    browser_address = names[0] if names else "localhost" if ip_address(host).is_unspecified else host
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "serve.py")]
    return [*command, f"--server.address={host}", f"--server.port={port}", f"--browser.serverAddress={browser_address}"]
