"""The tables whose hands conformance starts from, with all their keys.

Every key, seed and nonce follows from the name of the table. Never for play: whoever knows the name
knows all secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from cli.local.bot_processes import name_of
from cli.specification import SPECS
from p2p304.game import AnyGame
from p2p304.games import GAMES, agreed_game, full_agreement
from p2p304.seats import Seat
from protocol.cards.secrets import SEED_BYTES, Secrets, expand
from protocol.entropy import Entropy
from protocol.transcript.file import TranscriptReader
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES, Charter, SeatEntry
from protocol.wire.continues import CONTINUES, Continues, HandPoint
from protocol.wire.identity import SigningKey
from protocol.wire.referee import (
    REFEREE,
    TOURNAMENT,
    TOURNAMENT_BYTES,
    TournamentMatch,
    referees_to_value,
)
from protocol.wire.terms import Term

# The saved hands are published with the vectors.
HANDS: Final = SPECS / "vectors" / "hands"

SAVED: Final = {
    # The second word is the name from which all keys of that table follow.
    "closed": ("rehearsal pagat 39", 3),
    "passed-out": ("rehearsal wikipedia 12", 6),
    "redeal": ("rehearsal pagat 15", 3),
    "spoilt": ("rehearsal card304-alpha 7", 3),
    "eight-card": ("rehearsal card304 0", 2),
    "two-hands": ("rehearsal two hands", 1),
    "unfinished": ("rehearsal unfinished", 2),
    "continued": ("rehearsal continued", 1),
    "ruled": ("rehearsal ruled", 2),
    "deal-of-41": ("rehearsal 41", 1),
    "deals-of-400": ("rehearsal 400", 1),
    "six24": ("rehearsal six24 3", 0),
    "eight32": ("rehearsal eight32 4", 0),
    "six36": ("rehearsal six36 1", 0),
    "tamil504": ("rehearsal tamil504 2", 0),
    "tamil904": ("rehearsal tamil904 3", 0),
    "tamil4": ("rehearsal tamil4 15", 0),
    "maharashtra": ("rehearsal maharashtra 2", 0),
    "doso_viso": ("rehearsal doso_viso 2", 0),
}
"""Each saved hand: the name of its table, and how often a mutation begins with it, for long ones
take long. Those with 0, of the other profiles of 304, are mutated in turns of their own."""
BEFORE: Final = {"continued": "unfinished"}
"""The hands that go on with another one's match, under the keys of those who stay."""
AROUND: Final = {
    f"at {profile or game}": (game, profile)
    for game, entry in GAMES.items()
    for profile in entry.profiles or ("",)
}
"""A hand at each table of the registry, of a match that was begun elsewhere, under a referee; at
41 and 400 under their usual agreements."""


def seeded_entropy(name: str) -> Entropy:
    """Return entropy that repeats itself for equal names."""
    # A name is padded and cut to what `expand` takes.
    return expand(name.encode("utf-8").ljust(32, b"\0")[:64], b"p2p304 conformance")


class Drawn:
    """All that is drawn for the table of a name and so many seats, in this order."""

    def __init__(self, name: str, seats: int) -> None:
        # In this order: a change of it would change every file that is kept.
        self.draw = seeded_entropy(name)
        # 32 bytes: a key.
        self.table_key = self.draw(32)
        self.table = self.draw(TABLE_BYTES)
        self.keys = [SigningKey(self.draw(32)) for _ in range(seats)]
        self.nonces = [self.draw(NONCE_BYTES) for _ in range(seats)]
        self.secrets = [Secrets(self.draw(SEED_BYTES)) for _ in range(seats)]
        # The referee's key has a name of its own: it sits at no seat.
        self.referee = SigningKey(seeded_entropy(f"referee of {name}")(32))
        match = TournamentMatch(seeded_entropy(f"tournament of {name}")(TOURNAMENT_BYTES), 1)
        keys = referees_to_value((self.referee.public,))
        self.refereed = (Term(REFEREE, keys), Term(TOURNAMENT, match.to_value()))
        """The terms by which it is a match of a tournament, under its referee."""

    def charter(self, game: str, profile: str, terms: tuple[Term, ...]) -> Charter:
        """Return the charter under these keys."""
        entries = zip(self.keys, self.nonces, strict=True)
        seats = tuple(
            SeatEntry(key.public, name_of(seat), nonce) for seat, (key, nonce) in enumerate(entries)
        )
        return Charter(table=self.table, game=game, profile=profile, seats=seats, terms=terms)


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table all of whose keys are ours."""

    charter: Charter
    game: AnyGame
    keys: list[SigningKey]
    secrets: list[Secrets]
    referee: SigningKey


@cache
def table_of(name: str) -> OwnTable:
    """Return the table of a saved hand, or of the one at a table of the registry."""
    if name in AROUND:
        return _around(name, *AROUND[name])
    # Only the charter is needed: its keys are known from the name.
    charter = next(iter(TranscriptReader().feed((HANDS / f"{name}.p304").read_bytes())))
    # The first record of a transcript.
    assert isinstance(charter, Charter)
    drawn = Drawn(SAVED[name][0], len(charter.seats))
    # Those who stay keep their keys (specs 6.5).
    before = table_of(BEFORE[name]).keys if name in BEFORE else []
    # By public key, so that a seat finds its own wherever it sits.
    found = {each.public: each for each in (*before, *drawn.keys)}
    keys = [found[each.key] for each in charter.seats]
    game = agreed_game(charter.game, charter.profile)
    return OwnTable(charter, game, keys, drawn.secrets, drawn.referee)


def _around(name: str, game: str, profile: str) -> OwnTable:
    """Return a table that goes on with a match of one that never was, without its last seat."""
    agreed = full_agreement(game, profile)
    rules = agreed_game(game, agreed)
    drawn = Drawn(f"rehearsal {name}", rules.seats)
    elsewhere = seeded_entropy(f"the table before rehearsal {name}")
    # Hand 1, round 3 of a table that never was: enough for a term.
    point, present = HandPoint(1, 3, elsewhere(32)), tuple(map(Seat, range(rules.seats - 1)))
    # Luck of zeros: only the scores of a new match are wanted.
    scores = tuple(rules.new_match(bytes(32)).scores)
    term = Continues(elsewhere(32), point, present, Seat(1), scores)
    charter = drawn.charter(game, agreed, (Term(CONTINUES, term.to_value()), *drawn.refereed))
    return OwnTable(charter, rules, drawn.keys, drawn.secrets, drawn.referee)
