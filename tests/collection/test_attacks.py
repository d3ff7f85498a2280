"""What somebody who means harm can send: it gets a 4xx, stores nothing, and keeps nobody else waiting."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any
from urllib.parse import quote

import pytest
from room import Client, campaign, envelope

from collection import api
from collection.store import Store, is_id

IDS = (
    "\0",
    "a" * 25 + "\0",
    "é" * 26,
    "a" * 26,
    "a" * 27,
    "A" * 26,
    "' OR 1=1 --",
    "../openapi.json",
    "%",
    "\ud7ff",
    "🦊" * 7,
)


@pytest.mark.parametrize("campaign_id", IDS)
def test_ids_of_any_characters_are_simply_not_there(client: Client, store: Store, campaign_id: str) -> None:
    """PostgreSQL takes no NUL in a text: asking it would be an error of the server's."""
    path = quote(campaign_id, safe="")
    for method, rest, body in (("GET", "", None), ("POST", "/reports", json.dumps(envelope(campaign())).encode())):
        status = client.ask(method, f"/api/campaigns/{path}{rest}", body, content_type="application/json")[0]
        assert status == 404
    for kind in ("mechanisms/campaign-{}.json", "weights/campaign-{}"):
        assert client.ask("GET", f"/device/{kind.format(path)}")[0] == 404
    assert not store.is_creator(campaign_id, "x\0\ud800") and store.state(campaign_id) is None
    assert is_id(campaign_id) == (campaign_id == "a" * 26)


def raw(client: Client, *parts: bytes, pause: float = 0.0) -> bytes:
    """What a connection gets that sends these parts with pauses between them."""
    with socket.create_connection(("127.0.0.1", client.port), 10) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except OSError:
                break
            time.sleep(pause)
        return connection.recv(65536)


def head(campaign_id: str, *fields: str) -> bytes:
    lines = [f"POST /api/campaigns/{campaign_id}/reports HTTP/1.1", "host: 127.0.0.1", "content-type: application/json"]
    return "\r\n".join([*lines, *fields, "", ""]).encode()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_long_bodies_whatever_they_say_about_their_length(client: Client, store: Store) -> None:
    made = store.create(campaign())
    megabyte = b"10000\r\n" + b" " * 65536 + b"\r\n"
    assert b" 413 " in raw(client, head(made.id, "content-length: 999999999999"))
    assert b" 413 " in raw(client, head(made.id, "transfer-encoding: chunked"), *[megabyte] * 20)
    for length in ("-1", "x", "1e3"):
        assert raw(client, head(made.id, f"content-length: {length}")).split()[1].startswith(b"4")
    assert store.count(made.id) == 0


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_body_that_trickles_is_let_go(client: Client, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made = store.create(campaign())
    monkeypatch.setattr(api, "BODY_SECONDS", 0.5)
    start = time.monotonic()
    assert b" 408 " in raw(client, head(made.id, "content-length: 200"), *[b"{"] * 12, pause=0.1)
    assert time.monotonic() - start < 5 and store.count(made.id) == 0
    assert client.send(made.id, envelope(campaign()))[0] == 201  # others are not affected


def test_a_database_that_hangs_keeps_nobody_waiting(
    client: Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """503 after a while; what was in the air is stored once it goes on, and the retries count once."""
    made = store.create(campaign())
    monkeypatch.setattr(api, "COMMIT_SECONDS", 0.5)
    add, goes_on = store.add, threading.Event()

    def hanging(*arguments: Any) -> Any:
        assert goes_on.wait(30)
        return add(*arguments)

    monkeypatch.setattr(store, "add", hanging)
    sent = [envelope(campaign(), number % 2) for number in range(3)]
    for body in sent:
        status, answer, headers = client.send(made.id, body)
        assert status == 503 and "does not answer" in answer["error"] and headers["retry-after"]
    goes_on.set()
    monkeypatch.setattr(api, "COMMIT_SECONDS", 15.0)
    assert {client.send(made.id, body)[0] for body in sent} <= {200, 201}
    state = store.state(made.id)
    assert state is not None and store.count(made.id) == 3 == state.tally.people


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_report_that_is_sent_again_or_elsewhere(client: Client, store: Store) -> None:
    """Again: once. To a campaign of another ε: refused. One campaign's flood leaves the others their own limit."""
    made, other = store.create(campaign()), store.create(campaign(epsilon=2.0))
    sent = envelope(campaign())
    assert [client.send(made.id, sent)[0] for _ in range(5)] == [201, 200, 200, 200, 200]
    status, answer, _ = client.send(other.id, sent)
    assert status == 400 and "epsilon 2.0" in answer["error"]
    assert store.count(made.id) == 1 and store.count(other.id) == 0


def test_many_campaigns_do_not_see_each_other(client: Client, store: Store) -> None:
    made = [store.create(campaign(title=f"Campaign {number}")) for number in range(40)]
    for number, each in enumerate(made):
        for _ in range(number % 3):
            assert client.send(each.id, envelope(campaign()))[0] == 201
    assert [store.count(each.id) for each in made] == [number % 3 for number in range(40)]
    assert sum(store.is_creator(one.id, two.token) for one in made for two in made[:5]) == 5


@pytest.mark.parametrize(
    "text", ["\u202eevil", "a\u200bb", "\x1b[31m", "\ufeff", "\u200d", "   ", "line\nbreak", "\ud800"]
)
def test_texts_that_would_not_show_what_they_are(text: str) -> None:
    with pytest.raises(ValueError, match="Expected"):
        campaign(title=text)


def test_texts_of_all_languages(client: Client, store: Store) -> None:
    title = "Café? 咖啡 قهوة 👩‍🏫 <script>alert(1)</script>"
    made = store.create(campaign(title=title))
    assert client.ask("GET", f"/api/campaigns/{made.id}")[1]["title"] == title
