"""The benchmarks page's prose: what each experiment asks, how to read chart, table and answer."""

from __future__ import annotations

LEDE = (
    "Every mechanism on every dataset, as we measured it, beside the numbers that the paper printed. Nothing here is "
    "typed in: the page reads the result files of the project, one row for each trial, with its seed and version."
)

COUNT = (
    "A cell is one mechanism on one dataset at one ε. It reaches the paper if our mean over the seeds is no more than "
    "one of the paper’s standard deviations below the paper’s mean; better counts as reached. Cells that the paper "
    "does not have are not counted."
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
        "As in data collection, but the *test points are privatised, too*. The curves of theory are those of the page "
        "“How good can it get?”."
    ),
    "auxiliary_size": (
        "How much public data does it take to train the mechanism? η is the share of the training set that it gets; "
        "the other mechanisms need none, so the classifier gets all of it."
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
    "Across: the privacy budget ε of one person. Upwards: how often the classifier is right. **Solid** lines and "
    "filled marks are ours, **dashed** lines and hollow marks the paper’s, in the same colour for each mechanism; "
    "whiskers are one standard deviation over the trials. Dotted: what guessing gives. Thin lines: the same without "
    "any privacy. Point at a mark for its settings; tap a name in the legend to hide it."
)

MISSING = (
    "Nothing is measured here yet: the dashed curves are the paper’s. Ours appear as soon as this experiment has been "
    "run on this dataset."
)

TABLE = (
    "In each cell our mean and standard deviation over the seeds, under it the paper’s, and the difference in points. "
    "**●** at or above the paper’s mean less one of its standard deviations, **◐** less two, **○** below that. No "
    "mark: the paper has no such cell. Better than the paper counts as reaching it."
)

NEED = (
    "Read off the curves by straight lines between the measured ε: the smallest ε from which on the mean accuracy "
    "stays at or above what you need. Nothing is extrapolated beyond the ε that were measured, and a mean is not a "
    "promise: mind the whiskers. Smaller ε is better privacy."
)

REGISTRY = (
    "All mechanisms of the library, and the experiments in which each was measured. Those with “table” in their name "
    "are for rows of numbers and words."
)

SAVE = "The camera at the upper right of the chart saves it as a file, in the browser; nothing is sent anywhere."
