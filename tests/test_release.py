"""The one act that releases: what is checked, charged and drawn, in this order, and what comes out."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rlm_core import Report, Trace, release, release_rows, release_with_trace, zoo
from rlm_core.baselines.krr import LabelMechanism
from rlm_core.baselines.table import LaplaceTable
from rlm_core.collector.decoder import MLPDecoder
from rlm_core.mechanism import RLM
from rlm_core.owner import (
    JointLaplace,
    JointSelection,
    L1Clip,
    LaplaceNoise,
    Ledger,
    PairSelection,
    RandomisedResponse,
    SubsetSelection,
    laplace,
)
from rlm_core.registry import identity

LABELS = RandomisedResponse(epsilon=1.5, classes=10)


def make(epsilon: float = 4.0, encoder: object = None) -> RLM:
    noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=1.0))
    return RLM(name="V-RLM", encoder=encoder or (lambda x: x[:, :2]), noise=noise, input_dim=3, output_dim=2)


def q_rlm(codes: int, epsilon: float = 1.0) -> RLM:
    noise = SubsetSelection(epsilon=epsilon, symbols=codes)
    return RLM(name="Q-RLM", encoder=identity, noise=noise, input_dim=codes, output_dim=codes)


# --- one record ------------------------------------------------------------------------------------------------


def test_a_release_makes_a_report_of_what_was_asked() -> None:
    ledger, rlm = Ledger(), make()
    report = release([1.0, 2.0, 3.0], 7, mechanism=rlm, labels=LABELS, ledger=ledger, record="me")
    assert (report.mechanism, report.epsilon_x, report.epsilon_y, report.epsilon) == ("V-RLM", 4.0, 1.5, 5.5)
    assert report.digest == rlm.digest and report.label in range(10)
    assert report.numbers is not None and rlm.vector(report).tolist() == list(report.numbers)
    assert ledger.spent("me") == 5.5
    without = release([[1.0, 2.0, 3.0]], mechanism=rlm)
    assert without.label is None and without.epsilon_y == 0.0


def test_codes_leave_as_a_set_and_labels_as_a_symbol() -> None:
    codes = q_rlm(12)
    report = release(np.arange(12.0), mechanism=codes)
    assert report.of == 12 and report.in_set().sum() == codes.noise.size  # type: ignore[union-attr]
    np.testing.assert_array_equal(codes.vector(report) > 0, report.in_set())
    assert release(np.arange(12.0), mechanism=q_rlm(12, math.inf)).in_set().argmax() == 11
    label = release([2.0], mechanism=LabelMechanism(epsilon=math.inf, classes=5))
    assert (label.symbol, label.of) == (2, 5)


def test_a_mechanism_refuses_what_it_cannot_have_sent() -> None:
    codes, numbers = q_rlm(12), make()
    good = release(np.arange(12.0), mechanism=codes)
    too_many = np.packbits(np.arange(12) < codes.noise.size + 1).tobytes()  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="Expected sets of"):
        codes.vector(replace(good, members=too_many))
    for wrong in (release(np.arange(13.0), mechanism=q_rlm(13)), release([1.0, 2.0, 3.0], mechanism=numbers)):
        with pytest.raises(ValueError, match="got another kind"):
            codes.vector(wrong)
    with pytest.raises(ValueError, match="got another kind"):
        numbers.vector(release(np.arange(2.0), mechanism=q_rlm(2)))
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        numbers.vector(release([1.0] * 3, mechanism=replace(numbers, encoder=identity, output_dim=3)))


def test_sets_that_format_1_wrote_as_vectors_are_read() -> None:
    codes = q_rlm(12)
    sent = codes.privatise(np.arange(12.0)[None])[0]
    old = {"format": "rlm-report/1", "mechanism": "Q-RLM", "y_private": None, "epsilon_x": 1.0, "epsilon_y": 0.0}
    report = Report.from_json(json.dumps(old | {"z_private": sent.tolist()}))
    np.testing.assert_array_equal(codes.vector(report), sent)
    with pytest.raises(ValueError, match="Expected sets of"):
        codes.vector(replace(report, numbers=(1.0,) * 12))


def test_every_release_is_drawn_anew_and_charged_anew() -> None:
    ledger = Ledger()
    reports = {release([1.0, 2.0, 3.0], mechanism=make(), ledger=ledger) for _ in range(5)}
    assert len(reports) == 5 and ledger.spent("record") == 20.0


def test_one_record_at_a_time() -> None:
    with pytest.raises(ValueError, match="one record, got 2"):
        release(np.zeros((2, 3)), mechanism=make())


# --- checked, then charged, then drawn -------------------------------------------------------------------------


def test_a_refused_release_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: pytest.fail("drew"))
    ledger = Ledger(limit=3.0)
    for count in (1, 5):
        with pytest.raises(ValueError, match="at most 3"):
            release_rows(np.zeros((count, 3)), mechanism=make(4.0), ledger=ledger)
    assert ledger.releases == []


@pytest.mark.parametrize("count", [1, 4_500])
def test_the_ledger_is_charged_once_before_anything_is_drawn(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    ledger = Ledger()

    def noise(shape: tuple[int, ...]) -> np.ndarray:
        assert ledger.spent("record") == 4.0
        return np.zeros(shape, dtype=np.int64)

    monkeypatch.setattr(laplace, "discrete_laplace", noise)
    release_rows(np.zeros((count, 3)), mechanism=make(), ledger=ledger)
    assert len(ledger.releases) == 1


@pytest.mark.parametrize("y", [-1, 10, [1, 2]])
def test_a_bad_label_costs_nothing(y: object) -> None:
    ledger = Ledger()
    with pytest.raises(ValueError, match="label"):
        release([1.0, 2.0, 3.0], y, mechanism=make(), labels=LABELS, ledger=ledger)  # type: ignore[arg-type]
    assert ledger.releases == []


@pytest.mark.parametrize("x", [[1.0, math.nan, 0.0], [1.0, 2.0], [[[1.0]]], "text", [1.0, math.inf, 0.0]])
def test_a_bad_record_costs_nothing(x: object) -> None:
    ledger = Ledger()
    with pytest.raises((ValueError, TypeError), match="Expected"):
        release(x, mechanism=make(), ledger=ledger)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one record"):
        release_rows(np.zeros((0, 3)), mechanism=make(), ledger=ledger)
    assert ledger.releases == []


def test_a_record_that_only_the_mechanism_can_refuse_costs_nothing() -> None:
    ledger = Ledger()
    table = LaplaceTable(epsilon=3.0, low=(0.0,), high=(1.0,), categories=((1, 4),))
    for mechanism, x in ((table, [0.5, 1.0, 1.0, 0.0]), (LabelMechanism(epsilon=1.0, classes=3), [7.0])):
        with pytest.raises(ValueError, match="Expected"):
            release(x, mechanism=mechanism, ledger=ledger)
    assert ledger.releases == []


def test_a_label_leaves_only_through_randomised_response_or_a_pair() -> None:
    pairs = PairSelection(epsilon=1.0, codes=3, classes=10)
    with pytest.raises(ValueError, match="y and labels together"):
        release([1.0, 2.0, 3.0], 3, mechanism=make())
    with pytest.raises(ValueError, match="y and labels together"):
        release([1.0, 2.0, 3.0], mechanism=make(), labels=LABELS)
    with pytest.raises(ValueError, match="y and labels together"):
        release([1.0, 2.0, 3.0], mechanism=q_rlm(3), pairs=pairs)
    with pytest.raises(ValueError, match="labels or pairs, got both"):
        release([1.0, 2.0, 3.0], 3, mechanism=q_rlm(3), labels=LABELS, pairs=pairs)


@pytest.mark.parametrize(("name", "pairs"), [("mnist-vrlm-l10-eps33", False), ("mnist-qrlm-k12", True)])
def test_a_record_that_makes_a_shipped_encoder_overflow_has_a_report(name: str, pairs: bool) -> None:
    """x = 1e38 is finite, and so it is a record like any other: charged once, and a report comes out."""
    model, ledger, x = zoo.load(name, device="cpu"), Ledger(), np.full(784, 1e38)
    mechanism = model.mechanism(4.0)
    assert not np.isfinite(model.encode(x[None])).all()
    if pairs:
        channel = PairSelection(epsilon=math.inf, codes=12, classes=10)
        report = release(x, 7, mechanism=mechanism, pairs=channel, ledger=ledger)
        assert np.flatnonzero(report.in_set()).tolist() == [7]  # the first code, and the label
    else:
        report = release(x, 7, mechanism=mechanism, labels=LABELS, ledger=ledger)
        assert report.numbers is not None and len(report.numbers) == 8
        np.testing.assert_array_equal(mechanism.represent(x[None]), np.zeros((1, 8)))
    assert Report.from_json(report.to_json()) == report and len(ledger.releases) == 1


# --- pairs -----------------------------------------------------------------------------------------------------


def test_one_report_costs_epsilon_once_and_its_label_is_in_the_pair() -> None:
    ledger, pairs = Ledger(), PairSelection(epsilon=3.0, codes=6, classes=10)
    report = release(np.arange(6.0), 7, mechanism=q_rlm(6), pairs=pairs, ledger=ledger)
    assert (report.epsilon, report.epsilon_y, report.label, report.of) == (3.0, 0.0, None, 60)
    assert report.in_set().sum() == pairs.channel.size
    assert [each.epsilon for each in ledger.releases] == [3.0]
    free = PairSelection(epsilon=math.inf, codes=6, classes=10)
    clear = release(np.arange(6.0), 7, mechanism=q_rlm(6), pairs=free)
    assert np.flatnonzero(clear.in_set()).tolist() == [5 * 10 + 7]  # the highest score's code, and the label


def test_nothing_is_spent_on_bad_pairs() -> None:
    ledger, pairs = Ledger(), PairSelection(epsilon=1.0, codes=3, classes=2)
    for x, y in ((np.zeros(3), 2), (np.zeros(3), -1), (np.full(3, np.nan), 0), (np.zeros(4), 0), (np.zeros((2, 3)), 0)):
        with pytest.raises(ValueError, match="Expected"):
            release(x, y, mechanism=q_rlm(3), pairs=pairs, ledger=ledger)
    with pytest.raises(TypeError, match="integers"):
        release(np.zeros(3), 0.5, mechanism=q_rlm(3), pairs=pairs, ledger=ledger)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="3 codes for pairs, got one of 4"):
        release(np.zeros(4), 0, mechanism=q_rlm(4), pairs=pairs, ledger=ledger)
    with pytest.raises(ValueError, match="3 codes for pairs, got one of another kind"):
        release(np.zeros(3), 0, mechanism=make(), pairs=pairs, ledger=ledger)
    with pytest.raises(ValueError, match="an encoder for pairs"):
        release([0.0], 0, mechanism=LabelMechanism(epsilon=1.0, classes=3), pairs=pairs, ledger=ledger)
    assert not ledger.releases


# --- joint reports ---------------------------------------------------------------------------------------------


def test_a_joint_report_of_two_classes_is_numbers_and_costs_epsilon_once() -> None:
    ledger, joint = Ledger(), JointLaplace(epsilon=math.inf, radius=4.0, centre=(1.0, 0.0), constant=0.5)
    report = release([2.0, -1.0, 9.0], 0, mechanism=make(), pairs=joint, ledger=ledger)
    assert report.numbers == (-1.0, 1.0, -0.5) and report.label is None
    assert [each.epsilon for each in ledger.releases] == [math.inf]
    moved = replace(joint, centre=(1.0, 0.5))
    digests = {release([2.0, -1.0, 9.0], 0, mechanism=make(), pairs=each).digest for each in (joint, moved)}
    assert len({make().digest, *digests}) == 3


def test_a_joint_report_of_many_classes_is_a_set_about_a_coordinate() -> None:
    joint = JointSelection(epsilon=math.inf, classes=3, low=(0.0, 0.0), high=(1.0, 1.0))
    sent = release_rows(np.full((50, 3), 7.0), [2] * 50, mechanism=make(), pairs=joint)
    reports = list(sent)
    assert {each.coordinate for each in reports} == {0, 1}  # all equal by chance: 2 in 2⁵⁰
    assert all(np.flatnonzero(each.in_set()).tolist() == [5] and each.of == 6 for each in reports)
    assert Report.from_json(reports[0].to_json()) == reports[0]


def test_nothing_is_spent_on_bad_joint_reports() -> None:
    ledger, joint = Ledger(), JointLaplace(epsilon=1.0, radius=4.0, centre=(1.0,), constant=0.5)
    for pairs, y in ((joint, 0), (replace(joint, centre=(1.0, 1.0)), 2)):
        with pytest.raises(ValueError, match="Expected"):
            release([2.0, -1.0, 9.0], y, mechanism=make(), pairs=pairs, ledger=ledger)
    assert not ledger.releases


# --- many records ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", [make(math.inf), q_rlm(3, math.inf), LabelMechanism(epsilon=math.inf, classes=9)])
def test_columns_are_the_reports_of_every_row_in_order(mechanism: RLM | LabelMechanism) -> None:
    count, done = 4_321, list[int]()
    generator = np.random.default_rng(0)
    x = generator.integers(9, size=(count, mechanism.input_dim)).astype(float)
    y = generator.integers(10, size=count)
    free = RandomisedResponse(epsilon=math.inf, classes=10)
    sent = release_rows(x, y, mechanism=mechanism, labels=free, progress=done.append)
    assert len(sent) == count and done == [2_000, 4_000, 4_321]
    np.testing.assert_array_equal(sent.z_private, mechanism.represent(x))
    np.testing.assert_array_equal(sent.y_private, y)
    reports = list(sent)
    for row in (0, 1_999, 2_000, 4_320):
        assert reports[row].label == y[row] and reports[row] == Report.from_json(reports[row].to_json())
        if isinstance(mechanism, RLM):
            np.testing.assert_array_equal(mechanism.vector(reports[row]), sent.z_private[row])


def test_records_that_were_encoded_before_are_released_by_the_same_mechanism() -> None:
    rlm = make(math.inf, encoder=lambda x: 2.0 * x[:, :2])
    x = np.array([[0.1, 0.2, 9.0], [3.0, 1.0, 0.0]])
    sent = release_rows(rlm.encode(x), mechanism=rlm.of_representations())
    assert (sent.mechanism, sent.digest) == (rlm.name, rlm.digest)
    np.testing.assert_array_equal(sent.z_private, release_rows(x, mechanism=rlm).z_private)


def test_as_many_labels_as_records() -> None:
    for y in ([1, 2], [[1], [2], [3]]):
        with pytest.raises(ValueError, match="Expected 3 labels"):
            release_rows(np.zeros((3, 3)), y, mechanism=make(), labels=LABELS)


def test_rows_of_pairs() -> None:
    pairs = PairSelection(epsilon=math.inf, codes=3, classes=4)
    sent = release_rows(np.eye(3)[[2, 0, 1]], [3, 0, 2], mechanism=q_rlm(3), pairs=pairs)
    assert sent.z_private.argmax(axis=1).tolist() == [11, 0, 6] and sent.y_private is None


# --- Trace -----------------------------------------------------------------------------------------------------


def test_a_trace_holds_every_step_and_they_add_up() -> None:
    report, trace = release_with_trace([3.0, -1.0, 9.0], mechanism=make())
    assert trace.x.tolist() == [3.0, -1.0, 9.0] and trace.h.tolist() == [3.0, -1.0]
    np.testing.assert_allclose(trace.z, [0.75, -0.25])
    np.testing.assert_allclose(trace.z + trace.noise, trace.z_private)
    assert report.numbers == tuple(trace.z_private)


def test_a_known_h_is_not_computed_again_and_the_noise_is_new() -> None:
    rlm = make(encoder=lambda x: pytest.fail("encoded"))
    draws = {release_with_trace([3.0, -1.0, 9.0], mechanism=rlm, h=[3.0, -1.0])[0] for _ in range(3)}
    assert len(draws) == 3
    ledger = Ledger()
    for h in ([1.0], [math.nan, 1.0], [[1.0, 1.0]] * 2):
        with pytest.raises(ValueError, match="Expected"):
            release_with_trace([3.0, -1.0, 9.0], mechanism=rlm, h=h, ledger=ledger)
    assert not ledger.releases


def test_a_trace_says_that_it_is_not_private_and_does_not_show_the_record() -> None:
    trace = release_with_trace([31.25, -1.0, 9.0], mechanism=make())[1]
    assert "NOT PRIVATE" in repr(trace) and "31.25" not in repr(trace) and "31.25" not in str(trace)
    with pytest.raises(TypeError, match="Expected an RLM"):
        release_with_trace([1.0], mechanism=LabelMechanism(epsilon=1.0, classes=3))  # type: ignore[arg-type]


def test_a_trace_cannot_be_serialised_by_mistake() -> None:
    trace = release_with_trace([1.0, 2.0, 3.0], mechanism=make())[1]
    public = {name for name in dir(Trace) if not name.startswith("_")}
    assert public <= {"x", "h", "z", "noise", "z_private"}  # no method at all
    with pytest.raises(TypeError):
        json.dumps(trace)
    with pytest.raises(FrozenInstanceError):
        trace.x = np.zeros(3)  # type: ignore[misc]


# --- the boundary ----------------------------------------------------------------------------------------------


def test_nothing_of_the_record_is_in_a_report_but_through_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two records, and noise that happens to bring both to the same z̃: the same bytes cross."""
    rlm, grid = make(), LaplaceNoise(epsilon=4.0, clip=L1Clip(radius=1.0)).grid_radius
    first = release([0.5, 0.0, 7.0], mechanism=rlm).to_json()
    texts = set()
    for record in ([0.5, 0.0, 7.0], [0.0, -0.25, -9.0], [0.0, 0.0, 0.0]):
        steps = rlm.noise._to_grid(rlm.represent([record]))  # type: ignore[union-attr]
        monkeypatch.setattr(laplace, "discrete_laplace", lambda shape, k=steps: np.array([[grid, 3]]) - k)
        texts.add(release(record, mechanism=rlm).to_json())
    assert len(texts) == 1 and first not in texts


@settings(deadline=None, derandomize=True, max_examples=50)
@given(z_private=st.tuples(*[st.floats(-100, 100)] * 8))
def test_the_same_report_gives_the_same_bytes_out(z_private: tuple[float, ...]) -> None:
    decoder = MLPDecoder((8, 16, 20)).eval()
    report = Report(mechanism="V-RLM", digest="0" * 32, numbers=z_private, epsilon_x=1.0)
    arrived = Report.from_json(report.to_json())
    with torch.no_grad():
        outputs = [decoder.decode(torch.tensor([each.numbers])).numpy().tobytes() for each in (report, arrived, report)]
    assert len(set(outputs)) == 1
