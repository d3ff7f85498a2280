"""The two sides on a page: the component, what arrives from it, and the collector's HTML."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ui.app import cache
from ui.app.public_demo import raw_data_allowed
from ui.components.two_sides import two_sides
from ui.record.collector_view import ShowRecord, collector_html, spoken
from ui.record.inbox import Inbox, inbox, receive_record, receive_rehearsal, receive_report
from ui.record.offer import offer


def sides(page: str, datasets: Sequence[str], *, record_name: str, show_record: ShowRecord) -> Inbox:
    """Show both sides for these datasets; the reports that have arrived."""
    box = inbox(page)
    received = {
        "html": collector_html(box.reports, record_name=record_name, show_record=show_record),
        "bytes": box.size,
        "last": box.last,
        "spoken": spoken(box.reports),
        "problem": box.problem,
        "rehearsed": box.rehearsed,
    }
    two_sides(
        f"sides_{page}",
        {"offer": offer(datasets) | {"device": cache.device(), "server": raw_data_allowed()}, "received": received},
        on_report=partial(receive_report, page, datasets),
        on_record=partial(receive_record, page, datasets),
        on_rehearsal=partial(receive_rehearsal, page, datasets),
    )
    return box
