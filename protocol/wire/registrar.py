"""The founder's list of seats: it grants claims, and makes the charter once every seat has one.

It judges a claim in the order of specs/07-wire.md, 7.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from p2p304.seats import Seat
from protocol.wire.charter import Charter, SeatEntry
from protocol.wire.lobby import Board, Claim, Clash, Taken
from protocol.wire.terms import REFEREE, Term, referees_from_value


class Registrar:
    """The claimed seats of one table, and its charter. The first good claim gets the seat."""

    def __init__(
        self,
        *,
        table: bytes,
        game: str,
        profile: str,
        tokens: tuple[bytes, ...],
        terms: tuple[Term, ...] = (),
        seated: Mapping[Seat, SeatEntry] = MappingProxyType({}),
    ) -> None:
        """Wait for a claim of every seat that is not in `seated`.

        Args:
            table: the table's id, 16 bytes.
            game: the game's name in the registry.
            profile: the text with all its parameters, from `p2p304.games.full_agreement`.
            tokens: of the seats' invites, in seat order: as many as there are seats.
            terms: the charter's optional agreements.
            seated: seats that are taken already, with their entries.
        """
        self._table = table
        self._game = game
        self._profile = profile
        self._tokens = tokens
        self._terms = terms
        # Out of the terms: claims are judged by the referees' keys before there is a charter.
        self._referees = [
            key
            for name, value in terms
            if name == REFEREE
            for key in referees_from_value(value, len(tokens))
        ]
        self._entries: dict[Seat, SeatEntry] = dict(seated)

    @classmethod
    def of(cls, charter: Charter, tokens: tuple[bytes, ...]) -> Registrar:
        """Return the registrar of a table whose charter is made: all seats are claimed, and a
        claim is granted only if it is the same again. `tokens` are those of its invites, in seat
        order.
        """
        return cls(
            table=charter.table,
            game=charter.game,
            profile=charter.profile,
            tokens=tokens,
            terms=charter.terms,
            seated={Seat(seat): entry for seat, entry in enumerate(charter.seats)},
        )

    def take(self, claim: Claim) -> Board | Taken | None:
        """Judge a claim: if it is granted, store it and return the board; if not, return `Taken`
        with the first of seat, key and name that is another's. A referee's key counts as another's.

        A granted claim that comes again is granted again. The key that has a seat may claim it with
        another name until all seats are claimed. Returns None for a claim without the seat's token,
        and for one with another seat's nonce.
        """
        # No answer: a stranger learns nothing, not even that the seat is free.
        if claim.seat >= len(self._tokens) or not claim.holds(self._tokens[claim.seat]):
            return None
        # A repeated claim of the same seat must not clash with itself.
        others = [each for seat, each in self._entries.items() if seat != claim.seat]
        # Of a free seat the claim itself, which is then no other one.
        earlier = self._entries.get(claim.seat, claim.entry)
        # Whoever has the seat may change its name for as long as nobody has seen a charter.
        renamed = earlier.key == claim.entry.key and self.charter() is None
        clash = None
        if earlier != claim.entry and not renamed:
            clash = Clash.SEAT
        # A charter with one key twice, or with a referee in a seat, is none (attacks.md, GO19).
        elif claim.entry.key in {*self._referees, *(each.key for each in others)}:
            clash = Clash.KEY
        elif any(claim.entry.nickname == each.nickname for each in others):
            clash = Clash.NAME
        elif any(claim.entry.nonce == each.nonce for each in others):
            return None  # nobody draws another's nonce by chance, and a charter has each once
        if clash is not None:
            taken = Taken(self._table, claim.seat, claim.entry.nonce, clash)
            return taken.with_proof(self._tokens[claim.seat])
        self._entries[claim.seat] = claim.entry
        return self.board()

    def board(self) -> Board:
        """Return the board of the claims so far, authenticated for every seat's token, with the
        charter once every seat is claimed. Raises as `charter` does.
        """
        charter = self.charter()
        if charter is not None:
            return Board.of(charter, self._tokens)
        # By seat: claims come in any order.
        names = tuple((seat, entry.nickname) for seat, entry in sorted(self._entries.items()))
        return Board(self._table, names, b"").with_proofs(self._tokens)

    def charter(self) -> Charter | None:
        """Return the charter; None until every seat is claimed.

        Raises MalformedMessage `charter.*` if the table's id, game, profile or terms, which the
        host chose, are wrong.
        """
        if len(self._entries) < len(self._tokens):
            return None
        seats = tuple(self._entries[Seat(seat)] for seat in range(len(self._tokens)))
        return Charter(
            table=self._table,
            game=self._game,
            profile=self._profile,
            seats=seats,
            terms=self._terms,
        )
