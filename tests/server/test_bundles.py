"""The frame's files from memory: the same bytes, compressed for who takes it, and nothing outside the folder."""

from __future__ import annotations

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from server.bundles import Bundles

SCRIPT = b"export const answer = 42;\n" * 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "static" / "js").mkdir(parents=True)
    (tmp_path / "static" / "js" / "a.1f.js").write_bytes(SCRIPT)
    (tmp_path / "static" / "js" / "small.js").write_bytes(b"1")
    (tmp_path / "static" / "font.woff2").write_bytes(b"\0" * 4000)
    (tmp_path / "secret.js").write_bytes(b"secret")
    return tmp_path / "static"


class Answer(NamedTuple):
    """What came back."""

    headers: dict[str, str]
    body: bytes


async def below(scope: Any, receive: Any, send: Any) -> None:
    """The app behind."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"below"})


def ask(bundles: Bundles, path: str, *, method: str = "GET", encoding: str = "gzip, br") -> Answer:
    """One request, as a server would hand it over."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [(b"accept-encoding", encoding.encode())]}
    with ThreadPoolExecutor(1) as thread:  # a browser test before may hold this thread's loop
        thread.submit(asyncio.run, bundles(scope, None, send)).result()
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(headers, b"".join(each["body"] for each in sent[1:]))


def test_a_script_is_compressed_for_who_takes_it(folder: Path) -> None:
    bundles = Bundles(below, folder)
    for _ in range(2):  # read, then kept
        answer = ask(bundles, "/static/js/a.1f.js")
        assert gzip.decompress(answer.body) == SCRIPT and answer.headers["content-encoding"] == "gzip"
        assert len(answer.body) < len(SCRIPT) / 4 and "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"].startswith("text/javascript")
        plain = ask(bundles, "/static/js/a.1f.js", encoding="br")
        assert plain.body == SCRIPT and "content-encoding" not in plain.headers
        assert plain.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("name", ["js/small.js", "font.woff2"])
def test_what_gains_nothing_is_sent_as_it_is(folder: Path, name: str) -> None:
    answer = ask(Bundles(below, folder), f"/static/{name}")
    assert answer.body == (folder / name).read_bytes() and "content-encoding" not in answer.headers


ELSEWHERE = ["/static/", "/static/js", "/static/none.js", "/static/../secret.js", "/other/js/a.1f.js"]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_all_else_is_passed_on(folder: Path, path: str) -> None:
    assert ask(Bundles(below, folder), path).body == b"below"


OTHER_SPELLINGS = ["./js/a.1f.js", "js//a.1f.js", "js/../js/a.1f.js", "js/a.1f.js/", "/js/a.1f.js"]


@pytest.mark.parametrize("name", OTHER_SPELLINGS)
def test_a_file_is_kept_under_one_name_alone(folder: Path, name: str) -> None:
    bundles = Bundles(below, folder)
    assert ask(bundles, f"/static/{name}").body == b"below" and not bundles.kept


@pytest.mark.parametrize("name", ["a\0b.js", "a" * 5000, "a/" * 3000])
def test_a_name_that_no_file_can_have_is_no_error_of_the_server(folder: Path, name: str) -> None:
    assert ask(Bundles(below, folder), f"/static/{name}").body == b"below"


def test_only_reading_is_answered(folder: Path) -> None:
    assert ask(Bundles(below, folder), "/static/js/a.1f.js", method="POST").body == b"below"


def test_nothing_outside_the_folder_is_read(folder: Path) -> None:
    bundles = Bundles(below, folder)
    assert bundles.read("../secret.js") is None and bundles.read(str(folder.parent / "secret.js")) is None
    found = bundles.read("js/a.1f.js")
    assert found is not None and found.compressed is not None and gzip.decompress(found.compressed) == SCRIPT
