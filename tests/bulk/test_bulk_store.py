"""Create if absent: once, whole, never overwritten, and only where a store can promise it."""

from __future__ import annotations

import threading
from pathlib import Path

import fsspec
import pytest

from rlm_core.bulk.store import Folder


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_the_first_one_stays(kind: str, tmp_path: Path) -> None:
    folder = Folder(str(tmp_path / "out") if kind == "file" else "memory://bulk-store/out")
    assert folder.names() == [] and not folder.exists("deep/x")
    assert folder.create("deep/x", b"first") and not folder.create("deep/x", b"second")
    assert folder.read("deep/x") == b"first" and folder.exists("deep/x") and folder.names("deep") == ["x"]
    if kind == "file":
        assert [path.name for path in (tmp_path / "out" / "deep").iterdir()] == ["x"]  # no temporary file is left


def test_of_many_writers_one_wins_and_what_is_seen_is_whole(tmp_path: Path) -> None:
    folder, won = Folder(str(tmp_path)), []
    texts = [bytes([65 + each]) * 200_000 for each in range(8)]

    def write(text: bytes) -> None:
        if folder.create("part", text):
            won.append(text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and folder.read("part") == won[0] and folder.names() == ["part"]


def test_what_the_dead_left_is_swept_unread(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    folder.create("part", b"x")
    (tmp_path / ".part.0123.tmp").write_bytes(b"half")
    assert folder.names() == ["part"] and folder.sweep() == 1
    assert [path.name for path in tmp_path.iterdir()] == ["part"]


def test_a_store_without_exclusive_creation_is_refused() -> None:
    class Plain(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = "plain"

    fsspec.register_implementation("plain", Plain, clobber=True)
    with pytest.raises(ValueError, match="creates files exclusively"):
        Folder("plain://bucket/out")
