"""Create if absent: once, whole, never overwritten, and only where a store can promise it."""

from __future__ import annotations

import errno
import os
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


def test_what_is_private_is_its_owners_alone(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path / "ledger"), private=True)
    folder.check()
    assert folder.create("charges/x", b"x")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "ledger", *folder_files(tmp_path))}
    assert modes == {"ledger": 0o700, "charges": 0o700, "x": 0o600}


def folder_files(folder: Path) -> list[Path]:
    return sorted((folder / "ledger").rglob("*"))


def test_which_folder_lies_in_which(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "out")
    out = Folder(str(tmp_path / "out"))
    inside = [
        out.holds(Folder(str(tmp_path / each))) for each in ("out", "out/deep/x", "link/x", "out.ledger", "other")
    ]
    assert inside == [True, True, True, False, False]
    assert not out.holds(Folder(f"memory://{tmp_path}/out/x"))


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
    folder.create("charges/x", b"x")
    mine = f".part.{'0f' * 16}.tmp"
    for name in (mine, f"charges/{mine}"):
        (tmp_path / name).write_bytes(b"half")
    assert folder.names() == ["part"] and folder.sweep("charges", "absent") == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["charges", "part", "x"]


def test_only_our_own_temporary_files_are_swept(tmp_path: Path) -> None:
    names = (".draft.tmp", ".part.0123.tmp", f"part.{'0f' * 16}.tmp", f"proj/.part.{'0f' * 16}.tmp")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("not ours")
    assert Folder(str(tmp_path)).sweep("charges") == 0
    assert all((tmp_path / name).exists() for name in names)


def test_a_store_without_exclusive_creation_is_refused() -> None:
    class Plain(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = "plain"

    fsspec.register_implementation("plain", Plain, clobber=True)
    with pytest.raises(ValueError, match="creates files exclusively"):
        Folder("plain://bucket/out")


def test_a_store_that_overwrites_in_silence_is_refused_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As an s3fs would that is older than its exclusive mode."""
    folder = Folder("memory://bulk-old/out")
    folder.check()
    assert folder.fs.find(folder.path) == []  # no probe is left

    def overwrite(path: str, data: bytes, **_: object) -> None:
        with folder.fs.open(path, "wb") as file:
            file.write(data)

    monkeypatch.setattr(folder.fs, "pipe_file", overwrite)
    with pytest.raises(ValueError, match="replaced the first.*two workers could each publish"):
        folder.check()


def test_a_file_system_without_links_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Folder(str(tmp_path)).check()
    assert list(tmp_path.iterdir()) == []

    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(ValueError, match="it has no links"):
        Folder(str(tmp_path)).check()
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_file_that_another_call_swept_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, link, swept = Folder(str(tmp_path)), os.link, []

    def sweep_first(source: Path, target: Path) -> None:
        if not swept:
            swept.append(Folder(str(tmp_path)).sweep())
        link(source, target)

    monkeypatch.setattr(os, "link", sweep_first)
    assert folder.create("part", b"draw") and swept == [1] and folder.read("part") == b"draw"
    assert [path.name for path in tmp_path.iterdir()] == ["part"]
