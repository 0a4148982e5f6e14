"""A charter as a person reads it before agreeing: the rules, who sits where, the fingerprints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cli.auditing import game_of
from cli.sanitize import impostors, safe_name
from cli.store.identity import KnownPeers, Recognition, Standing, fingerprint
from cli.table.situation import place
from cli.ui.talk import talk_agreed
from p2p304.game import AnyGame
from p2p304.games import GAMES
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.hand import Game304
from p2p304.rules304.parameters import differences
from p2p304.seats import Seat
from protocol.charter import Charter

NICKNAME_CELLS: Final = 32


def charter_lines(
    charter: Charter,
    seat: Seat | None,
    known: KnownPeers,
    *,
    bots: frozenset[int] = frozenset(),
    ascii_only: bool = False,
) -> Iterator[str]:
    """All that is agreed on; `seat` is ours, None for a spectator; in `bots` sit those that this
    machine started. Raises UserError for a game that this program cannot play, StoreError if the
    known peers cannot be read."""
    yield from rules_lines(charter)
    yield f"The charter's fingerprint, the same on every screen: {charter.fingerprint}"
    alike = impostors([entry.nickname for entry in charter.seats])
    for number, entry in enumerate(charter.seats):
        name = safe_name(entry.nickname, cells=NICKNAME_CELLS, ascii_only=ascii_only)
        title = f"{place(number, len(charter.seats)):>5}  {name}"
        if number == seat:
            yield f"{title} (you)   {fingerprint(entry.key)}"
            continue
        if number in bots:
            yield f"{title} (a bot on this machine)   {fingerprint(entry.key)}"
            continue
        found = known.recognise(entry.key, entry.nickname)
        yield f"{title}{_standing(found, ascii_only=ascii_only)}   {fingerprint(entry.key)}"
        yield from _warnings(found, name, ascii_only=ascii_only)
        if entry.nickname in alike:
            yield f"       !! {name} looks like another name, or like a word of the program."


def rules_lines(charter: Charter) -> Iterator[str]:
    """The game and its rules: the profile, the house rules, every parameter that differs."""
    game = game_of(charter)
    title = GAMES[charter.game].title if charter.game in GAMES else charter.game
    yield f"Rules: {title}, {agreement_title(game)}"
    if isinstance(game, Game304):
        for row in differences(profile_named(game.profile.name), game.profile):
            meant = f"{row.parameter.name} is {row.right}, not {row.left}"
            yield f"   differs from {game.profile.name}: {meant} ({row.parameter.explanation})"
        if talk_agreed(game):
            yield "   Between hands the players may write to each other; during a hand nobody may."


def agreement_title(game: AnyGame) -> str:
    """The agreement in a few words, such as "by pagat + half_court"."""
    if isinstance(game, Game304):
        return "by " + " + ".join((game.profile.name, *game.profile.toggles))
    parameters = getattr(getattr(game, "rules", None), "parameters", "")
    return f"with {parameters}" if parameters else "without house rules"


def _standing(found: Recognition, *, ascii_only: bool) -> str:
    match found.standing:
        case Standing.NEW:
            return " (new to you)"
        case Standing.KNOWN | Standing.RENAMED:
            called = safe_name(found.known[0].name, cells=NICKNAME_CELLS, ascii_only=ascii_only)
            return f" (known to you as {called})"
        case Standing.CHANGED_KEY:
            return " (NOT THE ONE YOU KNOW)"


def _warnings(found: Recognition, name: str, *, ascii_only: bool) -> Iterator[str]:
    if found.standing is not Standing.CHANGED_KEY:
        return
    yield f"       !! Somebody else whom you know is called {name}, with another key:"
    for peer in found.known:
        known = safe_name(peer.name, cells=NICKNAME_CELLS, ascii_only=ascii_only)
        yield f"       !!    {known}   {fingerprint(peer.key)}"
    yield "       !! It may be the same person on a new machine, or somebody else: ask them, by"
    yield "       !! telephone or in person, to read out the fingerprint above before you agree."
