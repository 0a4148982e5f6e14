"""What a charter says: its game, whose seats they are, all that is read before it is agreed to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cli.errors import UserError
from cli.front.writing import Writer
from cli.sanitize import impostors, safe_name, safe_text
from cli.store.identity import Familiarity, KnownPeers, Recognition, fingerprint
from cli.wording import hand_label
from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.games import agreed_game, telling_of
from p2p304.seats import Seat, place_name, seat_names
from protocol.wire.charter import Charter

NICKNAME_CELLS: Final = 32


def game_of(charter: Charter) -> AnyGame:
    """Return the game that a charter names.

    Raises UserError for one that this program does not know.
    """
    try:
        return agreed_game(charter.game, charter.profile)
    except GameError as error:
        raise UserError(
            f"This p2p304 does not know the game or the rules of the charter ({error}):"
            " use the same version as whoever made the table.",
            check="charter.profile",
        ) from None


def seat_name(charter: Charter | None, seat: Seat | None) -> str:
    """Return the name of a seat: its place, and the nickname that the charter gives it."""
    if seat is None:
        return "nobody"
    if charter is None:
        return place_name(seat, 0)
    place = place_name(seat, len(charter.seats))
    if seat >= len(charter.seats):
        return place
    return f"{place} ({safe_name(charter.seats[seat].nickname, cells=32)})"


def whose(charter: Charter) -> Iterator[str]:
    """Yield whose table it was: the charter's fingerprint, and who sat where under which key.

    A file says no more than that these keys played: whose they are, their owners must tell.
    """
    yield f"Charter {charter.fingerprint}, game {safe_text(charter.game)}"
    for number, entry in enumerate(charter.seats):
        yield f"  {seat_name(charter, Seat(number))}: key {fingerprint(entry.key)}"


def charter_lines(
    charter: Charter,
    seat: Seat | None,
    known: KnownPeers,
    *,
    bots: frozenset[int] = frozenset(),
    ascii_only: bool = False,
) -> Iterator[str]:
    """Yield all that is agreed on.

    `seat` is ours, None for a spectator; in `bots` sit those that this machine started. Raises
    UserError for a game that this program cannot play, StoreError if the known peers cannot be
    read.
    """
    yield from rules_lines(charter)
    yield from _going_on(charter)
    yield f"The charter's fingerprint, the same on every screen: {charter.fingerprint}"
    alike = impostors([entry.nickname for entry in charter.seats])
    width = max(5, *map(len, seat_names(len(charter.seats))))
    for number, entry in enumerate(charter.seats):
        name = safe_name(entry.nickname, cells=NICKNAME_CELLS, ascii_only=ascii_only)
        title = f"{place_name(number, len(charter.seats)):>{width}}  {name}"
        if number == seat:
            yield f"{title} (you)   {fingerprint(entry.key)}"
            continue
        if number in bots:
            yield f"{title} (a bot on this machine)   {fingerprint(entry.key)}"
            continue
        found = known.recognise(entry.key, entry.nickname)
        yield f"{title}{_familiarity(found, ascii_only=ascii_only)}   {fingerprint(entry.key)}"
        yield from _warnings(found, name, ascii_only=ascii_only)
        if entry.nickname in alike:
            yield f"       !! {name} looks like another name, or like a word of the program."


def rules_lines(charter: Charter) -> Iterator[str]:
    """Yield the game and its rules: its title, and everything that was agreed beyond it."""
    game = game_of(charter)
    telling, writer = telling_of(game), Writer(game.seats)
    yield f"Rules: {telling.title}"
    for line in telling.agreed:
        yield f"   {writer.line(line)}"
    if telling.talk_agreed:
        yield "   Between hands the players may write to each other; during a hand nobody may."


def _going_on(charter: Charter) -> Iterator[str]:
    """Yield with which match a table goes on, who stays, and who seats a bot."""
    term = charter.continues
    if term is None:
        return
    game = game_of(charter)
    telling, writer = telling_of(game), Writer(game.seats)
    scores = ", ".join(map(str, term.scores))
    hand = hand_label(term.point.hand)
    yield (
        f"This table goes on with the match of another one, after hand {hand} there:"
        f" {telling.scored.lower()} {scores}; {seat_name(charter, term.dealer)} deals."
    )
    yield f"   Who stays under the same key: {writer.seats_named(term.present)}."
    for seat, by in term.bots:
        yield f"   {seat_name(charter, seat)} is a bot, seated by {seat_name(charter, by)}."
    if term.bots:
        yield "   When who left is back: substitute back, or the key +; all who stay must agree."


def _familiarity(found: Recognition, *, ascii_only: bool) -> str:
    match found.familiarity:
        case Familiarity.NEW:
            return " (new to you)"
        case Familiarity.KNOWN | Familiarity.RENAMED:
            called = safe_name(found.known[0].name, cells=NICKNAME_CELLS, ascii_only=ascii_only)
            return f" (known to you as {called})"
        case Familiarity.CHANGED_KEY:
            return " (NOT THE ONE YOU KNOW)"


def _warnings(found: Recognition, name: str, *, ascii_only: bool) -> Iterator[str]:
    if found.familiarity is not Familiarity.CHANGED_KEY:
        return
    yield f"       !! Somebody else whom you know is called {name}, with another key:"
    for peer in found.known:
        known = safe_name(peer.name, cells=NICKNAME_CELLS, ascii_only=ascii_only)
        yield f"       !!    {known}   {fingerprint(peer.key)}"
    yield "       !! It may be the same person on a new machine, or somebody else: ask them, by"
    yield "       !! telephone or in person, to read out the fingerprint above before you agree."
