"""How ``bytes_before_send`` counts what differs between two visits."""

from __future__ import annotations

from benchmarks.app_speed.two_sides import differing_bytes


def test_a_piece_counts_as_often_as_one_visit_sent_it_more() -> None:
    assert differing_bytes([b"ab", b"c"], [b"c", b"ab"]) == 0
    assert differing_bytes([b"ab", b"ab"], [b"ab"]) == 2
    assert differing_bytes([b"x"], [b"yy"]) == 3
