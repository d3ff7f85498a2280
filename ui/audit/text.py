"""The audit page's words."""

from __future__ import annotations

LEDE = (
    "A mechanism may promise any ε; code may keep it or not. An audit takes the place of an attacker: it asks for "
    "thousands of reports of two records, looks for whatever tells them apart, and turns its success into a number "
    "that the true ε cannot be below."
)

NO_PROOF = (
    "**A low reading is no proof of privacy.** It says that this attack, with these two records and so many samples, "
    "found nothing more. Only the proof in the code’s documentation can say “never”. A reading above the claim, on the "
    "other hand, is evidence: it happens to an honest mechanism at most once in 1,000 audits."
)

OUTPUTS = (
    "The outputs are real ones, from the release path that the other pages use, of two made-up records: nobody’s data. "
)

OUTPUTS_BROKEN = (
    "The outputs come from a variant that is broken on purpose, and that nothing else in this app uses; the two "
    "records are made up: nobody’s data. "
)

KEPT = "A result is kept while you look around; only the button or another choice measures anew."

HOW = """
1. **Two records** are chosen that are hardest to hide from each other, for example opposite corners of the ball, and a
   second pair half-way between, where rounding differs most.
2. A tenth of the samples teaches the attacker **what to look at**: the likelihood ratio where it is known, the
   direction between the two records, whole outputs that repeat, and the low bits of the numbers.
3. Another tenth picks the most promising rules of the kind “if the score is above this, guess the first record”.
4. The rest is **fresh**: a coin decides which record is released, the rule guesses or abstains, and right and wrong
   guesses are counted. ε-LDP allows at most e^ε right guesses for each wrong one.
5. An exact binomial limit (Clopper and Pearson) turns the counts into a bound that holds with 99.9 % confidence,
   divided among all rules that were tried.

What it cannot do: try every pair of records, every event, or more than its samples can show. Whoever repeats the audit
often enough will see a false alarm: once in a thousand times.
"""

BREAKS: dict[str, tuple[str, str]] = {
    "BROKEN no clip": (
        "No clip",
        "The noise is scaled for records inside the ball, but nobody makes sure that they are inside: a record three "
        "times as far out gives itself away. Look at the two distributions below: they hardly overlap.",
    ),
    "BROKEN half the noise": (
        "Half the noise",
        "Somebody took the radius l for the sensitivity 2l. The true ε is twice the promise, and at every ε the "
        "reports look perfectly noisy. Below, the quotient leaves the band by the same distance on both sides.",
    ),
    "BROKEN float noise": (
        "Floating-point noise",
        "The textbook line z + laplace(b), in ordinary floating point. The distributions look right, and the quotient "
        "stays in the band; but the last binary digits of the sum tell which z went in (Mironov 2012). Set one record "
        "to the middle and look at the last binary digit.",
    ),
    "BROKEN fixed seed": (
        "Fixed seed",
        "The generator starts anew with the same seed in every call, so the same noise comes again and again. Whoever "
        "has seen it once can subtract it. Every plot of the outputs looks right; the attacker simply recognises "
        "whole outputs.",
    ),
    "BROKEN closed half-spaces": (
        "Duchi, even d",
        "Duchi’s mechanism as it is printed in a well-known paper. For an even number of features some outputs lie "
        "exactly between both halves and are counted to both: the true ε is ln(e^ε + 1). It is unbiased, so every "
        "plot of averages looks right.",
    ),
}
"""For each broken mechanism: a name for its switch, and what is wrong with it."""

EVENTS = {
    "log-likelihood ratio": "the report is much likelier from the one record than from the other",
    "projection on": "the report lies far on the one record’s side",
    "learnt ratio of low bits": "the last binary digits of the numbers, which depend on the record",
    "learnt ratio of atoms": "whole reports that come again, and more often from the one record",
}
"""How the name of an attacker's score begins, and what it looks at."""

PROVED = r"""
**Proved, for every record and every report.** Measure *z* in steps of *l*/*G* and cut it to whole steps: a vector
*k* of integers, whose length the clip keeps at most *G*. Add independent whole-number noise with probability
proportional to $e^{-|n|/2^{30}}$, drawn exactly. For any two records and any output *o*,

$$
\frac{P(o \mid k)}{P(o \mid k')} = \prod_i e^{(|o_i - k'_i| - |o_i - k_i|)/2^{30}}
\le e^{\lVert k - k' \rVert_1 / 2^{30}} \le e^{2G/2^{30}} \le e^{\varepsilon}
$$

because *G* is ε·2²⁹, rounded down. To multiply *o* by *l*/*G* afterwards tells nothing more. ∎ This is the proof for
numbers with Laplace noise (V-RLM, C-RLM). That of codes is a line longer: a set that holds the code is e^ε times as
likely as one that does not, and no two sets differ by more. Every mechanism has its own proof beside its code.

**Measured.** That the program does what the proof says: the dial above, for two records and so many samples.

**Covered by neither.** That the device is sound and its random source good; how long an answer takes; what somebody
sends a second time; and what the collector knows from elsewhere.
"""

PAIR = (
    "Above: how often each output came from the first and from the second record; lines where the mechanism says what "
    "to expect. Below: the logarithm of the quotient, each bar an interval that holds its true value (all of them "
    "together with 99 % confidence). ε-LDP wants every true value in the shaded band. A red interval lies wholly "
    "outside."
)

LAST_DIGIT = (
    "The same outputs, sorted by their last binary digit: how fine a fraction the number is. Exact noise on a grid "
    "says nothing here. Floating-point noise does: a sum with a large z cannot be as fine as a sum with z = 0."
)

TABLE = (
    "A run that is kept with the project: every mechanism at five budgets, 100,000 outputs of each record. Each cell "
    "is a lower bound on the true ε; all of them hold together with 99.9 % confidence."
)
