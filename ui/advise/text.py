"""The prose of "Choose an ε". No numbers of measurements."""

from __future__ import annotations

LEDE = (
    "Say what the model must be able to do. Here is the smallest ε that does it, and what that ε means for each person "
    "who sends a report."
)

CHART_FIRST = (
    "At ε = {epsilon}, {mechanism} gives everybody a model that is right {gain}, and lets whoever reads one report "
    "guess its sender’s class {risk} of the time: {chance} without any report, and never more than {cap} at this ε."
)

NO_CHOICE = "No mechanism gets there, so there is no ε to mark. Lower the accuracy, or ask more people."

METHOD = (
    "Every accuracy is a committed result of the experiment *data collection*: the mean over the seeds, with "
    "{people:,} people. Between two measured ε we draw a straight line; beyond them we say nothing. The interval is "
    "where the line one standard deviation between seeds above, and the one below, reaches the accuracy."
)

MODEL = (
    "For another number of people there is a model. A report of code and label lets the collector estimate a frequency "
    "with a standard deviation of about $1/(\\sqrt{n}\\,\\sinh(\\varepsilon/2))$, so $n$ people at ε are worth $n_0$ "
    "people at $\\varepsilon_0$ where"
)

MODEL_FORMULA = r"n\,\sinh^2(\varepsilon/2) = n_0\,\sinh^2(\varepsilon_0/2)"

FIT = (
    "The table compares the model with simulated collections of a quarter to four times the people, measured for "
    "nothing else. It covers codes (Q-RLM) only: for the other mechanisms we have no model that we would show you."
)

COMPOSITION = "Reports add up: what two of them tell is bounded by the sum of their ε."
