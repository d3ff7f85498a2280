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
# # Privatise a digit
#
# One handwritten digit, the paper's learnt mechanism, four budgets. What leaves the device is one report of a few
# numbers; what the collector makes of it is a picture. Nothing is downloaded: digits and networks come with the
# package.

# %%
import numpy as np
from PIL import Image

from rlm_core import Budget, Ledger, RandomisedResponse, release, zoo
from rlm_core.data import mnist_samples


def strip(pictures, zoom=3):
    """Pictures of 28 × 28 numbers in [0, 1], side by side."""
    row = np.hstack([np.pad(picture, 2, constant_values=0.5) for picture in pictures])
    grey = Image.fromarray((255 * np.clip(row, 0, 1)).astype(np.uint8))
    return grey.resize((grey.width * zoom, grey.height * zoom), Image.Resampling.NEAREST)


# %% [markdown]
# ## The record
#
# It stays here.

# %%
digits = mnist_samples()
x = digits.images[280].ravel() / 255.0
y = int(digits.labels[280])
print("a", y)
strip([x.reshape(28, 28)])

# %% [markdown]
# ## One release
#
# ε = 8, divided by λ = 0.7: 5.6 for the picture, 2.4 for its label. The ledger is charged before anything is drawn.

# %%
budget = Budget(epsilon=8.0, lam=0.7)
model = zoo.load(zoo.choose("mnist", budget.epsilon))
ledger = Ledger(limit=8.0)
report = release(
    x,
    y,
    mechanism=model.mechanism(budget.epsilon_x),
    labels=RandomisedResponse(epsilon=budget.epsilon_y, classes=10),
    ledger=ledger,
    record="digit 280",
)
print(report.to_json())
print("spent:", ledger.spent("digit 280"))

# %% [markdown]
# All that the collector has is the line above. Its decoder draws a picture of it:

# %%
strip([model.decode([model.vector(report)])[0].reshape(28, 28)])

# %% [markdown]
# ## A second release is refused
#
# Two reports would tell twice as much, and this owner allowed 8.

# %%
try:
    release(x, mechanism=model.mechanism(5.6), ledger=ledger, record="digit 280")
except ValueError as refusal:
    print(refusal)
else:
    raise AssertionError("the ledger should have refused")

# %% [markdown]
# ## What chance does
#
# One draw teaches little; eight show the distribution. These are *simulated*: seeded, for the eye, and never sent.
# From top to bottom ε = 2, 5, 10 and 20 for the picture. A sharp picture need not be a right one: the decoder knows
# only digits.

# %%
generator = np.random.default_rng(0)
rows = []
for epsilon in (2.0, 5.0, 10.0, 20.0):
    drawn = model.mechanism(epsilon).simulate(np.repeat(x[None], 8, axis=0), generator=generator)
    rows.append(np.asarray(strip([each.reshape(28, 28) for each in model.decode(drawn)])))
Image.fromarray(np.vstack(rows))

# %% [markdown]
# ## Noise on the pixels instead
#
# The same ε = 10 on 784 pixels: each gets noise of scale 78.4, where a pixel is between 0 and 1. That is why
# something must be learnt first.

# %%
from rlm_core.baselines import PerFeatureLaplace  # noqa: E402

pixels = PerFeatureLaplace(epsilon=10.0, low=[0.0] * 784, high=[1.0] * 784)
strip([pixels.simulate(x[None], generator=generator)[0].reshape(28, 28)])
