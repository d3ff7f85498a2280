"""From an uploaded CSV file to loans, or to a list of what is wrong with it, by line and column.

Columns are matched by name, in any order and case, also by their human names; others are ignored
and named. A file that cannot be read at all raises :class:`TableError`. A file with bad cells is
read: the good rows, and every problem of the others. Bytes, rows and columns are bounded; a page calls
:func:`read_loans` through :mod:`ui.app.decoding`, which bounds time and memory. Nothing here knows Streamlit.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.data.schema import FEATURES, Feature, features
from rlm_core.types import BoolArray, IntArray
from ui.table.cells import Parsed, read_cells, read_labels, shortened
from ui.table.table_digest import table_digest

MAX_ROWS = 50_000
MAX_BYTES = 10 * 2**20
MAX_COLUMNS = 500
MAX_LISTED = 200
"""Problems that are kept with line and column; beyond, they are only counted."""

LABEL_COLUMNS = ("outcome", "target", "label", "loan_status")
"""Names that a label's column may have; the first that is found counts."""

_OTHER_KINDS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive. In Excel, use “Save as”, CSV UTF-8",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook. In Excel, use “Save as”, CSV UTF-8",
    b"\x1f\x8b": "compressed with gzip. Unpack it first",
    b"PAR1": "a parquet file. Save the table as CSV",
    b"%PDF": "a PDF document. Save the table as CSV",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong: where (the header is line 1), and what, with the value and what is allowed."""

    message: str
    line: int | None = None
    column: str | None = None


class TableError(ValueError):
    """The file as a whole cannot be used."""

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = [Problem(message=each) if isinstance(each, str) else each for each in problems]
        super().__init__(" ".join(each.message for each in self.problems))


@dataclass(frozen=True, kw_only=True, eq=False)
class LoanFile:
    """The good rows of a file, and what is wrong with the others.

    ``labels`` is None if there is no column for them. ``digest`` names the table (its people), ``content`` the
    bytes of the file.
    """

    frame: pd.DataFrame = field(repr=False)
    labels: IntArray | None = field(repr=False)
    rows: int
    ignored: tuple[str, ...]
    problems: tuple[Problem, ...]
    problem_count: int
    digest: str
    content: str

    @property
    def bad_rows(self) -> int:
        """How many rows have a problem."""
        return self.rows - len(self.frame)


def read_loans(
    data: bytes, preprocessor: LoanPreprocessor, classes: Sequence[str], *, max_rows: int = MAX_ROWS
) -> LoanFile:
    """Read a CSV file of loans.

    Raises:
        TableError: No text, no table, columns missing or twice, no rows or too many.
    """
    text = decode(data)
    wanted = features(preprocessor.columns)
    header, lines, cells = _cells(text, wanted, max_rows)
    places, label_place, ignored = _match(header, wanted)
    problems: list[tuple[int, Problem]] = []
    count, good = 0, np.ones(len(cells), dtype=np.bool_)
    for row, fields in enumerate(cells):
        if len(fields) != len(header):
            message = f"Expected {len(header)} fields as in the header, got {len(fields)}."
            problems.append((row, Problem(message=message, line=lines[row])))
            good[row] = False
    count, whole = len(problems), np.flatnonzero(good)
    columns: dict[str, object] = {}
    labels: IntArray | None = None
    for feature in wanted:
        choices = preprocessor.choices(feature.name) if feature.is_category else ()
        parsed = read_cells([cells[row][places[feature.name]] for row in whole], feature, choices)
        columns[feature.name] = parsed.values
        count += _note(parsed, header[places[feature.name]], whole, lines, good, problems)
    if label_place is not None:
        parsed = read_labels([cells[row][label_place] for row in whole], classes)
        count += _note(parsed, header[label_place], whole, lines, good, problems)
        labels = parsed.values[good[whole]].astype(np.int64)
    frame = pd.DataFrame(columns)[good[whole]].reset_index(drop=True)
    listed = [problem for _, problem in sorted(problems, key=lambda each: each[0])][:MAX_LISTED]
    return LoanFile(
        frame=frame,
        labels=labels,
        rows=len(cells),
        ignored=ignored,
        problems=tuple(listed),
        problem_count=count,
        digest=_digest(header, cells),
        content=hashlib.sha256(data).hexdigest()[:16],
    )


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, with or without a byte order mark."""
    if not data:
        raise TableError("The file is empty.")
    if len(data) > MAX_BYTES:
        raise TableError(f"Expected at most {MAX_BYTES // 2**20} MB, got {len(data) / 2**20:.0f} MB.")
    for start, kind in _OTHER_KINDS.items():
        if data.startswith(start):
            raise TableError(f"Expected a CSV file, got {kind}.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TableError("Expected text in UTF-8, got UTF-16. Save the table as “CSV UTF-8”.")
    if b"\0" in data:
        raise TableError("Expected a CSV file, got binary data: it has zero bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
        message = f"Expected text in UTF-8, got the byte 0x{byte:02x}. Save the table as “CSV UTF-8”."
        raise TableError(Problem(message=message, line=line)) from None
    if not text.strip():
        raise TableError("The file has no text, only blanks.")
    return text


def _cells(text: str, wanted: Iterable[Feature], max_rows: int) -> tuple[list[str], list[int], list[list[str]]]:
    """Header, line number of each row, and its fields; blank lines are skipped."""
    known = {name for feature in wanted for name in (_plain(feature.name), _plain(feature.title))}
    first = text.lstrip("\r\n").split("\n", 1)[0]
    _check_columns(1 + max(first.count(mark) for mark in ",;\t|"))
    # The separator that finds the most known names; a comma if none does.
    separator = max(",;\t|", key=lambda mark: len(known & {_plain(part) for part in first.split(mark)}))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    header: list[str] | None = None
    lines: list[int] = []
    cells: list[list[str]] = []
    try:
        for fields in reader:
            _check_columns(len(fields))
            if not any(each.strip() for each in fields):
                continue
            if header is None:
                header = [each.strip() for each in fields]
                continue
            if len(cells) == max_rows:
                raise TableError(
                    f"Expected at most {max_rows:,} rows, got more. Split the file, and upload the parts one by one."
                )
            lines.append(reader.line_num)
            cells.append(fields)
    except csv.Error as error:
        raise TableError(Problem(message=f"Expected CSV, got something else: {error}.", line=reader.line_num)) from None
    if header is None:
        raise TableError("The file has no header: all its cells are blank.")
    return header, lines, cells


def _check_columns(count: int) -> None:
    if count > MAX_COLUMNS:
        raise TableError(f"Expected at most {MAX_COLUMNS:,} columns, got {count:,}.")


def _digest(header: list[str], cells: list[list[str]]) -> str:
    """The digest of every column that some mechanism uses; labels and columns that nobody reads do not count."""
    names = {_plain(name): each.name for each in FEATURES.values() for name in (each.name, each.title)}
    places = {names[_plain(name)]: place for place, name in enumerate(header) if _plain(name) in names}
    return table_digest(
        {name: [fields[place] if place < len(fields) else "" for fields in cells] for name, place in places.items()}
    )


def _match(header: list[str], wanted: tuple[Feature, ...]) -> tuple[dict[str, int], int | None, tuple[str, ...]]:
    """Where each feature's column is, where the label's is, and the names of all others."""
    plain = [_plain(name) for name in header]
    problems: list[Problem] = []
    places: dict[str, int] = {}
    free = list(range(len(header)))
    for feature in wanted:
        found = [i for i, name in enumerate(plain) if name in (_plain(feature.name), _plain(feature.title))]
        free = [i for i in free if i not in found]
        if len(found) > 1:
            problems.append(Problem(message=f"This column is there {len(found)} times.", column=feature.name))
        elif found:
            places[feature.name] = found[0]
    missing = [each for each in wanted if not {_plain(each.name), _plain(each.title)} & set(plain)]
    if len(missing) == len(wanted):
        start = ", ".join(shortened(name) for name in header[:4])
        raise TableError(
            f"None of the {len(wanted)} columns was found. Is the first line the header? It starts with: {start}."
        )
    for feature in missing:
        near = difflib.get_close_matches(_plain(feature.name), [plain[i] for i in free], n=1, cutoff=0.75)
        hint = f" Is it your column {shortened(header[plain.index(near[0])])}?" if near else ""
        problems.append(Problem(message=f"This column is missing ({feature.title}).{hint}", column=feature.name))
    label_place: int | None = None
    for name in LABEL_COLUMNS:
        found = [i for i in free if plain[i] == name]
        if len(found) > 1:
            problems.append(Problem(message=f"This column is there {len(found)} times.", column=name))
        if found:
            label_place = found[0]
            break
    if problems:
        raise TableError(*problems)
    ignored = tuple(header[i] or f"(column {i + 1} without a name)" for i in free if i != label_place)
    return places, label_place, ignored


def _note(
    parsed: Parsed,
    column: str,
    whole: IntArray,
    lines: list[int],
    good: BoolArray,
    problems: list[tuple[int, Problem]],
) -> int:
    """Mark the rows of bad cells and keep the first of their problems; return how many there are."""
    for place, message in parsed.messages(MAX_LISTED):
        row = int(whole[place])
        problems.append((row, Problem(message=message, line=lines[row], column=column)))
    good[whole[parsed.bad]] = False
    return int(parsed.bad.sum())


def _plain(name: str) -> str:
    """A column's name for comparing: lower case, and one underscore for whatever is no letter or digit."""
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")
