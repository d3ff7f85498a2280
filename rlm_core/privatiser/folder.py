"""A fitted LocalPrivatiser as a folder: card, schema, preprocessor, encoder, public representations, classifier.

card.json              what it is, made when and of what, with the checksum of every other file and its own (``card``)
schema.json            the table's columns, readable
preprocessor.json      means, deviations and levels of the public rows
pictures.json          of pictures, instead of the two: size, white, grey or colour
encoder.safetensors    linear layers, as an ``MLPEncoder`` has them: 0.weight (d, p), 0.bias (d,), 2.weight, …
prior.safetensors      h of some public rows, which the collector learns with
classifier.safetensors what was learnt from reports, if anything was
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from rlm_core.collector.codes import CodeClassifier
from rlm_core.collector.kernel_classifier import KernelClassifier
from rlm_core.digest import digest_of
from rlm_core.pictures.format import PictureFormat
from rlm_core.privatiser.card import CARD, read_card, refusal, write_card
from rlm_core.privatiser.encoder import LinearEncoder
from rlm_core.privatiser.labels import check_classes, label_texts
from rlm_core.privatiser.learning import AnyClassifier, AnyMethod
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.plan import LINEAR, NETWORK, VRLM, Plan
from rlm_core.privatiser.usable import check_usable, classifier_of
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.tables.preprocessor import TablePreprocessor
from rlm_core.tables.schema import TableSchema
from rlm_core.zoo.cards import own_folders
from rlm_core.zoo.checksums import check_inside, sha256, verify

if TYPE_CHECKING:
    from rlm_core.privatiser.estimator import LocalPrivatiser

SCHEMA, PREPROCESSOR, PICTURES = "schema.json", "preprocessor.json", "pictures.json"
ENCODER = "encoder.safetensors"
PRIOR, CLASSIFIER = "prior.safetensors", "classifier.safetensors"


def named(method: AnyMethod, reading: dict[str, Any], classes: tuple[str, ...]) -> AnyMethod:
    """The method with its digest: of all that decides what is sent for a record, but for ε.

    ``reading`` is how a record becomes numbers (:func:`reading_of_table`, :func:`reading_of_pictures`).
    """
    return replace(method, digest=digest_of(method.definition | {"classes": classes} | reading))


def reading_of_table(schema: TableSchema, preprocessor: TablePreprocessor) -> dict[str, Any]:
    """How rows become numbers, for the digest."""
    return {"schema": json.loads(schema.to_json())["features"], "preprocessor": json.loads(preprocessor.to_json())}


def reading_of_pictures(pictures: PictureFormat) -> dict[str, Any]:
    """How pictures become numbers, for the digest."""
    return {"pictures": json.loads(pictures.to_json())}


def write(privatiser: LocalPrivatiser, folder: Path) -> Path:
    """Write the files, the card last: a folder without a card is not one."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"Expected a folder, got the file {folder.name!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CARD).unlink(missing_ok=True)
    method = privatiser.method_
    texts = (
        {SCHEMA: privatiser.schema_.to_json(), PREPROCESSOR: privatiser.preprocessor_.to_json()}
        if privatiser.pictures_ is None
        else {PICTURES: privatiser.pictures_.to_json()}
    )
    for name in (SCHEMA, PREPROCESSOR, PICTURES):
        (folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    save_file(method.encoder.tensors(), folder / ENCODER)
    save_file({"h": method.prior.astype(np.float32)}, folder / PRIOR)
    files = [*texts, ENCODER, PRIOR]
    classifier = getattr(privatiser, "classifier_", None)
    (folder / CLASSIFIER).unlink(missing_ok=True)
    if classifier is not None:
        save_file(_tensors(classifier), folder / CLASSIFIER)
        files.append(CLASSIFIER)
    write_card(privatiser, folder, {name: sha256(folder / name) for name in files})
    return folder


def read(folder: Path, make: Callable[..., LocalPrivatiser]) -> LocalPrivatiser:
    """The privatiser in a folder, by the class that has its parameters; a damaged or foreign folder is an error.

    Whatever is in it, nothing but our own errors comes out: a folder may come from a stranger.
    """
    found: Exception
    try:
        return _read(folder, make)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, SafetensorError, TypeError) as error:
        found = error
    except ValueError as error:
        if str(error).startswith(("Expected", "The file")):
            raise
        found = error
    raise ValueError(
        f"Expected a folder that LocalPrivatiser.save wrote, got {folder.name!r}, which cannot be read: {found!r:.200}."
    )


def _read(folder: Path, make: Callable[..., LocalPrivatiser]) -> LocalPrivatiser:
    if not (folder / CARD).is_file() and len(folder.parts) == 1:
        folder = own_folders().get(folder.name, folder)  # by name, in the places that RLM_MODELS names
    if not (folder / CARD).is_file():
        raise FileNotFoundError(f"Expected a folder with a {CARD}, got {folder.name!r}.")
    card = read_card(folder)
    try:
        files = {str(name): str(checksum) for name, checksum in card["files"].items()}
        plan = Plan(kind=card["kind"], size=card["size"], encoder=card.get("encoder", LINEAR))
        unlisted = {ENCODER, PRIOR, *((PICTURES,) if PICTURES in files else (SCHEMA, PREPROCESSOR))} - set(files)
        if unlisted:
            raise ValueError(f"no checksum of {', '.join(sorted(unlisted))}")
        parameters = dict(card["parameters"])
        if "epsilon" not in parameters:
            raise ValueError("no epsilon among the parameters")
        has_schema = bool(parameters.pop("schema", False))
        parameters.pop("checkpoint", None)  # a path of somebody else's machine, which a fit would read and delete
        result = make(**parameters)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise refusal(folder, error) from None
    for name in files:
        check_inside(folder, name)
    verify(folder, files, remedy="Copy the folder again, or fit it anew")
    result.pictures_ = None
    if PICTURES in files:
        result.pictures_ = PictureFormat.from_json((folder / PICTURES).read_text(encoding="utf-8"))
        reading = reading_of_pictures(result.pictures_)
    else:
        result.schema_ = TableSchema.from_json((folder / SCHEMA).read_text(encoding="utf-8"))
        result.preprocessor_ = TablePreprocessor.from_json((folder / PREPROCESSOR).read_text(encoding="utf-8"))
        result.schema = result.schema_ if has_schema else None
        reading = reading_of_table(result.schema_, result.preprocessor_)
    result.classes_ = _classes(card["classes"], card.get("class_type", "U"))
    result.label_ = card["label"]
    result.fit_notes_ = tuple(map(str, card.get("notes", ())))
    result.feature_names_in_ = np.array(card["data"]["columns"], dtype=object)
    width = len(result.feature_names_in_) if result.pictures_ is None else result.pictures_.output_dim
    result.n_features_in_ = width
    result.public_rows_, result.seconds_ = card["data"]["public_rows"], float(card["seconds"])
    result.method_ = _method(plan, card, folder, reading)
    if result.method_.digest != card["digest"]:
        raise ValueError(f"Expected the digest {card['digest']!r} in {folder.name!r}, got {result.method_.digest!r}.")
    if CLASSIFIER in files:
        part = load_file(folder / CLASSIFIER)
        result.classifier_ = classifier_of(part, result.method_, len(result.classes_))
        result.reports_, result.reports_epsilon_ = card["learnt"]["reports"], card["learnt"]["epsilon"]
    check_usable(result)
    return result


def _method(plan: Plan, card: dict[str, Any], folder: Path, reading: dict[str, Any]) -> AnyMethod:
    """The fitted kind that a card describes, named by what it sends."""
    layers, prior = load_file(folder / ENCODER), load_file(folder / PRIOR)["h"].astype(np.float64)
    if prior.ndim != 2 or not len(prior) or prior.shape[1] != plan.size or not np.isfinite(prior).all():
        raise ValueError(f"Expected public rows of {plan.size} numbers in {PRIOR}, got shape {prior.shape}.")
    classes = tuple(card["classes"])
    if plan.kind == VRLM:
        split = SplitMethod(
            plan=plan,
            encoder=NetworkEncoder.of_tensors(layers),
            prior=prior,
            radius=card["radius"],
            training=card["training"],
            central=card["central_dp"],
        )
        return named(split, reading, classes)
    encoder = (
        NetworkEncoder.of_tensors(layers, tuple(card["merge"]))
        if plan.encoder == NETWORK
        else LinearEncoder(weight=layers["0.weight"], bias=layers["0.bias"])
    )
    method = Method(plan=plan, encoder=encoder, prior=prior, radius=card["radius"], constant=card["constant"])
    return named(method, reading, classes)


def _tensors(classifier: AnyClassifier) -> dict[str, Any]:
    if isinstance(classifier, KernelClassifier):
        return dict(classifier.tensors())
    return {"table": classifier.table} if isinstance(classifier, CodeClassifier) else {"weights": classifier.weights}


def _classes(names: list[str], kind: str) -> Any:
    """Class names in the type that they were given in, by its letter: truth values, numbers or text."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"Expected a list of class names, got {names!r:.80}.")
    if names:
        check_classes(names)
    if kind == "b":
        classes = np.array([name == "true" for name in names])
    else:
        classes = np.array(names, dtype=np.str_).astype({"i": np.int64, "f": np.float64}.get(kind, np.str_))
    if label_texts(classes) != names:
        raise ValueError(f"Expected class names of type {kind!r}, got {names!r:.80}.")
    return classes
