"""Every kind of CSV file a visitor may bring: the good are read, the bad are explained by line and column."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable

import numpy as np
import pytest

from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.data.samples import loan_examples
from rlm_core.data.schema import FEATURES
from ui.table.cells import read_cells, read_labels
from ui.table.csv_file import MAX_BYTES, MAX_COLUMNS, MAX_LISTED, LoanFile, TableError, read_loans

CLASSES = ("repaid", "charged off")
COLUMNS = tuple(name for name in FEATURES if name not in ("mort_acc", "fico_range_low"))
EXAMPLES = loan_examples()
PREPROCESSOR = LoanPreprocessor.fit(EXAMPLES.frame, columns=COLUMNS)
Table = list[list[str]]


def table(rows: int = 5) -> Table:
    """A header and good rows, with a label."""
    body = [[str(EXAMPLES.frame[name].iloc[row]) for name in COLUMNS] for row in range(rows)]
    labels = [CLASSES[label] for label in EXAMPLES.target]
    return [[*COLUMNS, "outcome"], *([*fields, label] for fields, label in zip(body, labels, strict=False))]


def as_csv(cells: Table, separator: str = ",") -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator).writerows(cells)
    return buffer.getvalue().encode()


def changed(line: int, column: str, value: str) -> bytes:
    """The table with one cell replaced; the header is line 1."""
    cells = table()
    cells[line - 1][cells[0].index(column)] = value
    return as_csv(cells)


def read(data: bytes, **options: int) -> LoanFile:
    return read_loans(data, PREPROCESSOR, CLASSES, **options)


def without(column: str) -> bytes:
    cells = table()
    place = cells[0].index(column)
    return as_csv([fields[:place] + fields[place + 1 :] for fields in cells])


def test_a_good_file_is_read_as_it_is() -> None:
    file = read(as_csv(table(24)))
    assert (file.rows, file.bad_rows, file.problems, file.ignored) == (24, 0, (), ())
    for name in COLUMNS:
        assert file.frame[name].tolist() == EXAMPLES.frame[name].tolist(), name
    assert file.labels is not None and file.labels.tolist() == EXAMPLES.target.tolist()
    assert np.array_equal(PREPROCESSOR.transform(file.frame), PREPROCESSOR.transform(EXAMPLES.frame))


def shuffled() -> bytes:
    order = np.random.default_rng(0).permutation(len(table()[0]))
    return as_csv([[fields[place] for place in order] for fields in table()])


def titled() -> bytes:
    cells = table()
    cells[0] = [FEATURES[name].title.upper() if name in FEATURES else " Outcome " for name in cells[0]]
    return as_csv(cells)


GOOD: dict[str, Callable[[], bytes]] = {
    "columns in another order": shuffled,
    "human names in capitals": titled,
    "byte order mark": lambda: b"\xef\xbb\xbf" + as_csv(table()),
    "semicolons": lambda: as_csv(table(), ";"),
    "tabs": lambda: as_csv(table(), "\t"),
    "Windows line ends": lambda: as_csv(table()).replace(b"\n", b"\r\n").replace(b"\r\r", b"\r"),
    "blank lines": lambda: b"\n\n" + as_csv(table()).replace(b"\n", b"\n\n") + b"\n,,,\n",
    "no line end at the end": lambda: as_csv(table()).rstrip(),
    "words in capitals and spaces": lambda: changed(2, "term", "  36 MONTHS "),
    "percent sign": lambda: changed(2, "int_rate", "9.82%"),
    "dollar and thousands": lambda: changed(2, "loan_amnt", "$12,000"),
    "month instead of year": lambda: changed(2, "earliest_cr_line", "Jul-2004"),
    "the table's own status": lambda: changed(2, "outcome", "Fully Paid"),
    "label as number": lambda: changed(2, "outcome", "0"),
}


@pytest.mark.parametrize("make", GOOD.values(), ids=GOOD)
def test_other_spellings_are_the_same_table(make: Callable[[], bytes]) -> None:
    file, plain = read(make()), read(as_csv(table()))
    assert file.problems == () and file.frame.equals(plain.frame[file.frame.columns])
    assert file.labels is not None and plain.labels is not None and file.labels.tolist() == plain.labels.tolist()


def test_extra_columns_are_ignored_and_named() -> None:
    cells = [[*fields, extra] for fields, extra in zip(table(), ["Name", *"abcde"], strict=True)]
    cells = [["x", *fields] for fields in cells]
    cells[0][0] = ""
    file = read(as_csv(cells))
    assert file.ignored == ("(column 1 without a name)", "Name") and file.rows == 5 and not file.problems
    assert set(file.frame.columns) == set(COLUMNS)


def test_without_a_label_column_there_are_no_labels() -> None:
    assert read(without("outcome")).labels is None


def test_missing_employment_is_an_answer() -> None:
    assert read(changed(2, "emp_length", "")).frame["emp_length"].iloc[0] == "n/a"


def duplicated() -> bytes:
    return as_csv([[*fields, fields[0]] for fields in table()])


def renamed() -> bytes:
    cells = table()
    cells[0][cells[0].index("loan_amnt")] = "loan_amt"
    return as_csv(cells)


UNUSABLE: dict[str, tuple[Callable[[], bytes], str, str | None]] = {
    "empty": (lambda: b"", "empty", None),
    "only blanks": (lambda: b" \n\t\n", "only blanks", None),
    "only a byte order mark": (lambda: b"\xef\xbb\xbf", "only blanks", None),
    "Excel": (lambda: b"PK\x03\x04" + bytes(50), "Excel workbook", None),
    "old Excel": (lambda: b"\xd0\xcf\x11\xe0" + bytes(50), "old Excel", None),
    "gzip": (lambda: b"\x1f\x8b\x08" + bytes(50), "gzip", None),
    "parquet": (lambda: b"PAR1" + bytes(50), "parquet", None),
    "PDF": (lambda: b"%PDF-1.7\n", "PDF", None),
    "picture": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(50), "picture", None),
    "zero bytes": (lambda: as_csv(table())[:90] + b"\0" + as_csv(table())[90:], "zero bytes", None),
    "UTF-16": (lambda: as_csv(table()).decode().encode("utf-16"), "UTF-16", None),
    "Latin-1": (lambda: changed(3, "purpose", "caf\u00e9").decode().encode("latin-1"), "0xe9", None),
    "too large": (lambda: b"a" * (MAX_BYTES + 1), "at most 10 MB", None),
    "only separators": (lambda: b",,,\n,,,\n", "no header", None),
    "only quotes": (lambda: b'""', "no header", None),
    "too many columns": (lambda: b",".join(b"c%d" % n for n in range(MAX_COLUMNS + 1)), "at most 500 columns", None),
    "a row of too many": (lambda: as_csv(table()) + b"," * MAX_COLUMNS, "at most 500 columns", None),
    "no header": (lambda: as_csv(table()[1:]), "first line the header", None),
    "prose": (lambda: b"Dear Sir or Madam,\nplease find attached\n", "None of the 24 columns", None),
    "a column missing": (lambda: without("dti"), "missing (Debt-to-income ratio)", "dti"),
    "a column renamed": (renamed, "Is it your column ‘loan_amt’?", "loan_amnt"),
    "a column twice": (duplicated, "2 times", "loan_amnt"),
    "an open quote": (lambda: as_csv(table()) + b'"never closed', "Expected CSV", None),
}


@pytest.mark.parametrize(("make", "message", "column"), UNUSABLE.values(), ids=UNUSABLE)
def test_unusable_files_are_refused_in_words(make: Callable[[], bytes], message: str, column: str | None) -> None:
    with pytest.raises(TableError) as caught:
        read(make())
    (problem,) = caught.value.problems
    assert message in problem.message and problem.column == column


def test_every_missing_column_is_listed() -> None:
    with pytest.raises(TableError) as caught:
        read(b"loan_amnt,term\n1000,36 months\n")
    assert [each.column for each in caught.value.problems] == [n for n in PREPROCESSOR.columns[1:] if n != "term"]


def test_wrong_encoding_names_its_line() -> None:
    with pytest.raises(TableError) as caught:
        read(changed(3, "purpose", "caf\u00e9").decode().encode("latin-1"))
    assert caught.value.problems[0].line == 3


def test_too_many_rows_are_refused_and_the_limit_is_allowed() -> None:
    assert read(as_csv(table(5)), max_rows=5).rows == 5
    with pytest.raises(TableError, match="at most 5 rows"):
        read(as_csv(table(6)), max_rows=5)


BAD_CELLS = {
    "no number": ("loan_amnt", "lots", "got ‘lots’"),
    "empty number": ("annual_inc", "", "got an empty cell"),
    "blank number": ("annual_inc", "   ", "got an empty cell"),
    "nan": ("dti", "nan", "Expected a number"),
    "infinity": ("dti", "inf", "Expected a number"),
    "huge": ("dti", "1e999", "Expected Debt-to-income ratio in 0..100"),
    "decimal comma": ("dti", "12,5", "Write decimals with a point"),
    "underscore": ("loan_amnt", "12_000", "Expected a number"),
    "other digits": ("open_acc", "\u0663", "Expected a number"),
    "below": ("int_rate", "-1", "Expected Interest rate in 5..31 %, got -1"),
    "above": ("loan_amnt", "40001", "got 40001"),
    "half a count": ("open_acc", "2.5", "Expected a whole number"),
    "unknown word": ("grade", "Z", "got ‘Z’"),
    "empty word": ("home_ownership", "", "got an empty cell"),
    "number for a word": ("purpose", "7", "got ‘7’"),
    "a level that the mechanism does not know": ("addr_state", "WY", "got ‘WY’"),
    "formula": ("purpose", "=1+1", "got ‘=1+1’"),
    "very long": ("purpose", "x" * 5000, "x…’"),
    "unknown label": ("outcome", "maybe", "Expected ‘repaid’ (0) or ‘charged off’ (1), got ‘maybe’"),
    "empty label": ("outcome", "", "got ‘’"),
    "month that is none": ("earliest_cr_line", "Foo-2004", "Expected a number"),
}


@pytest.mark.parametrize(("column", "value", "message"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_bad_cells_are_named_and_the_other_rows_kept(column: str, value: str, message: str) -> None:
    file = read(changed(4, column, value))
    (problem,) = file.problems
    assert (problem.line, problem.column) == (4, column) and message in problem.message
    assert len(problem.message) < 500
    assert (file.rows, file.bad_rows, file.problem_count) == (5, 1, 1)
    good = read(as_csv([fields for line, fields in enumerate(table(), start=1) if line != 4]))
    assert file.frame.equals(good.frame)
    assert file.labels is not None and good.labels is not None and file.labels.tolist() == good.labels.tolist()


@pytest.mark.parametrize(("cut", "got"), [(slice(None, -2), 23), (slice(None), 26)])
def test_rows_of_another_length_are_named(cut: slice, got: int) -> None:
    cells = table()
    cells[2] = [*cells[2][cut], *(["x"] if got == 26 else [])]
    file = read(as_csv(cells))
    assert file.problems[0].line == 3 and f"got {got}" in file.problems[0].message and file.bad_rows == 1


def test_problems_are_in_the_order_of_the_file_and_counted_beyond_the_list() -> None:
    cells = table(24) + table(24)[1:] * 20
    for fields in cells[1:]:
        fields[0] = "?"
    file = read(as_csv(cells))
    assert file.problem_count == len(cells) - 1 > MAX_LISTED == len(file.problems)
    assert file.frame.empty and [each.line for each in file.problems] == list(range(2, MAX_LISTED + 2))


def test_two_problems_in_one_row_are_both_listed() -> None:
    cells = table()
    cells[1][0], cells[1][1] = "?", "?"
    file = read(as_csv(cells))
    assert {each.column for each in file.problems} == {"loan_amnt", "term"} and file.bad_rows == 1


def test_a_header_alone_has_no_rows() -> None:
    file = read(as_csv(table(0)))
    assert file.rows == 0 and file.frame.empty and not file.problems


def test_line_numbers_are_the_files_also_after_quoted_line_ends() -> None:
    cells = [[*fields, note] for fields, note in zip(table(), ["note", "two\nlines", *"abcd"], strict=True)]
    cells[3][0] = "?"
    assert read(as_csv(cells)).problems[0].line == 5


def test_digest_names_the_table() -> None:
    assert read(as_csv(table())).digest != read(changed(2, "dti", "1")).digest
    assert read(as_csv(table())).digest != read(as_csv(table()[:-1])).digest


SAME_PEOPLE: dict[str, Callable[[], bytes]] = {name: make for name, make in GOOD.items() if "month" not in name} | {
    "one line end more": lambda: as_csv(table()) + b"\n",
    "a column that nobody uses": lambda: as_csv([[*fields, "x"] for fields in table()]),
    "no labels": lambda: without("outcome"),
}


@pytest.mark.parametrize("make", SAME_PEOPLE.values(), ids=SAME_PEOPLE)
def test_the_same_table_is_the_same_people_in_any_file(make: Callable[[], bytes]) -> None:
    assert read(make()).digest == read(as_csv(table())).digest


def test_a_header_of_a_million_names_is_refused_at_once() -> None:
    names = ",".join(f"loan_amn{n}" for n in range(600_000))
    assert 7e6 < len(names) < MAX_BYTES
    start = time.process_time()
    with pytest.raises(TableError, match="columns"):
        read(names.encode())
    assert time.process_time() - start < 1.0


def test_columns_of_cells() -> None:
    parsed = read_cells(["1", "x", "1", "3"], FEATURES["open_acc"])
    assert parsed.values[[0, 2, 3]].tolist() == [1.0, 1.0, 3.0] and parsed.bad.tolist() == [False, True, False, False]
    assert list(parsed.messages(9)) == [(1, "Expected a number for Open credit lines, got ‘x’.")]
    assert read_labels(["1", "REPAID", "Default"], CLASSES).values.tolist() == [1, 0, 1]
