"""Rows of an own table: a fitted mechanism becomes a campaign; reports are taken, counted and learnt from."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from room import Client, campaign

from collection.campaign import Campaign
from collection.export import to_parquet
from collection.own_mechanism import OwnMechanism, row_question
from collection.own_row import Row
from collection.store import Store
from rlm_core import LocalPrivatiser
from rlm_core.collector.moments import signed_bits
from rlm_core.owner.joint_bits import JointBits

PEOPLE = 600


def table(classes: tuple[str, ...], count: int, seed: int) -> pd.DataFrame:
    """Age and job tell the label, more or less."""
    generator = np.random.default_rng(seed)
    label = generator.choice(len(classes), size=count, p=_shares(len(classes)))
    age = 30 + 12 * label + generator.normal(0, 5, count)
    return pd.DataFrame(
        {
            "age": age.round(1),
            "job": np.where(generator.random(count) < 0.5, "cook", "nurse"),
            "y": np.array(classes)[label],
        }
    )


def _shares(count: int) -> np.ndarray:
    weights = np.arange(1.0, count + 1)
    return weights / weights.sum()


@pytest.fixture(params=[("no", "yes"), ("a", "b", "c")], ids=["joint bits", "codes"])
def fitted(request: pytest.FixtureRequest) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=4.0, reports=PEOPLE).fit(table(request.param, 600, 0), "y")


def asked(privatiser: LocalPrivatiser, epsilon: float = 4.0, **changes: Any) -> Campaign:
    return replace(campaign(epsilon=epsilon), question=row_question(privatiser, "Who are you?"), digest="", **changes)


def sent_by(privatiser: LocalPrivatiser, count: int = PEOPLE) -> list[dict[str, Any]]:
    people = table(tuple(privatiser.classes_), count, 1)
    releases = privatiser.privatise(people, "y")
    return [{"nonce": os.urandom(16).hex(), "report": json.loads(each.to_json())} for each in releases]


def test_from_a_fitted_mechanism_to_a_learnt_one(
    fitted: LocalPrivatiser, client: Client, store: Store, tmp_path: Path
) -> None:
    made = store.create(asked(fitted), OwnMechanism.of(fitted))
    for body in (sent := sent_by(fitted)):
        assert client.send(made.id, body)[0] == 201
    assert client.send(made.id, sent[0])[0] == 200 and store.count(made.id) == PEOPLE
    state = store.state(made.id)
    assert state is not None and state.tally == state.campaign.count([body for _, body in store.reports(made.id)])
    back = [json.loads(state.campaign.report(body).to_json()) for _, body in store.reports(made.id)]
    assert sorted(map(str, back)) == sorted(str(body["report"]) for body in sent)
    truth = _shares(len(fitted.classes_))
    slack = 6 * state.campaign.question.deviation(4.0) / math.sqrt(PEOPLE)
    lines = state.campaign.estimate(state.tally)
    assert [line.name for line in lines] == fitted.classes_.tolist()
    assert [line.estimate for line in lines] == pytest.approx(truth.tolist(), abs=slack)
    # what was exported is what `rlm learn` reads
    file = tmp_path / "reports.parquet"
    file.write_bytes(to_parquet(store, made.id, state.campaign))
    with zipfile.ZipFile(io.BytesIO(store.own_mechanism(made.id).folder)) as archive:  # type: ignore[union-attr]
        archive.extractall(tmp_path)
    learnt = LocalPrivatiser.load(tmp_path / "mine").learn(file)
    assert learnt.score(table(tuple(fitted.classes_), 300, 2), "y") > truth.max() + 0.1


def test_devices_find_the_mechanism(fitted: LocalPrivatiser, client: Client, store: Store) -> None:
    made = store.create(asked(fitted), OwnMechanism.of(fitted))
    status, about, headers = client.ask("GET", f"/device/mechanisms/campaign-{made.id}.json")
    assert status == 200 and headers["cache-control"] == "no-store"
    assert about["files"]["encoder"]["url"] == f"weights/campaign-{made.id}" and about["classes"] == list(
        fitted.classes_
    )
    status, encoder, _ = client.ask("GET", f"/device/weights/campaign-{made.id}")
    assert status == 200 and len(encoder) == about["files"]["encoder"]["bytes"]
    store.delete(made.id)
    assert client.ask("GET", f"/device/weights/campaign-{made.id}")[0] == 404
    assert store.own_mechanism(made.id) is None


def test_reports_of_another_form_are_refused(fitted: LocalPrivatiser) -> None:
    made = asked(fitted)
    report = next(iter(fitted.privatise(table(tuple(fitted.classes_), 1, 3), "y")))
    made.check(report)
    coordinates = made.mechanism.coordinates
    wrong = coordinates if coordinates else 0
    with pytest.raises(ValueError, match="coordinate"):
        made.check(replace(report, coordinate=wrong))
    if coordinates:
        with pytest.raises(ValueError, match="coordinate"):
            made.check(replace(report, coordinate=None))
    with pytest.raises(ValueError, match="digest"):
        made.check(replace(report, digest="0" * 32))


def test_the_label_is_read_where_the_constant_coordinate_is() -> None:
    """The same share as the moments of the library give, from the cells of a tally alone."""
    row = Row(text="?", target="y", classes=("no", "yes"), report="joint bits", size=4, reach=1.5, fitted="0" * 32)
    channel = row.channel(3.0)
    assert isinstance(channel, JointBits)
    generator = np.random.default_rng(4)
    labels = (generator.random(5000) < 0.3).astype(int)
    sent = channel.simulate(generator.normal(size=(5000, 4)), labels, generator=generator)
    made = replace(campaign(epsilon=3.0), question=row, digest="")
    cells = np.asarray(sent.coordinates) * 2**channel.width + np.asarray(sent.symbols)
    tally = made.count([int(cell).to_bytes(2, "big") for cell in cells])
    signed, _ = signed_bits(sent.coordinates, sent.symbols, bits=channel.width, keep=channel.keep, features=5)
    no, yes = made.estimate(tally)
    assert yes.estimate == pytest.approx((1 + signed[-1]) / 2) and no.estimate == pytest.approx(1 - yes.estimate)
    assert yes.low < 0.3 < yes.high and (no.low, no.high) == pytest.approx((1 - yes.high, 1 - yes.low))


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 12.0])
def test_many_cells_take_four_bytes(epsilon: float) -> None:
    row = Row(text="?", target="y", classes=("no", "yes"), report="joint bits", size=32, reach=1.5, fitted="0" * 32)
    made = replace(campaign(epsilon=epsilon), question=row, digest="")
    about = made.mechanism
    width = 2 if about.cells <= 2**16 else 4
    body = (about.cells - 1).to_bytes(width, "big")
    report = made.report(body)
    assert report.coordinate == about.coordinates - 1 == 32 and report.symbol == about.symbols - 1
    assert made.check(report) == body and made.count([body]).counts[-1] == 1
    assert (width == 4) == (epsilon == 12.0)


def test_what_cannot_be_asked(store: Store) -> None:
    unlabelled = LocalPrivatiser(epsilon=4.0, reports=PEOPLE).fit(table(("no", "yes"), 200, 0)[["age", "job"]])
    with pytest.raises(ValueError, match="label"):
        row_question(unlabelled, "?")
    laplace = LocalPrivatiser(epsilon=4.0, reports=PEOPLE, kind="joint Laplace").fit(table(("no", "yes"), 200, 0), "y")
    with pytest.raises(ValueError, match="joint Laplace"):
        row_question(laplace, "?")
    good = LocalPrivatiser(epsilon=4.0, reports=PEOPLE).fit(table(("no", "yes"), 200, 0), "y")
    with pytest.raises(ValueError, match="own mechanism"):
        store.create(asked(good))
    with pytest.raises(ValueError, match="own mechanism"):
        store.create(campaign(), OwnMechanism.of(good))
