"""`p2p304 rules`: every parameter of a profile explained, and where two profiles differ."""

from __future__ import annotations

from itertools import groupby
from typing import Final

import click
from rich import box
from rich.console import Console
from rich.table import Table

from cli.commands.options import complete_profile, complete_rules, house_rules
from cli.errors import UserError
from cli.printer import Printer
from cli.table.lesson41 import in_short
from p2p304.rules41 import rules as rules41
from p2p304.rules41.rules import Rules41, Variant, parse_rules
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.parameters import PARAMETERS, differences
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import PROFILES
from p2p304.rules304.toggles import TOGGLES

_VARIANTS: Final = {each.value: each for each in Variant}
_PARTS: Final = {
    "1.1": "Match, deal, cut",
    "1.2": "Four-card auction, redeal",
    "1.3": "Eight-card auction, Partner Close Caps",
    "1.4": "Indicator and play",
    "1.5": "Caps",
    "1.6": "Score, tokens, violations",
    "2": "House rules",
}


@click.command("rules")
@click.argument("profile", required=False, shell_complete=complete_rules)
@click.argument("other", required=False, shell_complete=complete_profile)
@house_rules
def command(profile: str | None, other: str | None, house: tuple[str, ...]) -> None:
    """Show every rule of PROFILE with its explanation, or where PROFILE and OTHER differ.

    Without PROFILE: which profiles and which house rules there are. PROFILE may also be 41 or 400:
    then the rules of that game are told.

    \b
    Examples:
      p2p304 rules                                the profiles and the house rules
      p2p304 rules pagat                          all parameters of one profile
      p2p304 rules pagat championship             only what differs
      p2p304 rules pagat --house half_court       a profile with a house rule on top
      p2p304 rules pagat pagat --house bank_scoring
                                                  what a house rule changes
      p2p304 rules 400                            the rules of another game
    """
    console = Printer(highlight=False)
    if profile is None:
        _print_choices(console)
    elif profile in _VARIANTS:
        if other is not None:
            raise UserError(f"{profile} has no profiles to compare: leave {other[:40]!a} out.")
        _print_41(console, parse_rules(_VARIANTS[profile], ",".join(house)))
    elif other is None:
        _print_profile(console, profile_named(profile, house))
    else:
        # House rules go onto the second one, so that one profile can be compared with itself.
        _print_differences(console, profile_named(profile), profile_named(other, house))


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column, heading in enumerate(headings):
        table.add_column(heading, no_wrap=column == 0)
    return table


def _print_choices(console: Console) -> None:
    first, *others = PROFILES.values()
    profiles = _table("Profile", "Differs in", "See where")
    profiles.add_row(first.name, "", f"p2p304 rules {first.name}")
    for each in others:
        count = f"{len(differences(first, each))} of {len(PARAMETERS)} parameters"
        profiles.add_row(each.name, count, f"p2p304 rules {first.name} {each.name}")
    console.print(profiles)
    rules = _table("House rule", "What it means")
    for toggle in TOGGLES.values():
        rules.add_row(toggle.name, toggle.explanation)
    console.print(rules)
    console.print("p2p304 rules PROFILE explains a profile; p2p304 rules --help shows more.")
    console.print("p2p304 rules 41 and p2p304 rules 400 tell the rules of those games.")


def _print_41(console: Console, rules: Rules41) -> None:
    for paragraph in in_short(rules):
        console.print(paragraph, markup=False)
    table = _table("House rule", "What it means")
    for name, meaning in rules41.TOGGLES.items():
        table.add_row(name, meaning)
    console.print(table)


def _print_profile(console: Console, profile: Profile) -> None:
    console.print(_title(profile), style="bold")
    for section, parameters in groupby(PARAMETERS, lambda each: each.section):
        table = _table("Parameter", "Value", "What it means")
        table.title = _PARTS.get(section, section)
        table.title_justify = "left"
        for each in parameters:
            table.add_row(each.name, each.text(profile), each.explanation)
        console.print(table)


def _print_differences(console: Console, left: Profile, right: Profile) -> None:
    rows = differences(left, right)
    if not rows:
        console.print(
            f"{_title(left)} and {_title(right)} agree in all {len(PARAMETERS)} parameters."
        )
        return
    table = _table("Parameter", _title(left), _title(right), "What it means")
    for row in rows:
        table.add_row(row.parameter.name, row.left, row.right, row.parameter.explanation)
    console.print(table)
    console.print(f"{len(rows)} of {len(PARAMETERS)} parameters differ.")


def _title(profile: Profile) -> str:
    return " + ".join((profile.name, *profile.toggles))
