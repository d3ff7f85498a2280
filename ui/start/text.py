"""The start page's words."""

from __future__ import annotations

HERO = "Learn from people without learning about them"

LEDE = (
    "Noise is added on your own device, before anything leaves it. Drag ε: each lane shows eight reports that your "
    "device <i>could</i> send about this digit and its label. None of them is sent."
)

LIBRARY = """from rlm_core import Budget, RandomisedResponse, release, zoo
from rlm_core.data.samples import mnist_samples

digit = mnist_samples()
x, y = digit.images[0].reshape(-1) / 255, int(digit.labels[0])
budget = Budget(epsilon=8.0, lam=0.7)

model = zoo.load(zoo.choose("mnist", budget.epsilon))          # owner's side
labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=10)
report = release(x, y, mechanism=model.mechanism(budget.epsilon_x), labels=labels)

decoded = model.decode([model.vector(report)])                  # collector's side
print(report.to_json())
"""
