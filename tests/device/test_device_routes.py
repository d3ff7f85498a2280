"""The device's addresses on a real server: what they answer, what the Worker may do, and what it sends."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from device_server import app_server
from sklearn.datasets import load_digits
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route

from rlm_core import LocalPrivatiser, zoo
from rlm_core.data.samples import cifar10_samples, mnist_samples
from rlm_core.device.description import description, weights
from rlm_core.privatiser import UtilityWarning
from rlm_core.report import Report
from serve import POLICY
from server.device_routes import FOR_GOOD, ROUTES
from server.strict_headers import StrictHeaders

CODES, NUMBERS, PHOTOS = "mnist-qrlm-k96", "mnist-vrlm-l7.5-eps13", "cifar10-qrlm-k48"


ARRIVED: list[tuple[str, str]] = []
"""What has reached the server: method (or "websocket") and path."""


class Doorkeeper:
    """Writes down who comes."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        ARRIVED.append((scope.get("method", scope["type"]), scope.get("path", "")))
        await self.app(scope, receive, send)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    home = Route("/", lambda request: HTMLResponse("<!doctype html><title>page</title>"))
    app = Starlette(
        routes=[home, *ROUTES], middleware=[Middleware(Doorkeeper), Middleware(StrictHeaders, policy=POLICY)]
    )
    with app_server(app) as address:
        yield address


def get(url: str, **headers: str) -> Any:
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60)


def test_weights_are_what_their_address_says_and_are_cached_for_good(address: str) -> None:
    file = description(CODES)["files"]["encoder"]
    with get(f"{address}/device/{file['url']}", **{"accept-encoding": "gzip"}) as answer:
        content = answer.read()
        assert hashlib.sha256(content).hexdigest() == file["sha256"] and len(content) == file["bytes"]
        assert answer.headers["cache-control"] == FOR_GOOD
        assert answer.headers["content-encoding"] == "identity"
        assert int(answer.headers["content-length"]) == file["bytes"]


def test_the_worker_has_a_policy_of_its_own_and_pages_keep_theirs(address: str) -> None:
    with get(f"{address}/device/worker.js") as answer:
        policy = answer.headers["content-security-policy"]
        assert policy == (
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
            f"connect-src {address}/device/weights/ {address}/device/conv.wasm"
        )
        assert answer.headers["content-type"].startswith("text/javascript")
    with get(address) as answer:
        assert answer.headers.get_all("content-security-policy") == [POLICY]


@pytest.mark.parametrize("host", ["evil.example; script-src *", "a b", ""])
def test_a_strange_host_cannot_write_into_the_policy(address: str, host: str) -> None:
    try:
        with get(f"{address}/device/worker.js", host=host) as answer:
            assert answer.headers["content-security-policy"].endswith("connect-src 'none'")
    except urllib.error.HTTPError as error:  # uvicorn refuses some of them itself
        error.close()
        assert error.code == 400


@pytest.mark.parametrize(
    "path",
    ["tsconfig.json", "conv.c", "..%2fserve.py", "weights/abc", "mechanisms/none.json", f"owner/{PHOTOS}.html"],
)
def test_nothing_else_is_served(address: str, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as failed:
        get(f"{address}/device/{path}")
    failed.value.close()
    assert failed.value.code == 404


def test_a_description_names_everything_that_defines_the_release(address: str) -> None:
    with get(f"{address}/device/mechanisms/{NUMBERS}.json") as answer:
        about = json.load(answer)
    assert about["digest"] == zoo.card(NUMBERS).digest and about["radius"] == zoo.card(NUMBERS).radius


VISIT = """async ([name, x, label, settings]) => {
    const { Owner } = await import("/device/client.js");
    const me = (window.me = new Owner());
    const steps = [];
    await me.load(name, { collector: true, onProgress: (done, total) => steps.push([done, total]) });
    window.loadedAt = performance.getEntriesByType("resource").length;
    const first = await me.rehearse(name, Float32Array.from(x), label, settings, 4);
    const same = await me.rescale(name, first.id, settings);
    const close = await me.rescale(name, first.id, { ...settings, epsilon: settings.epsilon * 1.001 });
    const spentBefore = me.ledger.spent("digit");
    const report = await me.release(name, Float32Array.from(x), label, settings, "digit");
    const plain = (draws) => draws.map((draw) => Object.fromEntries(
        Object.entries(draw).map(([key, value]) => [key, value && value.length ? Array.from(value) : value])));
    return { steps, first: plain(first.draws), same: plain(same.draws), close: plain(close.draws), report, spentBefore,
        spent: me.ledger.spent("digit"), kept: me.ledger.of("digit").map((entry) => entry.report),
        resources: performance.getEntriesByType("resource").length - window.loadedAt };
}"""


def visit(chromium: Any, address: str, *arguments: Any) -> tuple[dict[str, Any], Any]:
    page = chromium.new_context().new_page()
    page.set_default_timeout(300_000)
    page.goto(address)
    result: dict[str, Any] = page.evaluate(VISIT, list(arguments))
    return result, page


def digit() -> list[float]:
    return list((mnist_samples().images[200].reshape(-1) / 255.0).tolist())


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "settings"),
    [(CODES, {"epsilon": 4.0}), (CODES, {"epsilon": 4.0, "lam": 0.5}), (NUMBERS, {"epsilon": 6.0, "lam": 0.75})],
)
def test_rehearsals_are_free_and_a_release_is_charged_kept_and_valid(
    chromium: Any, address: str, name: str, settings: dict[str, float]
) -> None:
    result, page = visit(chromium, address, name, digit(), 5, settings)
    done, total = result["steps"][-1]
    assert done == total == sum(file["bytes"] for file in description(name)["files"].values())
    assert result["spentBefore"] == 0 and result["spent"] == pytest.approx(settings["epsilon"])
    assert result["kept"] == [result["report"]]
    report = Report.from_json(result["report"])
    assert report.to_json() == result["report"]  # byte for byte what Python would write
    assert report.mechanism == name and report.digest == zoo.card(name).digest
    assert (report.label is None) == ("lam" not in settings)
    assert result["first"] == result["same"]  # the same chance gives the same draws
    assert result["resources"] == 0  # nothing was fetched because of a record
    for draw, moved in zip(result["first"], result["close"], strict=True):
        assert math.isclose(sum(draw["classes"]), 1.0) and len(draw["decoded"]) == len(draw["best"]) == 784
        if draw["numbers"]:  # the same noise at almost the same scale
            assert np.abs(np.subtract(draw["numbers"], moved["numbers"])).max() < 0.1
        else:
            assert np.sum(np.not_equal(draw["members"], moved["members"])) <= 2
    page.context.close()


@pytest.mark.browser
def test_the_worker_reaches_the_weights_and_nothing_else(chromium: Any, address: str) -> None:
    _, page = visit(chromium, address, CODES, digit(), 5, {"epsilon": 1.0})
    (worker,) = page.workers
    mark = len(ARRIVED)
    patient = "Promise.race([{attempt}, new Promise((settle) => setTimeout(settle, 20000, 'no answer'))])"
    post = patient.format(attempt="fetch(url, { method: 'POST', body: 'x' }).then(() => 'sent', () => 'blocked')")
    opened = patient.format(
        attempt="""new Promise((settle) => {
            try {
                const [onopen, onerror] = ["open", "blocked"].map((outcome) => () => settle(outcome));
                Object.assign(new WebSocket(url), { onopen, onerror });
            } catch { settle("blocked"); }
        })"""
    )
    for path in ("/", f"/device/mechanisms/{CODES}.json", "/device/client.js", "/_stcore/health"):
        assert worker.evaluate(f"(url) => {post}", address + path) == "blocked"
    assert worker.evaluate(f"(url) => {post}", "http://localhost:9/") == "blocked"
    assert worker.evaluate(f"(url) => {opened}", address.replace("http", "ws") + "/") in ("blocked", "no answer")
    assert ARRIVED[mark:] == []
    weights = f"{address}/device/{description(CODES)['files']['encoder']['url']}"
    fresh = "(url) => fetch(url, { cache: 'reload' }).then((answer) => answer.status)"
    assert worker.evaluate(fresh, weights) == 200 and len(ARRIVED) == mark + 1  # the positive control
    page.context.close()


@pytest.mark.slow
@pytest.mark.browser
def test_a_photo_goes_through_the_trunk_in_the_worker(chromium: Any, address: str) -> None:
    picture = list((cifar10_samples().images[60].reshape(-1) / 255.0).tolist())
    result, page = visit(chromium, address, PHOTOS, picture, 3, {"epsilon": math.inf})
    report = Report.from_json(result["report"])
    assert math.isinf(report.epsilon)
    code = int(zoo.load(PHOTOS, "cpu").encode([picture])[0].argmax())
    assert np.flatnonzero(report.in_set()).tolist() == [code * 10 + 3]
    page.context.close()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(
    ("x", "label", "settings", "message"),
    [
        ([0.0] * 783, 5, {"epsilon": 1.0}, "Expected x with 784 numbers, got 783"),
        ([0.0] * 783 + [math.nan], 5, {"epsilon": 1.0}, "Expected finite numbers in x"),
        ([0.0] * 784, 10, {"epsilon": 1.0}, "0 <= label <= 9, got label=10"),
        ([0.0] * 784, 5, {"epsilon": 0.0}, "Expected epsilon > 0"),
        ([0.0] * 784, 5, {"epsilon": 1e7}, "epsilon <= 1e6"),
    ],
)
def test_bad_input_is_refused_before_anything_is_charged(
    chromium: Any, address: str, x: list[float], label: int, settings: dict[str, float], message: str
) -> None:
    page = chromium.new_context().new_page()
    page.set_default_timeout(300_000)
    page.goto(address)
    script = """async ([name, x, label, settings]) => {
        const { Owner } = await import("/device/client.js");
        const me = new Owner();
        await me.load(name);
        try { await me.release(name, Float32Array.from(x), label, settings, "digit"); return ["released", 1]; }
        catch (error) { return [error.message, me.ledger.releases.length]; }
    }"""
    said, entries = page.evaluate(script, [CODES, x, label, settings])
    assert message in said and entries == 0
    page.context.close()


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_the_mechanism_of_an_own_table_is_offered_like_a_shipped_one(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pd.DataFrame({"age": [20, 30, 40, 50] * 25, "job": ["cook", "nurse"] * 50, "ill": ["no", "yes"] * 50})
    mine = LocalPrivatiser(epsilon=2.0, reports=500).fit(table, "ill")
    mine.save(tmp_path / "mine")
    monkeypatch.setenv("RLM_MODELS", str(tmp_path))
    with get(f"{address}/device/mechanisms/mine.json") as answer:
        about = json.loads(answer.read())
    assert about["digest"] == mine.method_.digest and [each["name"] for each in about["fields"]] == ["age", "job"]
    file = about["files"]["encoder"]
    with get(f"{address}/device/{file['url']}") as answer:
        content = answer.read()
    assert hashlib.sha256(content).hexdigest() == file["sha256"] and len(content) == file["bytes"]
    with get(f"{address}/device/owner/mine.html") as answer:
        assert mine.method_.digest in answer.read().decode() and "default-src 'none'" in str(answer.headers)
    digits = load_digits()
    faces = LocalPrivatiser(reports=900, kind="codes").fit(digits.images[:300], digits.target[:300])
    faces.save(tmp_path / "faces")
    with get(f"{address}/device/mechanisms/faces.json") as answer:
        assert json.loads(answer.read())["pictures"] == {"height": 8, "width": 8}
    with get(f"{address}/device/owner/faces.html") as answer:
        assert faces.method_.digest in answer.read().decode()
    LocalPrivatiser(epsilon=2.0, reports=500).fit(table[["age", "ill"]], "ill").save(tmp_path / "mine")
    with get(f"{address}/device/mechanisms/mine.json") as answer:  # fitted again while the server runs
        assert [each["name"] for each in json.loads(answer.read())["fields"]] == ["age"]
    for wrong in ("others", "..", "mine.2"):
        with pytest.raises(urllib.error.HTTPError):
            get(f"{address}/device/mechanisms/{wrong}.json")


def status(url: str) -> int:
    try:
        with get(url) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with one good mechanism of an own table, "mine"."""
    table = pd.DataFrame({"age": [20, 30, 40, 50] * 25, "job": ["cook", "nurse"] * 50, "ill": ["no", "yes"] * 50})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        LocalPrivatiser(epsilon=2.0, reports=500).fit(table, "ill").save(tmp_path / "models" / "mine")
    monkeypatch.setenv("RLM_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def claim(card: Path, checksum: str) -> None:
    """Let a card say another checksum of the encoder."""
    fields = json.loads(card.read_text(encoding="utf-8"))
    fields.pop("sha256", None)
    fields["files"]["encoder.safetensors"] = checksum
    card.write_text(json.dumps(fields), encoding="utf-8")


@pytest.mark.filterwarnings("ignore:A mechanism is left out")
@pytest.mark.parametrize("linked", ["encoder.safetensors", "schema.json"])
@pytest.mark.parametrize("checksum", ["a" * 64, hashlib.sha256(b"a secret").hexdigest()])
def test_a_forged_folder_cannot_make_the_server_hand_out_another_file(
    address: str, models: Path, linked: str, checksum: str
) -> None:
    """Neither by a link nor by a checksum that the card claims, not even by the right one."""
    (models.parent / "secret").write_bytes(b"a secret")
    folder = shutil.copytree(models / "mine", models / "link")
    (folder / linked).unlink()
    (folder / linked).symlink_to(models.parent / "secret")
    claim(folder / "card.json", checksum)
    for path in (f"weights/{checksum}", "mechanisms/link.json", "owner/link.html"):
        assert status(f"{address}/device/{path}") == 404
    with get(f"{address}/device/mechanisms/mine.json") as answer:
        assert status(f"{address}/device/{json.load(answer)['files']['encoder']['url']}") == 200


def test_nor_can_a_forged_folder_of_the_zoo(models: Path) -> None:
    folder = shutil.copytree(zoo.card(NUMBERS).folder, models / "link")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    (folder / "card.json").write_text(json.dumps(card | {"name": "link"}), encoding="utf-8")
    (models.parent / "secret").write_bytes(b"a secret")
    (folder / "encoder.safetensors").unlink()
    (folder / "encoder.safetensors").symlink_to(models.parent / "secret")
    assert zoo.card("link").files["encoder.safetensors"] in weights()  # the shipped mechanism's, which is whole
    claim(folder / "card.json", "a" * 64)
    assert "a" * 64 not in weights()


DAMAGES: dict[str, Any] = {
    "no fields": lambda card: {"format": card["format"]},
    "no files": lambda card: {name: value for name, value in card.items() if name != "files"},
    "files that are a list": lambda card: card | {"files": ["encoder.safetensors"]},
    "a kind that is a number": lambda card: card | {"kind": 5},
    "no classes": lambda card: card | {"classes": None},
    "data that are a text": lambda card: card | {"data": "many"},
    "an edited epsilon": lambda card: card | {"parameters": card["parameters"] | {"epsilon": 9}},
}


@pytest.mark.filterwarnings("ignore:A mechanism is left out")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_not_there_and_the_others_are(address: str, models: Path, damage: str) -> None:
    card = shutil.copytree(models / "mine", models / "evil") / "card.json"
    card.write_text(json.dumps(DAMAGES[damage](json.loads(card.read_text(encoding="utf-8")))), encoding="utf-8")
    for path in ("mechanisms/evil.json", "owner/evil.html", f"weights/{'b' * 64}"):
        assert status(f"{address}/device/{path}") == 404
    with get(f"{address}/device/mechanisms/mine.json") as answer:
        assert status(f"{address}/device/{json.load(answer)['files']['encoder']['url']}") == 200
    assert status(f"{address}/device/owner/mine.html") == 200


def test_without_privacy_nothing_is_offered(address: str, models: Path) -> None:
    LocalPrivatiser.load(models / "mine").set_params(epsilon=math.inf).save(models / "plain")
    assert status(f"{address}/device/mechanisms/plain.json") == status(f"{address}/device/owner/plain.html") == 404
