"""Arguments and options that several commands share, with their completion in the shell."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from inspect import signature
from typing import Any, Final, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from cli.store.hands import hand_file, hand_names, table_names
from p2p304.games import GAMES, agreement

# The key of a field's metadata, under which `gather_options` finds how click reads it.
_READ: Final = "click"


def option(*names: str, **settings: Any) -> Any:
    """Return a field of a record that `gather_options` turns into an option; `settings` are
    those of `click.option`.
    """
    # Any: the field is declared with the type of the values that click gives, such as int.
    # The field's name last: click calls the argument by the word without hyphens.
    return field(metadata={_READ: lambda name: click.option(*names, name, **settings)})


def argument(**settings: Any) -> Any:
    """Return a field of a record that `gather_options` turns into an argument; `settings` are
    those of `click.argument`.
    """
    return field(metadata={_READ: lambda name: click.argument(name, **settings)})


def declared(decorator: Callable[[Any], Any]) -> Any:
    """Return a field of a record whose option or argument is the one that the `decorator` adds."""
    return field(metadata={_READ: lambda _: decorator})


USUAL: Final = "304"  #: The game that is meant where none is named.
# The other games have no profiles: their parameters stand in their own charters.
PROFILES: Final = GAMES[USUAL].profiles
# A name that games share means the same in all: the words of the last are taken.
#: The house rules of all games, with what each means.
HOUSE_RULES: Final = {
    name: meaning for entry in GAMES.values() for name, meaning in entry.house_rules.items()
}
T = TypeVar("T")
CommandT = TypeVar("CommandT", bound=Callable[..., Any])
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class Amount(click.FloatRange):
    """A type of options for numbers within bounds, which refuses NaN and infinity."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number. Raises click's BadParameter for a text that is none, or out of
        bounds.
        """
        number: float = super().convert(value, param, ctx)
        # click's range takes "nan": every comparison with it is false.
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


def make_record(make: Callable[..., T], given: Mapping[str, Any]) -> T:
    """Return `make` called with those values of `given` whose names are its parameters, such as the
    fields of a record. A name that `given` lacks is left to its default.
    """
    return make(**{name: given[name] for name in signature(make).parameters if name in given})


def gather_options(
    argument: str, make: Callable[..., Any], *, options: Iterable[Callable[[Any], Any]] = ()
) -> Callable[[CommandT], CommandT]:
    """Return a decorator that passes several options to a command as one `argument`, made by
    `make`.

    Those options are the ones called like the parameters of `make`, a function or a record. It adds
    the decorators `options`, and the options that fields of `make` declare; others may stand above.
    """
    read = fields(make) if is_dataclass(make) else ()
    # In reverse, as decorators are applied from the last to the first: so the help keeps the order.
    # Only the fields that `option` or `argument` made; others come from a decorator of their own.
    declared = [each.metadata[_READ](each.name) for each in reversed(read) if each.metadata]

    def gathering(command: CommandT) -> CommandT:
        """Return the command with the gathered options as one argument."""

        # `wraps` also copies what click stored on the function: options declared below this one.
        @wraps(command)
        def called(**given: Any) -> Any:
            """Call the command with click's options, the gathered ones made into `argument`."""
            wanted = signature(make).parameters
            others = {name: value for name, value in given.items() if name not in wanted}
            return command(**others, **{argument: make_record(make, given)})

        # Any: click's decorators change the type, step by step.
        decorated: Any = called
        for each in (*options, *declared):
            decorated = each(decorated)
        return cast(CommandT, decorated)

    return gathering


def completer(names: Iterable[str], help_of: Callable[[str], str | None]) -> Completer:
    """Return a function by which click completes one of `names`, each shown with its help."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin as typed."""
        found = (name for name in names if name.startswith(incomplete))
        return [CompletionItem(name, help=help_of(name)) for name in found]

    return complete


class HandFile(click.Path):
    """A type of arguments for a transcript: its path, or the short name of a hand of this
    machine.
    """

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return completions: short names of hands of this machine, or else paths."""
        # Names first: a path is completed only where no hand of this machine begins as typed.
        hands = [CompletionItem(name) for name in hand_names(incomplete)]
        return hands or super().shell_complete(ctx, param, incomplete)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the path of a hand's file for its short name, else the value itself, both checked
        as paths by click.

        Raises StoreError if no hand of this machine has the short name, or several have it.
        """
        # click checks that the path is there only behind the short name's translation.
        return str(super().convert(hand_file(os.fspath(value)), param, ctx))


def complete_table(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions: the short names of this machine's tables that begin as typed."""
    return [CompletionItem(name) for name in table_names(incomplete)]


complete_profile = completer(PROFILES, PROFILES.get)  #: Completes the name of a profile.

# No help beside these names: they are games as well as profiles.
#: Completes what rules can be told of: the name of a profile, or another game.
complete_rules = completer((*PROFILES, *(name for name in GAMES if name != USUAL)), lambda _: None)

#: The option --house, as the argument `house` of the command.
house_rules = click.option(
    "--house",
    "house",
    metavar="RULE",
    multiple=True,
    # What each name means is shown by shells that show help, such as zsh and fish.
    shell_complete=completer(HOUSE_RULES, HOUSE_RULES.get),
    help="A house rule on top of the game's rules; may be given several times.",
)

# --name is the older spelling.
#: The option --nickname of whoever sits down, as the argument `name`.
name_option = click.option(
    "--nickname",
    "--name",
    "name",
    metavar="NAME",
    help="Your nickname.  [default: that of your settings]",
)

# The first profile of the list is the one that is played unasked.
DEFAULT_PROFILE: Final = next(iter(PROFILES))


def game_option(games: Iterable[str] = GAMES) -> Callable[[CommandT], CommandT]:
    """Return the option --game, one of `games`, as the argument `game` of the command."""
    return click.option(
        "--game",
        "game",
        type=click.Choice(list(games)),
        default=USUAL,
        show_default=True,
        help="The game to play.",
    )


def profile_option(
    profiles: Iterable[str] = PROFILES, default: str = DEFAULT_PROFILE
) -> Callable[[CommandT], CommandT]:
    """Return the option --profile, as the argument `profile` of the command, None if it is not
    given; its help names `profiles` and `default`.
    """
    return click.option(
        "--profile",
        "profile",
        metavar="NAME",
        # Not `default`: only with 304 may a profile be given.
        default=None,
        shell_complete=complete_profile,
        help=f"The rules of {USUAL}: {', '.join(profiles)}.  [default: {default}]",
    )


#: The option --set, as the argument `parameters` of the command.
set_option = click.option(
    "--set",
    "parameters",
    metavar="'NAME = VALUE'",
    multiple=True,
    help="One parameter on top of the profile; 'p2p304 rules' explains them.",
)

#: The option --hands of a seat, as the argument `hands` of the command.
hands_option = click.option(
    "--hands",
    type=click.IntRange(min=1),
    help="Stop when the table has played this many hands; a deal without play does not count.",
)


def matches_option(*, hidden: bool = False) -> Callable[[CommandT], CommandT]:
    """Return the option --matches of a seat, as the argument `matches` of the command."""
    return click.option(
        "--matches",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        hidden=hidden,
        help="Stop after this many matches.",
    )


#: The option --json, as the argument `as_json` of the command.
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object on standard output and nothing else.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """The options about the rules of a game."""

    game: str = declared(game_option())
    profile: str | None = declared(profile_option())
    house: tuple[str, ...] = declared(house_rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions(RuleOptions):
    """The options about a table at which a person sits down."""

    parameters: tuple[str, ...] = declared(set_option)
    name: str | None = declared(name_option)

    @property
    def agreement(self) -> str:
        """The line of the charter about the rules, made of game, profile, house rules and
        parameters. Raises ProfileError if they cannot be combined.
        """
        return agreement(self.game, self.profile, self.house, self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayWishes(TableOptions):
    """The options of `p2p304 play` about its table."""

    hands: int | None = declared(hands_option)
    matches: int = declared(matches_option())
    seed: int | None = option(
        "--seed",
        type=click.IntRange(0, (1 << 64) - 1),
        # 64 bits are more than tests need; 32 bytes are made of them.
        hidden=True,
        help="Take this in place of chance, for tests: the same cards again.",
    )
