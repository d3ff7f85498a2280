"""What the pages about one record share: stages, averages, the summary."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from rlm_core import Budget, Report
from ui.kit import html
from ui.record import release
from ui.record.download import summary
from ui.record.pipeline import label_stages, noise_stage, reach_of, representation_stage
from ui.record.release import Drawn, Subject


def drawn(
    *, epsilon: float = 4.0, lam: float = 0.5, z_private: tuple[float, ...] = (3.0, -1.0), y: int | None = 1
) -> Drawn:
    budget = Budget(epsilon=epsilon, lam=lam)
    report = Report(
        mechanism="test-mechanism",
        digest="0" * 32,
        numbers=z_private,
        label=y,
        epsilon_x=budget.epsilon_x,
        epsilon_y=0.0 if y is None else budget.epsilon_y,
    )
    scale = 0.0 if math.isinf(epsilon) else 2 * 2.0 / budget.epsilon_x
    h, z = np.array([0.125, 3.0]), np.array([0.0625, 1.5])
    return Drawn(report=report, budget=budget, scale=scale, h=h, z=z, z_private=np.array(z_private))


SUBJECT = Subject(title="<b>me</b>", x=np.array([0.123456, 0.654321]), label=0, classes=("cat & dog", "<i>bird</i>"))
MODEL = SimpleNamespace(
    card=SimpleNamespace(name="test-mechanism", kind="V-RLM", latent_dim=2, radius=2.0, epsilon_pretraining=33.0)
)


def test_everything_from_outside_is_escaped() -> None:
    before, after = label_stages(drawn(), SUBJECT)
    shown = before.body + after.body + html.shares(SUBJECT.classes, [0.5, 0.5], side="owner")
    assert "<i>bird" not in shown and "&lt;i&gt;bird" in shown and "cat &amp; dog" in shown
    assert "<b>me" not in html.picture([[0.5]], alt=SUBJECT.title)
    assert "<b>me" not in summary(SUBJECT, MODEL, drawn())


def test_stages_say_their_numbers() -> None:
    one = drawn()
    stage = representation_stage(one, radius=2.0, reach=reach_of(one.h))
    assert "‖z‖₁ = 1.56 of l = 2" in stage.body and "Here from 3.1" in stage.caption
    assert "4/2 = 2.00" in noise_stage(one, radius=2.0, reach=1.0).caption
    assert "no noise" in noise_stage(drawn(epsilon=math.inf), radius=2.0, reach=1.0).caption


def test_summary_is_computed_from_the_report_alone() -> None:
    one = drawn()
    page = summary(SUBJECT, MODEL, one, decoded_png=b"png")
    assert "e^4 = 55 times" in page and "3.0000, -1.0000" in page and "data:image/png" in page
    for secret in ("0.0625", "0.125", "0.123", "0.654", "cat"):  # of z, h, x and y
        assert secret not in page
    assert re.findall(r"https?://", page) == []
    assert "None: at ε = ∞" in summary(SUBJECT, MODEL, drawn(epsilon=math.inf))
    assert "label not sent" in summary(SUBJECT, MODEL, drawn(lam=1.0, y=None))


def test_average_weighs_by_precision() -> None:
    rough, fine = drawn(epsilon=2.0, z_private=(0.0, 0.0)), drawn(epsilon=4.0, z_private=(5.0, 5.0))
    np.testing.assert_allclose(release.average([rough, fine]), [4.0, 4.0])  # weights 1 : 4
    exact = drawn(epsilon=math.inf, z_private=(7.0, 7.0))
    np.testing.assert_array_equal(release.average([rough, exact, fine]), [7.0, 7.0])
    with pytest.raises(ValueError, match="at least one"):
        release.average([])


def test_same_pixels_are_the_same_record_whatever_the_label() -> None:
    x = np.linspace(0, 1, 9)
    one, other = (Subject(title=str(label), x=x, label=label, classes=("a", "b")) for label in (0, 1))
    assert one.record == other.record
    assert one.record != Subject(title="", x=x + 1e-9, label=0, classes=("a", "b")).record
