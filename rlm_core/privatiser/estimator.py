"""LocalPrivatiser: fit on public rows, save, load, export; what it does for people and collector is in ``sides``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rlm_core.collector.moments import PRIOR_ROWS
from rlm_core.pictures import Pictures
from rlm_core.privatiser.arguments import check_arguments, check_as_fitted, check_machine, fitted_with
from rlm_core.privatiser.folder import named, read, write
from rlm_core.privatiser.honesty import doubtful_classes, label_among_features, too_few
from rlm_core.privatiser.labels import (
    as_given,
    check_classes,
    columns_of_classes,
    find_classes,
    notes_of_labels,
    rows_of_classes,
)
from rlm_core.privatiser.learning import AnyMethod
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.network import CodesNetwork, train_codes_network
from rlm_core.privatiser.onnx_file import write_onnx
from rlm_core.privatiser.own_mechanism import own_page
from rlm_core.privatiser.place import check_place
from rlm_core.privatiser.plan import VRLM, Plan, choose_plan
from rlm_core.privatiser.records import Labels, Table, notes_of_dates, notes_of_levels, notes_of_schema
from rlm_core.privatiser.sides.collector import CollectorSide
from rlm_core.privatiser.sides.people import PeopleSide
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.training import preset_for, train_encoder
from rlm_core.tables.files import notes_of_rows
from rlm_core.tables.marks import notes_of_marks
from rlm_core.tables.schema import TableSchema

if TYPE_CHECKING:
    from rlm_core.learning.loop import Progress


class LocalPrivatiser(PeopleSide, CollectorSide, BaseEstimator):  # type: ignore[misc]
    """ε-LDP collection and learning for any table or pictures.

    ``fit`` sees public rows only. Whatever ``privatise`` uses (classes, levels, ranges, centring, rules for
    missing values, dimension) comes from there or from arguments, never from the people: a row's report has the
    same distribution alone and in any batch. A label's class must be known; an unknown level of a category
    becomes the level of the rare ones.

    ``privatise(people)`` sends the label too if ``fit`` was told its column by name and the people's rows have it; with
    ``privatise(people, None)`` it stays at home. ε is of both together: beside a label, the record of a V-RLM has λε
    of it and the label (1 − λ)ε; alone it has all of ε.

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
        schema: of the table, checked against the public rows; None infers it from them.
        seed: of the fit (k-means, samples, networks). A release takes no seed.
        device: where a network learns: "auto" takes a GPU if there is one.
        checkpoint: a file, from which the training of a network that was interrupted goes on: with the same public
            rows, seed and settings alone.
        central_epsilon: train the encoder of a V-RLM under central DP with this ε and δ = 1e-5.

    >>> import pandas as pd
    >>> public = pd.DataFrame({"age": [20, 30, 40, 50] * 25, "job": ["cook", "nurse"] * 50})
    >>> privatiser = LocalPrivatiser(epsilon=2.0, reports=5_000, classes=["no", "yes"]).fit(public)
    >>> len(privatiser.privatise(public[:3], ["no", "yes", "no"]))
    3
    """

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

    def fit(self, public: Table, y: Labels = None, *, progress: Callable[[Progress], None] | None = None) -> Self:
        """Learn schema, preprocessing and encoder from public rows or pictures; what was learnt before is forgotten.

        A fit that is refused changes nothing. ``notes_`` says what was left out.

        Args:
            public: a DataFrame, a CSV or parquet file, an array (n, p); or pictures: a folder, or an array
                (n, height, width[, 3]).
            y: public labels, or the name of their column; for a folder of pictures "folder", or the name of a CSV
                file in it with the columns file and label. They only tell which classes there are.
            progress: is told how far the training of a network is.
        """
        start = time.perf_counter()
        with self._anew():
            check_arguments(self)
            check_machine(self)
            records, labels = self._public_records(public, y)
            classes = self._known_classes(labels, len(records))
            if self.classes is None and labels is not None:
                self._warn(doubtful_classes(rows_of_classes(labels)))
            self.label_ = y if isinstance(y, str) else None
            x = self._learn_reading(records, self.schema)
            self.fit_notes_ = () if labels is None else notes_of_labels(labels, classes)
            if not isinstance(records, Pictures):
                self.fit_notes_ += self._notes_of_columns(records)
                if labels is None and classes and self.schema is None:  # who brings a schema has said what a feature is
                    self._warn(label_among_features(columns_of_classes(records, self.schema_.columns, classes)))
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
            self.fitted_with_ = fitted_with(self)
            self._set_method(self._fit_method(plan, x, max(2, len(classes)), progress))
            self.seconds_ = time.perf_counter() - start
        # After the with-block: where a warning is an error, what was learnt stays.
        needed = partial(self.method_.reports_needed, lam=self.lam)
        self._warn(too_few(self.epsilon, self.reports, max(2, len(classes)), needed))
        return self

    def _notes_of_columns(self, records: pd.DataFrame) -> tuple[str, ...]:
        """Rows that end early; what a schema of one's own does not name; without one, what could be read otherwise."""
        rows, features = notes_of_rows(records), self.schema_.features
        if self.schema is not None:
            return rows + notes_of_schema(records, self.schema)
        either_way = notes_of_dates(records, features) + notes_of_marks(records, features)
        return rows + either_way + notes_of_levels(records, features)

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

    def save(self, folder: str | Path) -> Path:
        """Write a folder with a card: enough to privatise, and to learn; also the classifier if there is one.

        An earlier one in that folder is replaced; a folder with anything else in it is refused. Since the fit, ε, λ,
        reports, seed, device and checkpoint may have changed (``set_params``): other arguments need another fit.
        """
        self._fitted()
        check_as_fitted(self, getattr(self, "fitted_with_", fitted_with(self)))  # a pickle of version 1.0.0 has none
        check_place(Path(folder))
        return write(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> LocalPrivatiser:
        """Read what :meth:`save` wrote, after comparing every file with its checksum.

        A name without a folder is looked for in the places that ``RLM_MODELS`` names, as the zoo's are.
        """
        privatiser = read(Path(folder), cls)
        privatiser.fitted_with_ = fitted_with(privatiser)
        return privatiser

    def export(self, file: str | Path) -> Path:
        """Write what a device needs, by the file's ending.

        ``owner.html``: the owner's side as one page, a form made from the schema or a place for a grey picture, which
        makes a report. It works from disk, offline, and can connect to nothing; ``learn`` reads its reports.

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

    def _known_classes(self, labels: Iterable[Any] | None, count: int) -> tuple[str, ...]:
        if labels is not None and len(list(labels)) != count:
            raise ValueError(f"Expected {count} labels, got {len(list(labels))}.")
        if self.classes is not None:
            return check_classes(self.classes)
        return () if labels is None else find_classes(labels)

    def _set_method(self, method: AnyMethod) -> None:
        self.method_ = named(method, self.reading, self.class_names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # a missing value is a value of a table
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.no_validation = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "method_")
