"""Mixed rows: layout, budget and density. Chance failures: below 1e-6 for each test."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from rlm_core.baselines import DuchiTable, LaplaceTable, OneHotResponse, PerFeatureLaplace, Rescaled
from rlm_core.baselines.table import share
from rlm_core.mechanism import HasDensity

# Columns: number, colour (3), number, size (2), constant (1).
LAYOUT = {"low": (0.0, -10.0), "high": (1.0, 10.0), "categories": ((1, 4), (5, 7), (7, 8))}
ROWS = np.array(
    [
        [0.5, 1, 0, 0, 3.0, 0, 1, 1],
        [0.1, 0, 0, 1, -7.0, 1, 0, 1],
        [9.0, 0, 1, 0, 99.0, 1, 0, 1],
    ]
)
KINDS = [LaplaceTable, DuchiTable]


@pytest.mark.parametrize("kind", KINDS)
def test_the_budget_is_split_over_the_features(kind: type[LaplaceTable]) -> None:
    table = kind(epsilon=4.0, **LAYOUT)
    assert table.features == 4  # two numbers, two categoricals; the constant costs nothing
    assert table.numbers.epsilon == 2.0
    assert [response.epsilon for response in table.responses[:2]] == [1.0, 1.0]
    spent = Fraction(table.numbers.epsilon) + sum(Fraction(r.epsilon) for r in table.responses if r.classes > 1)
    assert spent <= 4


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.3, 1e-3])
@pytest.mark.parametrize("whole", [1, 3, 7, 23])
def test_shares_never_add_up_to_more(epsilon: float, whole: int) -> None:
    for part in range(whole + 1):
        total = Fraction(share(epsilon, part, whole)) + (whole - part) * Fraction(share(epsilon, 1, whole))
        assert Fraction(epsilon) * (1 - Fraction(1, 10**12)) <= total <= Fraction(epsilon)
    assert share(math.inf, 1, whole) == math.inf


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ["privatise", "simulate"])
def test_a_report_has_the_layout_of_a_row(kind: type[LaplaceTable], path: str) -> None:
    table = kind(epsilon=4.0, **LAYOUT)
    rows = np.tile(ROWS, (200, 1))
    if path == "privatise":
        reports = table.privatise(rows)
    else:
        reports = table.simulate(rows, generator=np.random.default_rng(0))
    assert reports.shape == rows.shape
    np.testing.assert_array_equal(table.number_columns, [0, 4])
    for start, stop in table.categories:
        block = reports[:, start:stop]
        assert np.isin(block, (0.0, 1.0)).all()
        np.testing.assert_array_equal(block.sum(axis=1), 1.0)
        assert (block.sum(axis=0) > 0).all()  # 600 reports: every level is reported (else: below 1e-50)
    assert (reports[:, [0, 4]] != rows[:, [0, 4]]).all()


def test_the_parts_are_the_mechanisms_they_say() -> None:
    table = LaplaceTable(epsilon=4.0, **LAYOUT)
    assert table.numbers == PerFeatureLaplace(epsilon=2.0, low=(0.0, -10.0), high=(1.0, 10.0))
    assert table.responses[0] == OneHotResponse(epsilon=1.0, classes=3)
    duchi = DuchiTable(epsilon=4.0, **LAYOUT)
    assert isinstance(duchi.numbers, Rescaled) and duchi.numbers.bounds.high == (1.0, 10.0)
    magnitude = duchi.numbers.mechanism.magnitude
    np.testing.assert_allclose(np.abs(duchi.privatise(ROWS)[:, 4]), 10.0 * magnitude)
    np.testing.assert_allclose(np.abs(duchi.privatise(ROWS)[:, 0] - 0.5), 0.5 * magnitude)


@pytest.mark.parametrize("kind", KINDS)
def test_represent_clips_numbers_and_infinite_epsilon_adds_nothing(kind: type[LaplaceTable]) -> None:
    table = kind(epsilon=math.inf, **LAYOUT)
    expected = ROWS.copy()
    expected[2, [0, 4]] = [1.0, 10.0]
    np.testing.assert_array_equal(table.represent(ROWS), expected)
    np.testing.assert_allclose(table.privatise(ROWS), expected)
    np.testing.assert_allclose(table.simulate(ROWS, generator=np.random.default_rng(0)), expected)


def test_log_density_is_the_naive_product() -> None:
    table = LaplaceTable(epsilon=4.0, **LAYOUT)
    z, z_private = table.represent(ROWS), table.privatise(ROWS)
    density = table.log_density_pairs(z_private, z)
    for n in range(3):
        for m in range(3):
            naive = 0.0
            for column, scale in ((0, 1.0 / 1.0), (4, 20.0 / 1.0)):  # width / (epsilon / 4)
                naive += -abs(z_private[n, column] - z[m, column]) / scale - math.log(2 * scale)
            for start, stop in ((1, 4), (5, 7)):
                same = z_private[n, start:stop].argmax() == z[m, start:stop].argmax()
                naive += math.log((math.e if same else 1.0) / (math.e + (stop - start) - 1))
            assert density[n, m] == pytest.approx(naive)
    assert isinstance(table, HasDensity)
    assert not isinstance(DuchiTable(epsilon=4.0, **LAYOUT), HasDensity)


def test_densities_fit_the_reports() -> None:
    """E[p(z̃|z′)/p(z̃|z)] = 1 over reports of z; the ratio lies in [e^−ε, e^ε]."""
    count, table = 40_000, LaplaceTable(epsilon=1.0, **LAYOUT)
    unknown = ROWS[1].copy()
    unknown[1:4] = 0.0
    z = table.represent(np.stack([ROWS[0], ROWS[1], unknown]))
    log_p = table.log_density_pairs(table.privatise(np.tile(ROWS[0], (count, 1))), z)
    for other in (1, 2):
        ratio = np.exp(log_p[:, other] - log_p[:, 0])
        assert np.abs(np.log(ratio)).max() <= 1.0 + 1e-6
        assert abs(ratio.mean() - 1.0) < 5.0 * ratio.std() / math.sqrt(count) < 0.02


def test_numbers_alone_and_categories_alone() -> None:
    for kind in KINDS:
        numbers = kind(epsilon=1.0, low=(0.0,), high=(1.0,))
        assert numbers.privatise([[0.5]]).shape == (1, 1)
        categories = kind(epsilon=1.0, low=(), high=(), categories=((0, 2),))
        assert categories.numbers is None
        assert categories.privatise([[1.0, 0.0]]).sum() == 1.0
        assert categories.privatise(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "Expected epsilon > 0"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"low": (2.0, 0.0)}, "Expected low <= high"),
        ({"categories": ((1, 4), (3, 6))}, "disjoint"),
        ({"categories": ((4, 1),)}, "non-empty"),
        ({"categories": ((50, 53),)}, "within 5 columns"),
        ({"low": (), "high": (), "categories": ()}, "at least one feature"),
    ],
)
def test_bad_layouts_raise(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LaplaceTable(**({"epsilon": 1.0} | LAYOUT | changes))


def test_bad_rows_raise() -> None:
    table = LaplaceTable(epsilon=1.0, **LAYOUT)
    wrong = ROWS.copy()
    wrong[1, 1] = 0.5
    with pytest.raises(
        ValueError, match="one-hot block of 3 columns in x, got something else in 1 rows, first in row 1"
    ):
        table.privatise(wrong)
    with pytest.raises(ValueError, match=r"shape \(n, 8\)"):
        table.privatise(ROWS[:, :5])
