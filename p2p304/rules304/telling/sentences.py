"""What was done in a hand of 304, in sentences: as it happens, or afterwards trick by trick."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from p2p304.cards import Faces, Slot
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Face, bid_name
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.state import Phase, Play, State, Trick
from p2p304.rules304.telling.counts import all_cards, second_batch
from p2p304.seats import Seat
from p2p304.sentences import Line, Part, Who, card_part, count_words, join_parts, say
from p2p304.statements import NoneOfSuit


def in_slot(slot: Slot | None, faces: Faces) -> Part:
    """Return the card in a slot as a part of a sentence; UNSEEN where `faces` lacks it, and for
    no slot (None).
    """
    return card_part(None if slot is None else faces.get(slot))


def action_lines(
    before: State, seat: Seat, action: Action, after: State, faces: Faces
) -> Iterator[Line]:
    """Yield the sentences for `action` by `seat` as it happens, and for what follows from it at
    once: the second batch dealt, passes made for seats without a bid, a new maker, the partner
    shown, a trick taken. An action that a listener would not miss, such as Ready, has no sentence.

    `before` and `after` are the states around the action; `faces` are the cards that the reader
    knows, others are told as unseen.
    """
    who = Who(seat)
    # First what a story told afterwards words otherwise: cards with their trick, the cut, caps.
    match action:
        case act.PlayCard(slot, _, all_trumps):
            verb = " plays " if before.plays else " leads "
            more = " and states that its hand is all trumps" if all_trumps else ""
            yield say(who, verb, in_slot(slot, faces), more, ".", _void(before, after))
        case act.PlayDown(slot):
            known = faces.get(slot)
            what: Part = "a card" if known is None else known
            yield say(who, " plays ", what, " face down.", _void(before, after))
        case act.AnnounceNone():
            yield say(who, " has looked at the face-down cards: no trump among them.")
        case act.AnnounceCut(cards):
            cut = _cut_words(before, who, cards)
            yield say(who, " has looked at the face-down cards: ", cut, ".")
        case act.CallCaps(order):
            shown = say(" with ", join_parts(card for _, card in order)) if order else ""
            yield say(who, " calls caps", shown, ".")
        case _:
            yield from _action_lines(before, seat, action, after, faces)
            # The second batch follows a call or an indicator, so none of the actions above.
            yield from _deal_lines(before, after)
    yield from _passed_lines(before, after)
    if before.maker is None and after.maker is not None and after.contract is not None:
        bid = bid_name(after.contract)
        yield say(Who(after.maker), " has the bid of ", bid, " and chooses trump.")
    # With a called partner the auction with all cards is the first one: nobody has been the maker.
    eight = before.phase is Phase.AUCTION8 and not before.auction.full
    if eight and after.phase is not Phase.AUCTION8:
        yield _after_eight(before, after)
    yield from _partner_lines(before, after)
    if len(after.tricks) > len(before.tricks):
        yield _trick_line(after.tricks[-1], after)


def retell(before: State, seat: Seat, action: Action, after: State, faces: Faces) -> Iterator[Line]:
    """Yield the sentences for `action` by `seat` in a story told afterwards, trick by trick: the
    action that completes a trick yields the whole trick, and a card played before nothing by
    itself, unless its lead claims a hand of trumps.

    `before` and `after` are the states around the action; `faces` are the cards that the reader
    knows, others are told as unseen.
    """
    # The trick first: an announced cut, told below, speaks of its cards.
    if len(after.tricks) > len(before.tricks):
        yield trick_line(after, faces)
    yield from _partner_lines(before, after)
    yield from _action_lines(before, seat, action, after, faces)
    yield from _passed_lines(before, after)
    yield from _deal_lines(before, after)


def _passed_lines(before: State, after: State) -> Iterator[Line]:
    """Yield a sentence for each pass that was made, between the states `before` and `after`, for
    a seat without a legal bid.
    """
    for call in after.calls[len(before.calls) :]:
        if call.forced:
            yield say(Who(call.seat), " has no bid left and is passed.")


def _partner_lines(before: State, after: State) -> Iterator[Line]:
    """Yield a sentence on who the maker's partner is, if the called card was first seen between
    the states `before` and `after`.
    """
    called = before.called
    # Only at the one action by which the secret ends.
    if called is None or not before.partner_secret or after.partner_secret:
        return
    # A card was named, and only a maker names one.
    maker = after.the_maker
    # One, as the secret has ended; `mates` serves larger teams, too.
    for mate in after.mates(maker):
        yield say(called, " shows it: ", Who(mate), " is the partner of ", Who(maker), ".")


def trick_line(state: State, faces: Faces) -> Line:
    """Return the last complete trick in one sentence: its cards, those played face down in
    brackets, its winner, and the points of the cards in `faces`. There must be one.
    """
    trick = state.tricks[-1]
    plays = join_parts(
        (
            say(Who(play.seat), " [", in_slot(play.slot, faces), "]")
            if play.down
            else say(Who(play.seat), " ", in_slot(play.slot, faces))
            for play in trick.plays
        ),
        ", ",
    )
    how = " cuts, " if trick.cut else " wins, "
    known = (faces.get(play.slot) for play in trick.plays)
    worth = sum(CARD_POINTS[card] for card in known if card is not None)
    return say(
        f"Trick {len(state.tricks)}: ", plays, ". ", Who(trick.winner), how, f"{worth} points."
    )


def last_trick(state: State, faces: Faces) -> Line:
    """Return the last complete trick as a phrase, "trick 4: J♥ 9♥ 7♥ 8♥ to South"; cards that
    `faces` lacks are told as unseen. There must be one.
    """
    trick = state.tricks[-1]
    cards = join_parts(in_slot(play.slot, faces) for play in trick.plays)
    return say(f"trick {len(state.tricks)}: ", cards, " to ", Who(trick.winner))


def points_seen(state: State, plays: Iterable[Play]) -> tuple[int, int]:
    """Return the points of those cards of `plays` that everybody has seen, and the number of the
    closed ones.
    """
    faces = [state.faces.get(play.slot) for play in plays]
    return sum(CARD_POINTS[face] for face in faces if face is not None), faces.count(None)


def _action_lines(
    before: State, seat: Seat, action: Action, after: State, faces: Faces
) -> Iterator[Line]:
    """Yield the sentence for `action` by `seat`, if it has one. None for a card played (but for a
    lead that claims a hand of trumps) and for the announcement of no trump, for what a listener
    would not miss, such as Ready, and for each sorting but the last.

    `before` and `after` are the states around the action; `faces` are the cards that the reader
    knows.
    """
    who = Who(seat)
    match action:
        case act.Cut(offset):
            yield say(who, f" cuts the pack at {offset}." if offset else " does not cut.")
        case act.PlaceBid(bid):
            yield say(who, f" bids {bid_name(bid)}.")
        case act.Pass():
            yield say(who, " passes.")
        case act.AskPartner(mate):
            # None where there is one partner, who need not be named (RULES 5.3).
            asked = before.mates(seat)[0] if mate is None else mate
            yield say(who, " asks ", Who(asked), " to speak instead.")
        case act.DemandRedeal(cards):
            yield say(who, " demands new cards", _face_line(cards, " and shows "), ".")
        case act.LayIndicator(slot):
            known = faces.get(slot)
            laid = ":" if known is not None else ""
            face = say(" ", known) if known is not None else ""
            yield say(who, f" lays the indicator face down{laid}", face, ".")
        case act.NameCard(card):
            yield say(who, " names ", card, ": whoever holds it is the maker's partner.")
        case act.OpenTrump(card):
            yield say(who, " opens trump: ", card, ".")
        case act.KeepClosed():
            yield say(who, " keeps trump closed.")
        case act.PlayCard(slot, _, all_trumps) if all_trumps:
            what = in_slot(slot, faces)
            yield say(who, " leads ", what, " and states that all its cards are trumps.")
        case act.AnnounceCut(cards):
            shown = _face_line(cards, " with ")
            yield say(who, " turns the face-down cards: a cut", shown, ".")
        case act.ShowIndicator(card):
            yield say(who, " shows the indicator: ", card, ".")
        case act.ShowCard(slot, _):
            yield say(who, " shows ", in_slot(slot, faces), ", to be played next.")
        case act.CallCaps(order):
            yield say(who, " calls caps", _face_line(order, ", to be played as "), ".")
        case act.AcceptCaps():
            yield say(who, " concedes the rest.")
        case act.ContestCaps():
            yield say(who, " wants to see the caps played.")
        case act.CallDouble():
            # Eight: a profile has double with eight tricks alone (`Profile`).
            yield say(who, " calls double: all eight tricks, for a token more.")
        case act.DeclareMarriages(cards):
            yield say(who, " shows ", join_parts(card for _, card in cards), ": a marriage.")
        case act.CallSpoilt():
            yield say(who, " calls spoilt trumps.")
        case act.DenyTrump():
            yield say(who, " was dealt no trump either.")
        case act.ShowTrump(slot, _):
            yield say(who, " shows a trump that it was dealt: ", in_slot(slot, faces), ".")
        case act.PlayCard() | act.PlayDown() | act.AnnounceNone():
            pass  # told with the whole trick
        case act.SortHand():
            # Once, with the last seat that sorts: nobody is awaited, or already the next round.
            if not after.awaiting or len(after.awaiting) > len(before.awaiting):
                yield say("All sort their hands.")
        case act.Ready() | act.OpenCards() | act.OpenHandedOver():
            pass  # nothing that a listener would miss
        case _:
            assert_never(action)


def _deal_lines(before: State, after: State) -> Iterator[Line]:
    """Yield a sentence that everybody got more cards, if the second batch was dealt between the
    states `before` and `after`.
    """
    # Not when Half Court is bid; and the maker has as many as before, if it gets one for one.
    dealt = any(len(new) > len(old) for new, old in zip(after.hands, before.hands, strict=True))
    second = before.phase is Phase.INDICATOR4 or (
        before.phase is Phase.AUCTION4 and after.phase is Phase.AUCTION8
    )
    if second and dealt:
        yield say(f"Everybody gets {second_batch(before.profile)}.")


def _face_line(faces: tuple[Face, ...], introduction: str) -> Line:
    """Return `introduction` and then the cards of `faces`; empty for no cards, without the
    introduction.
    """
    return say(introduction, join_parts(card for _, card in faces)) if faces else ()


def _cut_words(before: State, who: Who, cards: tuple[Face, ...]) -> Line:
    """Return, as a phrase, the cards that the maker `who` shows of a trick that was cut: "a cut,
    with 7♥; South shows the indicator, 9♥". `before` is the state before the announcement.
    """
    # `before`, since the cut has taken the indicator up by now.
    lay = [card for slot, card in cards if slot != before.indicator]
    indicator = [card for slot, card in cards if slot == before.indicator]
    cut = say("a cut", say(", with ", join_parts(lay)) if lay else "")
    if not indicator:
        return cut
    return say(cut, "; ", who, " shows the indicator, ", indicator[0])


def _after_eight(before: State, after: State) -> Line:
    """Return the sentence after the auction with eight cards: who is the maker now and with
    which bid, or, where nobody bid, who stays the maker. `before` and `after` are the states
    around its last call.
    """
    top, seat = after.auction.top, after.auction.top_seat
    if top is None or seat is None:
        # The four-card auction, before this one, made a maker.
        maker = Who(before.the_maker)
        cards = all_cards(before.profile)
        return say(f"Nobody bids with {cards} cards: ", maker, " stays the maker.")
    return say(Who(seat), f" is the maker now, with {bid_name(top)}.")


def _void(before: State, after: State) -> Line:
    """Return the sentence that a seat has none of the led suit, if its play between the states
    `before` and `after` proved that; else empty.
    """
    if not before.plays:
        return ()
    led = before.faces[before.plays[0].slot].suit
    # What this play proved: facts are only ever added.
    shown = after.facts[len(before.facts) :]
    void = any(isinstance(each, NoneOfSuit) and each.suit is led for each in shown)
    # If the card completed its trick, the trick has moved to `tricks`.
    seat = after.plays[-1].seat if after.plays else after.tricks[-1].plays[-1].seat
    return say(" ", Who(seat), " has no ", led, ".") if void else ()


def _trick_line(trick: Trick, state: State) -> Line:
    """Return the sentence on who took the last trick, with the points of its open cards and how
    many are closed: "South takes trick 3: 31 points and 1 face down."
    """
    how = " cuts and takes" if trick.cut else " takes"
    points, hidden = points_seen(state, trick.plays)
    worth = count_words(points, "point") + (f" and {hidden} face down" if hidden else "")
    return say(Who(trick.winner), f"{how} trick {len(state.tricks)}: {worth}.")
