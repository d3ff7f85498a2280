"""The V-RLM through LocalPrivatiser: how ε is divided, what is refused, what is learnt, saved and sent in bulk."""

from __future__ import annotations

import json
import math
import pickle
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from rlm_core import Ledger
from rlm_core.cli import main
from rlm_core.data import cifar10_samples
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning, choose_plan
from rlm_core.privatiser.card import checksum_of
from rlm_core.privatiser.compare import Rehearsal
from rlm_core.privatiser.plan import CODES, VRLM
from rlm_core.privatiser.received import write_reports
from rlm_core.privatiser.saved_tables import saved_encoder, saved_table
from rlm_core.privatiser.vrlm import training
from rlm_core.privatiser.vrlm.columns import Columns
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.rehearsal import VRLMRehearsal
from rlm_core.privatiser.vrlm.training import preset_for
from rlm_core.report_tally import ReportTally
from rlm_core.training.presets import PRESETS, preset_name

LABEL = "ill"


@pytest.fixture(scope="module")
def fitted(easy: Any) -> LocalPrivatiser:
    """With the few epochs of the tests: z hardly differs between rows yet, and that is said."""
    with pytest.warns(UtilityWarning, match="few for epsilon=4"):
        return LocalPrivatiser(epsilon=4.0, reports=3_000, kind=VRLM).fit(easy.public, LABEL)


def heard(call: Callable[[], object]) -> str:
    """All that is warned of during a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UtilityWarning)
        call()
    return "\n".join(str(each.message) for each in found)


# --- the rules ---


@pytest.mark.parametrize(
    ("dataset", "epsilons", "line"),
    [
        ("mnist", (0.1, 1.0, 2.0, 2.8), 1.0),
        ("mnist", (2.9, 4.0, 8.0, 50.0), 8.0),
        ("lending_club", (0.1, 1.0, 4.0, 50.0), 4.0),
        ("mnist", (math.inf,), math.inf),
        ("lending_club", (math.inf,), math.inf),
    ],
)
def test_on_the_papers_data_the_settings_are_a_preset(dataset: str, epsilons: tuple[float, ...], line: float) -> None:
    expected = PRESETS[preset_name("data_collection", dataset, line)]
    for epsilon in epsilons:
        found = preset_for(epsilon, 8, Columns(pixels=dataset == "mnist"), training.PRESET_ROWS[dataset])
        assert replace(found, epochs=0) == replace(expected, epochs=0)  # the tests' epochs are few


def test_the_plan_and_the_share(fitted: LocalPrivatiser) -> None:
    plan = choose_plan(4.0, 10, 3, kind=VRLM)
    assert (plan.kind, plan.size, plan.encoder) == (VRLM, 8, "network")
    assert choose_plan(4.0, 10, 3, kind=VRLM, size=5).size == 5
    assert [fitted.method_.budget(epsilon).lam for epsilon in (0.1, 2.0, 8.0)] == [0.5] * 3  # type: ignore[union-attr]
    assert all(choose_plan(epsilon, 10_000, classes).kind != VRLM for epsilon in (1.0, 8.0) for classes in (2, 10))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lam": 0.5}, "lam with kind='V-RLM' alone, got lam=0.5 with kind='auto'"),
        ({"kind": CODES, "lam": 0.5}, "record and label together"),
        ({"kind": VRLM, "lam": 0.0}, "0 < lam < 1, got lam=0"),
        ({"kind": VRLM, "lam": 1.0}, "0 < lam < 1, got lam=1"),
        ({"kind": VRLM, "lam": math.nan}, "0 < lam < 1"),
        ({"kind": VRLM, "lam": 1e-8}, r"lam \* epsilon >= 1e-06 for the record, got 1e-08 \* 4"),
        ({"kind": VRLM, "epsilon": 1e-6}, r"got 0.5 \* 1e-06"),
        (
            {"kind": VRLM, "lam": 1 - 1e-8},
            r"\(1 - lam\) \* epsilon >= 1e-06 for the label, got \(1 - 0.99999999\) \* 4",
        ),
        ({"kind": VRLM, "encoder": "linear"}, "encoder='network' or 'auto'"),
        ({"kind": VRLM, "size": 0}, "1 <= size"),
    ],
)
def test_bad_arguments_are_named(easy: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LocalPrivatiser(**given).fit(easy.public, LABEL)


def test_few_public_rows_are_refused(easy: Any) -> None:
    with pytest.raises(ValueError, match="at least 100 public records for a V-RLM, got 99"):
        LocalPrivatiser(kind=VRLM).fit(easy.public[:99], LABEL)


# --- what leaves ---


def test_a_report_says_how_epsilon_was_divided(easy: Any, fitted: LocalPrivatiser) -> None:
    ledger = Ledger()
    report = fitted.privatise(easy.people[:2], LABEL, ledger=ledger, record="us").report(0)
    assert (report.epsilon_x, report.epsilon_y) == (2.0, 2.0) and report.epsilon <= 4.0
    assert report.label in (0, 1) and len(report.numbers or ()) == 8 and report.digest == fitted.method_.digest
    assert ledger.spent("us") == report.epsilon
    noise = fitted.method_.sending(4.0, 2).mechanism.noise
    assert (noise.epsilon, noise.clip.radius) == (report.epsilon_x, 5.0)  # type: ignore[union-attr]
    for epsilon, lam, share in ((1.0, None, 0.5), (4.0, 0.25, 0.25)):
        changed = clone_with(fitted, epsilon=epsilon, lam=lam)
        sent = changed.privatise(easy.people[:2], LABEL)
        assert (sent.epsilon_x, sent.epsilon_y) == (share * epsilon, epsilon - share * epsilon)
    alone = fitted.privatise(easy.people[:2].drop(columns=LABEL)).report(0)
    assert alone.label is None and alone.epsilon_x == alone.epsilon == 4.0


def clone_with(privatiser: LocalPrivatiser, **given: Any) -> LocalPrivatiser:
    """The same fit with other arguments."""
    other = clone(privatiser).set_params(**given)
    for name, value in vars(privatiser).items():
        if name.endswith("_"):
            setattr(other, name, value)
    return other


def test_what_is_computed_for_a_row_does_not_depend_on_the_batch(easy: Any, fitted: LocalPrivatiser) -> None:
    """h to the last bit; what is drawn then depends on h, y and public numbers alone (the owner's tests)."""
    together = fitted.method_.encoder(fitted.encode_table(easy.people))
    for some in ([0], [7, 3], list(range(100, 400)), list(range(2_000))[::-1]):
        assert np.array_equal(fitted.method_.encoder(fitted.encode_table(easy.people.iloc[some])), together[some])


def test_a_row_alone_and_in_a_batch_are_released_alike(easy: Any, fitted: LocalPrivatiser) -> None:
    """4,000 reports of one person among copies and in the midst of others: how often each z̃ᵢ is above zᵢ, and ỹ = 1.

    Nine shares of 4,000 draws each differ by at most 6.5 deviations: fails by chance below 1e-8.
    """
    person = easy.people.iloc[[11]]
    z = fitted.method_.mechanism(4.0).represent(fitted.encode_table(person))
    copies = pd.concat([person] * 4_000, ignore_index=True)
    shares = []
    for table in (copies, pd.concat([copies, easy.people[:2_000]], ignore_index=True)):
        sent = fitted.privatise(table, LABEL)
        assert sent.y_private is not None
        shares.append(np.append((sent.z_private[:4_000] > z).mean(axis=0), sent.y_private[:4_000].mean()))
    assert np.abs(shares[0] - shares[1]).max() < 6.5 * math.sqrt(2 * 0.25 / 4_000)


@pytest.mark.parametrize(
    ("labels", "message"),
    [(["no", "yes", "rich"], "in row 2, got 'rich'"), (["no", None, "yes"], "no label"), (["no"], "Expected 3 labels")],
)
def test_a_bad_label_is_refused_before_anything_is_charged_or_drawn(
    easy: Any, fitted: LocalPrivatiser, labels: list[Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.urandom", lambda _: pytest.fail("drew"))
    ledger = Ledger()
    with pytest.raises(ValueError, match=message):
        fitted.privatise(easy.people[:3].drop(columns=LABEL), labels, ledger=ledger)
    assert ledger.releases == []


def test_nothing_of_the_people_is_kept(easy: Any, fitted: LocalPrivatiser) -> None:
    fitted.privatise(easy.public[:1], LABEL)  # what is computed once, such as weights in float64, is there then
    before = pickle.dumps(vars(fitted))
    fitted.privatise(easy.people[:50], LABEL)
    fitted.privatise(easy.people[:50].drop(columns=LABEL))
    assert pickle.dumps(vars(fitted)) == before


def test_other_kinds_cannot_be_divided_later_either(easy: Any) -> None:
    other = LocalPrivatiser(reports=3_000).fit(easy.public, LABEL).set_params(lam=0.5)
    with pytest.raises(ValueError, match="lam with kind='V-RLM' alone"):
        other.privatise(easy.people[:2], LABEL)


# --- what is learnt ---


@pytest.mark.parametrize("epsilon", [200.0, math.inf])
def test_it_learns_an_easy_table_at_a_large_epsilon(easy: Any, fitted: LocalPrivatiser, epsilon: float) -> None:
    """Over 20 collections 0.93 or more; the majority has about one half."""
    privatiser = clone_with(fitted, epsilon=epsilon)
    assert privatiser.learn(privatiser.privatise(easy.people, LABEL)).score(easy.test, LABEL) > 0.8
    assert set(privatiser.predict(easy.test)) == {"no", "yes"}
    assert np.allclose(privatiser.predict_proba(easy.test).sum(axis=1), 1)


def test_reports_survive_files_and_a_saved_folder(easy: Any, fitted: LocalPrivatiser, tmp_path: Path) -> None:
    privatiser = clone_with(fitted, lam=0.6)
    reports = privatiser.privatise(easy.people, LABEL)
    heard(lambda: privatiser.learn(reports))
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert loaded.get_params() == privatiser.get_params() and loaded.method_.digest == privatiser.method_.digest
    expected = privatiser.predict_proba(easy.test)
    assert np.array_equal(loaded.predict_proba(easy.test), expected)
    write_reports(reports, tmp_path / "reports.parquet")
    for source in (reports, list(reports), [each.to_json() for each in reports], tmp_path / "reports.parquet"):
        heard(lambda source=source: loaded.learn(source))  # type: ignore[misc]
        assert np.array_equal(loaded.predict_proba(easy.test), expected)
    assert loaded.privatise(easy.people[:2], LABEL).epsilon_x == 0.6 * 4.0
    card = json.loads((tmp_path / "mine" / "card.json").read_text(encoding="utf-8"))
    assert card["kind"] == VRLM and card["training"]["epsilon_pretraining"] == 15.0 and card["central_dp"] is None
    again = LocalPrivatiser.load(loaded.save(tmp_path / "again"))
    assert again.method_.card == privatiser.method_.card
    edited = card | {"radius": 6.0}
    edited |= {"sha256": checksum_of(edited)}
    (tmp_path / "mine" / "card.json").write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(ValueError, match="Expected the digest"):
        LocalPrivatiser.load(tmp_path / "mine")


def test_foreign_and_mixed_reports_are_named(easy: Any, fitted: LocalPrivatiser) -> None:
    reports = list(fitted.privatise(easy.people[:5], LABEL))
    other = clone_with(fitted, lam=0.7).privatise(easy.people[:2], LABEL)
    with pytest.raises(ValueError, match="epsilon_x=2 and epsilon_y=2 in all reports, got 2.8 and 1.2 in report 5"):
        fitted.learn([*reports, *other])
    with pytest.raises(ValueError, match="at least one report"):
        fitted.learn([])
    alone = fitted.privatise(easy.people[:5].drop(columns=LABEL))
    with pytest.raises(ValueError, match="8 numbers and a label in report 0"):
        fitted.learn(list(alone))
    with pytest.raises(ValueError, match="were labels sent"):
        fitted.learn(alone)
    with pytest.raises(ValueError, match="Expected labels below 2, got 7 in report 0"):
        fitted.learn([replace(reports[0], label=7)])
    codes = LocalPrivatiser(kind=CODES, reports=3_000).fit(easy.public, LABEL)
    foreign = codes.privatise(easy.people[:5], LABEL)
    for source in (foreign, list(foreign)):
        with pytest.raises(ValueError, match="by this mechanism"):
            fitted.learn(source)
    with pytest.raises(ValueError, match="by this mechanism"):
        codes.learn(reports)


@pytest.mark.parametrize("lam", [None, 0.98, 0.1])
def test_how_many_reports_would_do_depends_on_the_share(easy: Any, fitted: LocalPrivatiser, lam: float | None) -> None:
    other = clone_with(fitted, lam=lam)
    said = heard(lambda: other.learn(other.privatise(easy.people, LABEL)))
    needed, halves = other.method_.reports_needed(4.0, 2, lam), other.method_.reports_needed(4.0, 2)
    assert f"expected at least {needed:,.0f} reports" in said
    assert needed == halves if lam is None else needed > 5 * halves


def test_a_tally_does_not_teach(easy: Any, fitted: LocalPrivatiser) -> None:
    with pytest.raises(ValueError, match="labels by themselves"):
        ReportTally.of(fitted.privatise(easy.people[:5], LABEL))
    with pytest.raises(ValueError, match="sums of one without the other"):
        fitted.learn(ReportTally.of(fitted.privatise(easy.people[:5].drop(columns=LABEL))))


def test_it_notices_people_unlike_the_public_rows(easy: Any, fitted: LocalPrivatiser) -> None:
    privatiser = clone_with(fitted, epsilon=50.0)  # so short a training leaves z small beside the noise of ε = 8
    assert "look like" not in heard(lambda: privatiser.learn(privatiser.privatise(easy.people, LABEL)))
    old = pd.concat([easy.people.nlargest(10, "age")] * 300)
    assert "do not look like the public rows" in heard(lambda: privatiser.learn(privatiser.privatise(old, LABEL)))


def test_drift_is_rarely_seen_where_there_is_none(fitted: LocalPrivatiser) -> None:
    """300 collections of the public rows' own distribution, 8 averages each, at 6 deviations: below 1e-5 by chance.

    Twice the noise that was said would be seen: the deviation is the right one, not merely a large one.
    """
    method, generator = fitted.method_, np.random.default_rng(1)
    assert isinstance(method, SplitMethod)
    found = []
    for _ in range(300):
        h = method.prior[generator.integers(len(method.prior), size=400)]
        sent = method.simulate(h, np.zeros(400, dtype=np.int64), 4.0, 2, generator)
        assert method.drift(sent) is None
        found.append(sent.z.mean(axis=0))
    scale = method.sending(4.0, 2).mechanism.noise.scale
    z = method.mechanism(4.0).noise.clip(method.prior)
    ratio = np.std(found, axis=0) / np.sqrt((z.var(axis=0) + 2 * scale**2) / 400)
    assert np.all((ratio > 0.75) & (ratio < 1.25))  # each within 6 of its deviations, 0.041


# --- other records, other doors ---


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_grey_pictures_of_ten_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "MOST_EPOCHS", 60)
    digits, labels = load_digits(return_X_y=True)
    pictures = digits.reshape(-1, 8, 8)
    privatiser = LocalPrivatiser(epsilon=200.0, reports=800, kind=VRLM).fit(pictures[:700], labels[:700])
    privatiser.learn(privatiser.privatise(pictures[700:1500], labels[700:1500]))
    assert privatiser.score(pictures[1500:], labels[1500:]) > 0.25  # of ten
    assert privatiser._columns().pixels


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")
def test_colour_pictures_go_behind_the_trunk() -> None:
    photos = cifar10_samples()
    some = np.arange(100)
    privatiser = LocalPrivatiser(epsilon=8.0, kind=VRLM).fit(photos.images[some], photos.labels[some])
    assert privatiser._columns() == Columns(numeric=tuple(range(512)))
    assert len(privatiser.privatise(photos.images[:3], photos.labels[:3])) == 3


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")  # of so short a training
def test_a_training_that_was_interrupted_goes_on(easy: Any, tmp_path: Path) -> None:
    whole = LocalPrivatiser(kind=VRLM, reports=3_000).fit(easy.public, LABEL)
    resumed = LocalPrivatiser(kind=VRLM, reports=3_000, checkpoint=tmp_path / "half.pt")

    def interrupt(now: Any) -> None:
        if now.epoch == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resumed.fit(easy.public, LABEL, progress=interrupt)
    assert (tmp_path / "half.pt").exists()
    epochs: list[int] = []
    resumed.fit(easy.public, LABEL, progress=lambda now: epochs.append(now.epoch))
    assert epochs[0] == 6 and not list(tmp_path.iterdir())
    assert resumed.method_.digest == whole.method_.digest
    other = LocalPrivatiser(kind=VRLM, reports=3_000, seed=1).fit(easy.public, LABEL)
    assert other.method_.digest != whole.method_.digest


def test_the_commands(easy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("public", "people", "test"):
        getattr(easy, name).to_parquet(tmp_path / f"{name}.parquet", index=False)
    here = {name: str(tmp_path / name) for name in ("mine", "public.parquet", "people.parquet", "test.parquet")}
    fit = ["fit", here["public.parquet"], "--label", LABEL, "--out", here["mine"], "--json", "--kind", VRLM]
    assert main([*fit, "--lam", "0.6", "--reports", "3000"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == VRLM and facts["central_dp"] is None
    assert main([*fit, "--force", "--kind", CODES, "--lam", "0.6"]) == 2
    assert "lam with kind='V-RLM' alone" in capsys.readouterr().err
    table, model = here["people.parquet"], here["mine"]
    out = str(tmp_path / "reports.jsonl")
    assert main(["privatise", table, "--model", model, "--out", out, "--json"]) == 0
    assert '"epsilon_x":2.4,' in Path(out).read_text(encoding="utf-8").splitlines()[0]
    assert main(["learn", out, "--model", model, "--test", here["test.parquet"], "--json"]) == 0
    other = str(tmp_path / "other.jsonl")
    assert main(["privatise", table, "--model", model, "--out", other, "--lam", "0.5", "--json"]) == 0
    assert '"epsilon_x":2,' in Path(other).read_text(encoding="utf-8").splitlines()[0]
    parts = str(tmp_path / "parts")
    assert main(["privatise", table, "--model", model, "--out", f"{parts}/", "--workers", "1", "--json"]) == 0
    capsys.readouterr()
    assert main(["learn", parts, "--model", model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reports"] == len(easy.people)


def test_a_saved_one_is_offered_to_browsers(
    fitted: LocalPrivatiser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLM_MODELS", str(tmp_path))
    fitted.save(tmp_path / "mine")
    offered = saved_table("mine")
    assert offered is not None
    about = offered.description
    assert about["release"] == "numbers" and about["lam"] == 0.5 and about["radius"] == 5.0
    assert "joint" not in about and "merge" not in about
    assert saved_encoder(about["files"]["encoder"]["sha256"]) == offered.encoder


def test_a_rehearsal_trains_every_setting_once(easy: Any) -> None:
    rows = pd.concat([easy.public, easy.people[:1_500], easy.test], ignore_index=True)
    y = (rows.pop(LABEL) == "yes").to_numpy().astype(np.int64)
    parts = np.split(np.arange(len(rows)), [600, 2_100])
    rehearsal = VRLMRehearsal(of=Rehearsal.of(rows, y, 2, parts))
    found = [rehearsal.accuracy(epsilon, 1_500, np.random.default_rng(0)) for epsilon in (100.0, 4.0, 2.0)]
    assert found[0] > 0.8 and len(rehearsal._fitted) == 1  # l = 5, ε_pre = 15 at every ε
    assert rehearsal.budget(4.0).lam == 0.5
