"""LocalPrivatiser: fit on public rows, privatise people's rows, learn from their reports, save, load."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rlm_core.collector.moments import PRIOR_ROWS
from rlm_core.owner.budget import Ledger
from rlm_core.privatiser.arguments import check_arguments
from rlm_core.privatiser.folder import named, read, write
from rlm_core.privatiser.honesty import UtilityWarning, not_better, one_answer, too_few
from rlm_core.privatiser.labels import as_given, check_classes, find_classes, label_numbers, label_texts, true_classes
from rlm_core.privatiser.learning import AnyClassifier, AnyMethod, Reports, learn_from, probabilities
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.network import CodesNetwork, train_codes_network
from rlm_core.privatiser.onnx_file import write_onnx
from rlm_core.privatiser.own_mechanism import own_page
from rlm_core.privatiser.plan import VRLM, Plan, choose_plan
from rlm_core.privatiser.records import Labels, RecordReader, Table
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.training import preset_for, train_encoder
from rlm_core.release import OnProgress, Releases, release_rows
from rlm_core.tables.schema import TableSchema
from rlm_core.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rlm_core.learning.loop import Progress


class AfterLearning:
    """A method that is there once something was learnt: before, asking for it raises NotFittedError, which says so."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, instance: LocalPrivatiser | None, owner: type) -> Callable[..., Any]:
        if instance is None:
            return self.method
        instance._fitted("classifier_")
        return MethodType(self.method, instance)


class LocalPrivatiser(RecordReader, BaseEstimator):  # type: ignore[misc]
    """ε-LDP collection and learning for any table or pictures.

    ``fit`` sees public rows only. Whatever ``privatise`` uses (classes, levels, ranges, centring, rules for
    missing values, dimension) comes from there or from arguments, never from the people: a row's report has the
    same distribution alone and in any batch. A label's class must be known; an unknown level of a category
    becomes the level of the rare ones.

    Guarantee: each row's report, its label included, is ε-LDP, whatever was fitted (see the kind's class in
    ``rlm_core.owner``). Each further ``privatise`` of the same row spends ε again; a ``ledger`` counts. With
    ``central_epsilon`` there is a second promise, to the people whose rows were fitted on: the encoder's training
    is (ε, δ)-differentially private, given its decoder (docs/central_dp.md says what that covers, and what not).

    Args:
        epsilon: of one report, record and label together.
        reports: how many are expected; with ε and the number of classes it decides kind and size by a rule.
        classes: the labels that people may have; None finds them in ``fit(public, y)``, or sends no label. They keep
            their type in ``classes_`` and ``predict`` (whole numbers stay so), and are compared as text.
        kind: "auto", one of :data:`~rlm_core.privatiser.plan.KINDS`, or "V-RLM": the paper's mechanism, which sends
            numbers and label apart and whose network takes minutes to train. "auto" never chooses it.
        size: numbers or codes of the representation; None for the rule's.
        lam: λ of a V-RLM, the record's share of ε; None for the rule's. Other kinds divide nothing.
        encoder: "auto", "linear" (seconds) or "network" (codes by a network, about a minute a core; any V-RLM).
        schema: of the table; None infers it from the public rows.
        seed: of the fit (k-means, samples, networks). A release takes no seed.
        device: where a network learns: "auto" takes a GPU if there is one.
        checkpoint: a file, from which the training of a network that was interrupted goes on.
        central_epsilon: train the encoder of a V-RLM under central DP with this ε and δ = 1e-5.

    >>> import pandas as pd
    >>> public = pd.DataFrame({"age": [20, 30, 40, 50] * 25, "job": ["cook", "nurse"] * 50})
    >>> privatiser = LocalPrivatiser(epsilon=2.0, reports=5_000, classes=["no", "yes"]).fit(public)
    >>> len(privatiser.privatise(public[:3], ["no", "yes", "no"]))
    3
    """

    method_: AnyMethod
    classifier_: AnyClassifier
    classes_: NDArray[Any]

    def __init__(
        self,
        epsilon: float = 4.0,
        reports: int = 10_000,
        classes: Sequence[Any] | None = None,
        *,
        kind: str = "auto",
        size: int | None = None,
        lam: float | None = None,
        encoder: str = "auto",
        schema: TableSchema | None = None,
        seed: int = 0,
        device: str = "auto",
        checkpoint: str | Path | None = None,
        central_epsilon: float | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.reports = reports
        self.classes = classes
        self.kind = kind
        self.size = size
        self.lam = lam
        self.encoder = encoder
        self.schema = schema
        self.seed = seed
        self.device = device
        self.checkpoint = checkpoint
        self.central_epsilon = central_epsilon

    # --- public rows ---

    def fit(self, public: Table, y: Labels = None, *, progress: Callable[[Progress], None] | None = None) -> Self:
        """Learn schema, preprocessing and encoder from public rows or pictures.

        Args:
            public: a DataFrame, a CSV or parquet file, an array (n, p); or pictures: a folder, or an array
                (n, height, width[, 3]).
            y: public labels, or the name of their column; for a folder of pictures "folder", or the name of a CSV
                file in it with the columns file and label. They only tell which classes there are.
            progress: is told how far the training of a network is.
        """
        start = time.perf_counter()
        check_arguments(self)
        records, labels = self._public_records(public, y)
        classes = self._known_classes(labels, len(records))
        self.label_ = y if isinstance(y, str) else None
        x = self._learn_reading(records, self.schema)
        given = self.classes if self.classes is not None else labels
        self.classes_ = as_given(classes, [] if given is None else list(given))
        plan = choose_plan(
            self.epsilon,
            self.reports,
            max(2, len(classes)),
            kind=self.kind,
            size=self.size,
            encoder=self.encoder,
            public_rows=len(x),
            public_pictures=0 if self.pictures_ is None else len(x),
        )
        self.public_rows_ = len(x)
        self._set_method(self._fit_method(plan, x, max(2, len(classes)), progress))
        self.seconds_ = time.perf_counter() - start
        self._warn(too_few(self.epsilon, self.reports, max(2, len(classes))))
        return self

    def _fit_method(
        self, plan: Plan, x: NDArray[np.float32], classes: int, progress: Callable[[Progress], None] | None
    ) -> AnyMethod:
        """Encoder and public numbers of the plan's kind from public records x (n, p)."""
        generator = np.random.default_rng(self.seed)
        given: dict[str, Any] = {
            "seed": self.seed,
            "device": self.device,
            "checkpoint": None if self.checkpoint is None else Path(self.checkpoint),
            "progress": progress,
        }
        if plan.kind == VRLM:
            columns = self._columns()
            preset = preset_for(self.epsilon, plan.size, columns, len(x))
            trained = train_encoder(preset, x, columns, central_epsilon=self.central_epsilon, **given)
            return SplitMethod.of(plan, trained, x, generator=generator, prior_rows=PRIOR_ROWS)

        def network() -> CodesNetwork:
            return train_codes_network(x, self._views(), classes=classes, **given)

        return Method.fit(plan, x, generator=generator, prior_rows=PRIOR_ROWS, network=network)

    @property
    def plan_(self) -> Any:
        """Kind and size of the reports, by the rule or by arguments."""
        return self._fitted().method_.plan

    @property
    def central_dp_(self) -> dict[str, Any] | None:
        """What the encoder's training spent under central DP, and what that covers; None without."""
        method = self._fitted().method_
        return method.central if isinstance(method, SplitMethod) else None

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as text, as reports, cards and pages have them."""
        return tuple(str(each) for each in label_texts(self.classes_))

    @property
    def notes_(self) -> tuple[str, ...]:
        """What the fit left out, and why."""
        left_out = () if self._fitted().pictures_ is not None else self.schema_.left_out
        return tuple(f"{each.name}: {each.reason}" for each in left_out)

    # --- the people's side ---

    def privatise(
        self,
        people: Table,
        labels: Labels = None,
        *,
        ledger: Ledger | None = None,
        record: str = "record",
        progress: OnProgress | None = None,
    ) -> Releases:
        """What each person's device would send: the release path, with the operating system's randomness.

        Args:
            people: rows with the columns of the public table.
            labels: their labels, or the name of the column; None sends the record alone, without a label.
            ledger, record: charged before anything is drawn.
            progress: is told how many rows are done.
        """
        self._fitted()
        records, given = self._records(people, labels)
        numbers: IntArray | None = None
        if given is not None:
            if not len(self.classes_):
                raise ValueError("Expected no labels: classes are unknown. Pass classes=[…], or fit(public, y).")
            numbers = label_numbers(given, self.class_names)
            if len(numbers) != len(records):
                raise ValueError(f"Expected {len(records)} labels, got {len(numbers)}.")
        classes = None if numbers is None else len(self.classes_)
        sending = self.method_.sending(self.epsilon, classes, lam=self.lam)
        return release_rows(
            self._numbers(records),
            numbers,
            mechanism=sending.mechanism,
            pairs=sending.pairs,
            labels=sending.labels,
            ledger=ledger,
            record=record,
            progress=progress,
        )

    def encode_table(self, people: Table) -> NDArray[np.float32]:
        """Records as the encoder's input: (n, p), every feature as fitted. NOT private."""
        return self._numbers(self._fitted()._records(people, None)[0])

    # --- the collector's side ---

    def learn(self, reports: Reports) -> Self:
        """Fit the classifier to reports: as ``privatise`` made them, as JSON texts, a file of them, or their tally.

        Not from a tally of a V-RLM: its labels leave apart. All its reports must divide ε alike.
        """
        self._fitted()
        if not len(self.classes_):
            raise ValueError(
                "Expected classes to learn, got none. Pass classes=[…], or fit(public, y); on the command line, "
                "`rlm fit --label NAME` or `--classes`."
            )
        count = len(self.classes_)
        lesson = learn_from(reports, self.method_, count, seed=self.seed, device=self.device)
        self.classifier_ = lesson.classifier
        self.reports_, self.reports_epsilon_ = lesson.people, lesson.epsilon
        predicted = probabilities(self.method_, self.classifier_, self.method_.prior).argmax(axis=1)
        self._warn(too_few(lesson.epsilon, lesson.people, count))
        self._warn(lesson.drift)
        self._warn(one_answer(np.bincount(predicted, minlength=count) / len(predicted), self.class_names))
        return self

    @AfterLearning
    def predict_proba(self, X: Table) -> FloatArray:
        """p(y | x) of clean rows: (n, K), in the order of ``classes_``."""
        h = self.method_.encoder(self.encode_table(X))
        return probabilities(self.method_, self.classifier_, h)

    @AfterLearning
    def predict(self, X: Table) -> NDArray[Any]:
        """The most likely class of clean rows, as ``classes_`` has it."""
        most_likely = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[most_likely]
        return labels

    @AfterLearning
    def score(self, X: Table, y: Labels = None) -> float:
        """The share of rows whose class is predicted rightly; y may be the name of a column.

        A row of a class that the mechanism does not know counts as wrong; one without a label is an error.
        """
        records, labels = self._records(X, y if y is not None else self.label_)
        if labels is None:
            raise ValueError("Expected labels to score with, got none.")
        truth = true_classes(labels, self.class_names)
        if len(truth) != len(records):
            raise ValueError(f"Expected {len(records)} labels, got {len(truth)}.")
        names = np.array(self.class_names)
        accuracy = float((names[self.predict_proba(records).argmax(axis=1)] == truth).mean())
        self._warn(not_better(accuracy, float(np.unique(truth, return_counts=True)[1].max() / len(truth))))
        return accuracy

    # --- folders ---

    def save(self, folder: str | Path) -> Path:
        """Write a folder with a card: enough to privatise, and to learn; also the classifier if there is one."""
        self._fitted()
        return write(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> LocalPrivatiser:
        """Read what :meth:`save` wrote, after comparing every file with its checksum.

        A name without a folder is looked for in the places that ``RLM_MODELS`` names, as the zoo's are.
        """
        return read(Path(folder), cls)

    def export(self, file: str | Path) -> Path:
        """Write what a device needs, by the file's ending.

        ``owner.html``: the owner's side as one page, a form made from the schema, which makes a report. It works from
        disk, offline, and can connect to nothing; ``learn`` reads the reports that it makes.

        ``encoder.onnx``: the encoder alone, for phones (extra ``[onnx]``). There is NO noise in it: what it computes
        must leave through an exact sampler; ``rlm_core/privatiser/onnx_file.py`` says what goes in and out.
        """
        self._fitted()
        path, suffix = Path(file), Path(file).suffix.lower()
        if suffix == ".onnx":
            return write_onnx(self, path)
        if suffix not in (".html", ".htm"):
            accepted = ".html (a page for people) or .onnx (the encoder alone)"
            raise ValueError(f"Expected a file that ends in {accepted}, got {path.name!r}.")
        path.write_text(own_page(self).html, encoding="utf-8")
        return path

    # --- inside ---

    def _fitted(self, attribute: str = "method_") -> Self:
        if not hasattr(self, attribute):
            first = "learn(reports)" if attribute == "classifier_" and hasattr(self, "method_") else "fit(public)"
            raise NotFittedError(f"Expected {first} before this: this LocalPrivatiser has not got so far.")
        return self

    def _known_classes(self, labels: Iterable[Any] | None, count: int) -> tuple[str, ...]:
        if labels is not None and len(list(labels)) != count:
            raise ValueError(f"Expected {count} labels, got {len(list(labels))}.")
        if self.classes is not None:
            return check_classes(self.classes)
        return () if labels is None else find_classes(labels)

    def _set_method(self, method: AnyMethod) -> None:
        self.method_ = named(method, self.reading, self.class_names)

    def _warn(self, message: str | None) -> None:
        if message is not None:
            warnings.warn(message, UtilityWarning, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # a missing value is a value of a table
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.no_validation = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "method_")
