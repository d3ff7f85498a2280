"""The prose of "Choose an ε". No numbers of measurements."""

from __future__ import annotations

from benchmarks import gain, shipped

LEDE = (
    "Say how good the model must be. The page answers with the smallest ε that gets there, and with what that ε means "
    "for each person who sends a report."
)

METHOD = (
    "Every accuracy here was measured with {people:,} people, or, for codes, with the number that you chose: it comes "
    "from the result files of the experiments *data collection*, a mean over several seeds, and *people needed*, of "
    "this app’s encoder alone. Between two measured ε we draw a straight line; beyond them we say nothing. An interval "
    "shows where that line would cross your accuracy if it lay one standard deviation higher or lower."
)

MODEL = (
    "From $n$ reports of code and label a collector can estimate a frequency up to an error of about "
    "$1/(\\sqrt{n}\\,\\sinh(\\varepsilon/2))$. So $n$ people at ε teach as much as $n_0$ people at $\\varepsilon_0$ if"
)

MODEL_FORMULA = r"n\,\sinh^2(\varepsilon/2) = n_0\,\sinh^2(\varepsilon_0/2)"

FIT = (
    "The table puts the model beside collections with a quarter to four times the people, which were measured to test "
    "it. It covers codes (Q-RLM) only: for the other mechanisms we have no model that we trust."
)

CODES = " Codes (Q-RLM) are those of protocol {protocol}, with whose settings and seeds this app’s encoder was trained."

NEWER_CODES = " Newer codes, of protocol {newer}, are on the page “Compare mechanisms”; this app does not ship them."

COMPOSITION = "Reports add up: two of them are bounded by the sum of their ε."


def method(dataset: str) -> str:
    """Where the figures of a dataset come from, and of which protocol its codes are."""
    words = METHOD.format(people=gain.people_measured(dataset))
    words += CODES.format(protocol=shipped.origin(dataset).protocol)
    newer = shipped.newer_protocol(gain.EXPERIMENT, dataset)
    return words if newer is None else words + NEWER_CODES.format(newer=newer)
