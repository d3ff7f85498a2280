"""``rlm audit``: audit the registered mechanisms, or any callable, and print the verdicts.

The confidence is that of the whole run: with this probability *all* its bounds hold, so an
honest set of mechanisms is accused at most once in 1,000 runs, however many rows there are.
Exit code 1 if a bound lies above the ε that was claimed. An audit can only find violations.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from rlm_core.audit.any_mechanism import AnyMechanism, find_callable, read_record
from rlm_core.audit.audit_mechanism import CONFIDENCE, SAMPLES, AuditResult, audit_pairs
from rlm_core.audit.audit_page import page
from rlm_core.audit.registered import audit_registered
from rlm_core.registry import REGISTRY

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
EPILOG = """any mechanism:
  rlm audit laplace:privatise --epsilon 2 --records a.npy b.npy --html report.html
  `privatise` of laplace.py gets many copies of a record, (n, d), and returns as many outputs. It is run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, audit, print."""
    parser = argparse.ArgumentParser(
        prog="rlm audit", description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", nargs="?", metavar="MODULE:CALLABLE", help="any mechanism instead of ours")
    parser.add_argument("--records", nargs="+", metavar="FILE", help="its two records, or more, each by numpy.save")
    parser.add_argument("--one-by-one", action="store_true", help="it takes one record at a time")
    parser.add_argument("--html", metavar="FILE", help="write a report about it, one file without anything else")
    parser.add_argument(
        "--mechanism", action="append", choices=sorted(REGISTRY), help="may be repeated; all by default"
    )
    parser.add_argument("--epsilon", type=float, nargs="+", default=list(EPSILONS), help="default: %(default)s")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="outputs per input; default: %(default)s")
    parser.add_argument(
        "--confidence", type=float, default=CONFIDENCE, help="of all bounds together; default: %(default)s"
    )
    parser.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    options = parser.parse_args(arguments)
    if options.target is not None:
        return _any(parser, options)
    if options.records or options.html or options.one_by_one:
        parser.error("--records, --one-by-one and --html go with MODULE:CALLABLE")

    chosen = [(name, epsilon) for name in options.mechanism or REGISTRY for epsilon in options.epsilon]
    each = 1.0 - (1.0 - options.confidence) / len(chosen)
    results = []
    if not options.json:
        print(f"{'mechanism':<16}{'claimed':>9}{'at least':>10}  {'verdict':<8}event")
    for name, epsilon in chosen:
        result = audit_registered(REGISTRY[name], epsilon=epsilon, samples=options.samples, confidence=each)
        results.append(replace(result, confidence=options.confidence))
        if not options.json:
            print(row(result), flush=True)
    if options.json:
        print(json.dumps([as_json(result) for result in results], indent=1, allow_nan=False))
    else:
        print(f"{options.samples:,} outputs per input; all bounds hold with {options.confidence:.4%} confidence.")
    return 0 if all(result.ok for result in results) else 1


def _any(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """The audit of one callable."""
    if options.mechanism or not options.records or len(options.records) < 2 or len(options.epsilon) != 1:
        parser.error("MODULE:CALLABLE takes one --epsilon (what it claims) and --records with two files or more")
    mechanism = AnyMechanism(
        name=options.target,
        epsilon=options.epsilon[0],
        call=find_callable(options.target),
        records=tuple(read_record(path) for path in options.records),
        one_by_one=options.one_by_one,
    )
    result = audit_pairs(mechanism, mechanism.pairs, samples=options.samples, confidence=options.confidence)
    if options.html:
        Path(options.html).write_text(page(mechanism, result), encoding="utf-8")
    if options.json:
        print(json.dumps(as_json(result), indent=1, allow_nan=False))
    else:
        print(f"{mechanism.name}: claimed {result.epsilon:g}, at least {result.lower_bound:.4f}")
        print(f"{'no violation found' if result.ok else 'BROKEN'}; {result.event}")
        print(f"{result.samples:,} outputs per record, {result.confidence:.4%} confidence. ", end="")
        print("An audit can only find violations.")
    return 0 if result.ok else 1


def row(result: AuditResult) -> str:
    """One line of the table."""
    verdict = "ok" if result.ok else "BROKEN"
    return f"{result.mechanism:<16}{result.epsilon:>9g}{result.lower_bound:>10.4f}  {verdict:<8}{result.event}"


def as_json(result: AuditResult) -> dict[str, object]:
    """The fields of a result; ∞ is written as the string "inf"."""
    return asdict(result) | ({"epsilon": "inf"} if math.isinf(result.epsilon) else {})


if __name__ == "__main__":
    sys.exit(main())
