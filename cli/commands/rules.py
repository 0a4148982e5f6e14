"""`p2p304 rules`: explains every parameter of a profile, and where two profiles differ."""

from __future__ import annotations

import click
from rich import box
from rich.console import Console
from rich.table import Table

from cli.commands.options import (
    PROFILES,
    USUAL,
    complete_profile,
    complete_rules,
    house_rules,
)
from cli.errors import UserError
from cli.front.writing import Writer
from cli.printer import Printer
from p2p304.games import GAMES, agreement, create_game, telling_of
from p2p304.telling import AnyTelling, Parameter


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
      p2p304 rules                              the profiles and the house rules
      p2p304 rules pagat                        all parameters of one profile
      p2p304 rules pagat championship           only what differs
      p2p304 rules pagat --house half_court     a profile with a house rule on top
      p2p304 rules pagat pagat --house bank_scoring
                                                what a house rule changes
      p2p304 rules 400                          the rules of another game
    """
    # rich would colour numbers and quotes in the words of the rules.
    console = Printer(highlight=False)
    if profile is None:
        _print_choices(console)
    elif profile in GAMES and profile != USUAL:
        if other is not None:
            # Cut and in ASCII, whatever was pasted.
            raise UserError(f"{profile} has no profiles to compare: leave {other[:40]!a} out.")
        _print_game(console, profile, house)
    elif other in GAMES and other != USUAL:
        raise UserError(f"{other} has no profiles to compare: 'p2p304 rules {other}' tells it.")
    elif other is None:
        _print_profile(console, _find_telling(profile, house))
    else:
        # House rules go onto the second one, so that one profile can be compared with itself.
        _print_differences(console, _find_telling(profile), _find_telling(other, house))


def _find_telling(profile: str, house: tuple[str, ...] = ()) -> AnyTelling:
    """Return the telling of 304 under a profile with house rules: its title and its parameters
    with their meanings. Raises UserError for rules that do not fit together.
    """
    return telling_of(create_game(USUAL, agreement(USUAL, profile, house)))


def _table(*headings: str) -> Table:
    """Return an empty table with these column headings, the first column unwrapped."""
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column, heading in enumerate(headings):
        # The names stay whole; the meaning is what wraps.
        table.add_column(heading, no_wrap=column == 0)
    return table


def _print_choices(console: Console) -> None:
    """Print a table of the profiles of 304, one of its house rules, and which commands show
    more.
    """
    first = next(iter(PROFILES))
    profiles = _table("Profile", "Seats", "Cards", "What it is")
    for each, words in PROFILES.items():
        values = {parameter.name: parameter.value for parameter in _find_telling(each).parameters}
        seats = create_game(USUAL, agreement(USUAL, each, ())).seats
        # "32 cards: ...": the table has room for the number.
        profiles.add_row(each, str(seats), values["deck"].partition(":")[0], words)
    console.print(profiles)
    console.print(_house_table(USUAL))
    console.print(
        f"p2p304 rules PROFILE explains a profile, p2p304 rules {first} PROFILE where it differs"
        f" from {first}; p2p304 rules --help shows more.",
    )
    named = " and ".join(f"p2p304 rules {name}" for name in GAMES if name != USUAL)
    console.print(f"{named} tell the rules of those games.")


def _house_table(game: str) -> Table:
    """Return a table of a game's house rules."""
    rules = _table("House rule", "What it means")
    for name, meaning in GAMES[game].house_rules.items():
        rules.add_row(name, meaning)
    return rules


def _print_game(console: Console, name: str, house: tuple[str, ...]) -> None:
    """Print in short the rules of a game other than 304 under these house rules, then a table of
    all its house rules.
    """
    game = create_game(name, agreement(name, None, house))
    writer = Writer(game.seats)
    for paragraph in telling_of(game).in_short():
        # The text has brackets that rich would take for its markup.
        console.print(writer.sentence(paragraph), markup=False)
    console.print(_house_table(name))


def _print_profile(console: Console, telling: AnyTelling) -> None:
    """Print every parameter of a profile by section, with its value and meaning."""
    console.print(telling.title, style="bold")
    sections: dict[str, list[Parameter]] = {}
    for each in telling.parameters:
        sections.setdefault(each.section, []).append(each)
    for section, parameters in sections.items():
        table = _table("Parameter", "Value", "What it means")
        table.title = section
        table.title_justify = "left"
        for each in parameters:
            table.add_row(each.name, each.value, each.meaning)
        console.print(table)


def _print_differences(console: Console, left: AnyTelling, right: AnyTelling) -> None:
    """Print a table of the parameters in which two profiles differ, or that they agree."""
    # Both are 304: its profiles have the same parameters in the same order.
    pairs = zip(left.parameters, right.parameters, strict=True)
    rows, total = [pair for pair in pairs if pair[0].value != pair[1].value], len(left.parameters)
    if not rows:
        console.print(f"{_title(left)} and {_title(right)} agree in all {total} parameters.")
        return
    table = _table("Parameter", _title(left), _title(right), "What it means")
    for one, two in rows:
        table.add_row(one.name, one.value, two.value, one.meaning)
    console.print(table)
    console.print(f"{len(rows)} of {total} parameters differ.")


def _title(telling: AnyTelling) -> str:
    """Return a profile's title without the "304, " before it and the " rules" behind it."""
    # Short, as it heads a column of a table in which all is 304 and its rules.
    return telling.title.removeprefix(f"{USUAL}, ").removesuffix(" rules")
