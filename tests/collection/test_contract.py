"""The API against its own OpenAPI description, by schemathesis, on both databases: no 5xx, nothing undescribed."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from room import Client, campaign
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from collection.store import Store

pytestmark = pytest.mark.slow
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]
MANY = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


@pytest.mark.parametrize(
    ("path", "method", "mode"),
    [("", "GET", GenerationMode.POSITIVE), *(("/reports", "POST", mode) for mode in GenerationMode)],
)
def test_what_is_described_is_what_is_done(
    client: Client, store: Store, path: str, method: str, mode: GenerationMode
) -> None:
    """200 requests each, with ids of any characters and bodies that fit the schema or break it in one place."""
    made = store.create(campaign())
    address = f"http://127.0.0.1:{client.port}"
    paths = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
    operation: Any = paths[f"/api/campaigns/{{campaign}}{path}"][method]
    statuses = set()

    @MANY
    @given(operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        for campaign_id in (case.path_parameters["campaign"], made.id):
            case.path_parameters["campaign"] = campaign_id
            answer = case.call(base_url=address)
            statuses.add(answer.status_code)
            case.validate_response(answer, checks=CHECKS)

    check()
    assert statuses and max(statuses) < 500
    assert store.count(made.id) == 0  # a report of format 2 that fits the schema is still none of this campaign
