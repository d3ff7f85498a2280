"""What a visitor takes home: the model's folder, the page for the people, the advice, and the four commands."""

from __future__ import annotations

import io
import re
import shlex
import zipfile
from dataclasses import replace

from rlm_core.report import UNPRINTABLE
from rlm_core.types import printable
from ui.own.queue import Training
from ui.own.task import report_page

FOLDER = "mine"
AGAIN = "mine-again"
"""Where a fit from within the kit goes: the kit's own folder is there already."""

INSTALL = "# once, in a checkout of this project: pip install -c constraints.txt '.[learn]'"

STAND_IN = "LABEL"
RENAME = (
    f"# The label's name has signs that a terminal may obey: rename this column to {STAND_IN} in your files first.\n"
)
"""Where a name cannot stand in a command: whoever pastes it would type a line break, or an interrupt."""


def commands(
    label: str,
    *,
    epsilon: float = 4.0,
    people: int = 10_000,
    wish: float = 0.8,
    kind: str = "auto",
    within_kit: bool = False,
) -> str:
    """The same on one's own machine, with files that never leave it.

    ``within_kit``: where the kit was unpacked. Its folder is used, and a new fit takes its schema, edits included.
    """
    is_typed = not re.search(UNPRINTABLE, label)
    label = label if is_typed else STAND_IN
    # A label may have any other sign in it, and may look like an option.
    of_label = shlex.quote(f"--label={label}") if label.startswith("-") else f"--label {shlex.quote(label)}"
    schema = f" --schema {FOLDER}/schema.json" if within_kit else ""
    of_kind = "" if kind == "auto" else f" --kind {shlex.quote(kind)}"
    advice, folder = ("advice-again.html", AGAIN) if within_kit else ("advice.html", FOLDER)
    renamed = "" if is_typed else f" {of_label}"  # the kit's folder knows the old name
    return (
        f"{INSTALL}\n"
        f"{'' if is_typed else RENAME}"
        f"rlm advise public.csv {of_label}{schema} --people {people} --accuracy {wish:g} --out {advice}\n"
        f"rlm fit public.csv {of_label}{schema} --epsilon {epsilon:g} --reports {people}{of_kind} --out {folder}\n"
        f"rlm privatise people.csv --model {FOLDER}{renamed} --out reports.parquet\n"
        f"rlm learn reports.parquet --model {FOLDER}{renamed} --test test.csv\n"
    )


def kit_commands(training: Training, wish: float) -> str:
    """The commands for where a training's kit was unpacked."""
    return commands(
        training.label,
        epsilon=training.epsilon,
        people=training.people,
        wish=wish,
        kind=training.kind,
        within_kit=True,
    )


def readme(training: Training, wish: float) -> str:
    """What is in the kit, and what to do with it."""
    *_, learn = kit_commands(training, wish).splitlines()
    return (
        f"A mechanism for {printable(training.name)}, label {printable(training.label)}, "
        f"epsilon = {training.epsilon:g}.\n\n"
        f"{FOLDER}/        the mechanism: rlm privatise --model {FOLDER}, or LocalPrivatiser.load({FOLDER!r})\n"
        "owner.html   for the people: a form that makes a report. It works offline and can connect to nothing.\n"
        "advice.html  which epsilon for which accuracy, simulated on the public rows.\n\n"
        "The commands below want three files. public.csv: rows that anybody may see, with their labels.\n"
        "people.csv: the people's rows, with the same columns. test.csv: rows with known labels, to measure with.\n\n"
        "Reports that people send you from owner.html: put them into one file, reports.jsonl, a line each, then\n"
        f"    {learn.replace('reports.parquet', 'reports.jsonl')} --skip\n"
        "--skip leaves out, and counts, what cannot be learnt from, as reports of people who kept their label.\n\n"
        "Means, levels and some representations of the public rows are in the folder: it is as public as they are.\n"
        "One report costs its sender epsilon; further reports of the same row add up.\n\n"
        "Pass on reports.parquet alone. The folder beside it, reports.parquet.ledger, stays with you: it has a key.\n\n"
        f"`rlm fit` makes another folder, {AGAIN}, of your public rows; without it the kit's own is used.\n\n"
        f"{kit_commands(training, wish)}"
    )


def kit(training: Training, wish: float) -> bytes:
    """All of it as a zip file, its advice for this wish."""
    assert training.fitted is not None
    files = {name if name == "owner.html" else f"{FOLDER}/{name}": data for name, data in training.fitted.files.items()}
    if training.advice is not None:
        files["advice.html"] = report_page(replace(training.advice, wish=wish))
    files["README.txt"] = readme(training, wish).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(name, data)
    return buffer.getvalue()
