"""Made-up people in any number: rows of Census Income drawn again with other numbers, digits moved a little."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rlm_core.data import adult_sample
from rlm_core.data.samples import mnist_samples
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning

LABEL = "income-per-year"
PUBLIC = 2_000
GROUP, FILE = 65_536, 1_000_000
DIGIT_GROUP = 16_384


def typed_sample() -> pd.DataFrame:
    """The sample of Census Income, numbers as numbers."""
    frame = adult_sample()
    for name in frame:
        numbers = pd.to_numeric(frame[name], errors="coerce")
        if numbers.notna().mean() > 0.95:
            frame[name] = numbers
    return frame


def fit_model(folder: Path, *, epsilon: float, reports: int, kind: str = "auto") -> LocalPrivatiser:
    """A mechanism of own data, fitted on the sample's first rows, in a folder if there is none yet."""
    if not (folder / "card.json").is_file():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UtilityWarning)
            LocalPrivatiser(epsilon=epsilon, reports=reports, kind=kind).fit(typed_sample()[:PUBLIC], LABEL).save(
                folder
            )
    return LocalPrivatiser.load(folder)


def write_tables(folder: Path, rows: int) -> Path:
    """``rows`` people in files of a million, those that are not there yet."""
    sample = pa.Table.from_pandas(typed_sample()[PUBLIC:], preserve_index=False)
    words = [
        each.name for each in sample.schema if pa.types.is_large_string(each.type) or pa.types.is_string(each.type)
    ]
    for name in words:
        at = sample.schema.get_field_index(name)
        sample = sample.set_column(at, name, sample[name].dictionary_encode())
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, rows, FILE)):
        count = min(FILE, rows - start)
        path = folder / f"people-{number:04d}-{count}.parquet"
        if path.exists():
            continue
        generator = np.random.default_rng(number)
        table = sample.take(pa.array(generator.integers(len(sample), size=count)))
        weight = table["fnlwgt"].to_numpy() + generator.integers(-5_000, 5_000, size=count)
        table = table.set_column(table.schema.get_field_index("fnlwgt"), "fnlwgt", pa.array(np.maximum(weight, 1)))
        _write(table, path, GROUP)
    return folder


def write_digits(folder: Path, rows: int) -> Path:
    """``rows`` digits of the sample, each moved by up to two pixels: a list of 784 bytes, and a label."""
    samples = mnist_samples()
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, rows, 10 * DIGIT_GROUP)):
        count = min(10 * DIGIT_GROUP, rows - start)
        path = folder / f"digits-{number:04d}-{count}.parquet"
        if path.exists():
            continue
        generator = np.random.default_rng(number)
        chosen = generator.integers(len(samples.labels), size=count)
        pixels, moves = samples.images[chosen], generator.integers(-2, 3, size=count)
        for move in range(-2, 3):
            pixels[moves == move] = np.roll(pixels[moves == move], move, axis=2)
        pictures = pa.FixedSizeListArray.from_arrays(pa.array(pixels.reshape(-1)), 784)
        _write(pa.table({"picture": pictures, "label": pa.array(samples.labels[chosen])}), path, DIGIT_GROUP)
    return folder


def _write(table: pa.Table, path: Path, group: int) -> None:
    part = path.with_suffix(".tmp")  # whole or not there
    pq.write_table(table, part, row_group_size=group, compression="zstd")
    part.replace(path)
