"""The paper that this project implements: where to find it, and what its sections are called.

A reader may follow the address; nothing in this project does.
"""

from __future__ import annotations

TITLE = "Representation Learning for High-Dimensional Data Collection under Local Differential Privacy"
ADDRESS = "https://arxiv.org/abs/2010.12464"

SECTIONS: dict[str, str] = {
    "introduction": "Introduction",
    "definitions": "Definitions and Notation",
    "method": "Proposed Method",
    "mechanism": "Learning a Laplace Mechanism",
    "downstream": "Downstream Model Training on LDP Data",
    "private inputs": "Classifying Private Datapoints",
    "laplace proof": "Appendix: Proof that the Local Laplace Mechanism Satisfies LDP",
    "decoding proof": "Appendix: Proof that Decoded Private Latents Satisfy LDP",
    "tuning": "Appendix: Hyperparameter Tuning Under LDP",
    "benchmarks": "Appendix: Experimental Setup, Benchmarks",
    "central": "Appendix: Data Collection with Mechanisms Trained Under CDP",
    "pca": "Appendix: Comparison with Simpler Dimensionality-Reduction Approaches",
}
"""A short key to each section's heading."""
