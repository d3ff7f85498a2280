"""What the paper trained, as data, and one named preset for every distinct mechanism in it.

Sources, all in the paper's appendix "Experimental Setup": architectures from "Mechanism
Architectures and Transformations"; learning rates and batch sizes from "Hyperparameter
Choices"; λ, d, l, ε_pre from the tables "V-RLM and C-RLM hyperparameters used for the
data collection and novel-class classification experiments" and "V-RLM hyperparameters
used for data join experiments". The paper does not give epochs, the learning-rate
schedule, the optimiser of the V-RLM without CDP (we take Adam) or NT-Xent's
temperature: those are ours.

Presets with central DP (``-cdp5``, ``-cdp1``): see ``dp/dp_settings.py``. Where we depart from the paper:

- MNIST: a learning rate of 1e-3 instead of 5e-4 and a warm-up of the KL, for 20 epochs on a processor.
- Private inference: two mechanisms of ours (``GROWN``), whose training noise grows from ε_pre = 15 to 7 or 9.
- CIFAR-10: a small network on features of a frozen trunk, with neighbours as views (``crlm/neighbours.py``).

Every run behind these choices is in ``docs/experiment-log.md``.

    mnist-vrlm-l10-eps33     V-RLM, l = 10, ε_pre = 33
    mnist-novel-l10-eps33    the same, trained without class 9 (novel-class experiment)
    mnist-vrlm-l10-eps33-share25   the same, trained on 25 % of the training set
    mnist-vrlm-l10-eps33-share25-steps    the same, for as many steps as with 75 %
    lending-join-d5-l5-eps15       V-RLM of the private columns only, d = 5
    mnist-vrlm-l7.5-eps9-grown     ours, for private inference: the noise grows to ε_pre = 9 during training
    mnist-vrlm-l10-eps33-cdp5      the first, its encoder trained under central DP, ε_CDP = 5
    cifar10-crlm-eps70       C-RLM on cached features of the frozen trunk
    cifar10-crlm-eps70-finetune    C-RLM, the whole ResNet trained at 224 px (wants a GPU)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rlm_core.catalogue import AUXILIARY_SHARES
from rlm_core.training.dp.accountant import CentralDP
from rlm_core.training.dp.dp_settings import GROUPS, MOST_EPOCHS, OUR_DP_ADAM, UNTIL_SPENT
from rlm_core.training.paper_settings import DP_ADAM, INF, PAPER, Choice, choice
from rlm_core.training.preset_types import CRLMPreset, Preset, Split, VRLMPreset

__all__ = [
    "GROWN",
    "PRESETS",
    "CRLMPreset",
    "Preset",
    "Split",
    "VRLMPreset",
    "equal_steps_name",
    "preset_name",
    "private_name",
    "public_name",
]

MNIST = VRLMPreset(
    dataset="mnist",
    split="data_collection",
    hidden=(400, 150, 50),  # "3 hidden layers of size {400, 150, 50}"
    latent_dim=8,
    radius=10.0,
    epsilon_pretraining="learnt",
    learning_rate=1e-3,  # the paper: 5e-4, for a number of epochs it does not give; see above
    batch_size=64,
    epochs=20,
    warm_up=0.3,
)
LENDING = VRLMPreset(
    dataset="lending_club",
    split="data_collection",
    hidden=(500, 500),  # "2 hidden layers of size {500, 500}"
    latent_dim=8,
    radius=10.0,
    epsilon_pretraining="learnt",
    learning_rate=1e-4,
    batch_size=128,
    epochs=60,
)
CIFAR10 = CRLMPreset(
    split="data_collection",
    latent_dim=32,  # "followed by a final hidden layer of size 32"
    radius=5.0,
    epsilon_pretraining="none",
    finetune=False,
    adapter_hidden=(256,),  # the paper: none, after a trunk that it trains
    projection_hidden=128,
    projection_dim=128,
    neighbours=20,
    temperature=0.5,
    side=160,
    learning_rate=1e-3,
    batch_size=500,
    epochs=30,
    decoder_epochs=2,
    decoder_learning_rate=1e-3,
)

# Where the ResNet itself is trained, as in the paper: one final layer, augmented views alone.
FINETUNE: dict[str, Any] = {
    "side": 224,
    "adapter_hidden": (),
    "neighbours": 0,
    "temperature": 0.5,
    "learning_rate": 3e-4,
    "batch_size": 128,
    "epochs": 60,
}

GROWN = {f"mnist-vrlm-l7.5-eps{epsilon:g}-grown": epsilon for epsilon in (7.0, 9.0)}
"""Names to ε_pre. Not the paper's: for private inference, with noise that starts at ε_pre = 15 and grows."""

_FAMILY = {
    "data_collection": {"mnist": "mnist-vrlm", "lending_club": "lending-vrlm", "cifar10": "cifar10-crlm"},
    "novel_class": {"mnist": "mnist-novel", "cifar10": "cifar10-novel"},
    "data_join": {"lending_club": "lending-join"},
}
_BASE: dict[str, Preset] = {"mnist": MNIST, "lending_club": LENDING, "cifar10": CIFAR10}


def preset_name(experiment: str, dataset: str, epsilon: float, *, share: float = 0.75) -> str:
    """The preset whose mechanism the paper uses for an experiment at ε.

    >>> preset_name("data_collection", "mnist", 10)
    'mnist-vrlm-l10-eps33'
    >>> preset_name("data_join", "lending_club", 8)
    'lending-join-d5-l5-eps15'
    """
    line = choice(experiment, dataset, epsilon)
    name = _name(_split_of(experiment), dataset, line, share)
    if name not in PRESETS:
        raise ValueError(f"Expected share in {AUXILIARY_SHARES} for MNIST, else 0.75, got share={share}.")
    return name


def _split_of(experiment: str) -> Split:
    # Private inference has other hyper-parameters but the same data as data collection.
    if experiment == "novel_class":
        return "novel_class"
    return "data_join" if experiment == "data_join" else "data_collection"


def _name(split: Split, dataset: str, line: Choice, share: float) -> str:
    pre = line.epsilon_pretraining
    parts = [_FAMILY[split][dataset]]
    if split == "data_join":
        parts.append(f"d{line.latent_dim}")
    if dataset != "cifar10":  # every C-RLM has d = 32, l = 5
        parts.append(f"l{line.radius:g}")
    parts.append(pre if isinstance(pre, str) else f"eps{pre:g}")
    if share != 0.75:
        parts.append(f"share{round(100 * share)}")
    return "-".join(parts)


def _preset(split: Split, dataset: str, line: Choice, share: float) -> Preset:
    base = _BASE[dataset]
    preset = replace(
        base,
        split=split,
        share=share,
        latent_dim=line.latent_dim,
        radius=line.radius,
        epsilon_pretraining=line.epsilon_pretraining,
    )
    if split != "data_collection":
        preset = replace(preset, epochs=base.epochs // 2)  # for the experiments only: half the epochs
    elif isinstance(line.epsilon_pretraining, str) and dataset != "lending_club":
        preset = replace(preset, epochs=60)  # without noise more is learnt for longer: see above
    return preset


def _all_presets() -> dict[str, Preset]:
    presets: dict[str, Preset] = {}
    for (experiment, dataset), lines in PAPER.items():
        split = _split_of(experiment)
        shares = AUXILIARY_SHARES if (experiment, dataset) == ("data_collection", "mnist") else AUXILIARY_SHARES[:1]
        for share in shares:
            for line in lines:
                if share != 0.75 and line.epsilon == INF:
                    continue  # the paper's table of auxiliary sizes has no such column
                name, preset = _name(split, dataset, line, share), _preset(split, dataset, line, share)
                presets[name] = preset
                if share != 0.75:
                    epochs = round(preset.epochs * 0.75 / share)
                    presets[equal_steps_name(name)] = replace(preset, epochs=epochs)
    for name, epsilon in GROWN.items():
        presets[name] = replace(MNIST, radius=7.5, epsilon_pretraining=epsilon, first_epsilon=15.0)
    for name, preset in list(presets.items()):
        if isinstance(preset, CRLMPreset):
            # Fine-tuning starts from a good trunk and sees fresh views every time.
            presets[f"{name}-finetune"] = replace(preset, finetune=True, **FINETUNE)
    for (dataset, epsilon), ours in OUR_DP_ADAM.items():
        for line in PAPER["data_collection", dataset]:
            name = _name("data_collection", dataset, line, 0.75)
            private = private_name(name, epsilon)
            presets[private] = _private(presets[name], epsilon, ours, MOST_EPOCHS[dataset])
            if (dataset, epsilon) in DP_ADAM:
                theirs = DP_ADAM[dataset, epsilon]
                presets[f"{private}-paper"] = _private(presets[name], epsilon, theirs, UNTIL_SPENT)
    return presets


def equal_steps_name(name: str) -> str:
    """The preset of a mechanism with less auxiliary data that is trained for as many steps as with 75 %.

    >>> PRESETS[equal_steps_name("mnist-vrlm-l10-eps33-share25")].epochs
    60
    """
    return f"{name}-steps"


def private_name(name: str, epsilon: float) -> str:
    """The preset of the same mechanism whose encoder is trained under central DP.

    >>> private_name("mnist-vrlm-l10-eps33", 5.0)
    'mnist-vrlm-l10-eps33-cdp5'
    """
    return f"{name}-cdp{epsilon:g}"


def public_name(name: str) -> str:
    """The preset without central DP, whose decoder the private encoder is trained through."""
    return name.rpartition("-cdp")[0]


def _private(preset: Preset, epsilon: float, settings: tuple[float, int, float], epochs: int) -> Preset:
    learning_rate, batch_size, noise_multiplier = settings
    private = replace(
        preset,
        learning_rate=learning_rate,
        batch_size=batch_size,
        epochs=epochs,
        central=CentralDP(epsilon=epsilon, noise_multiplier=noise_multiplier),
    )
    if isinstance(private, CRLMPreset):
        # A neighbour's gradient would not be clipped with one's own; and fewer weights take less noise.
        return replace(private, groups=GROUPS, neighbours=0, adapter_hidden=())
    return replace(private, warm_up=0.0)  # the decoder uses every coordinate of z already


PRESETS: dict[str, Preset] = _all_presets()
