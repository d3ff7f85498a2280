"""The bound page's prose: what the curve is and is not, and its derivation in steps. No numbers of measurements.

The two dollars of a displayed formula stand on lines of their own: several lines are not rendered otherwise.
"""

from __future__ import annotations

LEDE = (
    "However good a classifier is, noise makes it wrong now and then. How often, at a given ε? See a formula for the "
    "paper’s mechanism, the cap that no mechanism can pass, and why."
)

CURVE = (
    "Across: the ε that one report may spend. Upwards: how often the best classifier names the right one of K equally "
    "likely classes. {line}The grey dashed curve is the cap of *every* ε-LDP report. Sending the class itself by "
    "randomised response reaches it. The gap between the curves is the price of sending a representation instead, "
    "which can answer other questions, too."
)

CURVE_LINE = (
    "The orange curve is the best that Laplace noise can do **when every class sits on a corner of the ball**. "
)

NOT_A_MAXIMUM = (
    "**Why is the paper’s “Maximum” not the limit?** The paper prints the orange curve under that name. It is the "
    "maximum of the **Laplace mechanism with classes on vertices**, not of local differential privacy: the grey curve "
    "is above it, and randomised response reaches that. That vertices, the corners of the ball, are the best places "
    "for Laplace noise is a hypothesis. Searches such as those below support it; nobody has proved it. With more "
    "classes than vertices the best places depend on ε: at a small ε many placements do about as well, and only at a "
    "large one does it pay to keep every class apart."
)

MEASURED = (
    "The marks are measured: classifiers of *privatised test points*, filled where they are ours and hollow where they "
    "are the paper’s, with one standard deviation. Each stands at the ε of a test point, {share:.0f} % of the ε of "
    "training."
)

NOT_MEASURED = (
    "The hollow marks are the paper’s classifiers of *privatised test points*. Each stands at the ε of a test point, "
    "{share:.0f} % of the ε of training. We have not measured ours yet."
)

NO_POINTS = "Measured accuracies exist for ten classes (MNIST, CIFAR-10): choose **K = 10** to see them on the curve."

SIMULATED = (
    "**Simulated.** {classes} classes are more than the {corners} corners that the ball has in {dimension} dimensions, "
    "and no formula covers that. The classes take the corners first, then always the place farthest from all others: a "
    "reasonable placement, not the best one. {samples:,} simulated reports for each dot; bars are two standard errors."
)

ODD = (
    "**K is odd**, which the paper leaves out. The dots are simulated, with {samples:,} reports each; bars are two "
    "standard errors. The line through them is a formula of our own: K·A(K) is the mean of its two even neighbours."
)

BOARD = (
    "The diamond is the ball: all points whose coordinates add up to at most 1 in absolute value. The numbered discs "
    "are the classes. In each coloured area one class is nearest (in ℓ1), so there the classifier answers that class. "
    "Each small mark is a report: a class plus noise. A **dot** lies in the area of its own class. A **cross** has "
    "landed in another’s, and is classified wrongly. **Drag the discs**, move them with Tab and the arrow keys, or "
    "type coordinates under “my own”."
)

TIES = (
    "Red: as far from one class as from another. In ℓ1 these are not only lines but whole regions, as in the paper’s "
    "figure. Which class gets such a region does not matter, because both put the same probability on it. The page "
    "gives it to the one that is nearer in a straight line."
)

SPACE = (
    "In three dimensions the ball is an octahedron with six corners: room for six classes. **Turn it** with finger, "
    "mouse or arrow keys. The surface has the colour of the nearest class. Dots are reports that are classified "
    "correctly, crosses those that are not."
)

SEARCH = (
    "The search knows nothing about corners. It starts from random places, moves all classes step by step to where "
    "more reports come out right, does so again from other starts, and keeps the best."
)

SIMULATION = (
    "All points on this page are simulated around made-up classes. Nobody’s data are released, and no budget is spent."
)

FORMULA = r"A(\varepsilon) = \int_0^\infty \frac{1}{2b}\, e^{-|1-t|/b}\, \bigl(1-e^{-t/b}\bigr)^{K/2-1}\, dt"

STEPS: dict[str, str] = {
    "1. One point for each class is best": r"""
Suppose the encoder sends class *k* to some region. One point of that region is the one whose noise most often stays
in the cell where the classifier answers *k*. Sending the whole class to that point, $c_k$, can only help. With K
equally likely classes the accuracy is then the mean of K probabilities:

$$
A = \frac1K \sum_{k=1}^{K} \Pr\bigl[\,c_k + \mathrm{Laplace}(b) \in S_k\,\bigr]
$$
""",
    "2. The best cell is: nearest in ℓ1": r"""
$$
p(\tilde z \mid c_k) = (2b)^{-d}\, e^{-\lVert \tilde z - c_k\rVert_1 / b}
$$

The density falls with the ℓ1 distance, so a report should be given to the class that is nearest in ℓ1. The cells are
a Voronoi diagram with the classes as generators. Where two classes are equally near, both have the same density, and
it does not matter who gets the point.
""",
    "3. Where to put the classes? On vertices, opposite ones first": r"""
The clip keeps every representation in the ball of radius *l*. If it has enough vertices, $2d \ge K$, put the classes
there. **This is the hypothesis** of the paper: it is easy to show for $K = d = 2$, and searches in two and three
dimensions found nothing better. Try it above.
""",
    "4. By symmetry, one class is enough": r"""
Measure lengths in units of *l*; then $b = 2/\varepsilon$. All classes are equally well off, so look at the vertex
$e_1$. A report is nearest to it exactly when its first coordinate exceeds all other used ones in absolute value:

$$
S_1 = \{\tilde z : \ |\tilde z_i| < \tilde z_1 \ \text{ for } i = 2,\dots,K/2\}
$$

Dimensions without a class do not matter: their noise integrates to one. That is why *d* does not appear.
""",
    "5. One integral": r"""
Given $\tilde z_1 = t$, each of the $K/2-1$ other coordinates is pure noise and stays below *t* in absolute value with
probability $1-e^{-t/b}$. They are independent, so these multiply; then average over *t*:

$$
\int_0^\infty \frac{1}{2b}\, e^{-|1-t|/b}\, \bigl(1-e^{-t/b}\bigr)^{K/2-1}\, dt
$$
""",
    "6. The paper’s closed form, and why this page does not use it": r"""
Expand the power with the binomial theorem and integrate term by term:

$$
\sum_{\substack{j=0 \\ j\neq 1}}^{K/2-1} \binom{K/2-1}{j} \frac{(-1)^j}{1-j}
\left[\frac{e^{-j\varepsilon/2}}{1+j} - \frac{e^{-\varepsilon/2}}{2}\right]
- \frac{\varepsilon+1}{8}(K-2)\,e^{-\varepsilon/2}
$$

It is the same number, but its terms alternate and grow like $2^{K/2}$, so that with many classes a computer loses all
digits in subtracting them. The page evaluates the integral instead.
""",
    "7. The cap of any ε-LDP report": r"""
Let a classifier answer *k* on the set $S_k$ of reports. ε-LDP says that $S_k$ is at most $e^\varepsilon$ times as
likely under class *k* as under another class *j*. Sum over all $j \ne k$, then over *k*, with $A$ the mean of the
$P_k(S_k)$:

$$
(K-1)\,K A \le e^{\varepsilon}\,(K - K A) \quad\Longrightarrow\quad
A \le \frac{e^{\varepsilon}}{e^{\varepsilon}+K-1}
$$

Randomised response over the K classes attains it, so the cap is tight.
""",
}
