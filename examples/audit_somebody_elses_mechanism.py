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
# # Audit somebody else's mechanism
#
# Three ways to add Laplace noise to a number in [0, 1] and one way to answer a question, each said to be ε-LDP. The
# audit knows nothing about them but their outputs. **It can only find violations**: where it finds none, nothing is
# proved.
#
# From the command line it is `rlm audit module:callable --epsilon 2 --records a.npy b.npy --html report.html`.

# %%
import numpy as np

from rlm_core.audit import audit_any

EPSILON = 2.0
RECORDS = [[0.0], [1.0]]  # the two that are hardest to hide from each other
CONFIDENCE = 1 - 1e-6  # of each audit: that its bound is not above the true ε


def say(result):
    verdict = "nothing found" if result.ok else "BROKEN"
    print(f"claimed {result.epsilon:g}, at least {result.lower_bound:.2f}: {verdict}")
    print(f"  {result.event}")


# %% [markdown]
# ## numpy's Laplace, in floating point
#
# The textbook line. Its distribution is right, and its last bits are not: a sum of floats can only be a multiple of
# the spacing of its summands, and 0 and 1 leave different traces.


# %%
def numpy_laplace(records):
    return records + np.random.default_rng().laplace(scale=1 / EPSILON, size=records.shape)


floats = audit_any(numpy_laplace, RECORDS, epsilon=EPSILON, samples=20_000, confidence=CONFIDENCE)
say(floats)
assert not floats.ok

# %% [markdown]
# ## OpenDP's Laplace
#
# Drawn over rationals, rounded on a fixed grid.

# %%
import opendp.prelude as dp  # noqa: E402

dp.enable_features("contrib")
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
measurement = dp.m.make_laplace(*space, scale=1 / EPSILON)
print("OpenDP says:", measurement.map(1.0))


def opendp_laplace(records):
    return np.array(measurement(records[:, 0].tolist()))[:, None]


exact = audit_any(opendp_laplace, RECORDS, epsilon=EPSILON, samples=20_000, confidence=CONFIDENCE)
say(exact)
assert exact.ok

# %% [markdown]
# ## Ours

# %%
from rlm_core import L1Clip, LaplaceNoise  # noqa: E402

ours = LaplaceNoise(epsilon=EPSILON, clip=L1Clip(radius=0.5))  # a ball around the middle


def our_laplace(records):
    return ours.privatise(records - 0.5) + 0.5


honest = audit_any(our_laplace, RECORDS, epsilon=EPSILON, samples=20_000, confidence=CONFIDENCE)
say(honest)
assert honest.ok

# %% [markdown]
# ## multi-freq-ldpy's randomised response
#
# It is not among the packages that we install; where it is missing, this cell says so. One answer at a time.

# %%
try:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
except ImportError:
    print("multi-freq-ldpy is not installed here: pip install multi-freq-ldpy")
else:
    answers = audit_any(
        lambda record: GRR_Client(int(record[0]), 4, EPSILON),
        RECORDS,
        epsilon=EPSILON,
        samples=20_000,
        confidence=CONFIDENCE,
        one_by_one=True,
        name="multi-freq-ldpy GRR",
    )
    say(answers)
    print("(it draws from numpy's seedable generator: no audit of outputs sees that)")

# %% [markdown]
# ## What this does not say
#
# OpenDP's mechanism and ours were not *shown* to be private by this. They are because of proofs; the audit would have
# found a large mistake in their programs, on these two records, and did not.
