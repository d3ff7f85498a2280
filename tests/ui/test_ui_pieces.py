"""The app's parts on their own: markup, figures, downloads, site, appearance."""

from __future__ import annotations

import math
import re
import tomllib
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from rlm_core import Budget, Report
from ui.app import site
from ui.app.controls import EPSILONS
from ui.components import canvas, live_digit
from ui.image.taxicab import noise_diamond, taxicab
from ui.kit import colours, html, words
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


@pytest.mark.parametrize("value", [1e-9, 0.00099, 0.9991, 1 - 1e-12])
def test_percent_never_claims_certainty(value: float) -> None:
    assert html.percent(value) in ("< 0.1 %", "> 99.9 %")


def test_bars_have_the_right_length_and_direction() -> None:
    bars = html.signed_bars([2.0, -1.0, 0.0], reach=4.0, side="owner", alt="three")
    assert "bottom:50%;height:25.0%" in bars and "top:50%;height:12.5%" in bars
    assert html.signed_bars([9.0], reach=4.0, side="owner", alt="cut").count("height:50.0%") == 1


def test_split_bar_follows_lambda() -> None:
    bar = html.split_bar(Budget(epsilon=8.0, lam=0.75))
    assert "flex:0.7500" in bar and "= 6 for the picture" in bar and "= 2 for the label" in bar
    assert "label" not in html.split_bar(Budget(epsilon=8.0, lam=1.0))
    assert "∞" in html.split_bar(Budget(epsilon=math.inf, lam=0.5))


def test_stages_say_their_numbers() -> None:
    one = drawn()
    stage = representation_stage(one, radius=2.0, reach=reach_of(one.h))
    assert "‖z‖₁ = 1.56 of l = 2" in stage.body and "Here from 3.1" in stage.caption
    assert "4/2 = 2.00" in noise_stage(one, radius=2.0, reach=1.0).caption
    assert "no noise" in noise_stage(drawn(epsilon=math.inf), radius=2.0, reach=1.0).caption


def test_taxicab_diamonds_hold_their_share_of_the_noise() -> None:
    # 200,000 draws: the standard deviation of a share is below 0.0012, the tolerance is more than 8 of them.
    scale = 1.7
    distance = np.abs(np.random.default_rng(11).laplace(0.0, scale, size=(200_000, 2))).sum(axis=1)
    for share in (0.9, 0.5):
        size = noise_diamond(share, scale)
        assert (distance <= size).mean() == pytest.approx(share, abs=0.01)
        assert (distance <= 0.9 * size).mean() < share - 0.01  # a wrong size would be seen


def test_taxicab_puts_points_where_they_are() -> None:
    z, z_private = np.array([1.0, -0.5, 9.0]), np.array([-2.0, 0.75, 9.0])
    svg, legend = taxicab(z, z_private, radius=3.0, scale=1.0, dims=(0, 1), earlier=[z])
    root = ElementTree.fromstring(svg)
    ball, outer, inner = (
        [tuple(map(float, p.split(","))) for p in each.get("points").split()] for each in root.iter("polygon")
    )
    unit = (ball[0][0] - ball[2][0]) / 6.0  # drawing units per unit of z: the ball is 2 · 3 wide
    earlier, at_z, at_z_private = ((float(c.get("cx")), float(c.get("cy"))) for c in root.iter("circle"))
    assert earlier == at_z
    assert at_z_private[0] - at_z[0] == pytest.approx(-3.0 * unit, abs=0.2)
    assert at_z_private[1] - at_z[1] == pytest.approx(-1.25 * unit, abs=0.2)  # upwards is less
    assert (outer[0][0] - outer[2][0]) / 2 == pytest.approx(noise_diamond(0.9, 1.0) * unit, abs=0.2)
    assert (inner[0][0] + inner[2][0]) / 2 == pytest.approx(at_z[0], abs=0.2)
    assert all(0 <= value <= 400 for point in (*outer, *ball) for value in point)
    assert "other reports" in legend
    assert len(list(ElementTree.fromstring(taxicab(z, z, radius=3.0, scale=0.0, dims=(0, 2))[0]).iter("polygon"))) == 1


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


def test_promise_in_odds() -> None:
    assert "e<sup>0.5</sup> = 1.6 times" in words.promise(0.5)
    assert "no promise" in words.promise(math.inf)


def test_epsilons_go_from_a_half_to_ten_and_infinity() -> None:
    assert EPSILONS[0] == 0.5 and EPSILONS[-2:] == (10.0, math.inf)
    assert len({html.number(epsilon) for epsilon in EPSILONS}) == len(EPSILONS)  # distinct in the address


@pytest.mark.parametrize(
    "sent", [None, "x", {}, {"position": -1}, {"position": 21}, {"position": True}, {"position": 1.0}]
)
def test_nonsense_from_the_live_digit_is_no_question(sent: object) -> None:
    assert live_digit.question(sent) is None


def test_a_drawing_of_any_size_is_refused() -> None:
    assert canvas.decode("A" * (2**20 + 4)) is None


def test_every_page_file_is_in_the_menu() -> None:
    files = {path.stem for path in (site.ROOT / "pages").glob("*.py")}
    assert files == {spec.file for spec in site.pages()}
    for path in (site.ROOT / "pages").glob("*.py"):
        assert "require_app()" in path.read_text(encoding="utf-8"), path.name


def test_appearance_needs_no_other_host() -> None:
    config = tomllib.loads((site.ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["browser"]["gatherUsageStats"] is False and config["client"]["showErrorDetails"] == "none"
    for face in config["theme"]["fontFaces"]:
        assert (site.ROOT / face["url"].removeprefix("app/")).is_file()
    assert any("LICENSE" in path.name for path in (site.ROOT / "static" / "fonts").iterdir())
    for source in [*(site.ROOT / "ui").rglob("*"), site.ROOT / "serve.py", site.ROOT / ".streamlit" / "config.toml"]:
        if source.suffix in (".py", ".css", ".toml"):
            text = source.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")  # a name, never fetched
            assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), source.name


def test_owner_is_blue_and_collector_vermilion_everywhere() -> None:
    style = (site.ROOT / "ui" / "app" / "style.css").read_text(encoding="utf-8")
    assert (colours.OWNER, colours.COLLECTOR) == ("#0072B2", "#D55E00")
    for colour in (colours.OWNER, colours.COLLECTOR):
        assert colour in style and colour in live_digit.CSS
    config = (site.ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert f'primaryColor = "{colours.OWNER}"' in config
