"""What is shipped for servers: static checks. Nothing here builds an image."""

from __future__ import annotations

import re
import tomllib

from tests.docs.page_text import ROOT


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_image_gets_all_that_the_wheel_holds_and_nothing_else() -> None:
    wheel = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"rlm_core", *wheel["force-include"], "pyproject.toml", "README.md", "LICENSE"}
    allowed = {line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")}
    assert text(".dockerignore").startswith("**\n")
    whole = {name if name.startswith("docs/") else name.split("/")[0] for name in needed}  # of the docs one file
    assert whole | {"constraints.txt", "requirements.txt"} == allowed


def test_the_image_has_no_root_and_a_health_check() -> None:
    last = text("Dockerfile").rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001$", last, re.MULTILINE) and "HEALTHCHECK" in last and "/_stcore/health" in last
    assert all(
        re.search(r":\d+\.\d+\.\d+-", line) for line in re.findall(r"^FROM .*", text("Dockerfile"), re.MULTILINE)
    )


def test_compose_publishes_on_loopback_alone_and_writes_nowhere() -> None:
    compose = text("compose.yaml")
    assert re.findall(r"ports: \[(.*?)\]", compose) == ['"127.0.0.1:8501:8501"'] and "read_only: true" in compose
    assert "RLM_DATABASE_PASSWORD:?" in compose  # no password of ours


def test_variables_are_the_ones_that_the_code_reads() -> None:
    python = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("rlm_core", "collection", "ui", "server")
        for path in (ROOT / folder).glob("**/*.py")
    )
    for name in ("compose.yaml", "deploy/rlm.service", "deploy/space.md", "docs/deployment.md", "Dockerfile"):
        for variable in set(re.findall(r"\bRLM_[A-Z_]+", text(name))) - {"RLM_DATABASE_PASSWORD"}:
            assert f'"{variable}"' in python, f"{name} names {variable}, which nothing reads"
