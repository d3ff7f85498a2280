"""Connections accepted by a listening socket inherit that small answers are not held back."""

from __future__ import annotations

import socket

import pytest

from server.no_delay import send_at_once


def delayed(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_connections_inherit_it_from_the_socket_that_listens() -> None:
    with socket.socket() as server, socket.socket() as client, socket.socket() as idle:
        server.bind(("127.0.0.1", 0))
        server.listen()
        assert delayed(server) and send_at_once() >= 1
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            assert not delayed(accepted)
            assert delayed(client) and delayed(idle)  # only those that listen are touched


class Closing(socket.socket):
    """Is closed by another thread while it is looked at."""

    def getsockopt(self, *_: object) -> int:  # type: ignore[override]
        raise OSError(9, "Bad file descriptor")


def test_a_socket_that_is_closed_meanwhile_does_not_stop_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with Closing() as closing, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        monkeypatch.setattr("server.no_delay.gc.get_objects", lambda: [closing, server])
        assert send_at_once() == 1
