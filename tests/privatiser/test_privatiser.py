"""LocalPrivatiser: what it uses, what it refuses, and what it learns."""

from __future__ import annotations

import json
import math
import pickle
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import rlm_core
from rlm_core import Ledger, zoo
from rlm_core.cli.models import main as models_command
from rlm_core.data import adult_sample
from rlm_core.privatiser import KINDS, LocalPrivatiser, UtilityWarning, choose_plan
from rlm_core.privatiser.card import checksum_of
from rlm_core.privatiser.plan import BITS, CODES, LAPLACE, SELECTION, reports_needed
from rlm_core.privatiser.received import write_reports
from rlm_core.tables import TableError, TableSchema

LABEL = "income-per-year"
CLASSES = ["<=50K", ">50K"]
ADULT = adult_sample()
PUBLIC, PEOPLE, TEST = ADULT[:3_000], ADULT[3_000:7_500].reset_index(drop=True), ADULT[7_500:]


@cache
def fitted(kind: str = "auto", epsilon: float = 4.0, **given: object) -> LocalPrivatiser:
    """On the public part of Adult."""
    return LocalPrivatiser(epsilon=epsilon, reports=4_500, kind=kind, **given).fit(PUBLIC, LABEL)  # type: ignore[arg-type]


FITTED = fitted()


def heard(call: Callable[[], object]) -> str:
    """All that is warned of during a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UtilityWarning)
        call()
    return "\n".join(str(each.message) for each in found)


def test_the_first_ten_lines() -> None:
    privatiser = rlm_core.LocalPrivatiser(epsilon=4, reports=4_500, classes=CLASSES)
    privatiser.fit(PUBLIC.drop(columns=LABEL))
    reports = privatiser.privatise(PEOPLE.drop(columns=LABEL), PEOPLE[LABEL])
    assert len(reports) == len(PEOPLE) and reports.epsilon == 4
    scores: list[float] = []
    heard(lambda: scores.append(privatiser.learn(reports).score(TEST.drop(columns=LABEL), TEST[LABEL])))
    assert scores[0] > 0.7  # over 300 simulated collections 0.818 ± 0.013


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_learns_without_noise(kind: str) -> None:
    """At a huge ε reports lead to a classifier that beats the majority; selection still samples one coordinate."""
    privatiser = fitted(kind, epsilon=200.0)
    privatiser.learn(privatiser.privatise(PEOPLE, LABEL))
    scores: list[float] = []
    heard(lambda: scores.append(privatiser.score(TEST, LABEL)))
    assert scores[0] > (TEST[LABEL] == "<=50K").mean() + (-0.03 if kind == SELECTION else 0.02)
    assert set(privatiser.predict(TEST)) == set(CLASSES)
    assert np.allclose(privatiser.predict_proba(TEST).sum(axis=1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_computed_for_a_row_does_not_depend_on_the_batch(kind: str) -> None:
    """h to the last bit; what is drawn then depends on h, y and public numbers alone (the owner's tests)."""
    privatiser = fitted(kind)
    everybody = privatiser._matrix(privatiser.schema_.read(PEOPLE.drop(columns=LABEL)))
    together = privatiser.method_.encoder(everybody)
    for some in ([0], [7, 3], list(range(100, 400)), list(range(4_000))[::-1]):
        rows = PEOPLE.drop(columns=LABEL).iloc[some]
        alone = privatiser.method_.encoder(privatiser._matrix(privatiser.schema_.read(rows)))
        assert np.array_equal(alone, together[some])


def test_a_row_alone_and_in_a_batch_are_released_alike() -> None:
    """The bit of one person, 4,000 times alone in a batch of copies and in the midst of others.

    Two shares of about 2,000 draws each differ by at most 6.5 deviations: fails by chance below 1e-9.
    """
    person = PEOPLE.iloc[[11]]
    copies = pd.concat([person] * 4_000, ignore_index=True)
    mixed = pd.concat([copies, PEOPLE[:2_000]], ignore_index=True)
    shares = []
    for table in (copies, mixed):
        sent = FITTED.privatise(table, LABEL).payload
        assert sent.coordinates is not None and sent.symbols is not None
        last = sent.coordinates[:4_000] == FITTED.method_.size  # the constant: the label alone
        about = ~last
        shares.append(((sent.symbols[:4_000][about] & 1).mean(), about.sum()))
    (first, n), (second, m) = shares
    assert abs(first - second) < 6.5 * math.sqrt(0.25 / n + 0.25 / m)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_people_is_kept(kind: str) -> None:
    privatiser = fitted(kind)
    before = pickle.dumps(vars(privatiser))
    privatiser.privatise(PEOPLE[:50], LABEL)
    privatiser.privatise(PEOPLE[:50].drop(columns=LABEL))
    assert pickle.dumps(vars(privatiser)) == before


def test_unknown_levels_and_missing_cells_are_released() -> None:
    stranger = PEOPLE.iloc[[0]].assign(occupation="Astronaut", age="?", **{"native-country": ""})
    assert len(FITTED.privatise(stranger, LABEL)) == 1
    wild = PEOPLE.iloc[[0]].assign(age=1e90)
    assert len(FITTED.privatise(wild, LABEL)) == 1


@pytest.mark.parametrize(
    ("table", "labels", "message"),
    [
        (PEOPLE[:3], ["<=50K", ">50K", "rich"], "in row 2, got 'rich'"),
        (PEOPLE[:3], ["<=50K", None, ">50K"], "in row 1, got no label"),
        (PEOPLE[:3], ["<=50K"], "Expected 3 labels, got 1"),
        (PEOPLE[:3], "wage", "Expected the label in age"),
        (PEOPLE[:3].assign(age="old"), LABEL, "a number in row 0, column age, got 'old'"),
        (PEOPLE[:3].drop(columns="age"), LABEL, "the column age"),
    ],
)
def test_a_bad_row_is_refused_before_anything_is_charged_or_drawn(
    table: pd.DataFrame, labels: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.urandom", lambda _: pytest.fail("drew"))
    ledger = Ledger()
    with pytest.raises(ValueError, match=message):
        FITTED.privatise(table, labels, ledger=ledger)  # type: ignore[arg-type]
    assert ledger.releases == []


def test_the_ledger_is_charged_and_refuses_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(limit=5.0)
    FITTED.privatise(PEOPLE[:2], LABEL, ledger=ledger, record="us")
    assert ledger.spent("us") == 4.0
    monkeypatch.setattr("os.urandom", lambda _: pytest.fail("drew"))
    with pytest.raises(ValueError, match="at most 5"):
        FITTED.privatise(PEOPLE[:2], LABEL, ledger=ledger, record="us")


def test_without_classes_no_label_is_sent() -> None:
    privatiser = LocalPrivatiser(epsilon=2.0).fit(PUBLIC.drop(columns=LABEL))
    report = next(iter(privatiser.privatise(PEOPLE[:2].drop(columns=LABEL))))
    assert report.label is None and report.numbers is not None and report.epsilon == 2.0
    with pytest.raises(ValueError, match=r"Pass classes=\[…\], or fit\(public, y\)"):
        privatiser.privatise(PEOPLE[:2], LABEL)
    with pytest.raises(ValueError, match="Expected classes to learn"):
        privatiser.learn([])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_reports_survive_json_and_files_and_a_saved_folder(kind: str, tmp_path: Path) -> None:
    privatiser = fitted(kind)
    reports = privatiser.privatise(PEOPLE[:1500], LABEL)
    heard(lambda: privatiser.learn(reports))
    files = (tmp_path / "reports.parquet", tmp_path / "reports.jsonl")
    for path in files:
        write_reports(reports, path)
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert loaded.get_params() == privatiser.get_params() and loaded.method_.digest == privatiser.method_.digest
    expected = privatiser.predict_proba(TEST)
    assert np.array_equal(loaded.predict_proba(TEST), expected)
    for source in (reports, list(reports), [each.to_json() for each in reports], *files):
        heard(lambda source=source: loaded.learn(source))  # type: ignore[misc]
        assert np.allclose(loaded.predict_proba(TEST), expected)
    assert len(loaded.privatise(PEOPLE[:2], LABEL)) == 2
    fresh = LocalPrivatiser(epsilon=4.0, reports=4_500, kind=kind).fit(PUBLIC, LABEL)
    assert fresh.method_.digest == privatiser.method_.digest  # equal seeds, equal fits
    plain = LocalPrivatiser.load(fresh.save(tmp_path / "plain"))
    with pytest.raises(NotFittedError, match="learn"):
        plain.predict(TEST)


def test_damaged_folders_are_refused(tmp_path: Path) -> None:
    folder = FITTED.save(tmp_path / "mine")
    with pytest.raises(FileNotFoundError, match=r"card\.json"):
        LocalPrivatiser.load(tmp_path / "nothing")
    schema = (folder / "schema.json").read_text(encoding="utf-8")
    (folder / "schema.json").write_text(schema.replace("age", "Age"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"schema\.json .* is damaged"):
        LocalPrivatiser.load(folder)
    (folder / "schema.json").write_text(schema, encoding="utf-8")
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))

    def write(edit: dict[str, object]) -> None:
        edited = card | edit
        (folder / "card.json").write_text(json.dumps(edited | {"sha256": checksum_of(edited)}), encoding="utf-8")

    for edit in ({"format": "x"}, {"kind": "magic"}, {"files": {"../x": ""}}, {"parameters": {"epsilon": 1, "z": 2}}):
        write(edit)
        with pytest.raises(ValueError, match="Expected a card of format"):
            LocalPrivatiser.load(folder)
    write({"radius": card["radius"] * 2})
    with pytest.raises(ValueError, match="Expected the digest"):
        LocalPrivatiser.load(folder)


def test_foreign_and_mixed_reports_are_named() -> None:
    reports = list(FITTED.privatise(PEOPLE[:20], LABEL))
    with pytest.raises(ValueError, match="at least one report"):
        FITTED.learn([])
    with pytest.raises(ValueError, match="Report 1 cannot be read"):
        FITTED.learn([reports[0].to_json(), "{}"])
    other = fitted(CODES).privatise(PEOPLE[:20], LABEL)
    with pytest.raises(ValueError, match="report 20 to be of record and label by this mechanism"):
        FITTED.learn([*reports, *other])
    with pytest.raises(ValueError, match="by this mechanism"):
        FITTED.learn(other)
    dear = clone(FITTED).set_params(epsilon=4.1, size=FITTED.plan_.size, kind=BITS).fit(PUBLIC, LABEL)
    dearer = list(dear.privatise(PEOPLE[:2], LABEL))
    with pytest.raises(ValueError, match="epsilon=4 in all reports, got 4.1 in report 20"):
        FITTED.learn([*reports, *dearer])
    alone = list(FITTED.privatise(PEOPLE[:20].drop(columns=LABEL)))
    with pytest.raises(ValueError, match="report 0 to be of record and label"):
        FITTED.learn(alone)


def test_it_says_when_it_will_not_do() -> None:
    poor = LocalPrivatiser(epsilon=0.5, reports=1_000)
    said = heard(lambda: poor.fit(PUBLIC, LABEL))
    assert said.startswith("1,000 reports are few for epsilon=0.5 and 2 classes: expected at least 3,601 reports")
    assert said.endswith("or epsilon of at least 1.1.")
    assert "30 reports are few" in heard(lambda: poor.learn(poor.privatise(PEOPLE[:30], LABEL)))
    privatiser = LocalPrivatiser(epsilon=20.0, reports=4_500).fit(PUBLIC, LABEL)  # little noise: it must see it
    everybody = PEOPLE.assign(**{LABEL: "<=50K"})
    assert "no better than the majority" in heard(lambda: privatiser.learn(privatiser.privatise(everybody, LABEL)))
    with pytest.warns(UtilityWarning, match="no better than always saying the commonest class"):
        privatiser.score(TEST, LABEL)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [CODES, SELECTION])
def test_it_notices_people_unlike_the_public_rows(kind: str) -> None:
    privatiser = fitted(kind, epsilon=8.0)
    privatiser.learn(privatiser.privatise(PEOPLE, LABEL))  # no warning: warnings are errors
    strange = pd.concat([PEOPLE.iloc[[5]]] * 3_000)
    assert "do not look like the public rows" in heard(lambda: privatiser.learn(privatiser.privatise(strange, LABEL)))


@pytest.mark.parametrize(
    ("given", "y", "message"),
    [
        ({"epsilon": 0}, LABEL, "epsilon > 0"),
        ({"epsilon": math.nan}, LABEL, "epsilon > 0"),
        ({"reports": 0}, LABEL, "reports >= 1"),
        ({"kind": "magic"}, LABEL, "kind in joint bits"),
        ({"size": 0}, LABEL, "1 <= size"),
        ({"classes": ["a"]}, None, "at least two classes"),
        ({"classes": ["a", "a"]}, None, "different classes"),
        ({}, ["same"] * len(PUBLIC), "at least two classes"),
        ({}, [f"class {i % 500}" for i in range(len(PUBLIC))], "at most 100 classes, got 500"),
        ({}, ["a", "b"], "Expected 3000 labels, got 2"),
        ({"kind": BITS, "classes": ["a", "b", "c"]}, None, "two classes for a joint bits"),
        ({"kind": LAPLACE, "classes": ["a", "b", "c"]}, None, "two classes for a joint Laplace"),
    ],
)
def test_bad_arguments_are_named(given: dict[str, object], y: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LocalPrivatiser(**given).fit(PUBLIC, y)  # type: ignore[arg-type]


def test_tables_that_cannot_be_fitted() -> None:
    for public in (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [None, None]}), pd.DataFrame({"a": [1, 1]})):
        with pytest.raises(TableError, match="at least one column to learn from"):
            LocalPrivatiser(classes=CLASSES).fit(public)


def test_one_column_is_a_table() -> None:
    table = pd.DataFrame({"a": np.arange(4_000) * 7 % 37})
    label = np.where(table["a"] > 18, "high", "low")
    privatiser = LocalPrivatiser(epsilon=8.0, reports=3_000).fit(table[:1_000], label[:1_000])
    assert privatiser.plan_.size == 1
    assert privatiser.learn(privatiser.privatise(table[1_000:], label[1_000:])).score(table, label) > 0.9


def test_pictures_of_ten_classes() -> None:
    digits, labels = load_digits(return_X_y=True)
    pictures = digits.reshape(-1, 8, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        privatiser = LocalPrivatiser(epsilon=8.0, reports=800).fit(pictures[:700], labels[:700])
        assert privatiser.plan_.kind == CODES and list(privatiser.classes_) == list(range(10))
        privatiser.learn(privatiser.privatise(pictures[700:1500], labels[700:1500]))
    assert privatiser.score(pictures[1500:], labels[1500:]) > 0.5
    with pytest.raises(ValueError, match="X has 65 features, but LocalPrivatiser is expecting 64"):
        privatiser.predict(np.zeros((2, 65)))


def test_scikit_learn_manners() -> None:
    privatiser = LocalPrivatiser(epsilon=2.0, reports=500, classes=CLASSES, size=3)
    copy = clone(privatiser)
    assert copy.get_params() == privatiser.get_params() and copy is not privatiser
    assert not hasattr(copy, "schema_")
    assert not hasattr(copy, "predict")  # before there is anything to predict with
    for name in ("predict", "score", "privatise", "save", "learn"):
        with pytest.raises(NotFittedError, match=r"Expected fit\(public\) before this"):
            getattr(copy, name)(PUBLIC[:2])
    drop = FunctionTransformer(lambda frame: frame.drop(columns="fnlwgt"))
    pipeline = make_pipeline(drop, LocalPrivatiser(reports=4_500))
    pipeline.fit(PUBLIC.drop(columns=LABEL), PUBLIC[LABEL])
    last = pipeline[-1]
    heard(lambda: last.learn(last.privatise(PEOPLE, LABEL)))
    assert set(pipeline.predict(TEST.drop(columns=LABEL))) <= set(CLASSES)
    assert "fnlwgt" not in last.feature_names_in_


def test_a_fitted_one_survives_pickling() -> None:
    """By the name that pickles of version 1.0.0 have, too."""
    assert (LocalPrivatiser.__module__, LocalPrivatiser.__name__) == (
        "rlm_core.privatiser.estimator",
        "LocalPrivatiser",
    )
    copy = pickle.loads(pickle.dumps(FITTED))
    assert copy.method_.digest == FITTED.method_.digest and copy.get_params() == FITTED.get_params()
    assert len(copy.privatise(PEOPLE[:3], LABEL)) == 3 and list(copy.classes_) == CLASSES


@pytest.mark.parametrize("given", [np.int64, np.float64, np.bool_, np.str_])
def test_labels_come_back_in_their_type(given: type, tmp_path: Path) -> None:
    """So that scikit-learn's scores can compare them; a folder keeps the type, and what was passed."""
    table = pd.DataFrame({"a": np.arange(2_000) * 7 % 37})
    label: np.ndarray = (table["a"] > 18).to_numpy().astype(int).astype(given)
    privatiser = LocalPrivatiser(epsilon=8.0, reports=2_000).fit(table, label)
    privatiser.learn(privatiser.privatise(table, label))
    found = privatiser.predict(table)
    assert found.dtype.kind == privatiser.classes_.dtype.kind == label.dtype.kind
    assert accuracy_score(label, found) == privatiser.score(table, label) > 0.8
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert np.array_equal(loaded.predict(table), found) and loaded.classes_.dtype.kind == found.dtype.kind
    by_name = LocalPrivatiser(epsilon=8.0, reports=2_000, classes=list(np.unique(label))).fit(table)
    assert np.array_equal(by_name.classes_, np.unique(label))
    again = LocalPrivatiser.load(by_name.save(tmp_path / "named"))
    assert list(again.get_params()["classes"]) == list(np.unique(label))
    assert np.array_equal(clone(again).fit(table).classes_, by_name.classes_)


def test_labels_that_only_look_alike_are_told_apart() -> None:
    table = pd.DataFrame({"a": np.arange(200) % 37})
    privatiser = LocalPrivatiser(epsilon=8.0, reports=5_000).fit(table, ["v1", "v1.0"] * 100)
    assert privatiser.classes_.tolist() == ["v1", "v1.0"]


def test_a_folder_keeps_the_schema_that_was_passed(tmp_path: Path) -> None:
    schema = TableSchema.infer(PUBLIC[["age", "sex"]])
    given = LocalPrivatiser(reports=4_500, schema=schema).fit(PUBLIC, LABEL)
    assert LocalPrivatiser.load(given.save(tmp_path / "given")).get_params() == given.get_params()
    assert LocalPrivatiser.load(FITTED.save(tmp_path / "inferred")).schema is None


def test_a_schema_of_ones_own_is_used() -> None:
    schema = TableSchema.infer(PUBLIC[["age", "sex"]])
    privatiser = LocalPrivatiser(reports=4_500, schema=schema).fit(PUBLIC, LABEL)
    assert privatiser.preprocessor_.columns == ("age", "sex")


def test_another_seed_gives_other_codes() -> None:
    assert fitted(CODES).method_.digest != fitted(CODES, seed=2).method_.digest


def test_the_rules() -> None:
    for classes in (2, 3, 10):
        sizes = [choose_plan(epsilon, 14_000, classes).size for epsilon in (0.5, 1.0, 2.0, 4.0)]
        assert sizes == sorted(sizes)  # more ε, no shorter report
        assert choose_plan(1.0, 10**6, classes).size >= choose_plan(1.0, 10**3, classes).size
        assert reports_needed(0.5, classes) > reports_needed(4.0, classes)
    assert choose_plan(1.0, 14_000, 2).kind == BITS and choose_plan(1.0, 14_000, 3).kind == CODES
    assert choose_plan(math.inf, 14_000, 2).size <= 32


def test_the_page_for_the_people_is_one_file_with_a_form(tmp_path: Path) -> None:
    page = FITTED.export(tmp_path / "owner.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page and '"title":"hours-per-week"' in page and "https://" not in page
    with pytest.raises(NotFittedError):
        LocalPrivatiser().export(tmp_path / "other.html")


def test_a_folder_is_found_by_name_and_listed_beside_the_zoo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    FITTED.save(tmp_path / "mine")
    with pytest.raises(FileNotFoundError):
        LocalPrivatiser.load("mine")
    monkeypatch.setenv("RLM_MODELS", str(tmp_path))
    assert LocalPrivatiser.load("mine").method_.digest == FITTED.method_.digest
    assert "mine" not in zoo.names()  # and nothing is warned of
    for name in ("mine", tmp_path / "mine"):
        with pytest.raises(ValueError, match=r"LocalPrivatiser.load\('mine'\)"):
            zoo.load(name)
    assert models_command([]) == 0 and "mine" in capsys.readouterr().out


def test_codes_have_five_public_rows_each() -> None:
    """With as many codes as public rows a code follows single rows, and more ε would learn less."""
    from rlm_core.privatiser.plan import choose_plan

    assert choose_plan(8.0, 10_000, 3).size == 96
    assert choose_plan(8.0, 10_000, 3, public_rows=71).size == 14
    assert choose_plan(8.0, 10_000, 3, public_rows=5).size == 4
    assert choose_plan(8.0, 10_000, 3, size=50, public_rows=71).size == 50
