"""The paper's experiments, one module each: ``trials`` lists its cells, ``measure`` runs one of them.

    data_collection    table 1       novel_class    table 2       data_join    table 3
    private_inference  table 4, its mechanisms chosen by private_grid
    auxiliary_size, pca, cdp     tables of the appendix
    own_data           not in the paper: any table through LocalPrivatiser
    gain_risk          ours: what the reports of table 1 tell about their senders
    people_needed      ours: table 1's codes with fewer and more people

A module has ``trials(seeds)``, in the order of the paper's table, and ``measure(trial, runs)``.
``python -m benchmarks run EXPERIMENT`` does the rest: what is missing, in parallel, appended.
"""

NAMES = (
    "data_collection",
    "private_grid",
    "private_inference",
    "novel_class",
    "data_join",
    "auxiliary_size",
    "pca",
    "cdp",
    "own_data",
    "gain_risk",
    "people_needed",
)
