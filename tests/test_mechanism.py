"""The value that crosses the boundary, and the one act that makes it."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace
from inspect import Parameter, signature

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rlm_core.collector.decoder import MLPDecoder
from rlm_core.mechanism import FORMAT, RLM, HasDensity, Mechanism, Report, Trace, release, rows
from rlm_core.owner import L1Clip, LaplaceNoise, Ledger, RandomisedResponse, laplace
from rlm_core.registry import REGISTRY

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SPENT = st.floats(min_value=0.0, allow_nan=False)
REPORTS = st.builds(
    Report,
    mechanism=st.text(min_size=1, max_size=100),
    z_private=st.lists(FINITE, max_size=40).map(tuple),
    y_private=st.none() | st.integers(0, 2**31 - 1),
    epsilon_x=SPENT,
    epsilon_y=SPENT,
)


def make(epsilon: float = 4.0, encoder: object = None) -> RLM:
    noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=1.0))
    return RLM(name="V-RLM", encoder=encoder or (lambda x: x[:, :2]), noise=noise, input_dim=3, output_dim=2)


def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: np.zeros(shape, dtype=np.int64))


# --- every registered mechanism --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGISTRY)
def test_privatise_takes_the_record_and_nothing_else(name: str) -> None:
    mechanism = REGISTRY[name].make(1.0, REGISTRY[name].dimension)
    assert isinstance(mechanism, Mechanism)
    (only,) = signature(mechanism.privatise).parameters.values()
    assert only.kind is Parameter.POSITIONAL_OR_KEYWORD
    generator = signature(mechanism.simulate).parameters["generator"]
    assert generator.kind is Parameter.KEYWORD_ONLY and generator.default is Parameter.empty


@pytest.mark.parametrize("name", REGISTRY)
def test_infinite_epsilon_returns_the_represented_input(name: str) -> None:
    mechanism = REGISTRY[name].make(math.inf, REGISTRY[name].dimension)
    for x in REGISTRY[name].worst_pair(mechanism):
        row = np.atleast_2d(x)
        np.testing.assert_array_equal(mechanism.privatise(row), mechanism.represent(row))
        simulated = mechanism.simulate(row, generator=np.random.default_rng(0))
        np.testing.assert_array_equal(simulated, mechanism.represent(row))


# --- RLM -------------------------------------------------------------------------------------------------------


def test_an_rlm_encodes_clips_and_adds_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    rlm = make()
    assert isinstance(rlm, HasDensity) and rlm.epsilon == 4.0
    x = [[3.0, -1.0, 99.0]]
    assert rlm.encode(x).tolist() == [[3.0, -1.0]]
    assert rlm.represent(x) == pytest.approx(np.array([[0.75, -0.25]]))
    no_noise(monkeypatch)
    assert rlm.privatise(x) == pytest.approx(np.array([[0.75, -0.25]]))


def test_any_encoder_is_bounded_by_the_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    no_noise(monkeypatch)
    wild = make(encoder=lambda x: 1e300 * x[:, :2])
    assert np.abs(wild.privatise([[1.0, 1.0, 1.0]])).sum() <= 1.0


def test_an_encoder_may_return_a_tensor() -> None:
    rlm = make(encoder=lambda x: torch.from_numpy(x[:, :2]).float())
    assert rlm.represent([[0.5, 0.25, 0.0]]).tolist() == [[0.5, 0.25]]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_caught_before_and_after_the_encoder(bad: float) -> None:
    with pytest.raises(ValueError, match="finite numbers in x, got 1"):
        make(encoder=lambda x: pytest.fail("encoded")).privatise([[0.0, bad, 0.0]])
    with pytest.raises(ValueError, match="finite numbers in the encoder's output, got 2"):
        make(encoder=lambda x: np.full((len(x), 2), bad)).privatise([[0.0, 0.0, 0.0]])


def test_wrong_shapes_are_caught_before_and_after_the_encoder() -> None:
    with pytest.raises(ValueError, match=r"x of shape \(n, 3\), got shape \(1, 2\)"):
        make().privatise([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"the encoder's output of shape \(n, 2\), got shape \(1, 3\)"):
        make(encoder=lambda x: x).privatise([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match=r"got shape \(3,\)"):
        rows("x", [1.0, 2.0, 3.0], 3)


# --- Trace -----------------------------------------------------------------------------------------------------


def test_a_trace_holds_every_step_and_they_add_up() -> None:
    trace = make().trace([[3.0, -1.0, 9.0]])
    assert trace.x.tolist() == [[3.0, -1.0, 9.0]] and trace.h.tolist() == [[3.0, -1.0]]
    np.testing.assert_allclose(trace.z, [[0.75, -0.25]])
    np.testing.assert_allclose(trace.z + trace.noise, trace.z_private)


def test_a_trace_says_that_it_is_not_private_and_does_not_show_the_record() -> None:
    text = repr(make().trace([[31.25, -1.0, 9.0]]))
    assert "NOT PRIVATE" in text and "31.25" not in text and "31.25" not in str(make().trace([[31.25, 0.0, 0.0]]))


def test_a_trace_cannot_be_serialised_by_mistake() -> None:
    trace = make().trace([[1.0, 2.0, 3.0]])
    public = {name for name in dir(Trace) if not name.startswith("_")}
    assert public <= {"x", "h", "z", "noise", "z_private"}  # no method at all
    with pytest.raises(TypeError):
        json.dumps(trace)
    with pytest.raises(FrozenInstanceError):
        trace.x = np.zeros(3)  # type: ignore[misc]


# --- release ---------------------------------------------------------------------------------------------------


def test_a_release_makes_a_report_of_what_was_asked() -> None:
    ledger = Ledger()
    labels = RandomisedResponse(epsilon=1.5, classes=10)
    report = release([1.0, 2.0, 3.0], 7, mechanism=make(), labels=labels, ledger=ledger, record="me")
    assert (report.mechanism, report.epsilon_x, report.epsilon_y, report.epsilon) == ("V-RLM", 4.0, 1.5, 5.5)
    assert len(report.z_private) == 2 and report.y_private in range(10)
    assert ledger.spent("me") == 5.5
    without = release([[1.0, 2.0, 3.0]], mechanism=make())
    assert without.y_private is None and without.epsilon_y == 0.0


def test_every_release_is_drawn_anew_and_charged_anew() -> None:
    ledger = Ledger()
    reports = {release([1.0, 2.0, 3.0], mechanism=make(), ledger=ledger) for _ in range(5)}
    assert len(reports) == 5 and ledger.spent("record") == 20.0


def test_a_refused_release_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: pytest.fail("drew"))
    ledger = Ledger(limit=3.0)
    with pytest.raises(ValueError, match="at most 3"):
        release([1.0, 2.0, 3.0], mechanism=make(4.0), ledger=ledger)
    assert ledger.releases == []


def test_the_ledger_is_charged_before_anything_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger()

    def noise(shape: tuple[int, ...]) -> np.ndarray:
        assert ledger.spent("record") == 4.0
        return np.zeros(shape, dtype=np.int64)

    monkeypatch.setattr(laplace, "discrete_laplace", noise)
    release([1.0, 2.0, 3.0], mechanism=make(), ledger=ledger)
    assert len(ledger.releases) == 1


@pytest.mark.parametrize("y", [-1, 10, [1, 2]])
def test_a_bad_label_costs_nothing(y: object) -> None:
    ledger = Ledger()
    labels = RandomisedResponse(epsilon=1.0, classes=10)
    with pytest.raises(ValueError, match="label"):
        release([1.0, 2.0, 3.0], y, mechanism=make(), labels=labels, ledger=ledger)  # type: ignore[arg-type]
    assert ledger.releases == []


def test_a_label_leaves_only_through_randomised_response() -> None:
    with pytest.raises(ValueError, match="y and labels together"):
        release([1.0, 2.0, 3.0], 3, mechanism=make())
    with pytest.raises(ValueError, match="y and labels together"):
        release([1.0, 2.0, 3.0], mechanism=make(), labels=RandomisedResponse(epsilon=1.0, classes=10))


def test_one_record_at_a_time() -> None:
    with pytest.raises(ValueError, match="one record, got 2"):
        release(np.zeros((2, 3)), mechanism=make())


# --- Report ----------------------------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=300)
@given(report=REPORTS)
def test_a_report_survives_the_way(report: Report) -> None:
    text = report.to_json()
    assert Report.from_json(text) == report and Report.from_json(text.encode()) == report
    assert Report.from_json(text).to_json() == text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_infinity_is_written_as_a_word() -> None:
    report = Report(mechanism="m", z_private=(1.0,), y_private=None, epsilon_x=math.inf, epsilon_y=0.0)
    assert json.loads(report.to_json())["epsilon_x"] == "inf"
    assert Report.from_json(report.to_json()).epsilon == math.inf


GOOD = {
    "format": FORMAT,
    "mechanism": "V-RLM",
    "z_private": [1.0, -2],
    "y_private": 3,
    "epsilon_x": 4.0,
    "epsilon_y": 1,
}


def test_the_template_of_the_hostile_reports_is_accepted() -> None:
    report = Report.from_json(json.dumps(GOOD))
    assert report.z_private == (1.0, -2.0) and report.y_private == 3 and report.epsilon == 5.0


@pytest.mark.parametrize(
    "change",
    [
        {"format": "rlm-report/2"},
        {"format": None},
        {"format": [FORMAT]},
        {"mechanism": ""},
        {"mechanism": "m" * 101},
        {"mechanism": 5},
        {"mechanism": None},
        {"z_private": [math.nan]},
        {"z_private": [math.inf]},
        {"z_private": [10**400]},
        {"z_private": [True]},
        {"z_private": ["1"]},
        {"z_private": [[1.0]]},
        {"z_private": [None]},
        {"z_private": {"0": 1.0}},
        {"z_private": "1.0"},
        {"z_private": 1.0},
        {"z_private": None},
        {"y_private": -1},
        {"y_private": 2**31},
        {"y_private": 10**400},
        {"y_private": 1.0},
        {"y_private": True},
        {"y_private": "1"},
        {"y_private": [1]},
        {"epsilon_x": -1.0},
        {"epsilon_x": math.nan},
        {"epsilon_x": "Infinity"},
        {"epsilon_x": True},
        {"epsilon_x": None},
        {"epsilon_x": 10**400},
        {"epsilon_y": "nan"},
        {"epsilon_y": [1.0]},
        {"surprise": 1},
    ],
    ids=lambda change: json.dumps(change)[:40],
)
def test_hostile_fields_are_refused(change: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError), match="Expected"):
        Report.from_json(json.dumps(GOOD | change))


@pytest.mark.parametrize("missing", GOOD)
def test_missing_fields_are_refused(missing: str) -> None:
    with pytest.raises(ValueError, match="Expected a report with the fields"):
        Report.from_json(json.dumps({name: value for name, value in GOOD.items() if name != missing}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "3",
        '"report"',
        "{",
        "[" * 100_000,
        '{"z_private": ' * 100_000,
        b"\xff\xfe\x00",
        b"\x00",
        "1" * 5_000,
        json.dumps(GOOD) + "{}",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_are_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match="Expected a report"):
        Report.from_json(text)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=5), st.data()
)
def test_no_value_in_any_field_breaks_the_reader(value: object, data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(sorted(GOOD)))
    try:
        report = Report.from_json(json.dumps(GOOD | {field: value}))
    except (ValueError, TypeError) as error:
        assert str(error).startswith("Expected")
    else:
        assert Report.from_json(report.to_json()) == report


def test_reports_made_by_hand_are_checked_too() -> None:
    with pytest.raises(ValueError, match="one axis"):
        Report(mechanism="m", z_private=((1.0, 2.0),), y_private=None, epsilon_x=1.0, epsilon_y=0.0)  # type: ignore[arg-type]
    report = Report(mechanism="m", z_private=(1.0,), y_private=None, epsilon_x=1.0, epsilon_y=0.0)
    with pytest.raises(ValueError, match="epsilon_x"):
        replace(report, epsilon_x=math.nan)


# --- the boundary ----------------------------------------------------------------------------------------------


def test_nothing_of_the_record_is_in_a_report_but_through_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two records, and noise that happens to bring both to the same z̃: the same bytes cross."""
    rlm, grid = make(), make().noise.grid_radius
    first = release([0.5, 0.0, 7.0], mechanism=rlm).to_json()
    texts = set()
    for record in ([0.5, 0.0, 7.0], [0.0, -0.25, -9.0], [0.0, 0.0, 0.0]):
        steps = rlm.noise._to_grid(rlm.represent([record]))
        monkeypatch.setattr(laplace, "discrete_laplace", lambda shape, k=steps: np.array([[grid, 3]]) - k)
        texts.add(release(record, mechanism=rlm).to_json())
    assert len(texts) == 1 and first not in texts


@settings(deadline=None, derandomize=True, max_examples=50)
@given(z_private=st.tuples(*[st.floats(-100, 100)] * 8))
def test_the_same_report_gives_the_same_bytes_out(z_private: tuple[float, ...]) -> None:
    decoder = MLPDecoder((8, 16, 20)).eval()
    report = Report(mechanism="V-RLM", z_private=z_private, y_private=None, epsilon_x=1.0, epsilon_y=0.0)
    arrived = Report.from_json(report.to_json())
    with torch.no_grad():
        outputs = [
            decoder.decode(torch.tensor([each.z_private])).numpy().tobytes() for each in (report, arrived, report)
        ]
    assert len(set(outputs)) == 1
