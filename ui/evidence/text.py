"""The benchmarks page's prose: what each experiment asks, how to read chart, table and answer."""

from __future__ import annotations

LEDE = (
    "Every mechanism on every dataset, as we measured it, beside the numbers that the paper printed. Nothing here is "
    "typed in: the page reads the project’s result files, one row for each trial, with its seed and version."
)

COUNT = (
    "What is counted: a cell is one mechanism on one dataset at one ε. It reaches the paper if our mean over the seeds "
    "is higher than the paper’s, or lower by no more than one of the paper’s standard deviations. Cells that the paper "
    "does not have are left out. The table below marks every cell that falls short. All mechanisms are ε-LDP but one: "
    "PrivUnit is (ε, δ)-LDP, with a δ that grows with ε."
)

ABOUT: dict[str, str] = {
    "data_collection": (
        "People send privatised features and labels; the collector trains a classifier on them. How often is it right "
        "about *clean* test points?"
    ),
    "novel_class": (
        "The mechanism has never seen one class: digit 9, or trucks. People send privatised features; can the "
        "collector learn to tell that class from the others?"
    ),
    "data_join": (
        "The collector already has some clean features of everybody and asks for the others under LDP. How much do "
        "they add to the clean ones?"
    ),
    "private_inference": (
        "As in data collection, but the *test points are privatised, too*. The page “How good can it get?” explains "
        "the two curves of theory."
    ),
    "auxiliary_size": (
        "How much public data does it take to train the mechanism? η is the share of the training set that it gets. "
        "The other mechanisms need no training, so their classifier gets all of it."
    ),
    "pca": (
        "Is learning needed, or would principal components do? The same as data collection, with a linear encoder."
    ),
    "cdp": (
        "The encoder itself is trained under central differential privacy at ε_CDP, for the people whose data trained "
        "it (and given its decoder). What does that cost in data collection?"
    ),
}


CHART = (
    "Across: the privacy budget ε of one person. Upwards: how often the classifier is right. **Solid** lines with "
    "filled marks are ours, **dashed** lines with hollow marks the paper’s; each mechanism has one colour. Bars show "
    "one standard deviation between seeds. Dotted: what guessing gives. Thin lines: the same without any privacy. "
    "Point at a mark to see what was sent; tap a name in the legend to hide its curve."
)

MISSING = "We have not run this experiment on this dataset yet. The dashed curves are the paper’s."

TABLE = (
    "Each cell shows our mean and standard deviation over the seeds, then the paper’s, then the difference in points. "
    "**●** reaches the paper: better, or lower by at most one of its standard deviations. **◐** lower by at most two. "
    "**○** falls short. No mark: the paper has no such cell."
)

PROTOCOLS = (
    "Protocols 2 to 5 were written down before their runs, with seeds that were used for nothing else; protocol 1 "
    "is what was measured before, and some of its settings had seen test results. Point at a cell for its protocol."
)

OTHER_CODES = (
    "The codes (Q-RLM) here are the newest that we measured, of protocol {shown}. The encoder of this app is of "
    "protocol {shipped}: “Choose an ε” answers for that one."
)

SHIPPED_CODES = "The Q-RLM of this chart is the encoder of this app, of protocol {shipped}."

NEED = (
    "The smallest ε from which on the mean accuracy stays at or above what you need, by straight lines between the ε "
    "that were measured and nothing beyond them. A mean is not a promise: look at the error bars below. A smaller ε is "
    "better privacy."
)

REGISTRY = (
    "All mechanisms of the library, and where each was measured. Those with “table” in their name are for rows of "
    "numbers and words."
)
