"""Vectors of saved hands of all other tables: audited, changed, ended unfinished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from cli.conformance.tables import Draft, DraftRecord, body_of, sign_body
from cli.conformance.trials import AUDIT
from p2p304.rules41.hand import PlayCard, format_action
from p2p304.rules304.profile import PROFILES
from protocol.encoding import Value, decode
from protocol.places import Lane, LedgerName
from protocol.wire.identity import Purpose
from protocol.wire.messages import table_tag
from tests.vectors.collect import Audits, Collector, Faults, File
from tests.vectors.rehearsal import SAVED_HANDS, TABLES, SavedFile, SavedHand

# --- played hands ---------------------------------------------------------------------------------

# Hands of 304 for vectors, as files hold them.

Said = list[Any]  #: A seat, and the text of its action.


def saved_log(data: bytes) -> tuple[int, list[Said]]:
    """Return the dealer of a saved hand of 304, and what is said in it, from its file alone."""
    draft = Draft.of(data)
    origin: Any = decode(draft.records[draft.places(b"L")[-1]].payload)
    log = []
    for place in draft.places(b"M"):
        body: Any = body_of(draft.records[place].payload)
        if body[1] == Lane.HAND and body[7] and isinstance(body[7][0], str):
            log.append([body[4], body[7][0]])
    return origin[3], log


def refuse(found: Collector, base: str, about: str, rule: str, actions: list[Said]) -> None:
    """Add an action that the rules refuse where `base` goes on, and look by which rule."""
    found.reject(base, about, "action.rule", actions=actions)
    told_rule = found.rows[-1].get("rule")
    assert told_rule == rule, f"{about}: rule {told_rule}, not {rule}"


# --- table audits ---------------------------------------------------------------------------------

RESULT = 9  #: The code of messages that sign a result (3.5).


class Played(SavedFile):
    """A saved hand that is read from its file, and whose seats can sign again."""

    def spoken(self, word: str, other: str, nth: int = 0) -> bytes:
        """Return the file in which a seat says something else."""
        return self.acted(self.number_of(word, nth=nth), text=other)

    def scored(self, scores: tuple[int, ...]) -> bytes:
        """Return the file whose first signature of the result is under other scores."""
        number = self.number_of(code=RESULT)
        return self.said(number, scores, *self.content(number)[1:])

    def round_of(self, number: int) -> list[int]:
        """Return the messages of the same round."""
        wanted = self.body(number)[1:4]
        return [each for each in range(len(self.messages)) if self.body(each)[1:4] == wanted]

    def ended_before(self, word: str, present: tuple[int, ...]) -> bytes:
        """Return the file of the hand that these seats ended before an action."""
        number = self.number_of(word)
        _, _, ledger, closed, _, _, head, _ = self.body(number)
        first = self.messages[self.round_of(number)[0]]
        tag = table_tag(self.table.charter.digest)
        point = (ledger, closed, head, sum(1 << seat for seat in present))
        agreed = [
            DraftRecord(
                b"U", sign_body(self.table, (tag, seat, 0, 2, point), seat, purpose=Purpose.NOTICE)
            )
            for seat in present
        ]
        return Draft((*self.draft.records[:first], *agreed, DraftRecord(b"E", head))).to_bytes()


def audits() -> Collector:
    """Collect the public play of the saved hands, their audits, and faults in them."""
    found = Collector(
        "tables", "saved hands of all other tables: play, audits (rules; 5.6, 6.1 to 6.3)"
    )
    for name in TABLES:
        hand = Played.kept(name)
        _play(found, name, hand)
        audits = Audits(found, name, hand.whole)
        audits.reject(FAULTS[name](hand), f"{name}: ")
        for about, changed in ENDED.get(name, lambda _: ())(hand):
            audits.accept(f"{name}: {about}", changed)
    return found


def _play(found: Collector, name: str, hand: Played) -> None:
    dealer, log = saved_log(hand.whole)
    given: dict[str, Any] = {"agreement": SAVED_HANDS[name].agreement, "dealer": dealer}
    base = found.accept("rules.play", f"{name}: the whole hand", **given, actions=log)
    places = sorted({1, 3, len(log) // 3, len(log) // 2, 2 * len(log) // 3, len(log) - 1})
    for place in places:
        about = f"{name}: {place} actions"
        found.accept("rules.play", about, **given, actions=log[:place])
    refuse(found, base, f"{name}: one action more", "3", [*log, log[-1]])
    seats = PROFILES[name].seats
    seat, text = next(each for each in log if each[1].startswith("play"))
    before = log[: log.index([seat, text])]
    about = f"{name}: the first lead by the seat to the right"
    refuse(found, base, about, "3", [*before, [(seat + 1) % seats, text]])
    refuse(found, base, f"{name}: a seat that the table has not", "3", [*before, [seats, text]])


def _six24(hand: Played) -> Faults:
    yield "a cut of the whole pack", "action.rule", hand.spoken("cut", "cut 24")
    yield "the opening bid is a pass", "action.rule", hand.spoken("bid", "pass")
    yield "a card that another seat holds", "opening.proof", hand.spoken("play", "play 48=JS")
    yield "a result by seat", "result.scores", hand.scored((2, -2, 2, -2, 2, -2))


def _eight32(hand: Played) -> Faults:
    yield "half court among eight", "action.rule", hand.spoken("bid", "bid half_court")
    yield "a result of four teams", "result.scores", hand.scored((3, -3, 3, -3))


def _six36(hand: Played) -> Faults:
    yield "an opponent is asked", "action.rule", hand.spoken("ask-seat", "ask-seat 3")
    yield "nobody is named", "action.rule", hand.spoken("ask-seat", "ask")
    yield "no seat is named", "action.notation", hand.spoken("ask-seat", "ask-seat")
    yield "a number for Partner Close Caps", "action.rule", hand.spoken("bid pcc", "bid 240")


def _tamil504(hand: Played) -> Faults:
    shown = hand.content(hand.number_of("show"))[0]
    slot = shown.partition(" ")[2].partition("=")[0]
    yield (
        "another card is said to be shown",
        "opening.proof",
        hand.spoken("show", f"show {slot}=8S"),
    )
    yield "a shown card that no pack has", "action.rule", hand.spoken("show", f"show {slot}=2S")
    yield "a shown card in two ways", "action.notation", hand.spoken("show", f"{shown} {slot}=8S")
    yield "a card shown twice", "action.rule", hand.spoken("show", shown, 1)


def _tamil904(hand: Played) -> Faults:
    yield "460 is not reached", "action.rule", hand.spoken("bid", "bid 450")
    yield "a card of no pack", "action.rule", hand.spoken("play", "play 163=6D")
    yield "the other side's result", "result.scores", hand.scored((-1, 1))


def _tamil4(hand: Played) -> Faults:
    number = hand.number_of("double")
    other = next(each for each in hand.round_of(number) if each != number)
    yield "double by another seat", "action.rule", hand.acted(other, text="double")
    yield "double with a proof", "statement.count", hand.acted(number, proofs=(bytes(64),))
    yield "the double is left out of the result", "result.scores", hand.scored((0, 0))


def _maharashtra(hand: Played) -> Faults:
    number = hand.number_of("name")
    maker = hand.raw(number)[2]
    _, log = saved_log(hand.whole)
    own = next(text[-2:] for seat, text in log if seat == maker and text.startswith("play"))
    wrong = "card-distinction.proof"
    yield "the maker names a card that it holds", wrong, hand.spoken("name", f"name {own}")
    yield "the maker names no card", "action.notation", hand.spoken("name", "name")
    yield "a card that the pack has not", "action.rule", hand.spoken("name", "name 2S")
    unproved = hand.acted(number, proofs=())
    yield "the card is named without its proof", "statement.count", unproved
    (proof,) = hand.content(number)[1]
    flipped = proof[:-1] + bytes((proof[-1] ^ 1,))
    yield "its proof with another bit", wrong, hand.acted(number, proofs=(flipped,))
    yield "a result of two teams", "result.scores", hand.scored((-2, 2))
    yield "a result that pays the maker's side", "result.scores", hand.scored((2, 2, -2, -2))
    yield "ended by two who may be one side", "agreement.sides", hand.ended_before("name", (1, 2))
    yield "ended by others who may be", "agreement.sides", hand.ended_before("closed", (0, 3))


def _doso_viso(hand: Played) -> Faults:
    yield "Full Court with four cards", "action.rule", hand.spoken("bid", "bid full_court")
    yield "a number with four cards", "action.rule", hand.spoken("bid", "bid 160")
    yield "a lone maker counts once", "result.scores", hand.scored((4, 4, 4, -4))
    yield "a lone maker has a partner", "result.scores", hand.scored((4, -4, 4, -4))
    fewer = hand.spoken("name", "name 7S")
    yield "NotCard of fewer cards", "card-distinction.proof", fewer


FAULTS: Final[dict[str, Callable[[Played], Faults]]] = {
    "six24": _six24,
    "eight32": _eight32,
    "six36": _six36,
    "tamil504": _tamil504,
    "tamil904": _tamil904,
    "tamil4": _tamil4,
    "maharashtra": _maharashtra,
    "doso_viso": _doso_viso,
}


def _ended_by_three(hand: Played) -> Iterator[tuple[str, bytes]]:
    yield "ended by three of four", hand.ended_before("closed", (0, 1, 2))


def _ended_by_six(hand: Played) -> Iterator[tuple[str, bytes]]:
    yield "ended by one of each team", hand.ended_before("closed", (1, 4))


ENDED: Final[dict[str, Callable[[Played], Iterator[tuple[str, bytes]]]]] = {
    "maharashtra": _ended_by_three,
    "six24": _ended_by_six,
}

CATEGORIES = (audits,)


# --- vectors 41 -----------------------------------------------------------------------------------

# Vectors of 41 and 400: what the file of the category holds, and audits of saved deals.

GAMES: Final = ("41", "400")


def games() -> Collector:
    """All of it: what needs no keys first."""
    found = Collector.answered("rules-41", until=AUDIT)
    for saved in (each for each in SAVED_HANDS.values() if each.game in GAMES):
        name, data = f"hands/{saved.name}.p304", saved.transcript()
        base = found.accept(AUDIT, saved.about, transcript=File(name, data))
        for about, expect, changed in _faults(saved, data):
            given = File(name, data, changed)
            found.reject(base, f"{saved.name}: {about}", expect, transcript=given)
    return found


def _off_suit(saved: SavedHand) -> tuple[str, str]:
    """The first card of the last deal that does not follow suit, as it is played, and the next of
    its suit that is played."""
    replica = saved.rehearsed().table_state.replicas[LedgerName(Lane.HAND, saved.hands - 1)]
    plays = [
        (trick.plays[0], play) for trick in replica.machine.state.tricks for play in trick.plays
    ]
    at = next(n for n, (lead, play) in enumerate(plays) if play.card.suit != lead.card.suit)
    card = plays[at][1].card
    later = next(play.card for _, play in plays[at + 1 :] if play.card.suit == card.suit)
    return format_action(PlayCard(plays[at][1].slot, card)), str(later)


def _faults(saved: SavedHand, whole: bytes) -> Faults:
    """A seat says something else in one message of the last deal, and signs it."""
    draft, table = Draft.of(whole), saved.rehearsed()

    def instead(word: str, change: Callable[[tuple[Any, ...]], tuple[Value, ...]]) -> bytes:
        """The file with the content of one message changed: the last that begins with a word."""
        for place in reversed(draft.places(b"M")):
            raw = draft.records[place].payload
            *head, content = body_of(raw)
            first = content[0] if content else None
            if isinstance(first, str) and first.startswith(word):
                body = (*head, change(content))
                return draft.with_record(place, sign_body(table, body, raw[2])).to_bytes()
        raise AssertionError(f"nobody says {word}")

    yield "a bid of fourteen", "action.rule", instead("bid", lambda said: ("bid 14", *said[1:]))
    yield "a pass for a bid", "action.notation", instead("bid", lambda said: ("pass", *said[1:]))
    text, later = _off_suit(saved)
    other = text[:-2] + later
    yield (
        "a card that another slot holds",
        "opening.proof",
        instead(text, lambda said: (other, *said[1:])),
    )
    yield (
        "no proof that the suit led is not held",
        "statement.count",
        instead(text, lambda said: (said[0], said[1][:1], *said[2:])),
    )

    def flipped(said: tuple[Any, ...]) -> tuple[Value, ...]:
        card, lack = said[1]
        return (said[0], (card, lack[:-1] + bytes((lack[-1] ^ 1,))), *said[2:])

    yield "a wrong proof that the suit led is not held", "distinction.proof", instead(text, flipped)


CATEGORIES_41 = (games,)
