"""The folder is the trust boundary: who may import whom."""

from __future__ import annotations

import ast

from tests.architecture.source_trees import CORE, SOURCES, loaded_with, offenders, touches, tree_of, under

ENCODERS = ("rlm_core/owner/encoder.py", "rlm_core/owner/merged_encoder.py")  # networks: imported by who uses one
RESULT_READERS = ("table", "summary", "code_settings", "shipped", "gain", "crowd")
"""Modules of ``benchmarks`` that read results and run nothing."""


def test_the_collector_never_imports_the_owner_or_the_data() -> None:
    # `from rlm_core import L1Clip` would be the same by the back door.
    names = (f"rlm_core.{name}" for name in ("owner", "data", "L1Clip", "LaplaceNoise", "RandomisedResponse"))
    forbidden = tuple(names)
    assert offenders(under("rlm_core/collector"), lambda source: touches(source, *forbidden)) == {}


def test_the_library_knows_nothing_of_the_app_or_the_benchmarks() -> None:
    forbidden = ("streamlit", "server", "collection", "ui", "pages", "benchmarks", "app", "serve")
    assert offenders(CORE, lambda source: touches(source, *forbidden)) == {}


def test_the_server_knows_the_library_alone() -> None:
    forbidden = ("streamlit", "collection", "ui", "pages", "benchmarks", "app", "serve")
    assert offenders(under("server"), lambda source: touches(source, *forbidden)) == {}


def test_collecting_knows_nothing_of_the_app_and_sees_no_record() -> None:
    forbidden = ("streamlit", "ui", "pages", "benchmarks", "app", "serve", "rlm_core.data")
    assert offenders(under("collection"), lambda source: touches(source, *forbidden)) == {}


def test_the_app_releases_by_the_one_release_path() -> None:
    def draws(source: str) -> list[int]:
        return [node.lineno for node in ast.walk(tree_of(source)) if getattr(node, "attr", "") == "privatise"]

    assert draws("rlm_core/release.py")  # what is looked for is there to be found
    assert offenders(under("ui", "pages", "collection", "server"), draws) == {}


def test_the_owner_imports_nothing_of_the_rest() -> None:
    def foreign(source: str) -> list[str]:
        allowed = ["rlm_core.owner", "rlm_core.types", "rlm_core.digest"]
        if source in ENCODERS:
            allowed.append("rlm_core.vision")
        inside = [name for name in touches(source, "rlm_core") if name != "rlm_core"]
        return [name for name in inside if not name.startswith(tuple(allowed))]

    def torch_at_import(source: str) -> set[str]:
        return {name for name in loaded_with(source) if name.split(".")[0] == "torch"}

    assert offenders(under("rlm_core/owner"), foreign) == {}
    assert offenders(set(under("rlm_core/owner")) - {*ENCODERS}, torch_at_import) == {}


def test_the_collector_never_imports_training() -> None:
    forbidden = ("rlm_core.training", "rlm_core.zoo")
    assert offenders(under("rlm_core/collector"), lambda source: touches(source, *forbidden)) == {}


def test_learning_is_below_training_and_collector() -> None:
    def foreign(source: str) -> list[str]:
        found = [name for name in touches(source, "rlm_core") if not name.startswith("rlm_core.learning")]
        return [] if found == ["rlm_core"] else found

    assert offenders(under("rlm_core/learning"), foreign) == {}


def test_training_never_imports_what_is_shipped() -> None:
    assert offenders(under("rlm_core/training"), lambda source: touches(source, "rlm_core.zoo")) == {}


def test_reading_results_runs_nothing() -> None:
    allowed = (*(f"benchmarks.{name}" for name in RESULT_READERS), "rlm_core.catalogue", "rlm_core.zoo")

    def foreign(source: str) -> list[str]:
        packages = ("rlm_core", "benchmarks")
        inside = [name for name in touches(source, *packages) if name not in packages]
        heavy = touches(source, "torch", "sklearn", "streamlit")
        return [name for name in inside if not name.startswith(allowed)] + heavy

    assert offenders([f"benchmarks/{name}.py" for name in RESULT_READERS], foreign) == {}


def test_the_app_reads_results_and_runs_no_experiment() -> None:
    def experiments(source: str) -> list[str]:
        found = [name for name in touches(source, "benchmarks") if name != "benchmarks"]
        return [name for name in found if name.split(".")[1] not in RESULT_READERS]

    assert offenders(under("ui", "pages"), experiments) == {}


def test_only_the_benchmarks_of_the_app_import_it() -> None:
    """They are the top of the stack: started by name, imported by nobody else."""
    forbidden = ("benchmarks.app_speed", "ui", "pages", "app", "serve", "streamlit")
    others = set(under("benchmarks")) - set(under("benchmarks/app_speed"))
    assert offenders(under("benchmarks"), lambda source: touches(source, "rlm_core.zoo.ship")) == {}
    assert offenders(others, lambda source: touches(source, *forbidden)) == {}


def test_torchvision_is_imported_in_one_place() -> None:
    elsewhere = set(SOURCES) - {"rlm_core/vision.py"}
    assert offenders(elsewhere, lambda source: touches(source, "torchvision")) == {}
