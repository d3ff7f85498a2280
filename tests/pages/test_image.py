"""The image page, control by control: what each changes, and what it must not."""

from __future__ import annotations

import base64
import io
import math

import numpy as np
import pytest
from page_driver import Open, healthy, ledger, words
from PIL import Image, ImageDraw
from streamlit.testing.v1 import AppTest

from rlm_core import RandomisedResponse, Report
from ui.app import cache
from ui.kit.formats import percent
from ui.record import release
from ui.record.inference import posterior
from ui.record.release import Drawn


def drawn(app: AppTest) -> list[Drawn]:
    """All releases of the visit, in the order of their choices."""
    return [each for draws in app.session_state["releases"].draws.values() for each in draws]


def way(app: AppTest) -> str:
    """The HTML of the record's way; its pictures tell whether anything was drawn anew."""
    (found,) = [each.value for each in app.main.get("html") if "rlm-pipeline" in each.value]
    return str(found)


def digit_file(kind: str = "PNG") -> bytes:
    image = Image.new("L", (120, 160), 250)
    ImageDraw.Draw(image).line([(40, 30), (90, 30), (55, 130)], fill=20, width=12)
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def test_opens_with_one_release_and_every_stage(open_page: Open) -> None:
    app = open_page("image")
    assert [r.epsilon for r in ledger(app).releases] == [10.0]
    assert ledger(app).releases[0].epsilon_x == pytest.approx(7.0)
    for letter in ("x", "h → z", "+", "z̃", "x̃", "y", "ỹ"):
        assert f'<span class="rlm-symbol">{letter}</span>' in way(app)
    assert "privacy boundary" in way(app)
    assert "22,026 times" in words(app)


def test_epsilon_is_a_new_release_and_going_back_is_not(open_page: Open) -> None:
    app = open_page("image")
    first = way(app)
    healthy(app.select_slider(key="eps").set_value(2.0).run())
    assert way(app) != first and "e<sup>2</sup> = 7.4 times" in words(app)
    assert [r.epsilon for r in ledger(app).releases] == [10.0, 2.0]
    healthy(app.select_slider(key="eps").set_value(10.0).run())
    assert way(app) == first
    assert len(ledger(app).releases) == 2


def test_lambda_divides_the_budget(open_page: Open) -> None:
    app = open_page("image")
    healthy(app.slider(key="lam").set_value(0.25).run())
    last = ledger(app).releases[-1]
    assert (last.epsilon_x, last.epsilon_y) == (2.5, 7.5)
    assert "ε<sub>x</sub> = 2.5" in words(app) and "ε<sub>y</sub> = 7.5" in words(app)


def test_without_budget_the_label_is_not_sent(open_page: Open) -> None:
    app = open_page("image")
    healthy(app.slider(key="lam").set_value(1.0).run())
    assert drawn(app)[-1].report.label is None
    assert "the label is not sent" in way(app) and "ε<sub>y</sub> = 0" not in words(app)


def test_flip_probabilities_are_the_channels(open_page: Open) -> None:
    app = open_page("image", eps="4", lam="0.5")
    truth = RandomisedResponse(epsilon=2.0, classes=10).transition_matrix[0, 0]
    assert f"truthfully with probability {percent(truth)}" in way(app)


def test_infinity_adds_no_noise_and_says_so(open_page: Open) -> None:
    app = open_page("image", eps="∞")
    (only,) = drawn(app)
    assert np.array_equal(only.z, only.z_private) and only.report.label == 7
    assert "there is no promise" in words(app) and math.isinf(ledger(app).releases[0].epsilon)


def test_another_sample_is_another_record(open_page: Open) -> None:
    app = open_page("image")
    healthy(app.pills(key="sample").set_value("3-2").run())
    assert len({r.record for r in ledger(app).releases}) == 2
    assert "3-2" in words(app) and "1 report, ε = 10 in total" in words(app)


def test_the_other_dataset(open_page: Open) -> None:
    app = open_page("image")
    healthy(app.segmented_control(key="data").set_value("CIFAR-10").run())
    assert drawn(app)[-1].z.size == 32
    assert "3,072 numbers" in way(app)
    assert list(app.segmented_control(key="source").options) == ["Gallery", "Upload", "Camera"]
    healthy(app.pills(key="sample").set_value("frog-2").run())
    assert '<div class="rlm-chip rlm-owner">frog</div>' in way(app)


def test_the_mechanism_follows_epsilon_unless_chosen(open_page: Open) -> None:
    app = open_page("image")
    for epsilon in (10.0, 1.0):
        healthy(app.select_slider(key="eps").set_value(epsilon).run())
        assert ledger(app).releases[-1].mechanism == cache.chosen_mechanism("mnist", epsilon)
    other = next(n for n in cache.mechanism_names("mnist") if n != cache.chosen_mechanism("mnist", 1.0))
    healthy(app.selectbox(key="mech").set_value(other).run())
    assert ledger(app).releases[-1].mechanism == other
    healthy(app.segmented_control(key="data").set_value("CIFAR-10").run())  # not a mechanism for these
    assert ledger(app).releases[-1].mechanism == cache.chosen_mechanism("cifar10", 1.0)


def test_choosing_dimensions_draws_nothing(open_page: Open) -> None:
    app = open_page("image")
    before = way(app)
    (chart,) = (each.proto.json for each in app.main.get("bidi_component"))
    assert "<svg" in chart
    shown = {app.selectbox(key="dim_a_8").value, app.selectbox(key="dim_b_8").value}
    other = next(number for number in range(1, 9) if number not in shown)
    healthy(app.selectbox(key="dim_a_8").set_value(other).run())
    assert way(app) == before and len(ledger(app).releases) == 1
    (moved,) = (each.proto.json for each in app.main.get("bidi_component"))
    assert moved != chart and f"number {other}" in moved
    healthy(app.selectbox(key="dim_b_8").set_value(other).run())
    assert len(ledger(app).releases) == 1


def test_draw_again_spends_and_shows_what_the_average_gives_away(open_page: Open) -> None:
    app = open_page("image")
    before = way(app)
    assert "Draw again to see" in words(app)
    for _ in range(3):
        healthy(app.button(key="draw_again").click().run())
    assert way(app) != before
    assert "4 reports, ε = 40 in total" in words(app)
    assert [r.epsilon for r in ledger(app).releases] == [10.0] * 4
    draws, model = drawn(app), cache.model(ledger(app).releases[0].mechanism)
    together = posterior(draws, model, classes=10).classes[7]
    assert f"The true class gets {percent(float(together))}" in words(app)
    assert f"{release.mean_error(release.average(draws), draws[0]):.2f}" in words(app)


def test_the_strip_is_charged_once_and_reuses_what_was_sent(open_page: Open) -> None:
    app = open_page("image", eps="8")
    assert "Release 5 more reports (spends ε = 23)" in app.button(key="draw_strip").label
    assert len(ledger(app).releases) == 1
    before = way(app)
    healthy(app.button(key="draw_strip").click().run())
    assert sorted(r.epsilon for r in ledger(app).releases) == [1, 2, 4, 6, 8, 10]
    assert way(app) == before
    assert "6 reports, ε = 31 in total" in words(app)
    healthy(app.select_slider(key="eps").set_value(4.0).run())
    assert len(ledger(app).releases) == 6  # that report was sent with the strip


def test_inference_on_the_page_is_the_librarys(open_page: Open) -> None:
    app = open_page("image", eps="3")
    (only,) = drawn(app)
    belief = posterior([only], cache.model(only.report.mechanism), classes=10)
    assert f"with {percent(float(belief.classes[7]))}" in words(app)
    assert belief.odds_factor <= math.exp(3.0) * (1 + 1e-9)
    (bars,) = [each.value for each in app.main.get("html") if "rlm-shares" in each.value]
    for value in belief.classes:
        assert f"width:{100 * value:.2f}%" in bars


def test_report_download_is_what_was_drawn(open_page: Open) -> None:
    app = open_page("image")
    (only,) = drawn(app)
    assert Report.from_json(only.report.to_json()) == only.report
    keys = {each.key for each in app.main.get("download_button")}
    assert keys == {"download_report", "download_png", "download_summary"}


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_upload_is_fitted_and_released(open_page: Open, kind: str) -> None:
    app = open_page("image", source="Upload")
    assert "Bring a picture" in words(app) and "releases" not in app.session_state
    file = (f"seven.{kind.lower()}", digit_file(kind), f"image/{kind.lower()}")
    healthy(app.file_uploader(key="upload_mnist").set_value(file).run())
    assert "As the mechanism sees it: 28 × 28" in words(app)
    assert "releases" not in app.session_state  # not before the visitor says what it shows
    healthy(app.selectbox(key="label_mnist").set_value("7").run())
    assert len(ledger(app).releases) == 1 and '<div class="rlm-chip rlm-owner">7</div>' in way(app)
    healthy(app.selectbox(key="label_mnist").set_value("1").run())  # another report about the same x
    assert len(ledger(app).releases) == 2 and len({r.record for r in ledger(app).releases}) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no picture at all", "not a picture"),
        (b"", "empty"),
        (digit_file()[:200], "damaged"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 64, "HEIC"),
    ],
)
def test_bad_uploads_are_explained_and_release_nothing(open_page: Open, data: bytes, message: str) -> None:
    app = open_page("image", source="Upload")
    healthy(app.file_uploader(key="upload_mnist").set_value(("seven.png", data, "image/png")).run())
    assert message in app.warning[0].value and "gallery" in words(app)
    assert "releases" not in app.session_state
    healthy(app.segmented_control(key="source").set_value("Gallery").run())  # a way on
    assert len(ledger(app).releases) == 1


def test_photo_upload_and_camera_for_cifar(open_page: Open) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (90, 60), (200, 30, 40)).save(buffer, "JPEG")
    photo = ("photo.jpg", buffer.getvalue(), "image/jpeg")
    app = open_page("image", data="CIFAR-10", source="Upload")
    healthy(app.file_uploader(key="upload_cifar10").set_value(photo).run())
    healthy(app.selectbox(key="label_cifar10").set_value("truck").run())
    assert len(ledger(app).releases) == 1
    healthy(app.segmented_control(key="source").set_value("Camera").run())
    assert len(ledger(app).releases) == 1 and "Bring a picture" in words(app)
    healthy(app.camera_input(key="camera").set_value(photo).run())
    healthy(app.selectbox(key="label_cifar10").set_value("truck").run())
    assert len(ledger(app).releases) == 1  # the same pixels are the same record, already sent
    assert "rlm-pipeline" in words(app)


def test_a_drawing_counts_when_it_is_handed_over(open_page: Open) -> None:
    app = open_page("image", source="Draw")
    assert "releases" not in app.session_state
    image = Image.new("L", (280, 280), 0)
    ImageDraw.Draw(image).line([(140, 40), (140, 240)], fill=255, width=22)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    app.session_state["canvas"] = {"png": base64.b64encode(buffer.getvalue()).decode()}
    healthy(app.run())
    healthy(app.selectbox(key="label_mnist").set_value("1").run())
    assert len(ledger(app).releases) == 1 and "rlm-pipeline" in words(app)


@pytest.mark.parametrize("sent", ["not base64 !", "aGVsbG8=", 17, {"a": 1}, ""])
def test_nonsense_from_the_canvas_is_harmless(open_page: Open, sent: object) -> None:
    app = open_page("image", source="Draw")
    app.session_state["canvas"] = {"png": sent}
    healthy(app.run())
    assert "releases" not in app.session_state


def test_a_link_opens_the_same_view(open_page: Open) -> None:
    name = cache.mechanism_names("cifar10")[-1]
    app = open_page("image", eps="2.5", lam="0.4", data="CIFAR-10", sample="ship-3", mech=name)
    assert app.select_slider(key="eps").value == 2.5 and app.slider(key="lam").value == 0.4
    assert app.pills(key="sample").value == "ship-3"
    last = ledger(app).releases[-1]
    assert (last.mechanism, last.epsilon_x) == (name, 1.0)


BROKEN = [{"eps": "-3"}, {"lam": "7"}, {"data": "ImageNet"}, {"sample": "99"}, {"mech": "../x"}, {"source": "Fax"}]


@pytest.mark.parametrize("address", BROKEN)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    app = open_page("image", **address)
    assert app.select_slider(key="eps").value == 10.0 and len(ledger(app).releases) == 1


def test_a_failure_is_an_apology_not_a_traceback(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page("image")

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("ui.record.download.summary", broken)
    app.run()
    assert not app.exception
    assert "went wrong on our side" in app.error[0].value
    assert "secret detail" not in words(app) + app.error[0].value
    monkeypatch.undo()
    app.button(key="start_afresh_workbench").click().run()
    healthy(app.run())
    assert len(ledger(app).releases) == 1  # a new visit, with an empty ledger
