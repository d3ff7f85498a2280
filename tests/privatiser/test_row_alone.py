"""A record's numbers are the same to the last bit alone and in any batch, through every way of reading it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.encoder import LinearEncoder

Row = list[Any]
COLUMNS = [f"x{column}" for column in range(4)]  # as those of an array are called
PUBLIC = pd.DataFrame(
    {
        "x0": [-1.5, 0.0, 1.5, 31.0] * 60,
        "x1": [True, False, True] * 80,
        "x2": ["cook", "nurse"] * 120,
        "x3": ["2010-01-05", "2012-03-04", "2015-06-07"] * 80,
    }
)
PLAIN: list[Row] = [
    [31, True, "cook", "2010-01-05"],
    [None, None, None, None],
    [-0.0, False, "nurse", "2012-03-04"],
    [45.5, True, "baker", None],
]
MIXED: list[Row] = [
    *PLAIN,
    [30, "unknown", 7, 2010],
    ["1.5", 1, True, pd.Timestamp("2011-07-01")],
    [2**60, 0, 1.5, 2020.5],
]


def frame(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def masked(rows: list[Row]) -> Any:
    return np.ma.array(np.array(rows, dtype=object), mask=frame(rows).isna().to_numpy())


def saved(write: Callable[[pd.DataFrame, Path], object], suffix: str) -> Callable[[list[Row], Path], Path]:
    def save(rows: list[Row], folder: Path) -> Path:
        path = folder / f"people{suffix}"
        write(frame(rows).infer_objects(), path)
        return path

    return save


WAYS: dict[str, tuple[list[Row], Callable[[list[Row], Path], Any]]] = {
    "frame": (MIXED, lambda rows, _: pd.DataFrame(rows, columns=COLUMNS)),
    "frame of objects": (MIXED, lambda rows, _: frame(rows)),
    "list of rows": (MIXED, lambda rows, _: rows),
    "list of arrays": (MIXED, lambda rows, _: [np.array(row, dtype=object) for row in rows]),
    "array": (MIXED, lambda rows, _: np.array(rows, dtype=object)),
    "array by columns": (MIXED, lambda rows, _: np.array(rows, dtype=object, order="F")),
    "masked array": (MIXED, lambda rows, _: masked(rows)),
    "list of masked rows": (MIXED, lambda rows, _: list(masked(rows))),
    "CSV": (MIXED, saved(lambda table, path: table.to_csv(path, index=False), ".csv")),
    "CSV in UTF-16": (MIXED, saved(lambda table, path: table.to_csv(path, index=False, encoding="utf-16"), ".csv")),
    "parquet": (PLAIN, saved(lambda table, path: table.to_parquet(path), ".parquet")),
}


@pytest.fixture(scope="module")
def privatiser() -> LocalPrivatiser:
    fitted = LocalPrivatiser(epsilon=4.0, reports=5_000, classes=["no", "yes"]).fit(PUBLIC)
    assert [each.kind for each in fitted.schema_.features] == ["number", "boolean", "category", "date"]
    return fitted


@pytest.mark.parametrize("way", WAYS)
def test_a_row_of_a_table(way: str, privatiser: LocalPrivatiser, tmp_path: Path) -> None:
    """And it is what the row means as a mapping, whichever way it came."""
    rows, read = WAYS[way]
    for batch in (rows, rows[::-1]):
        together = privatiser.encode_table(read(batch, tmp_path))
        assert len(together) == len(batch)
        for row, found in zip(batch, together, strict=True):
            alone = privatiser.encode_table(read([row], tmp_path))[0]
            mapping = privatiser.encode_table(dict(zip(COLUMNS, row, strict=True)))[0]  # type: ignore[arg-type]
            assert found.tobytes() == alone.tobytes() == mapping.tobytes(), row


def test_half_a_character_is_an_unknown_word(privatiser: LocalPrivatiser) -> None:
    """It is no text to pandas, which said so in its own words, unless somebody else's cell was a number."""
    row = [31, True, "\ud800", "2010-01-05"]
    together = privatiser.encode_table([row, [31, True, 7, "2010-01-05"]])
    assert privatiser.encode_table([row])[0].tobytes() == together[0].tobytes() == together[1].tobytes()


NUMBERS = np.random.default_rng(0).integers(0, 2, (200, 9))
GAPS = np.random.default_rng(1).random(NUMBERS.shape) < 0.02
ARRAYS: dict[str, Any] = {
    "numbers": NUMBERS / 3,
    "numbers by columns": np.asfortranarray(NUMBERS / 3),
    "every other number": np.repeat(NUMBERS / 3, 2, axis=1)[:, ::2],
    "float32": (NUMBERS / 3).astype(np.float32),
    "truth values": NUMBERS.astype(bool),
    "masked numbers": np.ma.array(NUMBERS / 3, mask=GAPS),
    "masked whole numbers": np.ma.array(NUMBERS, mask=GAPS),
    "masked truth values": np.ma.array(NUMBERS.astype(bool), mask=GAPS),
}


@pytest.mark.parametrize("kind", ["numbers", "truth values", "words"])
@pytest.mark.parametrize("way", ARRAYS)
def test_a_row_of_an_array(way: str, kind: str) -> None:
    """Where the words are true, false and unknown, True beside a masked cell became 1, which is none of them."""
    public = NUMBERS.astype(float if kind == "numbers" else bool)
    if kind == "words":
        public = public.astype(object)
        public[:20] = "unknown"
    fitted = LocalPrivatiser(epsilon=4.0, reports=50_000, classes=["no", "yes"]).fit(public)
    array = ARRAYS[way]
    together = fitted.encode_table(array)
    for number in range(0, len(array), 5):
        assert fitted.encode_table(array[number : number + 1].copy())[0].tobytes() == together[number].tobytes()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_row_of_numbers_through_an_encoder(order: Any) -> None:
    """Sums of eight and more numbers were taken in another order."""
    generator = np.random.default_rng(0)
    weight, bias = generator.normal(size=(3, 40)).astype(np.float32), np.zeros(3, np.float32)
    encoder, x = LinearEncoder(weight=weight, bias=bias), generator.normal(size=(700, 40))
    together = encoder(np.array(x, order=order))
    assert all(encoder(x[number : number + 1])[0].tobytes() == together[number].tobytes() for number in range(len(x)))


COLOURED = np.random.default_rng(0).integers(0, 256, (40, 12, 12, 3)).astype(np.uint8)
BY_COLOURS = np.ascontiguousarray(COLOURED.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
GREY = LocalPrivatiser(epsilon=4.0, reports=50_000, classes=["no", "yes"])


def folder(pictures: Any, where: Path) -> Path:
    where.mkdir(exist_ok=True)
    for number, picture in enumerate(pictures):
        Image.fromarray(picture).save(where / f"{number:03d}.png")
    return where


@pytest.mark.parametrize(
    "pictures", [COLOURED, BY_COLOURS, np.asfortranarray(COLOURED), COLOURED[:, :, ::-1]], ids=range(4)
)
def test_a_picture(pictures: Any, tmp_path: Path) -> None:
    """Colour ones where the public ones were grey: the sum over colours was rounded by the order of memory."""
    fitted = GREY.fit(COLOURED[..., 0])
    together = fitted.encode_table(pictures)
    expected = fitted.encode_table(np.ascontiguousarray(pictures))
    files = fitted.encode_table(folder(pictures, tmp_path / "all"))
    for number in range(len(pictures)):
        alone = fitted.encode_table(np.ascontiguousarray(pictures[number : number + 1]))[0].tobytes()
        file = fitted.encode_table(tmp_path / "all" / f"{number:03d}.png")[0].tobytes()
        assert alone == file == together[number].tobytes() == expected[number].tobytes() == files[number].tobytes()


def test_a_picture_as_a_row_of_pixels() -> None:
    """In a list of them, each has its own type: truth values alone are of another scale than bytes, also in a batch."""
    fitted = GREY.fit(COLOURED[..., 0])
    flat = COLOURED[..., 1].reshape(40, -1).tolist()
    flat[1] = [float(pixel) + 0.5 for pixel in flat[1]]
    together = fitted.encode_table(flat)
    assert all(fitted.encode_table([row])[0].tobytes() == together[at].tobytes() for at, row in enumerate(flat))
    for people in ([[True] * 144], [flat[1], [True] * 144]):
        with pytest.raises(ValueError, match=r"Expected pixels from 0 to 255 in picture \d, .* got bool"):
            fitted.encode_table(people)


def test_a_day_among_words() -> None:
    """numpy's became another word where all of a batch's cells were dates."""
    public = pd.DataFrame(
        {"x0": ["never", "2010-01-05", "2010-01-05 00:00:00", "2012-03-04"] * 60, "x1": ["a", "b"] * 120}
    )
    fitted = LocalPrivatiser(epsilon=4.0, reports=50_000, classes=["no", "yes"]).fit(public)
    row = [np.datetime64("2010-01-05"), "a"]
    together = fitted.encode_table([row, ["never", "b"]])[0]
    assert fitted.encode_table([row])[0].tobytes() == together.tobytes()
    assert fitted.encode_table({"x0": row[0], "x1": row[1]})[0].tobytes() == together.tobytes()


def test_rows_of_pixels_with_a_mask_are_refused_in_a_list_too() -> None:
    fitted = GREY.fit(COLOURED[..., 0])
    flat = np.ma.array(COLOURED[..., 1].reshape(40, -1), mask=False)
    flat[0, 3] = np.ma.masked
    for people in (flat, list(flat)):
        with pytest.raises(ValueError, match="masked"):
            fitted.encode_table(people)


def test_a_row_may_be_any_mapping(privatiser: LocalPrivatiser) -> None:
    row = dict(zip(COLUMNS, PLAIN[0], strict=True))
    expected = privatiser.encode_table(row)
    assert privatiser.encode_table(MappingProxyType(row)).tobytes() == expected.tobytes()
