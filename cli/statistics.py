"""Statistics of signed hands: games, bids and claims, partners, opponents.

Everybody who counts the same hands gets the same numbers. A hand counts once, however many files
hold it. Hands are in the order of the charters' digests and of their numbers, because nothing
signed holds a time of day. A player is a key, with the name that most of its charters give it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from p2p304.game import AnyGame
from p2p304.games import telling_of
from p2p304.seats import Seat
from p2p304.telling import AnyTelling
from protocol.transcript.results import FinishedHand
from protocol.wire.charter import SeatEntry


class UndertakingKind(NamedTuple):
    """A kind of undertaking that a game counts, such as a bid of 200 to 250, or a call of caps."""

    game: str
    what: str  #: What it is, as one thing of many: "bid", "Caps".
    #: Where it stands among the others of its sort; before the name, so that it sorts them.
    rank: int
    name: str  #: Which of its sort: "200 to 249".


class TriedCount(NamedTuple):
    """How often a player tried something, and how often it succeeded."""

    done: int = 0
    tried: int = 0

    def after(self, done: bool) -> TriedCount:
        """Return a new count with one more try, and one more success if `done`."""
        # True counts as 1.
        return TriedCount(self.done + done, self.tried + 1)


NOTHING: Final = TriedCount()


@dataclass(slots=True)
class PlayerStatistics:
    """What the owner of one key did in the counted hands."""

    key: bytes
    #: By nickname, the hands whose charter gives it to this key.
    names: Counter[str] = field(default_factory=Counter)
    #: Hands with cards played; some of them may be neither won nor lost (`_count_sides`).
    hands: int = 0
    won: int = 0
    lost: int = 0
    #: Matches that a counted hand ended, and how many of them it won.
    matches: TriedCount = NOTHING
    #: How often each kind was undertaken first by this player, and how often it was kept.
    undertaken: dict[UndertakingKind, TriedCount] = field(default_factory=dict)
    #: By key: the hands with that partner, and how many of them were won.
    partners: dict[bytes, TriedCount] = field(default_factory=dict)
    #: By key: the hands against that player, and how many of them were won.
    opponents: dict[bytes, TriedCount] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The nickname in most of its charters; of equally frequent ones the alphabetically
        first.
        """
        # `min` by the negative count, as `max` could not order the names the other way.
        return min(self.names, key=lambda name: (-self.names[name], name))


class Statistics:
    """The statistics of a set of signed results, each with its game."""

    def __init__(
        self, results: Iterable[tuple[FinishedHand, AnyGame]], bots: Collection[bytes]
    ) -> None:
        """Count the results. Two differing results of one hand count for nothing, as `disputed`.

        `bots` are the keys of this machine's bots. A bot has another key at every table; bots of
        one name count as one player.
        """
        self._bots = bots
        # A bot of this machine has a key for each of its homes: it is known by its name.
        self._first_bots: dict[str, bytes] = {}
        found: dict[tuple[bytes, int], dict[bytes, tuple[FinishedHand, AnyGame]]] = {}
        for result, game in results:
            name = (result.charter.digest, result.number)
            # By the digest of the history: copies of one result are one, two results are a dispute
            # (CL15).
            found.setdefault(name, {})[result.head] = (result, game)
        self.disputed = sum(1 for each in found.values() if len(each) > 1)
        self.players: dict[bytes, PlayerStatistics] = {}
        self.hands = self.played = 0
        # In a fixed order: counts are equal on all machines, and so is the first name on a tie.
        for name in sorted(found):
            if len(found[name]) == 1:
                ((result, game),) = found[name].values()
                self._count(result, game)

    # A key of ours cannot be forged; a bot's name alone would let anybody count as our bot.
    def _player(self, entry: SeatEntry) -> PlayerStatistics:
        """Return the statistics of the player of a seat, begun if there are none: by its key, or
        by its nickname if the key is of a bot of this machine.
        """
        key = entry.key.to_bytes()
        if key in self._bots:
            key = self._first_bots.setdefault(entry.nickname, key)
        return self.players.setdefault(key, PlayerStatistics(key))

    def _count(self, result: FinishedHand, game: AnyGame) -> None:
        """Add one hand to all counts: of hands, and of its players' names, hands, matches,
        undertakings (for the first who made each), and hands won or lost where the sides are
        known. Where no card was played, the players' hands, won or lost, are not counted.
        """
        telling = telling_of(game)
        self.hands += 1
        # True counts as 1.
        self.played += result.outcome.played
        seated = [*map(self._player, result.charter.seats)]
        for player, entry in zip(seated, result.charter.seats, strict=True):
            player.names[entry.nickname] += 1
            # A deal that was refused is signed, but nobody has played it.
            player.hands += result.outcome.played
        self._count_match(result, game, telling, seated)
        for deed in telling.undertakings(result.outcome):
            kind = UndertakingKind(result.charter.game, deed.what, deed.rank, deed.kind)
            # Who said it first; others only shared it.
            doer = seated[deed.seats[0]]
            doer.undertaken[kind] = doer.undertaken.get(kind, NOTHING).after(deed.done)
        # Sides that were never settled, as of a called partner not shown, can share nothing.
        if result.outcome.played and len(result.sides) == 1:
            self._count_sides(result, telling, seated)

    @staticmethod
    def _count_match(
        result: FinishedHand, game: AnyGame, telling: AnyTelling, seated: list[PlayerStatistics]
    ) -> None:
        """Count a match as won or lost for each player if this hand ended one; do nothing if the
        match goes on, or its scores are impossible in this game.
        """
        try:
            match = game.after_hand(game.match_at(result.dealer, result.before), result.outcome)
        # Scores that no match of this game can begin with: only the match is not counted.
        except ValueError:
            return
        if match.winner is None:
            return
        winners = {*telling.winning_seats(match.winner, tuple(match.scores))}
        for seat, player in enumerate(seated):
            player.matches = player.matches.after(Seat(seat) in winners)

    def _count_sides(
        self, result: FinishedHand, telling: AnyTelling, seated: list[PlayerStatistics]
    ) -> None:
        """Count the hand as won or lost for each player, and for each pair of partners and of
        opponents; the sides that gained most win.

        Count nothing if all sides gained the same.
        """
        (sides,) = result.sides
        owners = telling.owners()
        gained = [
            sum(
                # Scores belong to sides or to single seats, by game: each goes to the side that
                # holds its seats.
                score
                for score, seats in zip(result.outcome.scores, owners, strict=True)
                if {*seats} <= {*side}
            )
            for side in sides
        ]
        best = max(gained)
        if min(gained) == best:
            return  # nobody won it
        for side, gain in zip(sides, gained, strict=True):
            ours = [seated[seat] for seat in side]
            theirs = [seated[seat] for other in sides if other != side for seat in other]
            for player in ours:
                # True counts as 1.
                player.won += gain == best
                player.lost += gain != best
                for others, kept in ((ours, player.partners), (theirs, player.opponents)):
                    for other in others:
                        # Not with itself, also where two bots of one name are one player.
                        if other is not player:
                            kept[other.key] = kept.get(other.key, NOTHING).after(gain == best)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object that `stats --json` prints."""
        return {
            "hands": self.hands,
            "played": self.played,
            "disputed": self.disputed,
            # By hands won, most first; equal ones by key.
            "players": [
                _as_json(player, self.players) | {"bot": player.key in self._bots}
                for player in sorted(self.players.values(), key=lambda each: (-each.won, each.key))
            ],
        }


def _as_json(player: PlayerStatistics, players: Mapping[bytes, PlayerStatistics]) -> dict[str, Any]:
    """Return one player's counts as a JSON object; `players` gives the names of the others."""

    def with_others(found: Mapping[bytes, TriedCount]) -> list[dict[str, Any]]:
        """Return the counts of hands with each other player, and of those that `player` won, as
        JSON objects; the player met most often first.
        """
        # Known, since everybody in a counted hand has statistics.
        return [
            {"key": key.hex(), "name": players[key].name, "hands": met.tried, "won": met.done}
            for key, met in sorted(found.items(), key=lambda each: (-each[1].tried, each[0]))
        ]

    return {
        "key": player.key.hex(),
        "name": player.name,
        "hands": player.hands,
        "won": player.won,
        "lost": player.lost,
        "matches": player.matches.tried,
        "matches_won": player.matches.done,
        "undertaken": [
            {
                "game": kind.game,
                "what": kind.what,
                "kind": kind.name,
                "made": tally.done,
                "tried": tally.tried,
            }
            for kind, tally in sorted(player.undertaken.items())
        ],
        "partners": with_others(player.partners),
        "opponents": with_others(player.opponents),
    }
