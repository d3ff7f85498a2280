"""The words of ``docs/results.md``. Figures come from the results; these lines say how to read them."""

OPENING = (
    "# Measured results",
    "",
    "Written by `python -m benchmarks report --markdown` from the CSV files in `benchmarks/results/`,",
    "which hold one row per trial with seed, settings, rows, seconds and version.",
    "",
    "How to read a cell: **our mean** ± standard deviation over the seeds (each seed has its own split and its",
    "own training of the mechanism), below it the paper's, and the difference in points. No mark: at or above the",
    "paper's mean less one of its standard deviations; ○: less than that, but within two; ▽: lower.",
    "",
    "*protocol*: 2 to 5 are fixed in `docs/protocol.md`, `docs/protocol-3.md` to `docs/protocol-5.md`, with seeds",
    "of their own. 1 is what was measured before there was a protocol, with seeds 0 to 2 (loans' codes: 0 to 5);",
    "some of its settings were chosen after test cells had been seen. A cell has the newest protocol that measured it;",
    "one without LDP that is older than the rest of its row is left out.",
    "",
    "All mechanisms are ε-LDP but one: PrivUnit is (ε, δ)-LDP, with the δ of `rlm_core/baselines/privunit2.py`, which",
    "grows with ε.",
)
ABOUT = {
    "data_collection": (
        "People send a privatised record and a privatised label once. Accuracy (%) on *clean* test records of the",
        "classifier that the collector learns from the reports. ε = εx + εy, εx = λε.",
    ),
    "novel_class": (
        "A mechanism trained without class 9 collects nines. Accuracy (%) of 'is it a 9?' on clean, balanced test",
        "records. No label is collected, so all of ε protects the record. *joint Q-RLM*: bits of what the codes'",
        "encoder sees, with how well the nearest code fits; the others send nothing (`docs/protocol-4.md`).",
    ),
    "data_join": (
        "The collector has some clean columns and the labels; another party sends the others under ε-LDP. Accuracy (%)",
        "on people of whom the same combination is known.",
    ),
    "private_inference": (
        "The people who are classified send reports too. Columns are ε_train; ε_test = 0.7 ε_train. On MNIST at ε ≥ 4",
        "the V-RLM is the one that a private search found for each seed (see below).",
    ),
    "cdp": (
        "Data collection with an encoder that was itself trained under (ε_CDP, 1e-5)-central DP, given the decoder",
        "through which it is trained (`docs/central_dp.md` says what that leaves open, and with which settings; they",
        "are ours, not the paper's). Columns are the ε of local DP.",
    ),
    "auxiliary_size": (
        "MNIST data collection with a mechanism trained on a share η of the training set; the benchmarks, which train",
        "no mechanism, get all of it for the classifier. Cells of protocol 4 have as many steps of training as with",
        "η = 0.75, those of protocol 1 as many epochs.",
    ),
    "pca": ("MNIST data collection with principal components instead of the learnt encoder.",),
}
REPRESENTATIONS = (
    "## Without LDP: what the representations keep",
    "",
    "Accuracy (%) of the paper's classifier on clean representations and labels of the classifier's test rows.",
    "*Raw features* are what the encoder starts from: pixels for MNIST, the frozen ResNet-18's 512 features for",
    "CIFAR-10 (the paper: the picture, through a fine-tuned ResNet-18), the encoded row for Lending Club. All rows are",
    "of protocol 1.",
)
READING = (
    "## Where and why we differ",
    "",
    "Less computing (one processor core instead of a GPU), some settings of our own, other rows of Lending Club,",
    "stronger benchmarks. Table by table, with every",
    "look at a test row that led to a change: [`experiment-log.md`](experiment-log.md#where-and-why-we-differ).",
)

DOLLARS_A_CORE_HOUR = 0.05
"""An assumption, of the order that rented cores cost; not a quotation."""

SCALE_INTRODUCTION = (
    "`python -m benchmarks scale`: a table of 14 columns and digits, each to one report, on two cores of one machine.",
    "Two workers are compared with one by rows a second, 10 million rows against 1 million. What stands behind the",
    "billion, and what was not measured, is in [scale](scale.md).",
)
SCALE = {
    "rows": "rows of the table",
    "rows_per_second_per_core": "rows a second on one core",
    "two_workers_over_one": "two workers over one",
    "peak_mb_1m": "most memory for a million rows, MB",
    "peak_mb_10m": "most memory for ten million rows, MB",
    "bytes_per_report": "bytes of a report in its part",
    "digits": "digits",
    "digits_per_second_per_core": "digits a second on one core",
    "peak_mb_digits": "most memory for the digits, MB",
    "kills": "runs in which a worker was killed",
    "lost": "reports lost",
    "doubled": "reports doubled",
    "tally_reports": "reports in a tally",
    "tally_bytes": "bytes of that tally",
    "tally_learn_seconds": "seconds to learn from it",
    "billion_core_hours": "a billion rows, core hours",
    "billion_dollars": f"the same in US dollars, at an assumed {DOLLARS_A_CORE_HOUR:g} a core hour, without storage",
    "billion_digits_core_hours": "a billion digits, core hours",
    "billion_report_gigabytes": "a billion reports, GB",
}
"""What of scale.json is shown, and in which words."""
