"""`p2p304 rules`: explains every parameter of a profile, and where two profiles differ."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import click

from cli.commands.options import (
    PROFILES,
    USUAL,
    complete_profile,
    complete_rules,
    house_rules,
)
from cli.errors import UserError
from cli.front.writing import Writer
from p2p304.games import GAMES, agreement, create_game, telling_of
from p2p304.telling import AnyTelling


@click.command("rules")
@click.argument("profile", required=False, shell_complete=complete_rules)
@click.argument("other", required=False, shell_complete=complete_profile)
@house_rules
@click.pass_context
def command(
    context: click.Context, profile: str | None, other: str | None, house: tuple[str, ...]
) -> None:
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
    # What click writes its own lists with: names, and behind each what it means.
    page = context.make_formatter()
    if profile is None:
        _write_choices(page)
    elif profile in GAMES and profile != USUAL:
        if other is not None:
            # Cut and in ASCII, whatever was pasted.
            raise UserError(f"{profile} has no profiles to compare: leave {other[:40]!a} out.")
        _write_game(page, profile, house)
    elif other in GAMES and other != USUAL:
        raise UserError(f"{other} has no profiles to compare: 'p2p304 rules {other}' tells it.")
    elif other is None:
        _write_profile(page, _find_telling(profile, house))
    else:
        # House rules go onto the second one, so that one profile can be compared with itself.
        _write_differences(page, _find_telling(profile), _find_telling(other, house))
    click.echo(page.getvalue(), nl=False)


def _find_telling(profile: str, house: tuple[str, ...] = ()) -> AnyTelling:
    """Return the telling of 304 under a profile with house rules: its title and its parameters
    with their meanings. Raises UserError for rules that do not fit together.
    """
    return telling_of(create_game(USUAL, agreement(USUAL, profile, house)))


def _write_section(page: click.HelpFormatter, title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write a title, and below it rows of a name and what it means."""
    with page.section(title):
        page.write_dl(list(rows))


def _write_choices(page: click.HelpFormatter) -> None:
    """Write the profiles of 304, its house rules, and which commands show more."""
    profiles = []
    for each, words in PROFILES.items():
        values = {parameter.name: parameter.value for parameter in _find_telling(each).parameters}
        seats = create_game(USUAL, agreement(USUAL, each, ())).seats
        # "32 cards: ...": the number alone.
        cards = values["deck"].partition(":")[0]
        profiles.append((each, f"{seats} seats, {cards} cards: {words}"))
    _write_section(page, "Profiles", profiles)
    _write_section(page, "House rules", GAMES[USUAL].house_rules.items())
    first = next(iter(PROFILES))
    page.write_paragraph()
    page.write_text(
        f"p2p304 rules PROFILE explains a profile, p2p304 rules {first} PROFILE where it differs"
        f" from {first}; p2p304 rules --help shows more."
    )
    named = " and ".join(f"p2p304 rules {name}" for name in GAMES if name != USUAL)
    page.write_text(f"{named} tell the rules of those games.")


def _write_game(page: click.HelpFormatter, name: str, house: tuple[str, ...]) -> None:
    """Write in short the rules of a game other than 304 under these house rules, then all its
    house rules.
    """
    game = create_game(name, agreement(name, None, house))
    writer = Writer(game.seats)
    for paragraph in telling_of(game).in_short():
        page.write_text(writer.sentence(paragraph))
    _write_section(page, "House rules", GAMES[name].house_rules.items())


def _write_profile(page: click.HelpFormatter, telling: AnyTelling) -> None:
    """Write every parameter of a profile by section, with its value and meaning."""
    page.write_text(telling.title)
    # The parameters of a section stand together.
    for section, parameters in groupby(telling.parameters, key=lambda each: each.section):
        rows = [(f"{each.name} = {each.value}", each.meaning) for each in parameters]
        _write_section(page, section, rows)


def _write_differences(page: click.HelpFormatter, left: AnyTelling, right: AnyTelling) -> None:
    """Write the parameters in which two profiles differ, or that they agree."""
    # Both are 304: its profiles have the same parameters in the same order.
    pairs = zip(left.parameters, right.parameters, strict=True)
    rows = [
        (f"{one.name} = {one.value} | {two.value}", one.meaning)
        for one, two in pairs
        if one.value != two.value
    ]
    total = len(left.parameters)
    if not rows:
        page.write_text(f"{_title(left)} and {_title(right)} agree in all {total} parameters.")
        return
    _write_section(page, f"{_title(left)} | {_title(right)}", rows)
    page.write_paragraph()
    page.write_text(f"{len(rows)} of {total} parameters differ.")


def _title(telling: AnyTelling) -> str:
    """Return a profile's title without the "304, " before it and the " rules" behind it."""
    # Short, as it heads a column of a table in which all is 304 and its rules.
    return telling.title.removeprefix(f"{USUAL}, ").removesuffix(" rules")
