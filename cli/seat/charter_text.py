"""The lines in which a charter is shown before a player agrees to it: game, seats, keys, powers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from cli.errors import UserError
from cli.front.writing import Writer
from cli.peers import Familiarity, KnownPeers, Recognition, fingerprint
from cli.sanitize import impostors, safe_name, safe_text
from cli.wording import hand_label
from p2p304.errors import GameError
from p2p304.game import AnyGame
from p2p304.games import agreed_game, telling_of
from p2p304.seats import Seat, place_name, seat_names
from protocol.errors import MalformedMessage
from protocol.wire.charter import Charter
from protocol.wire.identity import PublicKey
from protocol.wire.terms import CONTINUES, KNOWN_TERMS, REFEREE, TOURNAMENT

# As many as a nickname has characters at most (specs 3.2).
NICKNAME_CELLS: Final = 32


def game_of(charter: Charter) -> AnyGame:
    """Return the game that a charter names.

    Raises UserError if this program does not know it.
    """
    try:
        return agreed_game(charter.game, charter.profile)
    # The version is old or the charter forged: either way nothing is signed, and the sentence says
    # all that the error does.
    except GameError as error:
        raise UserError(
            f"This p2p304 does not know the game or the rules of the charter ({error}):"
            " use the same version as whoever made the table.",
            check="charter.profile",
        ) from None


def seat_name(charter: Charter | None, seat: Seat | None) -> str:
    """Return the name of a seat, such as "South (Amara)": its place, and its nickname in the
    charter, made safe to print.

    Without a charter, or for a seat that it does not have, the place or number alone; "nobody" for
    None.
    """
    if seat is None:
        return "nobody"
    if charter is None:
        # A table of 0 seats has no named places: `place_name` gives "seat 5".
        return place_name(seat, 0)
    place = place_name(seat, len(charter.seats))
    # Evidence and rulings of strangers may name any seat.
    if seat >= len(charter.seats):
        return place
    return f"{place} ({safe_name(charter.seats[seat].nickname, cells=NICKNAME_CELLS)})"


def unreadable(error: MalformedMessage) -> UserError:
    """Return the error to raise for a charter that this program cannot read: another version, an
    unknown term, or damage.
    """
    # By the name of the check: the sentence tells what to update.
    if error.check == "charter.version":
        why = f"The host's charter is {error.detail}"
    elif error.check == "charter.term":
        why = f"The host's charter has a term that this p2p304 does not keep ({error.detail})"
    else:
        why = f"The host's charter cannot be read ({error})"
    return UserError(f"{why}; all seats need the same version of p2p304.")


def whose(charter: Charter) -> Iterator[str]:
    """Yield lines about a file's table: fingerprint of the charter, seats with keys, terms.

    A file proves that these keys played; whose they are, their owners must say.
    """
    # The name comes from the file, so it is made safe to print.
    yield f"Charter {charter.fingerprint}, game {safe_text(charter.game)}"
    for number, entry in enumerate(charter.seats):
        yield f"  {seat_name(charter, Seat(number))}: key {fingerprint(entry.key)}"
    yield from term_lines(charter)


def charter_lines(
    charter: Charter,
    seat: Seat | None,
    known: KnownPeers,
    *,
    bots: frozenset[int] = frozenset(),
    ascii_only: bool = False,
) -> Iterator[str]:
    """Yield the lines of a whole charter: rules, terms, fingerprint, and each seat with its name,
    its key and how well this machine knows that key, with warnings.

    `seat` is ours, None for a spectator. `bots` are the seats of bots that this machine started.
    Raises UserError for a game that this program does not know, StoreError if the known peers
    cannot be read.
    """
    yield "The charter: who plays, by which rules. Every seat signs it before a card is dealt."
    yield from rules_lines(charter)
    yield from term_lines(charter, known)
    yield f"The charter's fingerprint, the same on every screen: {charter.fingerprint}"
    yield "   Compare it aloud: where it differs, somebody was shown other seats or rules."
    alike = impostors([entry.nickname for entry in charter.seats])
    # Five cells: as wide as North and South. Names of places are ASCII: characters are cells.
    width = max(5, *map(len, seat_names(len(charter.seats))))
    strangers = False
    for number, entry in enumerate(charter.seats):
        name = safe_name(entry.nickname, cells=NICKNAME_CELLS, ascii_only=ascii_only)
        title = f"{place_name(number, len(charter.seats)):>{width}}  {name}"
        # Our own key is no stranger's, and a bot's was made on this machine. Nor is our name warned
        # of: of two that look alike it is the other's.
        if number == seat:
            yield f"{title} (you)   {fingerprint(entry.key)}"
            continue
        if number in bots:
            yield f"{title} (a bot on this machine)   {fingerprint(entry.key)}"
            continue
        found = known.recognise(entry.key, entry.nickname)
        yield f"{title}{_familiarity(found, ascii_only=ascii_only)}   {fingerprint(entry.key)}"
        yield from _warnings(found, name, ascii_only=ascii_only)
        # Looked at after the known keys: the same name twice, or in look-alike letters (specs 7.4).
        if entry.nickname in alike:
            yield f"       !! {name} looks like another name, or like a word of the program."
        strangers = strangers or found.familiarity is Familiarity.NEW
    if strangers:
        yield "   New to you: this machine has not seen that key; ask its owner to read it aloud."


def rules_lines(charter: Charter) -> Iterator[str]:
    """Yield the title of the game, every rule that differs from its usual ones, and, only if
    that is agreed, that players may write to each other between hands. Raises UserError for a
    game that this program does not know.
    """
    game = game_of(charter)
    telling, writer = telling_of(game), Writer(game.seats)
    yield f"Rules: {telling.title}"
    for line in telling.agreement_lines:
        yield f"   {writer.line(line)}"
    if telling.talk_agreed:
        yield "   Between hands the players may write to each other; during a hand nobody may."


def term_lines(charter: Charter, known: KnownPeers | None = None) -> Iterator[str]:
    """Yield lines about the terms of a charter: what each says, and which power it gives to
    whom. `known` gives names for keys of peers that were met.
    """
    for _, lines in told_terms(charter, known):
        yield from lines


def told_terms(
    charter: Charter, known: KnownPeers | None = None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of each term of a charter with its lines. `known` gives names for keys of
    peers that were met.

    Raises like `charter_lines`.
    """
    for term in charter.terms:
        # Terms that are not known were refused when the charter was read.
        told = KNOWN_TERMS[term.name]
        particulars = (f"   {line}" for line in _PARTICULARS[term.name](charter, known))
        yield term.name, (told.means, *particulars, f"   {told.lets}")


def referee_lines(keys: Sequence[PublicKey], known: KnownPeers | None = None) -> Iterator[str]:
    """Yield what the term that names referees means, a line for each of the `keys`, and the
    powers that a referee has. `known` gives names for keys of peers that were met.
    """
    told = KNOWN_TERMS[REFEREE]
    yield told.means
    yield from (f"   {line}" for line in _keys(keys, known))
    yield f"   {told.lets}"


def nobody_to_ask(unnamed: Sequence[PublicKey]) -> UserError:
    """Return the error of a seat that cannot ask anybody whether unnamed referees are accepted."""
    options = " ".join(f"--trust-referee {key.to_bytes().hex()}" for key in unnamed)
    return UserError(
        # The whole key, not its fingerprint: it is copied into a command.
        "This table has a referee whom you have not named, and there is no terminal to ask you:"
        f" if you accept what it rules, add {options}"
    )


def _keys(keys: Sequence[PublicKey], known: KnownPeers | None) -> Iterator[str]:
    """Yield a line for each referee's key, with the name by which we know it."""
    names = {} if known is None else {peer.key: peer.name for peer in known.all()}
    for key in keys:
        called = safe_name(names[key], cells=NICKNAME_CELLS) if key in names else ""
        who = f" (known to you as {called})" if called else ""
        yield f"The referee's key: {fingerprint(key)}{who}"


def _match(charter: Charter, _: KnownPeers | None) -> Iterator[str]:
    """Yield a line with the number of the table's match and the first digits of its tournament's
    id.
    """
    match = charter.tournament
    # Called for charters with this term alone.
    assert match is not None
    # 16 of 64 digits: enough to tell tournaments apart, and the line stays short.
    yield f"Match {match.match} of tournament {match.tournament.hex()[:16]}."


def _continuation_lines(charter: Charter, _: KnownPeers | None) -> Iterator[str]:
    """Yield lines about the match that the table goes on with: the scores and the next dealer,
    which seats stay, and who seats bots.
    """
    term = charter.continues
    # Called for charters with this term alone.
    assert term is not None
    game = game_of(charter)
    telling, writer = telling_of(game), Writer(game.seats)
    scores = ", ".join(map(str, term.scores))
    hand = hand_label(term.point.hand)
    yield (
        f"After hand {hand} there: {telling.score_unit.lower()} {scores};"
        f" {seat_name(charter, term.dealer)} deals."
    )
    yield f"These players stay, with their keys: {writer.join_seats(term.present)}."
    for seat, by in term.bots:
        yield f"{seat_name(charter, seat)} is a bot, seated by {seat_name(charter, by)}."
    if term.bots:
        yield "When the player is back: substitute back, or the key +; all who stay must agree."


#: What a term says at this table, by its name.
_PARTICULARS: Final[Mapping[str, Callable[[Charter, KnownPeers | None], Iterator[str]]]] = {
    CONTINUES: _continuation_lines,
    REFEREE: lambda charter, known: _keys(charter.referees, known),
    TOURNAMENT: _match,
}


def _familiarity(found: Recognition, *, ascii_only: bool) -> str:
    """Return in brackets how well this machine knows a key; a warning for a known name with
    another key.
    """
    match found.familiarity:
        case Familiarity.NEW:
            return " (new to you)"
        # The key counts, so a renamed peer is told by the name that we know, beside its new one.
        case Familiarity.KNOWN | Familiarity.RENAMED:
            called = safe_name(found.known[0].name, cells=NICKNAME_CELLS, ascii_only=ascii_only)
            return f" (known to you as {called})"
        case Familiarity.CHANGED_KEY:
            return " (NOT THE ONE YOU KNOW)"


def _warnings(found: Recognition, name: str, *, ascii_only: bool) -> Iterator[str]:
    """Yield warning lines if a known name comes with another key."""
    if found.familiarity is not Familiarity.CHANGED_KEY:
        return
    # A known name with an unknown key: who replaces a player looks like this.
    yield f"       !! Somebody else whom you know is called {name}, with another key:"
    for peer in found.known:
        known = safe_name(peer.name, cells=NICKNAME_CELLS, ascii_only=ascii_only)
        yield f"       !!    {known}   {fingerprint(peer.key)}"
    yield "       !! It may be the same person on a new machine, or somebody else: ask them, by"
    yield "       !! telephone or in person, to read out the fingerprint above before you agree."
