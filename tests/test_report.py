"""The value that crosses the boundary: its bytes, its checks, and its published schema."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import rlm_core.report as report_module
from rlm_core.report import FIRST_FORMAT, FORMAT, MOST_CHARACTERS, UNPRINTABLE, Report, number_text

SCHEMA = json.loads(Path(report_module.__file__).with_name("report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
DIGEST = "0123456789abcdef" * 2

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SPENT = st.floats(min_value=0.0, exclude_min=True, allow_nan=False)
COORDINATES = st.none() | st.integers(0, 2**31 - 1)
NAMES = st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), min_size=1, max_size=100)


@st.composite
def sets(draw: st.DrawFn) -> dict[str, Any]:
    of = draw(st.integers(2, 70))
    members = draw(st.sets(st.integers(0, of - 1), min_size=1, max_size=of - 1))
    bits = np.isin(np.arange(of), sorted(members))
    return {"of": of, "members": np.packbits(bits).tobytes(), "coordinate": draw(COORDINATES)}


@st.composite
def symbols(draw: st.DrawFn) -> dict[str, Any]:
    of = draw(st.integers(2, 2**31))
    return {"of": of, "symbol": draw(st.integers(0, of - 1)), "coordinate": draw(COORDINATES)}


@st.composite
def reports(draw: st.DrawFn) -> Report:
    numbers = st.lists(FINITE, min_size=1, max_size=40).map(lambda values: {"numbers": tuple(values)})
    payload = draw(st.one_of(numbers, sets(), symbols()))
    label = draw(st.none() | st.integers(0, 2**31 - 1))
    epsilon_y = 0.0 if label is None else draw(SPENT | st.just(0.0))
    return Report(
        mechanism=draw(NAMES), digest=DIGEST, epsilon_x=draw(SPENT), epsilon_y=epsilon_y, label=label, **payload
    )


def fields(**changes: Any) -> dict[str, Any]:
    """A good report's fields with some changed; a change to None takes the field out."""
    good = {"format": FORMAT, "mechanism": "V-RLM", "digest": DIGEST, "epsilon": 4.0, "numbers": [1.0, -2]}
    return {name: value for name, value in (good | changes).items() if value is not None}


# --- writing and reading ---------------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=150)
@given(report=reports())
def test_a_report_survives_the_way_and_keeps_the_schema(report: Report) -> None:
    text = report.to_json()
    assert Report.from_json(text) == report and Report.from_json(text.encode()) == report
    assert Report.from_json(text).to_json() == text
    VALIDATOR.validate(json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON")))


def test_the_bytes_of_every_form() -> None:
    """What other implementations must write."""
    head = f'{{"format":"rlm-report/2","mechanism":"m","digest":"{DIGEST}",'
    common: dict[str, Any] = {"mechanism": "m", "digest": DIGEST}
    numbers = Report(**common, epsilon_x=5.6, epsilon_y=2.4, label=7, numbers=(1.0, -0.25, 1e-7))
    assert numbers.to_json() == head + '"epsilon_x":5.6,"epsilon_y":2.4,"label":7,"numbers":[1,-0.25,1e-7]}'
    bits = np.zeros(12, dtype=bool)
    bits[[0, 9]] = True
    chosen = Report(**common, epsilon_x=math.inf, members=np.packbits(bits).tobytes(), of=12, coordinate=3)
    assert chosen.to_json() == head + '"epsilon":"inf","set":{"of":12,"members":"gEA="},"coordinate":3}'
    assert chosen.in_set().tolist() == bits.tolist() and chosen.epsilon == math.inf
    one = Report(**common, epsilon_x=1.0, symbol=2, of=3)
    assert one.to_json() == head + '"epsilon":1,"symbol":{"of":3,"value":2}}'


def test_a_pair_of_96_codes_and_10_labels_is_small() -> None:
    bits = np.arange(960) % 4 == 0
    report = Report(mechanism="q", digest=DIGEST, epsilon_x=1.0, members=np.packbits(bits).tobytes(), of=960)
    assert len(report.to_json()) < 300


@pytest.mark.parametrize(
    ("value", "text"),  # from ECMAScript's Number::toString
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (-1e-7, "-1e-7"),
        (1.25e-9, "1.25e-9"),
        (0.0001, "0.0001"),
        (1e15, "1000000000000000"),
        (1e16, "10000000000000000"),
        (1.5e20, "150000000000000000000"),
        (1e21, "1e+21"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (2.0**60, "1152921504606847000"),
        (math.inf, '"inf"'),
    ],
)
def test_numbers_are_written_as_javascript_does(value: float, text: str) -> None:
    assert number_text(value) == text


@settings(deadline=None, derandomize=True, max_examples=300)
@given(value=FINITE)
def test_no_digit_is_lost(value: float) -> None:
    assert float(number_text(value)) == value


def test_format_1_is_still_read() -> None:
    old = {"format": FIRST_FORMAT, "mechanism": "V-RLM", "z_private": [1.0, -2], "epsilon_x": 4.0}
    report = Report.from_json(json.dumps(old | {"y_private": 3, "epsilon_y": 1}))
    assert (report.numbers, report.label, report.epsilon, report.digest) == ((1.0, -2.0), 3, 5.0, None)
    without = Report.from_json(json.dumps(old | {"y_private": None, "epsilon_y": 0.0, "epsilon_x": "inf"}))
    assert without.label is None and without.epsilon == math.inf
    with pytest.raises(ValueError, match="Expected a digest to write"):
        report.to_json()
    for change in ({"z_private": []}, {"z_private": [True]}, {"y_private": -1}, {"epsilon_x": 0}, {"digest": DIGEST}):
        with pytest.raises((ValueError, TypeError), match="Expected"):
            Report.from_json(json.dumps(old | {"y_private": 3, "epsilon_y": 1} | change))


# --- what is refused -------------------------------------------------------------------------------------------

SET = {"of": 12, "members": "gEA="}
MALFORMED: list[dict[str, Any]] = [
    {"format": "rlm-report/3"},
    {"format": [FORMAT]},
    {"format": None},
    {"mechanism": ""},
    {"mechanism": "m" * 101},
    {"mechanism": 5},
    {"mechanism": None},
    {"mechanism": "a\nb"},
    {"mechanism": "a\n"},
    {"mechanism": "\x00"},
    {"mechanism": "a\u202eb"},
    {"mechanism": "\x9b1m"},
    {"digest": None},
    {"digest": DIGEST.upper()},
    {"digest": DIGEST[:-1]},
    {"digest": DIGEST + "\n"},
    {"digest": 3},
    {"epsilon": None},
    {"epsilon": 0},
    {"epsilon": -1.0},
    {"epsilon": "Infinity"},
    {"epsilon": "nan"},
    {"epsilon": True},
    {"epsilon": [1.0]},
    {"epsilon": 10**400},
    {"epsilon_x": 1.0},
    {"label": 3},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": 1.0},
    {"epsilon": None, "epsilon_x": 1.0, "label": 1},
    {"epsilon": None, "epsilon_x": 0.0, "epsilon_y": 1.0, "label": 1},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": -1.0, "label": 1},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": 1.0, "label": -1},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": 1.0, "label": True},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": 1.0, "label": 2**31},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": 1.0, "label": 1.5},
    {"numbers": None},
    {"numbers": []},
    {"numbers": [0] * 65_537},
    {"numbers": [10**400]},
    {"numbers": [True]},
    {"numbers": ["1"]},
    {"numbers": [[1.0]]},
    {"numbers": {"0": 1.0}},
    {"numbers": 1.0},
    {"set": SET},
    {"symbol": {"of": 3, "value": 1}},
    {"numbers": None, "set": SET, "symbol": {"of": 3, "value": 1}},
    {"coordinate": 1},
    {"numbers": None, "coordinate": 1},
    {"numbers": None, "set": SET, "coordinate": -1},
    {"numbers": None, "set": SET, "coordinate": True},
    {"numbers": None, "set": SET | {"more": 1}},
    {"numbers": None, "set": {"of": 12}},
    {"numbers": None, "set": "gEA="},
    {"numbers": None, "set": SET | {"of": 1}},
    {"numbers": None, "set": SET | {"of": True}},
    {"numbers": None, "set": SET | {"of": 2**20 + 1}},
    {"numbers": None, "set": SET | {"members": ""}},
    {"numbers": None, "set": SET | {"members": "gEA"}},
    {"numbers": None, "set": SET | {"members": "gEB="}},  # bits that the padding drops
    {"numbers": None, "set": SET | {"members": "gE A="}},
    {"numbers": None, "set": SET | {"members": "gEA=\n"}},
    {"numbers": None, "set": SET | {"members": "g-A="}},
    {"numbers": None, "set": SET | {"members": "é"}},
    {"numbers": None, "set": SET | {"members": [128, 64]}},
    {"numbers": None, "symbol": {"of": 1, "value": 0}},
    {"numbers": None, "symbol": {"of": 3, "value": -1}},
    {"numbers": None, "symbol": {"of": 3, "value": True}},
    {"numbers": None, "symbol": {"of": 3, "value": None}},
    {"numbers": None, "symbol": 2},
    {"surprise": 1},
    {"nonce": "abc"},
]
BEYOND_A_SCHEMA: list[dict[str, Any]] = [
    {"numbers": None, "set": SET | {"of": 8}},  # other bytes than bits
    {"numbers": None, "set": SET | {"of": 17}},
    {"numbers": None, "set": SET | {"of": 9}},  # the tenth bit is beyond
    {"numbers": None, "set": {"of": 8, "members": "AA=="}},  # the empty set
    {"numbers": None, "set": {"of": 8, "members": "/w=="}},  # all symbols
    {"numbers": None, "symbol": {"of": 3, "value": 3}},
    {"epsilon": None, "epsilon_x": 1.0, "epsilon_y": 1.0, "label": 1.0},  # JSON Schema's integers have no type
]


def short(change: object) -> str:
    return json.dumps(change)[:40]


def test_the_template_of_the_malformed_reports_is_accepted() -> None:
    assert Report.from_json(json.dumps(fields())).numbers == (1.0, -2.0)
    VALIDATOR.validate(fields())
    VALIDATOR.validate(fields(numbers=None, set=SET, coordinate=0))
    assert Report.from_json(json.dumps(fields(numbers=None, set=SET, coordinate=0))).of == 12


@pytest.mark.parametrize("change", MALFORMED + BEYOND_A_SCHEMA, ids=short)
def test_malformed_fields_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError), match="Expected"):
        Report.from_json(json.dumps(fields(**change)))


@pytest.mark.parametrize("change", MALFORMED, ids=short)
def test_the_schema_refuses_them_too(change: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(fields(**change))


@pytest.mark.parametrize("name", ["epsilon", "numbers", "digest"])
def test_null_is_not_a_value(name: str) -> None:
    text = json.dumps(fields() | {name: None})
    assert not VALIDATOR.is_valid(json.loads(text))
    with pytest.raises((ValueError, TypeError), match="Expected"):
        Report.from_json(text)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["of", "members", "value", "x"]), inner),
        max_leaves=5,
    ),
    name=st.sampled_from(sorted(SCHEMA["properties"])),
    base=st.sampled_from([{}, {"numbers": None, "set": SET}, {"epsilon": None, "epsilon_x": 1, "epsilon_y": 1}]),
)
def test_no_value_in_any_field_breaks_the_reader_and_the_schema_agrees(
    value: object, name: str, base: dict[str, Any]
) -> None:
    text = json.dumps(fields(**base) | {name: value})
    if "NaN" in text or "Infinity" in text:
        with pytest.raises(ValueError, match="is not JSON"):
            Report.from_json(text)
        return
    try:
        report = Report.from_json(text)
    except (ValueError, TypeError) as error:
        assert str(error).startswith("Expected") and len(str(error)) < 300
        if VALIDATOR.is_valid(json.loads(text)):  # what only a reader checks
            assert name in ("set", "symbol", "label", "coordinate")
    else:
        VALIDATOR.validate(json.loads(text))
        assert Report.from_json(report.to_json()) == report


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "3",
        '"report"',
        "{",
        "{}",
        "[" * 100_000,
        '{"numbers": ' * 100_000,
        b"\xff\xfe\x00",
        b"\x00",
        json.dumps(fields()).encode("utf-16"),
        "\ufeff" + json.dumps(fields()),
        "1" * 5_000,
        json.dumps(fields()) + "{}",
        json.dumps(fields()).replace('"numbers": [1.0', '"numbers": [NaN'),
        json.dumps(fields()).replace('"epsilon": 4.0', '"epsilon": 4.0, "epsilon": 4.0'),
        json.dumps(fields()).replace('"epsilon": 4.0', '"epsilon": 1e999'),
        json.dumps(fields()).replace('"numbers": [1.0', '"numbers": [1e999'),
        json.dumps(fields()).replace('"numbers": [1.0', '"numbers": [' + "1" * 5_000),
        json.dumps(fields(numbers=None, set=SET)).replace('"of": 12', '"of": 12, "of": 12'),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_are_refused(text: str | bytes) -> None:
    with pytest.raises((ValueError, TypeError), match="^Expected") as caught:
        Report.from_json(text)
    assert len(str(caught.value)) < 300


def test_a_text_that_is_too_long_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("parsed"))
    text = json.dumps(fields(numbers=[0.0] * 3)) + " " * MOST_CHARACTERS
    with pytest.raises(ValueError, match="at most 2097152 characters"):
        Report.from_json(text)


def test_the_largest_report_fits() -> None:
    longest = -1.2345678901234567e-308
    report = Report(mechanism="m" * 100, digest=DIGEST, epsilon_x=1.0, numbers=(longest,) * 65_536)
    assert Report.from_json(report.to_json()) == report


@pytest.mark.parametrize("name", ["mechanism", "digest", "epsilon", "numbers", "set", "x" * 1_000_000])
def test_an_error_never_quotes_much_of_the_input(name: str) -> None:
    for value in ("s" * 2_000_000, ["s" * 1_000_000], {"s" * 1_000_000: 1}):
        with pytest.raises((ValueError, TypeError)) as caught:
            Report.from_json(json.dumps(fields() | {name: value})[: MOST_CHARACTERS - 1])
        assert len(str(caught.value)) < 300


def test_reports_made_by_hand_are_checked_too() -> None:
    report = Report(mechanism="m", digest=DIGEST, epsilon_x=1.0, numbers=(1.0,))
    for change in (
        {"epsilon_x": math.nan},
        {"epsilon_y": 1.0},
        {"numbers": (math.nan,)},
        {"numbers": ((1.0,),)},
        {"numbers": np.ones(2)},
        {"members": b"\x80", "of": 8},
        {"numbers": None, "members": "gA==", "of": 8},
        {"numbers": None, "members": b"\x80"},
        {"numbers": None, "symbol": 10**5000, "of": 8},
        {"digest": "no"},
    ):
        with pytest.raises((ValueError, TypeError), match="Expected"):
            replace(report, **change)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a report of a set"):
        report.in_set()
    with pytest.raises(TypeError, match="as text"):
        Report.from_json(None)  # type: ignore[arg-type]


def test_reader_and_schema_have_the_same_idea_of_a_name() -> None:
    assert SCHEMA["properties"]["mechanism"]["not"]["pattern"] == UNPRINTABLE
    assert base64.b64decode(SET["members"]) == b"\x80\x40"  # type: ignore[arg-type]
