"""What the two sides offer, and the routes that serve it whole."""

from __future__ import annotations

import asyncio
import base64
import json
import math
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from starlette.responses import Response
from starlette.routing import Route

from rlm_core import zoo
from rlm_core.data.samples import mnist_samples
from rlm_core.theory.verdict import verdict
from rlm_core.training.codes.choice import codes_for
from rlm_core.training.dp.accountant import format_epsilon_up
from ui.app.controls import EPSILONS
from ui.record.loan import IN_SHORT
from ui.record.offer import PEOPLE, networks, offer
from ui.record.routes import ROUTES


def test_every_lane_has_a_mechanism_at_every_epsilon_and_k_follows_the_rule() -> None:
    made = offer(("mnist", "cifar10"))
    json.dumps(made, allow_nan=False)  # as it travels
    for lanes in (each["lanes"] for each in made["datasets"].values()):
        assert list(lanes) == ["pixels", "numbers", "codes"]
        assert all(len(lane) == len(EPSILONS) for lane in lanes.values())
        ks = [each["k"] for each in lanes["codes"]]
        assert ks == sorted(ks)
        if len(set(ks)) > 2:  # the order of merges is shipped
            assert ks == [codes_for(epsilon, PEOPLE) for epsilon in EPSILONS]
    assert len({each["k"] for each in made["datasets"]["mnist"]["lanes"]["codes"]}) > 5
    assert offer(("lending_club",))["datasets"]["lending_club"]["lanes"].keys() == {"numbers", "codes"}


def test_every_position_has_the_verdict_of_all_pages() -> None:
    for each, epsilon in zip(offer(("mnist",))["epsilons"], EPSILONS, strict=True):
        found = verdict(epsilon)
        assert (each["word"], each["odds"]) == (found.strength, found.sentence)
        assert each["value"] == (None if math.isinf(epsilon) else epsilon)


@pytest.mark.parametrize("dataset", ["mnist", "lending_club"])
def test_both_promises_are_spelt_out_for_networks_trained_under_central_dp(dataset: str) -> None:
    for each in networks(dataset):
        central = zoo.card(each["name"]).central_dp
        assert ("Two promises" in each["note"]) == (central is not None)
        assert central is None or f"ε = {format_epsilon_up(central['epsilon'])}." in each["note"]
    assert any(each["note"] for each in networks(dataset))


def answer(route: str, **parameters: str) -> Response:
    """What a route answers, without a server."""
    (endpoint,) = (each.endpoint for each in ROUTES if isinstance(each, Route) and each.path == route)
    with ThreadPoolExecutor(1) as thread:  # a browser test before may hold this thread's loop
        return thread.submit(asyncio.run, endpoint(SimpleNamespace(path_params=parameters))).result()


def test_samples_come_whole() -> None:
    pictures = json.loads(answer("/device/samples/{dataset}.json", dataset="mnist").body)
    assert base64.b64decode(pictures["images"]) == mnist_samples().images.tobytes()
    assert pictures["labels"] == mnist_samples().labels.tolist()
    rows = json.loads(answer("/device/samples/{dataset}.json", dataset="lending_club").body)
    assert rows["telling"] == list(IN_SHORT) and len(rows["examples"]) == 8
    assert answer("/device/samples/{dataset}.json", dataset="imagenet").status_code == 404


def test_views_are_scripts_of_their_folder_only() -> None:
    found = answer("/device/view/{file}.js", file="two_sides")
    assert found.status_code == 200 and found.headers["content-type"].startswith("text/javascript")
    for other in ("../worker", "none", ""):
        assert answer("/device/view/{file}.js", file=other).status_code == 404
