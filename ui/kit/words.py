"""The app's prose: what things mean, in plain words. No numbers that no run printed."""

from __future__ import annotations

import math

from ui.kit.html import number, times

HERO = "Learn from people without learning about them"

HERO_LEDE = (
    "With <b>local differential privacy</b> you need not trust whoever asks for your data: noise is added on your own "
    "device, before anything leaves it. A learnt mechanism first sums the record up in a few numbers, so that less "
    "noise is needed. Drag ε, and see what is left of a digit."
)

IMAGE_LEDE = (
    "Follow one picture from your side of the privacy boundary to the collector’s, step by step, with every number "
    "that is computed on the way. Then change places and ask what the collector can infer."
)

LIVE_SPENT = (
    "Every position of the slider is a real release of this digit, drawn on the server; going back to one shows the "
    "report that was already sent."
)

LIBRARY = """from rlm_core import Budget, RandomisedResponse, release, zoo
from rlm_core.data.samples import mnist_samples

digit = mnist_samples()
x, y = digit.images[0].reshape(-1) / 255, int(digit.labels[0])
budget = Budget(epsilon=8.0, lam=0.7)

model = zoo.load(zoo.choose("mnist", budget.epsilon))          # owner's side
labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=10)
report = release(x, y, mechanism=model.mechanism(budget.epsilon_x), labels=labels)

decoded = model.decode([model.vector(report)])                  # collector's side
print(report.to_json())
"""

ROW_LEDE = (
    "The same for a row of a table: a loan with its numbers and words, one or fifty thousand. See what leaves your "
    "device, what a decoder makes of it, and how far each feature moved on the way."
)

ROW_EXAMPLES = "Invented loans: no borrower is behind them. Pick one to fill the form."

ROW_OWN = "Your own values. They are not in the page’s address, so a copied link does not carry them."

ROW_COMPARISON = (
    "Left what you entered, right what a decoder makes of the report. The tracks show both on the scale of public "
    "loans, from three standard deviations (σ) below their mean to three above. For words, the decoder gives every "
    "possible value a probability. Nothing is rounded or corrected: a decoded count may well be below zero."
)

ROW_ONLY_YOU = "Only you can see how far a feature moved: the collector has nothing to compare with."

TABLE_STEPS = (
    "Columns are found by their names, in any order; others are ignored. Numbers need a decimal point. A column "
    "**outcome** (repaid or charged off) is optional: with it, the label is privatised too."
)

TABLE_DISTRIBUTION = (
    "One column of your table, before and after. The smaller ε, the less a single decoded row says about its own "
    "record; what a collector may hope to learn is the shape of the column as a whole. For words, the probabilities of "
    "all rows are added up. A decoder shows the likely, so rare values fade."
)

UPLOAD = {
    "mnist": "One handwritten digit, dark on light or light on dark. It is cropped to the ink, scaled to 20 × 20 and "
    "centred in 28 × 28, as the digits of MNIST were.",
    "cifar10": "The central square is taken and reduced to 32 × 32 pixels, the size of the pictures in CIFAR-10.",
}

FITTED = {
    "mnist": "As the mechanism sees it: 28 × 28, light ink on black.",
    "cifar10": "As the mechanism sees it: 32 × 32 pixels.",
}

DRAWING = "Draw a digit with mouse or finger. Nothing is sent until you press the button."

NO_PICTURE_YET = (
    "Bring a picture above and say what it shows: its way across the boundary then appears here. Nothing has been "
    "released so far."
)

MOVING_DRAWS = (
    "Every new combination of record, ε, λ and mechanism draws and sends one report; coming back to one shows the "
    "report that was sent."
)

STRIP = (
    "The same record at six budgets. This is a teaching view: **each picture is a release of its own**, and whoever "
    "gets all of them knows more than from any single one. Their budgets add up in the ledger. A budget that you have "
    "already used shows the report that was sent then, and costs nothing more."
)

INFERENCE = (
    "An observer who knows the mechanism and many public records with their labels, asks for each of them: "
    "how likely would it have sent this report? Bayes’ rule turns that into a belief."
)

INFERENCE_LIMITS = (
    "The limits of this view: the prior is public data, and you may not be like it; the true label is the one you "
    "chose; another observer may know more about you already. The e^ε limit holds for every observer and every prior."
)

TAXICAB = (
    "Two of the numbers, seen from above. The blue diamond is the room that *z* may use: all points whose absolute "
    "values add up to at most l. The grey diamonds hold half and nine tenths of the noise around *z*. The vermilion "
    "point is what was sent. The smaller ε, the larger the grey diamonds, until they swallow the blue one."
)

LEDGER = (
    "Every report about the same record adds up: *n* reports of ε cost *n*·ε together, because noise averages out. "
    "Looking at a report again costs nothing; only drawing a new one does."
)

DOWNLOAD = (
    "The report is all that a collector would receive. The decoded record and the summary are computed from it alone, "
    "so they are as private as the report. Your record is in none of them."
)


def promise(epsilon: float) -> str:
    """The guarantee in odds."""
    if math.isinf(epsilon):
        return "At <b>ε = ∞</b> there is no promise: the report may give everything away."
    return (
        "<b>The promise:</b> whatever the collector sees, it is at most "
        f"<strong>e<sup>ε</sup> = e<sup>{number(epsilon)}</sup> = {times(math.exp(epsilon))} times</strong> as likely "
        "under your record as under any other."
    )


def gallery_caption(dataset: str, name: str) -> str:
    """Where the samples come from."""
    source = {"mnist": "MNIST", "cifar10": "CIFAR-10"}[dataset]
    return f"Chosen: **{name}**, from the {source} test set, which no mechanism here was trained on."


def budget_of_rows(epsilon: float, rows: int) -> str:
    """What a table costs: every row is somebody."""
    people = "one person’s release" if rows == 1 else f"{rows:,} people’s releases"
    if math.isinf(epsilon):
        return f"<b>Each row is one person’s release.</b> At ε = ∞ these are {people} without any protection."
    return (
        f"<b>Each row is one person’s release at ε = {number(epsilon)}.</b> Different people’s budgets do not add up; "
        "but if somebody is in several rows, or the table is released again, that person’s do."
    )


SENT_CODES = (
    "Each code stands for a group of public pictures; this is the mean of its group. The collector sees the sent "
    "codes, and knows how often a set holds the true one, but not whether this set does: only you see the blue frame."
)
