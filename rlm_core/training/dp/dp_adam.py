"""DP-Adam (Gylberth et al. 2017) as a step of the one loop.

    g_i = ∇ loss_i,   ĝ = ( Σ_i g_i · min(1, C/‖g_i‖₂) + σ C ξ ) / B,   ξ ~ N(0, 1),   Adam on ĝ

Leaving out one example moves the sum by at most C: that, the noise and Poisson-sampled
batches (``PoissonBatches``) are all that the accountant assumes. B is the *expected* size of
a batch: the real one is secret.

*Ghost clipping*: of a linear layer y = W a + c, example i's gradient is g_i a_iᵀ, and its norm
‖g_i‖·‖a_i‖ is known without writing it down; so one backward pass to the layers' outputs gives
all norms, and the clipped sum is one matrix product a layer. Opacus' ghost clipping computes
the same numbers with a second backward pass; this one costs little more than a plain step.
The tests compare both, and both with gradients written down one by one.

Where a loss depends on several examples (NT-Xent), they are put into *groups* at random, each
example by itself, and losses compare members of a group only. Then a group's gradient is
clipped to C. Leaving out one example changes one group's gradient from one vector of norm C
to another: the sum moves by at most 2C, and the noise is twice as large.

The noise is Gaussian in float32 from a Mersenne twister. Opacus' ``secure_mode`` would guard
against attacks on its low bits, but wants a package that no longer installs: we do not have
it. ``secret_generator`` at least starts from the operating system's source, and nobody keeps
its state.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rlm_core.owner.randomness import random_words

_STATE_WORDS = 624  # of the Mersenne twister MT19937
_STATE_START = 24  # bytes before them in torch's generator state: seed, left, seeded, next


class DPStep:
    """The step to give to ``loop.train``: clip each example, add noise, let Adam descend.

    Args:
        module: its trainable layers must all be ``nn.Linear``, used once in a step, on rows (n, p);
            the optimiser must hold exactly their parameters.
        max_grad_norm: C.
        noise_multiplier: σ.
        expected_batch_size: B.
        generator: of the noise; must be secret when the result is to be private.
    """

    def __init__(
        self,
        module: nn.Module,
        *,
        max_grad_norm: float,
        noise_multiplier: float,
        expected_batch_size: float,
        generator: torch.Generator,
    ) -> None:
        for name, value in (("max_grad_norm", max_grad_norm), ("expected_batch_size", expected_batch_size)):
            if not value > 0:
                raise ValueError(f"Expected {name} > 0, got {name}={value}.")
        if not noise_multiplier >= 0:
            raise ValueError(f"Expected noise_multiplier >= 0, got noise_multiplier={noise_multiplier}.")
        self.max_grad_norm, self.noise_multiplier = max_grad_norm, noise_multiplier
        self.expected_batch_size, self.generator = expected_batch_size, generator
        self.layers: list[nn.Linear] = []
        for layer in module.modules():
            if not any(parameter.requires_grad for parameter in layer.parameters(recurse=False)):
                continue
            if not isinstance(layer, nn.Linear):
                raise TypeError(f"Expected nn.Linear in a module trained by DP-Adam, got {type(layer).__name__}.")
            layer.register_forward_hook(self._remember)
            self.layers.append(layer)
        self._seen: list[tuple[nn.Linear, Tensor, Tensor]] = []
        self._groups: Tensor | None = None

    def group(self, groups: Tensor) -> None:
        """In this step, clip by group: ``groups`` (n,) has the number of each row's group, counted from 0."""
        self._groups = groups

    def _remember(self, layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if torch.is_grad_enabled():
            assert isinstance(layer, nn.Linear)
            self._seen.append((layer, inputs[0].detach(), output))

    def __call__(self, optimiser: torch.optim.Optimizer, losses: Tensor) -> None:
        """One update of the optimiser's parameters from losses (n,); n may be 0."""
        gradients = self.noisy_gradients(losses)
        held = {parameter for group in optimiser.param_groups for parameter in group["params"]}
        if held != set(gradients):
            raise ValueError(
                f"Expected the optimiser to hold exactly the {len(gradients)} clipped parameters, got {len(held)}."
            )
        for parameter, gradient in gradients.items():
            parameter.grad = gradient
        optimiser.step()

    def noisy_gradients(self, losses: Tensor) -> dict[Tensor, Tensor]:
        """ĝ for every parameter; forgets what the forward pass left."""
        seen, self._seen = self._seen, []
        groups, self._groups = self._groups, None
        if sorted(id(layer) for layer, _, _ in seen) != sorted(id(layer) for layer in self.layers):
            raise RuntimeError(
                f"Expected each of {len(self.layers)} layers to be used once in a step, got {len(seen)} uses."
            )
        inputs = [activation for _, activation, _ in seen]  # (n, p_in) each
        outputs = torch.autograd.grad(losses.sum(), [output for _, _, output in seen])  # (n, p_out) each
        biases = [layer.bias is not None for layer, _, _ in seen]
        if groups is None:
            norms = example_norms(inputs, outputs, biases)  # (n,)
        else:
            norms = group_norms(inputs, outputs, biases, groups)[groups]  # (n,), equal within a group
        spread = self.noise_multiplier * self.max_grad_norm * (1 if groups is None else 2)
        factors = self.max_grad_norm / norms.clamp_min(self.max_grad_norm)  # (n,), at most 1
        if not bool(torch.isfinite(norms).all()):  # an example without a gradient has no say, not an infinite one
            good = torch.isfinite(norms)
            factors = torch.where(good, factors, 0.0)
            inputs = [torch.where(good[:, None], activation, 0.0) for activation in inputs]
            outputs = tuple(torch.where(good[:, None], output, 0.0) for output in outputs)
        result: dict[Tensor, Tensor] = {}
        for (layer, _, _), activation, output in zip(seen, inputs, outputs, strict=True):
            clipped = output * factors[:, None]
            result[layer.weight] = self._noise(layer.weight, spread).addmm_(clipped.T, activation)
            if layer.bias is not None:
                result[layer.bias] = self._noise(layer.bias, spread).add_(clipped.sum(0))
        return {parameter: total.div_(self.expected_batch_size) for parameter, total in result.items()}

    def _noise(self, parameter: Tensor, spread: float) -> Tensor:
        return torch.empty_like(parameter, requires_grad=False).normal_(std=spread, generator=self.generator)


def example_norms(inputs: list[Tensor], outputs: tuple[Tensor, ...], biases: list[bool]) -> Tensor:
    """‖g_i‖₂ over all layers, from the layers' inputs and the losses' gradients at their outputs: (n,)."""
    squares = [
        output.square().sum(1) * (activation.square().sum(1) + bias)
        for activation, output, bias in zip(inputs, outputs, biases, strict=True)
    ]
    return torch.stack(squares).sum(0).sqrt()


def group_norms(inputs: list[Tensor], outputs: tuple[Tensor, ...], biases: list[bool], groups: Tensor) -> Tensor:
    """The norm of each group's summed gradient, over all layers: (number of groups,).

    ‖Σ_i g_i a_iᵀ‖² = Σ_ij (g_i·g_j)(a_i·a_j): again without writing any gradient down.
    """
    members = torch.nn.functional.one_hot(groups).to(outputs[0].dtype)  # (n, groups)
    squares = torch.zeros(members.shape[1], dtype=members.dtype, device=members.device)
    for activation, output, bias in zip(inputs, outputs, biases, strict=True):
        pairs = (activation @ activation.T + bias) * (output @ output.T)  # (n, n)
        squares = squares + (members * (pairs @ members)).sum(0)
    return squares.clamp_min(0).sqrt()  # rounding may leave a tiny negative number


def secret_generator(device: torch.device) -> torch.Generator:
    """A torch generator that starts from the operating system's source; nobody knows its state.

    ``manual_seed`` would not do: torch's processor generator uses 32 bits of a seed, and all four
    billion can be tried. So the whole state of the Mersenne twister is drawn. On other devices the
    generator takes a 64-bit seed, and gets one.
    """
    generator = torch.Generator(device=device)
    if device.type != "cpu":
        return generator.manual_seed(int(random_words(1)[0]) >> 1)
    state = generator.manual_seed(0).get_state()
    words = torch.from_numpy((random_words(_STATE_WORDS) >> 32).astype("int64"))  # 32 bits in each 64-bit slot
    state[_STATE_START : _STATE_START + 8 * _STATE_WORDS] = words.view(torch.uint8)
    generator.set_state(state)
    return generator
