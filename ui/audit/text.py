"""The audit page's words."""

from __future__ import annotations

LEDE = (
    "A mechanism promises an ε. Does its code keep the promise? An audit plays the attacker: it asks for thousands of "
    "reports of two records, looks for anything that tells them apart, and turns its success into a number that the "
    "true ε cannot be below."
)

NO_PROOF = (
    "**A low reading is no proof of privacy.** It says that this attack, with these two records and this many samples, "
    "found nothing more. Only a proof can say “never”; it stands below. A reading above the claim, "
    "on the other hand, is strong evidence: a correct mechanism gives one in at most one of 1,000 audits."
)

OUTPUTS = (
    "The outputs are real: they come from the code that all pages use for a release. The two records are made up. "
)

OUTPUTS_BROKEN = (
    "The outputs come from a variant that is broken on purpose; nothing else in this app uses it. The two records are "
    "made up. "
)

RESULT_STAYS = "A result stays while you look around. Only the button, or another choice, measures again."

HOW = """
1. **Choose two records** that are hardest to hide from each other, for example opposite corners of the ball, and a
   second pair half-way between, where rounding differs most.
2. **Learn what to look at**, from a tenth of the samples: the likelihood ratio where it is known, the direction between
   the two records, whole outputs that repeat, and the last bits of the numbers.
3. **Choose rules**, from another tenth: the most promising of the kind “if the score is above this, guess the first
   record”.
4. **Count**, on all other samples, which nothing has seen before: a coin decides which record is released, the rule
   guesses or abstains, and right and wrong guesses are counted. ε-LDP allows at most $e^\\varepsilon$ right guesses for
   each wrong one.
5. **Conclude.** An exact binomial limit (Clopper and Pearson) turns the counts into a bound that holds with 99.9 %
   confidence for all tried rules together.

What it cannot do: try every pair of records or every event, or show more than its samples allow. And whoever repeats it
often enough will see a false alarm, once in a thousand audits.
"""

BREAKS: dict[str, tuple[str, str, str]] = {
    "BROKEN no clip": (
        "No clip",
        "The noise is wide enough for records inside the ball, but nobody makes sure that they are inside. A record "
        "three times as far out gives itself away: the two distributions hardly overlap.",
        "Broken: records are no longer cut to the ball that the noise was made for. No ε holds.",
    ),
    "BROKEN half the noise": (
        "Half the noise",
        "Somebody mistook the radius l for the sensitivity 2l. The true ε is twice the promise, yet the reports look "
        "perfectly noisy. Below, the ratio leaves the band on both sides.",
        "Broken: the noise is half as wide as it has to be. The true ε is twice the claim.",
    ),
    "BROKEN float noise": (
        "Floating-point noise",
        "The textbook line z + laplace(b), in ordinary floating point. The distributions look right, and the ratio "
        "stays in the band. But the last binary digits of the sum tell which z went in (Mironov 2012). Set one record "
        "to 0 and look at the last binary digit.",
        "Broken: ordinary floating-point noise instead of exact noise on a grid. No ε holds.",
    ),
    "BROKEN fixed seed": (
        "Fixed seed",
        "Every call starts the generator with the same seed, so the same noise comes again and again. Whoever has "
        "seen it once can subtract it. Every plot of the outputs looks right; the attacker simply recognises whole "
        "outputs.",
        "Broken: the same noise every time. No ε holds.",
    ),
    "BROKEN closed half-spaces": (
        "Duchi, even d",
        "Duchi’s mechanism as it is printed in a well-known paper. For an even number of features some outputs lie "
        r"exactly between both halves and are counted in both: the true ε is $\ln(e^\varepsilon + 1)$. It is "
        r"unbiased, so "
        "every plot of averages looks right.",
        "Broken: some outputs are counted in both halves. The true ε is larger than the claim.",
    ),
}
"""For each broken mechanism: a name for its switch, what is wrong with it, and the same in a line."""

EVENTS = {
    "log-likelihood ratio": "a report that is much likelier from one record than from the other",
    "projection on": "a report that lies far on one record’s side, nearer to it than to the other",
    "learnt ratio of low bits": "the last binary digits of the numbers, which depend on the record",
    "learnt ratio of atoms": "whole reports that repeat, and more often from one record than from the other",
}
"""How the name of an attacker's score begins, and what it looks at."""

PROVED = r"""
**Proved, for every record and every report.** Measure *z* in steps of *l*/*G* and cut it to whole steps: a vector
*k* of integers, whose length the clip keeps at most *G*. Add independent whole-number noise with probability
proportional to $e^{-|n|/2^{30}}$, drawn exactly. For any two records and any output *o*,

$$
\begin{aligned}
\frac{P(o \mid k)}{P(o \mid k')} &= \prod_i e^{(|o_i - k'_i| - |o_i - k_i|)/2^{30}} \\
&\le e^{\lVert k - k' \rVert_1 / 2^{30}} \le e^{2G/2^{30}} \le e^{\varepsilon}
\end{aligned}
$$

because *G* is ε·2²⁹, rounded down. Multiplying *o* by *l*/*G* afterwards tells nothing more. ∎ This is the proof for
numbers with Laplace noise (V-RLM, C-RLM). For codes (Q-RLM) it is shorter still: a set that holds the sender’s code is
$e^\varepsilon$ times as likely as one that does not, and no two sets differ by more. Every mechanism has its own proof
beside its code.

**Measured.** That the program does what the proof says: the dial above, for two records and the samples you chose.

**Covered by neither.** That the device is sound and its random source good; how long an answer takes; what a second
report adds; and what the collector knows from elsewhere.
"""

PAIR = (
    "Above: how often each output came from the first and from the second record; the lines are what the mechanism "
    "claims. Below: the logarithm of the ratio of the two. Each bar is an interval for the true value; all of them "
    "hold together with 99 % confidence. ε-LDP wants every true value in the shaded band. A red interval lies wholly "
    "outside."
)

LAST_DIGIT = (
    "The same outputs, sorted by the place of their last binary digit: how fine a fraction the number is. Exact noise "
    "on a grid gives nothing away here. Floating-point noise does: a sum with a large z cannot be as fine as one with "
    "z = 0."
)

TABLE = (
    "A run that is kept with the project: every mechanism at five budgets, with 100,000 outputs of each record. Each "
    "cell is a lower bound on the true ε; all of them hold together with 99.9 % confidence."
)
