"""``rlm campaign``: what its commands do. The command line itself is in ``rlm_core/cli/campaign.py``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from collection.campaign import Campaign
from collection.database import Unavailable
from collection.export import FORMATS
from collection.questions import Digit, Number, OneOf, Question
from collection.store import State, Store
from rlm_core.cli.campaign import parser
from rlm_core.zoo.code_tree import choose_codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake gets a message."""
    options = parser().parse_args(arguments)
    try:
        return int(COMMANDS[options.command](Store(options.database), options))
    except Unavailable as error:
        print(f"rlm campaign: {error}", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"rlm campaign: {error}", file=sys.stderr)
        return 2


def new(store: Store, options: argparse.Namespace) -> int:
    """Make a campaign and print its two links' parts: the public id and the creator's secret."""
    campaign = Campaign(
        title=options.title,
        question=asked(options),
        epsilon=options.epsilon,
        people=options.people,
        closes=int(time.time() + 3600 * options.hours),
        reports_per_device=options.reports_per_device,
    )
    made = store.create(campaign)
    print(f"id        {made.id}")
    print(f"join      /join/{made.id}")
    print(f"token     {made.token}   (secret; shown only now)")
    print(f"mechanism {campaign.mechanism.name}, epsilon {campaign.epsilon:g}")
    print(f"promised  ± {100 * campaign.promised:.1f} points with {campaign.people} people, at worst")
    print(f"needed    {campaign.people_needed} people for ± 5 points")
    return 0


def asked(options: argparse.Namespace) -> Question:
    """The question that the options describe; yes or no if they say no more."""
    if options.digits:
        card = choose_codes("mnist", options.epsilon, options.people)
        return Digit(text=options.ask or "Draw a digit, and say which it is.", card=card)
    if not options.ask:
        raise ValueError("Expected a question: --ask TEXT, or --digits.")
    if options.range:
        low, high = options.range
        return Number(text=options.ask, low=low, high=high, unit=options.unit)
    return OneOf(text=options.ask, answers=tuple(options.answers))


def show_all(store: Store, options: argparse.Namespace) -> int:
    """A line a campaign."""
    for state in store.states():
        ends = datetime.fromtimestamp(state.campaign.closes, UTC).strftime("%Y-%m-%d %H:%M UTC")
        status = f"open until {ends}" if state.is_open else "closed"
        print(f"{state.id}  {state.tally.people:>9,} reports  {status:<32}  {state.campaign.title}")
    return 0


def show(store: Store, options: argparse.Namespace) -> int:
    """What the reports say together."""
    state = found(store, options.id)
    scale, unit = (1.0, "") if isinstance(state.campaign.question, Number) else (100.0, " %")
    print(f"{state.campaign.title}: {state.tally.people:,} reports")
    for line in state.campaign.estimate(state.tally):
        low, high = scale * line.low, scale * line.high
        print(f"  {line.name:<20} {scale * line.estimate:8.1f}{unit}   95 %: {low:.1f} to {high:.1f}")
    return 0


def export(store: Store, options: argparse.Namespace) -> int:
    """Write a file; without --out to the terminal."""
    state = found(store, options.id)
    content = FORMATS[options.format](store, state.id, state.campaign)
    if options.out:
        options.out.write_bytes(content)
        print(f"{options.out}: {state.tally.people:,} reports")
    else:
        sys.stdout.buffer.write(content)
    return 0


def close(store: Store, options: argparse.Namespace) -> int:
    """Take no further reports."""
    store.close(found(store, options.id).id)
    return 0


def delete(store: Store, options: argparse.Namespace) -> int:
    """For good, so it asks for --yes."""
    state = found(store, options.id)
    if not options.yes:
        raise ValueError(f"Expected --yes: {state.tally.people:,} reports would be deleted for good.")
    store.delete(state.id)
    return 0


def found(store: Store, campaign_id: str) -> State:
    """The campaign of that id."""
    state = store.state(campaign_id)
    if state is None:
        raise ValueError(f"Expected the id of a campaign (rlm campaign list), got {campaign_id!r}.")
    return state


COMMANDS = {"new": new, "list": show_all, "show": show, "export": export, "close": close, "delete": delete}


if __name__ == "__main__":
    sys.exit(main())
