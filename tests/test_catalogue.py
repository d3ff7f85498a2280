"""The catalogue agrees with the paper's tables, with the presets and with what is shipped, and stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks import experiments, summary
from rlm_core import zoo
from rlm_core.catalogue import CLEAN_FEATURES, DATASETS, EXPERIMENTS, NOVEL_CLASS, dataset, experiment
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.training.presets import PRESETS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_mechanism_of_the_paper_is_in_the_catalogue_in_its_order(name: str) -> None:
    for data, mechanisms in EXPERIMENTS[name].mechanisms.items():
        papers = summary.paper_mechanisms(name, data)
        assert papers and list(mechanisms[: len(papers)]) == papers
    assert set(EXPERIMENTS[name].datasets) <= set(DATASETS)


def test_every_reported_experiment_can_be_run() -> None:
    assert set(EXPERIMENTS) <= set(experiments.NAMES)


def test_every_preset_belongs_to_the_catalogue() -> None:
    for preset in [*PRESETS.values(), *QRLM_PRESETS.values()]:
        assert preset.dataset in DATASETS and preset.split in {each.split for each in EXPERIMENTS.values()}


def test_cards_have_the_catalogues_classes() -> None:
    for name in zoo.names():
        card = zoo.card(name)
        facts = dataset(card.dataset)
        assert card.classes in (facts.classes, facts.novel_classes if facts.novel is not None else facts.classes)


def test_the_novel_class_and_what_lacks_one() -> None:
    assert dataset("mnist").novel == dataset("cifar10").novel == NOVEL_CLASS
    assert dataset("mnist").novel_classes == ("not 9", "9")
    with pytest.raises(ValueError, match="novel class, got lending_club"):
        _ = dataset("lending_club").novel_classes
    assert "PrivUnit" not in dataset("lending_club").raw


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected a dataset in mnist"):
        dataset("imagenet")
    for name in ("", "joins"):
        with pytest.raises(ValueError, match="Expected an experiment in data_collection"):
            experiment(name)


def test_titles_and_keys_are_told_apart() -> None:
    titles = [each.title for each in EXPERIMENTS.values()]
    keys = [each.key for each in EXPERIMENTS.values() if each.key]
    assert len(set(titles)) == len(titles) and len(set(keys)) == len(keys) == 4
    assert CLEAN_FEATURES not in keys


def test_the_catalogue_needs_the_standard_library_only() -> None:
    code = (
        "import importlib.util, sys; spec = importlib.util.spec_from_file_location('catalogue', sys.argv[1]);"
        "module = importlib.util.module_from_spec(spec); sys.modules['catalogue'] = module;"
        "spec.loader.exec_module(module); assert not {'numpy', 'torch', 'rlm_core'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, "rlm_core/catalogue.py"], check=True)
