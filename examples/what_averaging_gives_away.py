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
# # What averaging gives away
#
# One report at ε = 1 tells little. Independent noise averages out, so many reports of the same record tell more and
# more. This is why budgets add up, why a ledger is charged before a draw, and why "anonymous, we only ask weekly" is no
# argument.

# %%
import numpy as np
from PIL import Image

from rlm_core import Ledger, RandomisedResponse, release, zoo
from rlm_core.data import mnist_samples

digits = mnist_samples()
x = digits.images[120].ravel() / 255.0
model = zoo.load("mnist-vrlm-l10-eps33")
mechanism = model.mechanism(1.0)

# %% [markdown]
# ## The same digit, reported 1, 10, 100 and 1,000 times
#
# Simulated, with a seed. The collector averages what it received and decodes the average; last, the digit without
# noise. Any two records are at most the ball's diameter apart: at ε = 1 this one is still hidden after a hundred
# reports, and found after a thousand.

# %%
generator = np.random.default_rng(1)
reports = mechanism.simulate(np.repeat(x[None], 1_000, axis=0), generator=generator)
z = mechanism.represent(x[None])[0]
diameter = mechanism.noise.clip.l1_sensitivity
print(f"the ball's diameter: {diameter:g}")
pictures, errors = [], []
for count in (1, 10, 100, 1_000):
    mean = reports[:count].mean(axis=0)
    errors.append(float(np.abs(mean - z).sum()))
    pictures.append(model.decode(mean[None])[0].reshape(28, 28))
    print(f"{count:>5} reports: total ε = {count * mechanism.epsilon:g}, distance to the true z = {errors[-1]:.2f}")
assert errors[2] > diameter > 3 * errors[3]  # after 100 and after 1,000 reports
row = np.hstack([*pictures, model.decode(z[None])[0].reshape(28, 28)])
Image.fromarray((255 * np.clip(row, 0, 1)).astype(np.uint8)).resize((28 * 5 * 5, 28 * 5), Image.Resampling.NEAREST)

# %% [markdown]
# ## An answer, asked every week
#
# Randomised response at ε = 0.5, for two answers: the majority of the answers received is the truth, soon.

# %%
coin = RandomisedResponse(epsilon=0.5, classes=2)
weeks = coin.simulate(np.ones((100_000, 52), dtype=int), generator=generator)  # 100,000 people whose answer is 1
for asked in (1, 4, 12, 52):
    right = (weeks[:, :asked].mean(axis=1) + 1e-9 * generator.standard_normal(100_000) > 0.5).mean()
    bound = np.exp(0.5 * asked) / (1 + np.exp(0.5 * asked))
    print(f"asked {asked:>2} times: guessed rightly {right:.0%}; on average no attack can pass {bound:.0%}")

# %% [markdown]
# ## The guard
#
# A limit for every record. The fifth release is refused, and nothing of it is drawn.

# %%
ledger = Ledger(limit=4.0)
for week in range(5):
    try:
        release(x, mechanism=mechanism, ledger=ledger, record="my digit")
        print(f"week {week}: sent, {ledger.spent('my digit'):g} spent")
    except ValueError as refusal:
        print(f"week {week}: {refusal}")
assert ledger.spent("my digit") == 4.0
