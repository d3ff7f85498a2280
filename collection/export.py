"""A campaign's reports as files: what was sent, and nothing beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from collection.campaign import Campaign
from collection.store import Store

COLUMNS = ("hour", "report")


def rows(store: Store, campaign_id: str, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """(hour in ISO 8601, the report as its device sent it), in an order that tells nothing."""
    for hour, body in store.reports(campaign_id):
        yield f"{np.datetime64(hour, 'h')}:00Z", campaign.report(body).to_json()


def to_csv(store: Store, campaign_id: str, campaign: Campaign) -> bytes:
    """Comma-separated, with a head."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(store, campaign_id, campaign))
    return text.getvalue().encode()


def to_parquet(store: Store, campaign_id: str, campaign: Campaign) -> bytes:
    """The same columns."""
    columns = list(zip(*rows(store, campaign_id, campaign), strict=True)) or [(), ()]
    table = pa.table({name: pa.array(values, pa.string()) for name, values in zip(COLUMNS, columns, strict=True)})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


FORMATS = {"csv": to_csv, "parquet": to_parquet}
