"""The command line: help that names everything, exit codes, and no traceback for a mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rlm_core import __version__
from rlm_core.cli import COMMANDS, main
from rlm_core.cli.run import parse, server_command

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0 and f"usage: rlm {command}" in capsys.readouterr().out


def test_the_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    text = capsys.readouterr().out
    assert all(f"\n  {name} " in text and meaning in text for name, meaning in COMMANDS.items())


def test_as_a_module_it_is_the_same() -> None:
    found = subprocess.run([sys.executable, "-m", "rlm_core", "--version"], cwd=ROOT, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, f"rlm {__version__}\n")


def test_an_unknown_command_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["nonsense"])
    message = capsys.readouterr().err
    assert stopped.value.code == 2 and all(f"'{name}'" in message for name in COMMANDS)


def test_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json"]) == 0
    names = {model["name"] for model in json.loads(capsys.readouterr().out)}
    assert {card.parent.name for card in (ROOT / "models").glob("*-*rlm-*/card.json")} <= names


def test_bad_input_gets_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["audit", "--mechanism", "k-RR", "--epsilon", "-1"]) == 2
    assert capsys.readouterr().err == "rlm audit: Expected epsilon > 0, got epsilon=-1.\n"
    assert main(["models", "ship", str(tmp_path / "none")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rlm models: ") and "none" in error


def test_an_audit_that_holds_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    """An honest bound passes the claim at most once in 1,000 runs of this length; here once in 1e9."""
    sure = ["--confidence", "0.999999999", "--samples", "2000"]
    assert main(["audit", "--mechanism", "k-RR", "--epsilon", "1", *sure]) == 0
    assert "ok" in capsys.readouterr().out


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["run"]) == 2
    install = "pip install -c constraints.txt '.[app]'"
    assert capsys.readouterr().err == (
        f"rlm run: the package streamlit is missing. Install it, in a checkout: {install}\n"
    )


def test_presets_of_codes_are_trained_by_the_same_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from rlm_core.training import train_mechanism

    called: list[tuple[str, int]] = []
    monkeypatch.setattr(train_mechanism, "train_code_run", lambda name, *, seed, **_: called.append((name, seed)))
    assert main(["train", "mnist-qrlm", "--seed", "1"]) == 0
    assert called == [("mnist-qrlm", 1)]


def test_the_server_is_ours_alone_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLM_ALLOWED_HOSTS", raising=False)
    options = parse([])
    assert (options.host, options.port, options.allowed_host) == ("127.0.0.1", 8501, [])
    command = server_command(ROOT, host=options.host, port=options.port)
    assert "--server.address=127.0.0.1" in command and "--browser.serverAddress=127.0.0.1" in command


def test_serving_others_takes_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLM_ALLOWED_HOSTS", "a.example, B.example")
    assert parse(["--host", "0.0.0.0"]).allowed_host == ["a.example", "b.example"]
    assert parse(["--allowed-host", "c.example"]).allowed_host == ["c.example"]
    assert "--browser.serverAddress=localhost" in server_command(ROOT, host="0.0.0.0", port=1)
    assert "--browser.serverAddress=a.example" in server_command(ROOT, host="0.0.0.0", port=1, names=["a.example"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "evil"], "expected an IP address"),
        (["--port", "0"], "expected 1 to 65535"),
        (["--port", "x"], "invalid int"),
        (["--allowed-host", "a b"], "expected a host name"),
        (["--allowed-host", "http://a.example"], "expected a host name"),
    ],
)
def test_a_wrong_address_is_explained(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parse(arguments)
    assert stopped.value.code == 2 and message in capsys.readouterr().err
