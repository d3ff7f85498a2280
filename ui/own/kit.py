"""What a visitor takes home: the model's folder, the page for the people, the advice, and the four commands."""

from __future__ import annotations

import io
import zipfile

from ui.own.queue import Training
from ui.own.task import report_page

FOLDER = "mine"


def commands(label: str, *, epsilon: float = 4.0, people: int = 10_000, wish: float = 0.8) -> str:
    """The same on one's own machine, with files that never leave it."""
    name = label if label.replace("-", "").replace("_", "").isalnum() else f'"{label}"'
    return (
        "pip install 'rlm-ldp[learn]'\n"
        f"rlm advise public.csv --label {name} --people {people} --accuracy {wish:g} --out advice.html\n"
        f"rlm fit public.csv --label {name} --epsilon {epsilon:g} --reports {people} --out {FOLDER}\n"
        f"rlm privatise people.csv --model {FOLDER} --out reports.parquet\n"
        f"rlm learn reports.parquet --model {FOLDER} --test test.csv\n"
    )


def readme(training: Training, wish: float) -> str:
    """What is in the kit, and what to do with it."""
    return (
        f"A mechanism for {training.name}, label {training.label}, epsilon = {training.epsilon:g}.\n\n"
        f"{FOLDER}/        the mechanism: rlm privatise --model {FOLDER}, or LocalPrivatiser.load({FOLDER!r})\n"
        "owner.html   for the people: a form that makes a report. It works offline and can connect to nothing.\n"
        "advice.html  which epsilon for which accuracy, simulated on the public rows.\n\n"
        "Means, levels and some representations of the public rows are in the folder: it is as public as they are.\n"
        "One report costs its sender epsilon; further reports of the same row add up.\n\n"
        f"{commands(training.label, epsilon=training.epsilon, people=training.people, wish=wish)}"
    )


def kit(training: Training, wish: float) -> bytes:
    """All of it as a zip file."""
    assert training.fitted is not None
    files = {name if name == "owner.html" else f"{FOLDER}/{name}": data for name, data in training.fitted.files.items()}
    if training.advice is not None:
        files["advice.html"] = report_page(training.advice)
    files["README.txt"] = readme(training, wish).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(name, data)
    return buffer.getvalue()
