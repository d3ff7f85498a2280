"""The API over HTTP, on both databases: what is taken, once; what is refused, with a reason; nothing else."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from room import QUESTIONS, Client, campaign, envelope, serving

from collection.database import Unavailable
from collection.rate_limit import BURST, RATE, RateLimit
from collection.store import Created, Outcome, Store


@pytest.fixture
def yes_no(store: Store) -> Created:
    return store.create(campaign())


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_report_is_stored_and_acknowledged_after_the_commit(client: Client, store: Store, question: str) -> None:
    made = store.create(campaign(question))
    sent = envelope(campaign(question), 1)
    status, answer, _ = client.send(made.id, sent)
    assert (status, answer) == (201, {"status": "stored"})
    assert store.count(made.id) == 1  # another connection sees it: it was committed
    assert client.send(made.id, sent)[0] == 200 and store.count(made.id) == 1
    ((_, body),) = store.reports(made.id)
    state = store.state(made.id)
    assert state is not None and json.loads(state.campaign.report(body).to_json()) == sent["report"]


def test_the_description_is_what_a_device_needs_and_no_more(client: Client, store: Store, yes_no: Created) -> None:
    status, public, headers = client.ask("GET", f"/api/campaigns/{yes_no.id}")
    assert status == 200 and headers["cache-control"] == "no-store"
    assert public["question"] == {"kind": "one-of", "text": "Do you like coffee?", "answers": ["no", "yes"]}
    assert public["open"] is True and public["epsilon"] == 1.0 and public["mechanism"] == "k-RR"
    assert "token" not in json.dumps(public) and yes_no.token not in json.dumps(public) and "tally" not in public
    store.close(yes_no.id)
    assert client.ask("GET", f"/api/campaigns/{yes_no.id}")[1]["open"] is False
    assert client.ask("GET", "/api/campaigns/nothere")[0] == 404


def test_campaigns_that_take_nothing(client: Client, store: Store, yes_no: Created) -> None:
    sent = envelope(campaign())
    assert client.send("nothere", sent)[0] == 404
    assert client.send(yes_no.id, sent)[0] == 201
    store.close(yes_no.id)
    assert client.send(yes_no.id, envelope(campaign()))[:2] == (410, {"error": "the campaign is closed"})
    assert client.send(yes_no.id, sent)[0] == 200  # what was acknowledged stays so
    store.delete(yes_no.id)
    assert client.send(yes_no.id, sent)[0] == 404


def test_one_nonce_is_one_report_however_many_come_at_once(client: Client, store: Store, yes_no: Created) -> None:
    sent = [envelope(campaign(), number % 2) for number in range(10)]
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda body: client.send(yes_no.id, body)[0], sent * 5))
    assert statuses.count(201) == 10 and set(statuses) <= {200, 201}
    state = store.state(yes_no.id)
    assert state is not None and state.tally.people == 10 == store.count(yes_no.id)
    other = envelope(campaign(), 0, nonce=sent[1]["nonce"])
    assert client.send(yes_no.id, other)[:2] == (409, {"error": "another report has this nonce"})


GOOD = envelope(campaign())


def wrong(**changes: Any) -> dict[str, Any]:
    return GOOD | {"report": {**GOOD["report"], **changes}}


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "JSON"),
        (b"{", 400, "JSON"),
        (b"\xff\xfe", 400, "JSON"),
        (b"[" * 5000, 400, "JSON"),
        (b'{"nonce": 1, "nonce": 2}', 400, "twice"),
        (b'{"nonce": NaN, "report": {}}', 400, "NaN"),
        (b"[]", 400, "fields"),
        ({"report": {}}, 400, "fields"),
        (GOOD | {"extra": 1}, 400, "no other"),
        (GOOD | {"nonce": "ABC"}, 400, "nonce"),
        (GOOD | {"nonce": 7}, 400, "nonce"),
        (GOOD | {"report": "text"}, 400, "object"),
        (wrong(format="rlm-report/3"), 400, "format"),
        (wrong(epsilon=2), 400, "epsilon 1.0"),
        (wrong(epsilon="inf"), 400, "epsilon 1.0"),
        (wrong(digest="0" * 32), 400, "digest"),
        (wrong(mechanism="Duchi"), 400, "mechanism k-RR"),
        (wrong(symbol={"of": 2, "value": 2}), 400, "symbol"),
        (wrong(symbol={"of": 2, "value": True}), 400, "symbol"),
        (wrong(symbol={"of": 3, "value": 2}), 400, "of 2"),
        (wrong(numbers=[1.0]), 400, "one of"),
        (wrong(extra=1), 400, "extra"),
        (b" " * 16_385, 413, "16384"),
    ],
)
def test_what_is_wrong_is_said_and_not_stored(
    client: Client, store: Store, yes_no: Created, body: Any, status: int, says: str
) -> None:
    got, answer, _ = client.send(yes_no.id, body)
    assert got == status and says in answer["error"], answer
    assert store.count(yes_no.id) == 0


def test_other_types_methods_and_lengths(client: Client, store: Store, yes_no: Created) -> None:
    path, body = f"/api/campaigns/{yes_no.id}/reports", json.dumps(envelope(campaign())).encode()
    assert client.ask("POST", path, body, content_type="text/plain")[0] == 415
    assert client.ask("POST", path, body)[0] == 415
    assert client.ask("GET", path)[0] == 405
    assert client.ask("PUT", path, body, content_type="application/json")[0] == 405
    assert client.ask("POST", path, body, content_type="application/json; charset=utf-8")[0] == 201
    assert store.count(yes_no.id) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
fields = sorted(GOOD["report"])
broken_reports = st.one_of(
    st.binary(max_size=400),
    json_values.map(lambda value: json.dumps(value).encode()),
    st.tuples(st.sampled_from(fields), json_values).map(lambda pair: json.dumps(wrong(**{pair[0]: pair[1]})).encode()),
    st.tuples(st.sampled_from(fields), st.just(None)).map(
        lambda pair: json.dumps(
            {"nonce": "0" * 32, "report": {k: v for k, v in GOOD["report"].items() if k != pair[0]}}
        ).encode()
    ),
)


def test_two_hundred_malformed_bodies_get_a_4xx_and_are_not_stored(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    made = store.create(campaign())
    with serving(store) as client:

        @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(broken_reports)
        def check(body: bytes) -> None:
            try:
                if json.loads(body)["report"] == GOOD["report"]:  # broken by its own value: nothing is wrong with it
                    return
            except (ValueError, TypeError, KeyError):
                pass
            status, answer, _ = client.send(made.id, body)
            assert 400 <= status < 500 and 0 < len(answer["error"]) < 400, (body, status, answer)

        check()
    assert store.count(made.id) == 0


def test_the_default_limit_is_a_thousand_at_once_and_a_hundred_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RLM_REPORTS_PER_SECOND", raising=False)
    now = [0.0]
    default = RateLimit.from_environment()
    assert (default.rate, default.burst) == (RATE, BURST) == (100.0, 1000.0)
    limit = RateLimit(clock=lambda: now[0])
    assert [limit.wait("a") for _ in range(1000)] == [0.0] * 1000
    assert limit.wait("a") == pytest.approx(0.01) and limit.wait("b") == 0.0
    now[0] = 1.0
    assert sum(limit.wait("a") == 0.0 for _ in range(500)) == 100
    monkeypatch.setenv("RLM_REPORTS_PER_SECOND", "5000")
    assert RateLimit.from_environment().rate == 5000.0
    with pytest.raises(ValueError, match="rate > 0"):
        RateLimit(rate=0.0)


def test_what_is_no_report_uses_up_nobodys_limit(tmp_path: Path) -> None:
    store, made = Store(f"sqlite:///{tmp_path / 'campaigns.db'}"), campaign()
    made_id = store.create(made).id
    with serving(store, RateLimit(rate=0.001, burst=2.0)) as client:
        for _ in range(5):
            assert client.send(made_id, b"{}")[0] == 400
        answers = [client.send(made_id, envelope(made))[0] for _ in range(3)]
    assert answers == [201, 201, 429]


def test_too_many_get_429_with_a_time(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    made = store.create(campaign())
    with serving(store, RateLimit(rate=0.5, burst=3)) as client:
        answers = [client.send(made.id, envelope(campaign())) for _ in range(5)]
    assert [status for status, _, _ in answers] == [201] * 3 + [429] * 2
    assert 1 <= int(answers[-1][2]["retry-after"]) <= 4
    assert store.count(made.id) == 3


def test_a_database_that_fails_is_a_503_and_the_retry_counts_once(
    client: Client, store: Store, yes_no: Created, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, failures = store.add, [Unavailable("the disk is full"), None]

    def failing(*arguments: Any) -> list[Outcome]:
        error = failures.pop(0) if failures else None
        if error:
            raise error
        return add(*arguments)

    monkeypatch.setattr(store, "add", failing)
    sent = envelope(campaign())
    status, answer, headers = client.send(yes_no.id, sent)
    assert status == 503 and "the disk is full" in answer["error"] and headers["retry-after"] == "2"
    assert client.send(yes_no.id, sent)[0] == 201
    assert store.count(yes_no.id) == 1


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_api_describes_itself(client: Client) -> None:
    status, document, _ = client.ask("GET", "/api/openapi.json")
    assert status == 200 and document["openapi"].startswith("3.1")
    send = document["paths"]["/api/campaigns/{campaign}/reports"]["post"]
    assert {"200", "201", "400", "404", "408", "409", "410", "413", "415", "429", "503"} == set(send["responses"])
    from jsonschema import Draft202012Validator

    schema = document | send["requestBody"]["content"]["application/json"]["schema"]
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for question in QUESTIONS:
        validator.validate(envelope(campaign(question)))
    assert not validator.is_valid({"nonce": os.urandom(16).hex(), "report": {}})
