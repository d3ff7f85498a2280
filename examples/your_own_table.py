# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own table
#
# Public rows teach what the columns are and which few numbers matter. Each person's device then sends one report
# about their row and label together. The collector learns a classifier from reports alone. The table here is Adult (a
# sample comes with the package); put your own data frame in its place.

# %%
import warnings

from rlm_core import LocalPrivatiser
from rlm_core.data import adult_sample

adult, label = adult_sample(), "income-per-year"
public, people, test = adult[:3_000], adult[3_000:7_500], adult[7_500:]
print(len(public), "public rows,", len(people), "people,", len(test), "to test with")
adult.head(3)

# %% [markdown]
# ## Fit on public rows
#
# Kinds, ranges and levels of the columns are read from these rows. Look at them: what is a secret must not be here.

# %%
privatiser = LocalPrivatiser(epsilon=4, reports=len(people))
privatiser.fit(public, label)
print(privatiser)

# %% [markdown]
# ## One report
#
# This is all that leaves a device.

# %%
(one,) = privatiser.privatise(people[:1], label)
print(one.to_json())

# %% [markdown]
# ## Everybody's, and what they teach
#
# The accuracy below is of one collection; another draw gives another figure. `benchmarks/results/own_data.csv` has
# many.

# %%
reports = privatiser.privatise(people, label)
with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", UserWarning
    )  # by chance a small collection may be no better than the commonest class
    classifier = privatiser.learn(reports)
majority = test[label].value_counts(normalize=True).iloc[0]
print(f"accuracy {classifier.score(test, label):.1%}; the commonest class alone has {majority:.1%}")

# %% [markdown]
# ## The same from files
#
# ```
# rlm fit public.csv --label income-per-year --epsilon 4 --reports 4500 --out mine
# rlm privatise people.csv --model mine --out reports.parquet
# rlm learn reports.parquet --model mine --test test.csv
# rlm advise public.csv --label income-per-year --people 20000 --accuracy 0.8
# ```
#
# The last one says which ε an accuracy takes, by simulation on the public rows.
