"""A mechanism's card as a page to read: Markdown under the header of metadata that model hubs understand.

The header is YAML between two lines of dashes (https://huggingface.co/docs/hub/model-cards). Values are written as
JSON, which is YAML too, so that nothing in a text can break it.
"""

from __future__ import annotations

import json

from rlm_core.catalogue import DATASETS
from rlm_core.zoo.cards import Card

TAGS = ("local-differential-privacy", "representation-learning", "privacy")
HUB_DATASETS = {"mnist": "ylecun/mnist", "cifar10": "uoft-cs/cifar10"}


def model_card(about: Card) -> str:
    """Header, summary, what was measured, limits, and how to use it.

    >>> from rlm_core import zoo
    >>> print(model_card(zoo.card("mnist-vrlm-l10-eps33")).splitlines()[1])
    library_name: "rlm-ldp"
    """
    header = {
        "library_name": "rlm-ldp",
        "license": "other",
        "license_name": about.licence,
        "tags": [*TAGS, about.kind.lower()],
        "model_name": about.name,
    }
    if about.dataset in HUB_DATASETS:
        header["datasets"] = [HUB_DATASETS[about.dataset]]
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in header.items()]
    measured = [f"| {name.replace('_', ' ')} | {value} |" for name, value in about.metrics.items() if _plain(value)]
    return "\n".join(
        [
            "---",
            *lines,
            "---",
            "",
            f"# {about.name}",
            "",
            about.summary,
            "",
            f"{about.kind} for {DATASETS[about.dataset].title}: {about.input_dim} numbers in, {about.latent_dim} out. "
            "The guarantee for a record comes from the ε chosen when it is released, not from training.",
            "",
            "```python",
            "from rlm_core import zoo",
            "",
            f"mechanism = zoo.load({about.name!r})",
            "```",
            "",
            "| measured | |",
            "|---|---|",
            *measured,
            "",
            "## Limits",
            "",
            about.limits,
            "",
            f"Seed {about.seed}, {about.seconds:.0f} s of training, digest `{about.digest}`.",
            "",
        ]
    )


def _plain(value: object) -> bool:
    return isinstance(value, (int, float, str))
