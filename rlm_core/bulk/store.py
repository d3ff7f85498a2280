"""Create if absent: the one way in which a charge or a part becomes visible.

A block may be run by two workers at once, or again after one died. Whoever comes first publishes; the other's
work is deleted unread. So nothing here overwrites, and nothing is visible before it is whole:

    local files     write a temporary file, fsync, ``os.link`` to its name (fails if that is there), unlink
    object stores   one PUT with fsspec's exclusive mode (S3 If-None-Match, GCS generation 0, Azure overwrite=False)

fsspec's default for other stores asks first and writes later, which is no such promise: they are refused. A version
of a store's package that is too old may overwrite in silence, and some file systems have no links: :meth:`Folder.check`
tries it, before anything is charged.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import uuid
from pathlib import Path
from typing import Any

import fsspec
from fsspec.core import url_to_fs

EXCLUSIVE = frozenset({"file", "local", "memory", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az"})
"""Protocols whose file systems create exclusively (s3fs from 2025.7, gcsfs and adlfs from 2025.2)."""

TEMPORARY = ".tmp"
_OURS = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")  # as _link names them
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_ATTEMPTS = 3
_BINARY = getattr(os, "O_BINARY", 0)  # Windows


class Folder:
    """A folder on any fsspec path, for files that are created once and never changed.

    ``private``: on local files, what is created can be read by this user alone.
    """

    def __init__(self, path: str, *, private: bool = False) -> None:
        self.fs, self.path = url_to_fs(path)
        self.private = private
        self.local = isinstance(self.fs, fsspec.get_filesystem_class("file"))
        protocols = (self.fs.protocol,) if isinstance(self.fs.protocol, str) else self.fs.protocol
        if not EXCLUSIVE & set(protocols):
            raise ValueError(
                f"Expected a place that creates files exclusively ({', '.join(sorted(EXCLUSIVE))}), got {protocols[0]}."
            )

    def check(self) -> None:
        """Create a file twice; raise unless the first one stays, as everything here relies on it."""
        name = f"probe-{uuid.uuid4().hex}{TEMPORARY}"
        try:
            first, second = self.create(name, b"first"), self.create(name, b"second")
            kept = first and not second and self.read(name) == b"first"
        except (NotImplementedError, TypeError) as error:
            raise self._refusal(str(error)) from error
        except OSError as error:
            if error.errno in _NO_LINKS:
                raise self._refusal(f"{error.strerror}: it has no links") from error
            raise
        with contextlib.suppress(OSError, NotImplementedError):
            self.fs.rm_file(self.at(name))
        if not kept:
            raise self._refusal("a second file of one name replaced the first")

    def _refusal(self, why: str) -> ValueError:
        return ValueError(
            f"Expected a place that creates a file only if it is absent, got {self.path!r} ({why}). Without that, two "
            "workers could each publish a draw of the same people. Nothing was drawn; choose another --out."
        )

    def protect(self) -> None:
        """Make it, on local files for this user alone, also if it was there; raise if others can still enter it."""
        if not self.local or os.name == "nt":
            return
        path = Path(self.path)
        path.mkdir(0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            with contextlib.suppress(OSError):  # not ours, or no place for rights: the next line sees it
                path.chmod(0o700)
        if path.stat().st_mode & 0o077:
            raise ValueError(
                f"Expected a folder that its owner alone can enter, got {self.path!r}, whose rights (mode "
                f"{path.stat().st_mode & 0o777:o}) cannot be changed to 0700. Choose another --ledger."
            )

    def at(self, name: str) -> str:
        """The path of a file in it."""
        return f"{self.path}/{name}"

    def create(self, name: str, data: bytes) -> bool:
        """Make a file of these bytes, whole and durable, unless there is one of that name; True if it was made."""
        if self.local:
            for folder in (Path(self.path), Path(self.at(name)).parent):
                folder.mkdir(0o700 if self.private else 0o777, parents=True, exist_ok=True)
            return _link(Path(self.at(name)), data, 0o600 if self.private else 0o666)
        try:
            self.fs.pipe_file(self.at(name), data, mode="create")
        except FileExistsError:
            return False
        return True

    def holds(self, other: Folder) -> bool:
        """Whether the other one is this folder, or lies in it."""
        if type(self.fs) is not type(other.fs):
            return False
        mine, theirs = (os.path.realpath(each.path) if each.local else each.path for each in (self, other))
        return f"{theirs.rstrip('/')}/".startswith(f"{mine.rstrip('/')}/")

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return bool(self.fs.exists(self.at(name)))

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        data: bytes = self.fs.cat_file(self.at(name))
        return data

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self.fs.rm_file(self.at(name))

    def names(self, folder: str = "") -> list[str]:
        """The names of the files in it, or in one of its folders, sorted; without temporary ones."""
        listed = self._listed(self.at(folder) if folder else self.path)
        return sorted(name for name, kind in listed if kind == "file" and not name.endswith(TEMPORARY))

    def contents(self) -> list[str]:
        """The names of all that is in it, folders too; without temporary ones."""
        return sorted(name for name, _ in self._listed(self.path) if name and not name.endswith(TEMPORARY))

    def _listed(self, where: str) -> list[tuple[str, str]]:
        self.fs.invalidate_cache()
        try:
            listed: list[dict[str, Any]] = self.fs.ls(where, detail=True)
        except FileNotFoundError:
            return []
        return [(each["name"].rstrip("/").rsplit("/", 1)[-1], each["type"]) for each in listed]

    def sweep(self, *folders: str) -> int:
        """Delete, unread, what workers that died have left; how many. For when every block is done or failed.

        Only files that are named as ours, in it and in these folders of it: nothing below them.
        """
        places = [Path(self.path), *(Path(self.at(each)) for each in folders)] if self.local else []
        found = [path for place in places if place.is_dir() for path in place.iterdir()]
        left = [path for path in found if _OURS.fullmatch(path.name)]
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)


def _link(path: Path, data: bytes, mode: int) -> bool:
    for attempt in range(_ATTEMPTS):
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}{TEMPORARY}")
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, path)
        except FileExistsError:
            return False
        except FileNotFoundError:  # another call that was done has swept it: the same bytes again
            if attempt == _ATTEMPTS - 1:
                raise
            continue
        finally:
            temporary.unlink(missing_ok=True)
        break
    _sync(path.parent)
    return True


def _sync(folder: Path) -> None:
    """Make the name of a new file durable; where a folder cannot be opened (Windows) the system decides."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
