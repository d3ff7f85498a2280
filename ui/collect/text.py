"""The collector's page in words. No numbers that no run printed."""

from __future__ import annotations

import math

from benchmarks import shipped
from rlm_core import PrivateAccuracy
from rlm_core.catalogue import TEST_SHARE, experiment
from ui.kit.formats import number

LEDE = (
    "Now you are the <span class='rlm-col'>collector</span>. You see no record, only one private report from each "
    "person. See how much you can learn about everybody from reports that say little about anybody."
)

EXPERIMENTS = {key: experiment(key).title for key in ("collection", "private", "novel", "join")}
"""The experiments of the page, by their word in the address, in the order shown."""

ABOUT = {
    "collection": (
        "People send a private report of their record and its label. The classifier that you learn goes back to them: "
        "they use it on their own <b>clean</b> records, on their own devices."
    ),
    "private": (
        "The same reports, but later <b>you</b> classify, and the people whom you classify send a private report, too. "
        "That is harder: now there is noise at both ends."
    ),
    "novel": (
        "A class appears that the mechanism never saw in training: the digit 9. People with a 9 send a report; so do "
        "as many others. Nobody sends a label, because you know who belongs to which group. All of ε goes to the "
        "record."
    ),
    "join": (
        "You already have some columns of every loan, without noise, and know how each loan ended. Another "
        "organisation has the other columns and sends them privatised, one report for each loan. Does that help?"
    ),
}

NOVEL_STAND_IN = (
    "This copy ships no mechanism that was trained without the 9. This one **has seen 9s** in its training, so the "
    "class is not really new to its encoder. The public records that the classifier starts from contain no 9. Expect "
    "better numbers than in the real experiment."
)

NOVEL_REAL = "The mechanism was trained on the digits 0 to 8 only; no 9 is among the public records either."

OBJECTIVES = {
    "denoising": "Denoising",
    "label-noise": "Label noise only",
    "naive": "Naive",
}

ABOUT_OBJECTIVE = {
    "denoising": "You know how the noise was made, so you can average over it: which public records could have sent "
    "this report, and what would the classifier say about them?",
    "label-noise": "The classifier learns from the noisy record as it is. It knows only that labels may be wrong.",
    "naive": "The reports are taken at face value, as if there were no noise.",
}

ABOUT_COMPLETED = (
    "No public record is a 9, so something must stand for the 9s: points in all directions are added to the public "
    "records, and the reports themselves tell how much each of them counts. Without noise this is not needed."
)

ABOUT_JOINED = (
    "One network sees your columns and the report side by side. You know the labels, so neither training nor "
    "validation is private here. New loans will arrive with the same noise, so the network may get used to it."
)

FIGURES = ("right on clean records", "right on private reports", "as far as you can tell")

FIGURES_JOINED = (
    "right, if the other columns had no noise",
    "right with your columns and the report",
    "right on your own validation loans",
)

FORMULAS = r"""
For a report $(\tilde z, \tilde y)$, public records $z'_1 \dots z'_M$ and a network $p_\psi$, training maximises

| objective | | |
|---|---|---|
| **Denoising** | $\log \sum_m w_m \sum_y p(\tilde y \mid y)\, p_\psi(y \mid z'_m)$, $\quad w_m \propto p(\tilde z \mid z'_m)$ | for clean records; private ones by Bayes’ rule |
| **Label noise only** | $\log \sum_y p(\tilde y \mid y)\, p_\psi(y \mid \tilde z)$ | the paper’s for private records |
| **Naive** | $\log p_\psi(\tilde y \mid \tilde z)$ | the noise ignored |

The mechanism is public, so the collector knows $p(\tilde z \mid z)$ and $p(\tilde y \mid y)$ exactly. The weights
$w_m$ do not depend on the network and are computed once, before the first epoch. For a class that the public
records lack, half of the $z'_m$ are points in directions drawn evenly, and $w_m \propto s_m\, p(\tilde z \mid z'_m)$ with
the shares $s$ that make all reports together most likely, $\max_s \sum_n \log \sum_m s_m\, p(\tilde z_n \mid z'_m)$.

**Private validation.** After every few epochs the classifier is sent to a validation group. Each member tries it on
their own device and returns one bit, right or wrong, flipped with probability $p = 1/(e^\varepsilon + 1)$. From the
share $\tilde A$ of "right", the estimate is $(\tilde A - p)/(1 - 2p)$. The network that is kept is the last one
that is not clearly worse than an earlier one.
Every question costs each member ε.

**Codes** need no network. With the frequencies $\pi_c$ of the codes among the public records, the table
$\theta_{cy} = p(y \mid c)$ maximises $\sum_n \log \sum_{c,y} \pi_c\, \theta_{cy}\, p(S_n \mid c, y)$, which is concave:
there is one answer, and it is found in a second. A set $S$ is $e^\varepsilon$ times as likely from a pair inside it as from
one outside. Where there are as many codes as classes, and they are as frequent, every label gets a code of its own.
"""  # noqa: E501

CURVES = (
    "How often the classifier is right, epoch by epoch. **Points with bars** are all that a collector knows: the "
    "private validation with its 95 % interval. **Lines** are the truth on test people, which only a demonstration "
    "with public data can show: solid on their clean records, dotted on their private reports. The ring marks the "
    "epoch that was kept. A denoising classifier reads a private report by Bayes’ rule, as a mixture of the public "
    "records that may be behind it."
)

CURVES_CODES = (
    "How often your model is right, after so many reports. The **point with a bar** is all that a collector knows: the "
    "private validation, asked once, with its 95 % interval. **Lines** are the truth on test people, which only a "
    "demonstration with public data can show: solid on their clean records, dotted where they, too, send a report "
    f"(one code, with {TEST_SHARE:g} ε)."
)

CUT = "cut at the edge"
"""Said of what private validation puts below 0 or above 100 %, by chance."""

TABLE = (
    "Percentages are of the test people. **Kept** is the last epoch that private validation did not find clearly "
    "worse. With codes there is nothing to choose: the model is fitted once, to all reports. A private **validation** "
    "can fall below 0 or rise above 100 % by chance. It is then cut at the edge; the CSV has it raw."
)

SWEEP = (
    "The same collection with different shares λ of ε for the record. A small λ drowns the record in noise, a large "
    "one the label. Bars are the 95 % intervals of the private validation. **Every point is a collection of its own: "
    "everybody has sent five reports.**"
)

NO_LABELS = (
    "At λ = 1 no label is sent, so there is nothing to learn classes from. Move λ to the left to give the label a "
    "share."
)

FIRST_SETS = (
    "The first reports that arrived. Each is a random set of pairs, a code with a label. The picture is the mean of "
    "the public records that could have sent it: that is all one report shows."
)

ALIKE = (
    "<b>{reports:,} reports.</b> Each is a random set of {held} of {pairs} pairs, a code with a label. Drawn as "
    "pictures they all look the same: each is a mean of so many public records that it hardly tells one from another."
)

FIRST_REPORTS = (
    "The first reports that arrived, as a decoder draws them, each with the label that was reported. Some labels are "
    "wrong; you cannot tell which."
)

FIRST_REPORTS_LABELLED = (
    "The first reports that arrived, as a decoder draws them. Nobody sent a label: in this experiment you know it."
)

REAL_PEOPLE = (
    "The people are public records that come with the mechanism and that its training never saw. Their reports are "
    "drawn with the operating system’s randomness, as in a real release."
)

CODES_NAME, NUMBERS_NAME = "Codes (Q-RLM)", "Numbers with noise (V-RLM, C-RLM)"

ABOUT_CODES = (
    "A learnt encoder turns a record into one of a few <b>codes</b>. Code and label leave as one pair, hidden in a "
    "random set of pairs."
)

ABOUT_NUMBERS = (
    "A learnt encoder turns a record into a few <b>numbers</b>, and noise is added to each. The label is sent apart "
    "from them, and sometimes replaced by another. This is the paper’s mechanism."
)

ABOUT_PIXELS = (
    "Noise on every pixel, or on every column, cannot be tried here: it needs the records themselves, which are not "
    "shipped. We have measured it, and show the result beside yours."
)

NO_LAMBDA = (
    "<b>Nothing to divide.</b> λ divides ε between a record and its label. Here both leave as one symbol, which has "
    "all of ε."
)

OTHER_NOISE = (
    "PrivUnit replaces the mechanism’s own Laplace noise, on the same numbers. The paper does not do this, and it is "
    "(ε, δ)-LDP rather than ε-LDP. For PrivUnit, Duchi and Laplace noise on raw records see “Compare mechanisms”: they "
    "need the datasets, which are not shipped."
)

EXAMPLE = (
    "<b>An example to begin with:</b> {dataset}, {people} people, ε = {epsilon}, {codes} codes. It is a simulation "
    "with a fixed seed: nobody was asked, and nobody’s privacy was spent. Press the button to collect with your own "
    "settings."
)

NOT_YOURS = "<b>The example shows codes on {dataset}, not what you have chosen.</b>"

EXAMPLE_CURVE = (
    "How often the model is right after so many reports: solid on clean records of test people, dotted on their "
    "private reports. One report teaches next to nothing; some thousands teach nearly all there is to learn. At first "
    "the model may do worse than guessing: each code gets one label, and from a few reports these labels can all be "
    "wrong."
)

ONLY_WATCHING = (
    "You are watching. Only the page that started these runs can stop or forget them; after a reload, or under a "
    "shared address, that is another page. The button starts runs of your own."
)

LOST = (
    "The runs of this address are gone. A server keeps the newest visits, and none across a restart; it never drops "
    "runs that are going on. What people have sent stays sent: this page can no longer count it."
)


def suggested_lambda(suggested: float, chosen: float) -> str:
    """How the experiments divide ε here, as HTML.

    >>> suggested_lambda(0.5, 0.5)
    'Our experiments use λ = 0.5 here, too.'
    >>> suggested_lambda(0.5, 0.7)
    'Our experiments use λ = 0.5 here. Another λ gives other results than theirs.'
    """
    if chosen == suggested:
        return f"Our experiments use λ = {number(suggested)} here, too."
    return f"Our experiments use λ = {number(suggested)} here. Another λ gives other results than theirs."


def interval(answer: PrivateAccuracy | None) -> str:
    """The private validation's interval inside 0 to 100, and in words whether anything was cut to fit.

    The estimate and its interval can leave 0 to 100 % by chance; the download has them raw.
    """
    if answer is None or not math.isfinite(answer.low):
        return ""
    low, high = (100 * min(1.0, max(0.0, each)) for each in (answer.low, answer.high))
    cut = "" if 0.0 <= answer.low and answer.high <= 1.0 else f", {CUT}"
    return f" ({low:.1f} to {high:.1f}{cut})"


def dropped(collections: int) -> str:
    """What had to make room for others."""
    some = "One collection of yours" if collections == 1 else f"{collections} collections of yours"
    return (
        f"{some} made room for newer ones on this server. To learn from that choice again, people must send new "
        "reports."
    )


def spends(person: float, member: float) -> str:
    """The price of a button, for all who pay it.

    >>> spends(10.0, 50.0)
    '(spends ε = 10 for each person, ε = 50 for each validation member)'
    >>> spends(0.0, 0.0)
    '(spends nothing)'
    """
    groups = ((person, "person"), (member, "validation member"))
    return f"(spends {', '.join(f'ε = {number(cost)} for each {who}' for cost, who in groups if cost) or 'nothing'})"


def spent(reports: int, epsilon: float, questions: int, epsilon_of_group: float) -> str:
    """What the visit has cost those who were asked every time."""
    sent = "one report" if reports == 1 else f"{reports} reports"
    answered = "one question" if questions == 1 else f"{questions} questions"
    group = (
        f" A member of the validation group is charged for {answered}, ε = {number(epsilon_of_group)} in total, "
        "even if a run was stopped before it asked them all."
        if questions
        else ""
    )
    return (
        f"<b>What it has cost.</b> Somebody who answered every request has sent {sent}: <b>ε = {number(epsilon)}</b> "
        f"in total.{group} Learning again from reports that you already have costs their senders nothing, and "
        "the validation group its answers once more. Counted within this visit only."
    )


def learnt_from_codes(dataset: str, epsilon: float) -> str:
    """How the label of a code is found, and where the experiments do more."""
    words = "Each code gets the labels that explain all reports best: this is counting, not training."
    network_from = shipped.network_from(dataset)
    if network_from is not None and epsilon >= network_from:
        words += (
            f" From ε = {number(network_from)} on the experiments also try a network over hidden features. These are "
            "not shipped: this page only counts."
        )
    return words
