"""Hands of random legal play at all tables, and what comes of each if one seat does something else.

    python -m tests.verifier.rules_fuzz --hands 2000 --seed 17 -- node verifier/node.mjs

Two programs are asked the same: the public play of each hand (`rules.play`), and of the same hand
up to an action in whose place stands another one. Statements and disclosures, who is awaited, the
scores and the refusal must be the same. Hand k of a seed is the same on every machine.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import click

from cli.conformance.program import ProgramUnderTest
from p2p304.bots.players import RandomPlayer, random_player_for
from p2p304.game import AnyGame
from p2p304.games import create_game
from p2p304.randomness import SeededRandomness
from p2p304.seats import Seat
from p2p304.simulator import OpenTable, play_out
from tests.vectors.answers import ask
from tests.vectors.plain_json import Json

#: The fifteen tables, each with some agreements.
TABLES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("304", ("pagat", "pagat; +pre_show", "pagat; +half_court; +redeal_private",
             "pagat; pre_show_card = in a trick too", "pagat; +caps_strict; +show_maker_discard")),
    ("304", ("card304", "card304; +caps_hidden_call; +forced_open; +external_caps_eight")),
    ("304", ("card304-alpha", "card304-alpha; open_trump = yes; exhausted_trumps = yes")),
    ("304", ("wikipedia", "wikipedia; +bank_scoring; +caps_late_free; +step5_from_200")),
    ("304", ("championship", "championship; +pre_show")),
    ("304", ("six24", "six24; +pre_show; +caps_strict", "six24; first_lead_ban = no")),
    ("304", ("eight32", "eight32; pre_show_card = in a trick too")),
    ("304", ("six36", "six36; +redeal_private", "six36; pre_show_card = in a trick too")),
    ("304", ("tamil504", "tamil504; +show_maker_discard; +sandbag_ok")),
    ("304", ("tamil904", "tamil904; +pre_show")),
    ("304", ("tamil4", "tamil4; +half_court; +pre_show", "tamil4; spoilt_trumps = no")),
    ("304", ("maharashtra", "maharashtra; +marriages; +last_trick", "maharashtra; +pre_show",
             "maharashtra; +marriages; spoilt_trumps = no; open_trump = no")),
    ("304", ("doso_viso", "doso_viso; +pre_show; cut_by = nobody; max_cuts = 0")),
    ("41", ("", "floor_12,target_44")),
    ("400", ("", "floor_12")),
)  # fmt: skip

#: What may be said anywhere.
SAID: Final = (
    "pass", "ask", "ask-seat 3", "sort", "closed", "none", "ready", "accept", "contest", "spoilt",
    "no-trump", "double", "caps", "redeal", "bid pcc", "bid half_court", "bid full_court",
    "name 9D", "indicator 0", "cut 3",
)  # fmt: skip


class Asked(NamedTuple):
    """A question, and what it is about."""

    about: str
    given: Json


def asked(seed: int, number: int, deviations: int) -> Iterator[Asked]:
    """Yield the public play of a hand, and of the same with one action changed."""
    chance = SeededRandomness(seed * 1_000_003 + number)
    name, agreements = TABLES[number % len(TABLES)]
    agreement = agreements[chance.randbelow(len(agreements))]
    game = create_game(name, agreement)
    table, dealer = _played(game, chance)
    log = [[int(seat), game.format_action(each)] for seat, each in table]
    given: Json = {"game": name, "agreement": agreement, "dealer": dealer}
    about = f"hand {number} of {name} {agreement}"
    yield Asked(about, {**given, "actions": log})
    for _ in range(deviations):
        place = chance.randbelow(len(log))
        other = _other(log, place, game.seats, chance)
        yield Asked(f"{about}, {place}: {other}", {**given, "actions": [*log[:place], other]})


def _played(game: AnyGame, chance: SeededRandomness) -> tuple[list[tuple[Seat, Any]], int]:
    dealer = Seat(chance.randbelow(game.seats))
    deck = list(game.pack)
    chance.shuffle(deck)
    table = OpenTable(game, deck, chance, dealer=dealer, scores=(0,) * 4, checks=False)
    kind = RandomPlayer if chance.randbelow(4) == 0 else None
    seeds = [chance.randbelow(1 << 30) for _ in range(game.seats)]
    players = [RandomPlayer(game, s) if kind else random_player_for(game, s) for s in seeds]
    return [(seat, action) for seat, action in play_out(table, players)], int(dealer)


def _other(log: list[list[Any]], place: int, seats: int, chance: SeededRandomness) -> list[Any]:
    """Return an action that nobody may have meant, where another one stands."""
    seat, text = log[place]
    match chance.randbelow(6):
        case 0:
            return [(seat + 1 + chance.randbelow(seats - 1)) % seats, text]
        case 1:
            return [seat, SAID[chance.randbelow(len(SAID))]]
        case 2:
            return [seat, log[chance.randbelow(len(log))][1]]
        case 3:
            said = re.sub("^down ([0-9]+)$", r"play \1=9S", text)
            return [seat, said if said != text else re.sub("^play ([0-9]+)=..", r"down \1", text)]
        case 4:
            return [seat, _nearby(text, chance)]
        case _:
            return [seat, re.sub("[SHDC](?![A-Za-z_])", "SHDC"[chance.randbelow(4)], text, count=1)]


def _nearby(text: str, chance: SeededRandomness) -> str:
    """Return the text with its first number changed by a little."""
    step = (1, -1, 2, -2, 5, 10, -10)[chance.randbelow(7)]
    return re.sub("[0-9]+", lambda found: str(max(0, int(found[0]) + step)), text, count=1)


def differences(
    program: ProgramUnderTest, seed: int, numbers: Iterable[int], deviations: int = 3
) -> Iterator[tuple[str, str | None]]:
    """Yield what came of each question by the refusal, and how the answers differ, if so."""
    for number in numbers:
        for about, given in asked(seed, number, deviations):
            ours, theirs = ask("rules.play", given), program.ask("rules.play", given)
            same = all(ours.get(name) == theirs.get(name) for name in ("output", "reject"))
            wrong = None if same else f"{about}: {_short(theirs)}; ours is {_short(ours)}"
            yield ours.get("reject", "accepted"), wrong


def _short(answer: Json) -> str:
    return str({name: answer[name] for name in ("output", "reject") if name in answer})[:400]


@click.command()
@click.option("--hands", default=2_000, show_default=True)
@click.option("--first", default=0, show_default=True, help="The number of the first hand.")
@click.option("--seed", default=17, show_default=True)
@click.option("--deviations", default=3, show_default=True, help="Of each hand.")
@click.argument("command", nargs=-1, required=True)
def main(hands: int, first: int, seed: int, deviations: int, command: tuple[str, ...]) -> None:
    """Compare COMMAND with our own program, and tell how many questions had which end."""
    words = [word for each in command for word in shlex.split(each)]
    found: Counter[str] = Counter()
    wrong = 0
    with ProgramUnderTest(words) as program:
        for end, difference in differences(program, seed, range(first, first + hands), deviations):
            found[end] += 1
            if difference is not None:
                wrong += 1
                click.echo(difference)
    told = ", ".join(f"{count} {end}" for end, count in found.most_common())
    click.echo(f"{hands} hands: {told}; {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
