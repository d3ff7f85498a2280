"""Pictures and networks through LocalPrivatiser: arrays and folders, grey and colour, saved and loaded."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from rlm_core.cli import main as command
from rlm_core.data import cifar10_samples
from rlm_core.pictures import PictureFormat, read_pictures
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.tables import TableError

DIGITS, LABELS = load_digits(return_X_y=True)
PICTURES = np.rint(DIGITS.reshape(-1, 8, 8) * 255 / 16).astype(np.uint8)


def folder_of(pictures: np.ndarray, labels: np.ndarray, where: Path) -> Path:
    for number, (picture, label) in enumerate(zip(pictures, labels, strict=True)):
        (where / str(label)).mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(where / str(label) / f"{number:04d}.png")
    return where


def quiet(**given: object) -> LocalPrivatiser:
    warnings.simplefilter("ignore", UtilityWarning)
    return LocalPrivatiser(epsilon=8.0, reports=800, **given)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_a_folder_is_the_same_as_the_array(tmp_path: Path) -> None:
    folder = folder_of(PICTURES[:300], LABELS[:300], tmp_path / "public")
    of_folder = quiet(encoder="linear").fit(folder, "folder")
    files = read_pictures(folder)
    order = [int(path.stem) for path in files.files]
    of_array = quiet(encoder="linear").fit(PICTURES[:300][order], LABELS[:300][order])
    assert of_folder.method_.digest == of_array.method_.digest and list(of_folder.classes_) == list("0123456789")
    assert of_array.classes_.tolist() == list(range(10))
    assert len(of_folder.privatise(folder, "folder")) == 300
    assert len(of_folder.privatise(files.files[0])) == 1  # one picture, without a label
    assert np.array_equal(of_folder.encode_table(folder), of_array.encode_table(PICTURES[:300][order]))
    (folder / "labels.csv").write_text("file,label\n" + "".join(f"{files.name(i)},{i % 2}\n" for i in range(300)))
    assert list(quiet(encoder="linear").fit(folder, "labels.csv").classes_) == ["0", "1"]
    with pytest.raises(TableError, match="CSV file in the folder"):
        quiet().fit(folder, "nothing.csv")
    (folder / "0" / "broken.png").write_bytes(b"no picture")
    with pytest.raises(TableError, match="cannot be decoded"):
        of_folder.privatise(folder)


def test_sizes_and_white_come_from_public_pictures() -> None:
    form = PictureFormat.infer(read_pictures(np.ones((3, 100, 40), np.uint8)))
    assert (form.height, form.width, form.white, form.colour) == (32, 32, 255.0, False)
    assert PictureFormat.from_json(form.to_json()) == form
    assert form.matrix(read_pictures(np.full((2, 7, 9, 3), 255, np.uint8))).tolist() == [[1.0] * 1024] * 2
    for wrong in (np.full((1, 8, 8), np.nan), np.ones((1, 2, 2)), np.ones((1, 8, 8, 5))):
        with pytest.raises(TableError, match="Expected"):
            form.matrix(read_pictures(wrong))


def test_a_type_of_another_scale_is_refused_whatever_the_pixels() -> None:
    """They would all be black, or white. A black picture is one on any scale, but its type says which it has."""
    of_bytes, of_units, of_words = (
        PictureFormat.infer(read_pictures(pictures))
        for pictures in (PICTURES[:20], PICTURES[:20] / 255, PICTURES[:20].astype(np.uint16) * 257)
    )
    black = np.zeros((1, 8, 8), np.uint8)
    for form, wrong in (
        (of_units, PICTURES[20:22]),
        (of_units, black),
        (of_bytes, black.astype(bool)),
        (of_bytes, black.astype(np.uint16)),
        (of_words, PICTURES[20:22]),
    ):
        with pytest.raises(TableError, match=f"pixels from 0 to {form.white:g} in picture 0, as the public pictures"):
            form.matrix(read_pictures(wrong))
    expected = of_bytes.matrix(read_pictures(PICTURES[20:22]))
    assert np.allclose(of_bytes.matrix(read_pictures(PICTURES[20:22].astype(np.float64))), expected)
    assert np.allclose(of_units.matrix(read_pictures(PICTURES[20:22] / 255)), expected)


def test_nobody_is_refused_for_their_pixels() -> None:
    """A dark picture among others is sent; that all of a batch are black or white is said, and refuses nobody."""
    of_bytes, of_units = (
        PictureFormat.infer(read_pictures(pictures)) for pictures in (PICTURES[:20], PICTURES[:20] / 255)
    )
    ordinary = PICTURES[20:22].astype(np.float64)
    for strange in (np.full((1, 8, 8), 0.4), np.full((1, 8, 8), 1e6), np.full((1, 8, 8), -3.0)):
        found = of_bytes.matrix(read_pictures(np.concatenate([ordinary, strange])))
        assert np.array_equal(found[:2], of_bytes.matrix(read_pictures(PICTURES[20:22]))) and (0 <= found).all()
    assert not of_bytes.matrix(read_pictures(np.zeros((1, 8, 8)))).any()
    with pytest.warns(UserWarning, match="all of these are black on that scale"):
        assert len(of_bytes.matrix(read_pictures(PICTURES[20:22] / 255))) == 2
    with pytest.warns(UserWarning, match="all of these are white on that scale"):
        assert of_units.matrix(read_pictures(np.full((2, 8, 8), 255.0))).all()


def test_standardised_public_pictures_are_refused() -> None:
    """What is below 0 was black without a word: half of every picture."""
    standard = (PICTURES - PICTURES.mean()) / PICTURES.std()
    with pytest.raises(TableError, match=r"Expected pixels from 0 \(black\) to 1, or to 255, got -0\.8"):
        LocalPrivatiser(reports=10**5).fit(standard[:100], LABELS[:100])


def test_masked_pixels_are_refused() -> None:
    masked = np.ma.masked_array(PICTURES[:3], mask=PICTURES[:3] == 0)
    with pytest.raises(TableError, match="a masked array with some missing"):
        read_pictures(masked)


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_colour_goes_behind_the_trunk_each_picture_by_itself() -> None:
    images = cifar10_samples().images[::6]
    privatiser = quiet().fit(images, [str(number % 2) for number in range(len(images))])
    assert privatiser.pictures_ is not None and privatiser.pictures_.colour and privatiser.n_features_in_ == 512
    assert np.array_equal(privatiser.encode_table(images[3:4])[0], privatiser.encode_table(images[:5])[3])
    with pytest.raises(ValueError, match="a mechanism of a table"):
        privatiser.export("owner.html")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_a_network_learns_codes_and_is_saved(tmp_path: Path) -> None:
    seen: list[object] = []
    privatiser = quiet(encoder="network").fit(PICTURES[:700], LABELS[:700], progress=seen.append)
    assert privatiser.plan_.encoder == "network" and seen
    x = privatiser.encode_table(PICTURES[700:760])
    together = privatiser.method_.encoder(x)
    assert all(np.array_equal(privatiser.method_.encoder(x[[at]])[0], together[at]) for at in range(60))
    privatiser.learn(privatiser.privatise(PICTURES[700:1500], LABELS[700:1500]))
    assert privatiser.score(PICTURES[1500:], LABELS[1500:]) > 0.6
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert np.array_equal(loaded.predict_proba(PICTURES[:50]), privatiser.predict_proba(PICTURES[:50]))


def test_a_network_takes_codes_alone() -> None:
    with pytest.raises(ValueError, match="kind='codes' for a network"):
        LocalPrivatiser(encoder="network", kind="joint bits").fit(DIGITS[:200], LABELS[:200] % 2)


def test_the_commands_take_folders_of_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    public = folder_of(PICTURES[:300], LABELS[:300], tmp_path / "public")
    people = folder_of(PICTURES[300:900], LABELS[300:900], tmp_path / "people")
    model, reports = str(tmp_path / "mine"), str(tmp_path / "reports.parquet")
    assert command(["fit", str(public), "--label", "folder", "--epsilon", "8", "--reports", "600", "--out", model]) == 0
    assert "pictures: 8 × 8, grey" in capsys.readouterr().out
    assert command(["privatise", str(people), "--model", model, "--out", reports]) == 0
    assert "600 reports" in capsys.readouterr().out
    assert command(["learn", reports, "--model", model, "--test", str(public)]) == 0
    assert "on 300 test rows" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert command(["fit", str(tmp_path / "empty"), "--out", str(tmp_path / "none")]) == 2
    assert "Expected pictures" in capsys.readouterr().err
