"""Does a mechanism keep its promise? An empirical lower bound on ε, from its outputs alone.

The owner's claim is P(E | x) ≤ e^ε·P(E | x′) for every event E. The audit draws many
releases of two neighbouring inputs, looks for an event that tells them apart on one part of
the samples, and counts it on the rest: with 99.9 % confidence ε is at least the bound. A
bound above the claimed ε refutes the claim. ``rlm audit`` prints a table.
"""

from rlm_core.audit.any_mechanism import AnyMechanism, audit_any
from rlm_core.audit.audit_mechanism import AuditResult, CountedEvent, Progress, audit, audit_pairs

__all__ = ["AnyMechanism", "AuditResult", "CountedEvent", "Progress", "audit", "audit_any", "audit_pairs"]
