"""The words of the page."""

LEDE = (
    "Bring a <b>public</b> sample of a table like yours. A mechanism is fitted to it: see how accurate it is at which "
    "ε, try one row in your browser, and take it home."
)
TRAVELS = (
    "<b>This file goes to this server.</b> So bring a public or made-up sample, never the records of people who "
    "trusted you with them. It is read, used for your training and forgotten with your visit, about a minute after "
    "you close the page or lose the connection; no other visitor sees anything of it. With private rows, do the same "
    "on your own machine: four commands, and no row leaves it."
)
TRAVELLED = (
    "It went to this server. It is forgotten with your visit, about a minute after you close the page or lose the "
    "connection."
)
FORGET_HELP = "In any case it is forgotten about a minute after you close the page, or lose the connection."
FORGET_ASKED = "Mechanism, results and received reports go at once, and nobody can bring them back."
LOCALLY = "The same on your own machine"
BEFORE = (
    "**What you will get**\n\n"
    "1. A mechanism that fits your table: a rule chooses what people send, and never sees their records.\n"
    "2. Accuracy over ε, for this mechanism and others, from collections simulated on the public rows.\n"
    "3. One row, privatised in your browser with the new mechanism.\n"
    "4. A kit: the mechanism’s folder, a page for the people, the four commands.\n\n"
    "All of it is forgotten with your visit, about a minute after you close the page or lose the connection."
)
_SENT = {
    "joint bits": "a few noisy bits of their row, summed up in {numbers}, each bit compared with the label",
    "joint Laplace": "their row, summed up in {numbers}, with noise and multiplied by the label",
    "joint selection": "one noisy bit of their row, summed up in {numbers}, together with the label",
    "codes": "the group of their row, one of {size}, and the label, as one noisy pair",
}

PAPER = (
    "The paper’s V-RLM is not among them: it trains for minutes. On your own machine, `rlm advise --vrlm` compares it."
)
TOO_LONG = "simulating more of them would take this table too long here. `rlm advise` does it on your own machine."
NO_CURVE = (
    "There is no curve: simulating even one collection at each ε takes this table too long here. `rlm advise` does it "
    "on your own machine."
)
SIMULATED = (
    "Simulated on the public rows alone: two fifths to fit on, two fifths to play the people, one fifth to test with. "
    "“k-RR of the label alone” has the features in the clear and protects nothing but the label."
)
SCHEMA_HELP = (
    "Kinds, levels and ranges come from the public rows, never from the people. Change what was guessed wrong: the "
    "mechanism, its form and the kit follow."
)
BOUNDS_HELP = "Once you change it, whatever lies beyond counts as this value. Empty: there is no limit."
LEVELS_HELP = "All other words share one level, the rare ones’; in the form it is called “other”."
KIT = "The kit is as public as the rows: their means, levels and some representations are in it."


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "column"), counted(9_000, "row")
    ('1 column', '9,000 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def sent(kind: str, size: int) -> str:
    """What a report of this kind is, in a few words.

    >>> sent("joint selection", 1)
    'one noisy bit of their row, summed up in one number, together with the label'
    """
    return _SENT[kind].format(size=size, numbers="one number" if size == 1 else f"{size} numbers")
