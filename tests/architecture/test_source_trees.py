"""The checks see what they should: each way to import, and each dotted name."""

from __future__ import annotations

import ast

from tests.architecture.source_trees import CORE, imports_in, names_in, offenders, touches, under


def test_there_is_something_to_check() -> None:
    assert len(CORE) > 30 and under("rlm_core/collector")


def test_imports_inside_functions_and_dotted_names_are_seen() -> None:
    tree = ast.parse(
        "def f():\n    from ..owner import clip\n    import torchvision.models as m\n    np.random.seed(0)"
    )
    assert {"rlm_core.owner", "rlm_core.owner.clip", "torchvision.models"} <= set(
        imports_in("rlm_core/collector/x.py", ast.walk(tree))
    )
    assert (4, "np.random.seed") in names_in(tree)


def test_an_offender_is_named_with_what_it_imports() -> None:
    found = offenders(["rlm_core/vision.py", "rlm_core/places.py"], lambda source: touches(source, "torch"))
    assert list(found) == ["rlm_core/vision.py"]
