"""The choices of a moment of 304: each legal action with its key, its words, and what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, assert_never

from p2p304.cards import Card, Slot
from p2p304.rules304 import actions as act
from p2p304.rules304.actions import Action, Contract, bid_name
from p2p304.rules304.calls import caps_slots, nothing_to_claim, why_no_caps
from p2p304.rules304.caps.information import InformationSet, information_of
from p2p304.rules304.caps.judge import Certainty
from p2p304.rules304.caps.search import find_order
from p2p304.rules304.pack import CARD_POINTS
from p2p304.rules304.play import calls_at_once
from p2p304.rules304.profile import CapsModel, PreShow, Profile
from p2p304.rules304.state import Phase, State
from p2p304.rules304.telling.counts import NUMBER_WORDS, own_words
from p2p304.rules304.telling.scene import ORDER, held_cards
from p2p304.seats import Seat, seat_letters
from p2p304.sentences import Line, Who, join_parts, say
from p2p304.telling import Choice, Key, Urgent, card_names
from p2p304.view import View


class Command(NamedTuple):
    """A key and the words for the actions of one kind, how help tells it, the rule about it."""

    example: Action  #: One of the kind, with any card and slot.
    key: str
    typed: tuple[str, ...]
    words: str
    brief: str  #: The label in a word or two; empty where it has none.
    when: str  #: When it is possible, for help and for refusals.
    rule: str

    @property
    def means(self) -> type[Action] | type[Contract]:
        """The kind of action; Contract for a bid that is no number."""
        return Contract if isinstance(self.example, act.PlaceBid) else type(self.example)


_ANY: Final = next(iter(CARD_POINTS))  #: A card of every pack.
# An example, key, typed words, words of help, short label, when, rule. "-" is how a hand's text
# writes a pass. Rules are of RULES, but 3.2 and 3.3, which bring in marriages and double, of
# PROFILES.
_TABLE: Final = (
    (act.Pass(), "p", "p pass -", "pass", "pass", "in an auction", "5.4"),
    (act.AskPartner(), "a", "a ask", "ask your partner to speak", "ask partner",
     "in the four-card auction", "5.3"),
    # A contract is a PlaceBid, too, but has a key of its own, where numbers are typed.
    (act.PlaceBid(Contract.PARTNER_CLOSE_CAPS), "g", "pcc half full",
     "go alone (Partner Close Caps or Half Court)", "", "in an auction", "14.2"),
    (act.DemandRedeal(()), "n", "n redeal", "ask for new cards", "",
     "as the first to call, with weak cards", "5.5"),
    (act.OpenTrump(_ANY), "o", "o open", "open trump", "open",
     "as the maker, before the first lead", "8"),
    (act.KeepClosed(), "k", "k closed keep", "keep trump closed", "closed",
     "as the maker, before the first lead", "8"),
    (act.CallCaps(()), "c", "c caps", "call caps", "caps", "between cards", "13"),
    # No word alone: "show 9c" names the card (`_words_to_type`).
    (act.ShowCard(Slot(0), _ANY), "w", "", "show a card that you play next", "show a card",
     "between tricks, or at your turn", "8"),
    (act.CallDouble(), "d", "d double", "call double", "double", "after the fifth trick", "3.3"),
    (act.DeclareMarriages(()), "m", "m marriage", "show a marriage", "marriage",
     "between tricks, where marriages are agreed", "3.2"),
    (act.CallSpoilt(), "s", "s spoilt", "call spoilt trumps", "spoilt", "between cards", "12"),
    (act.AcceptCaps(), "y", "accept concede", "concede the rest", "",
     "when your opponents have called caps", "13.4"),
    (act.ContestCaps(), "v", "contest", "have the caps played", "",
     "when your opponents have called caps", "13.4"),
)  # fmt: skip
#: One key for one meaning. Cards and bids need none: they are typed, or picked.
COMMANDS: Final = tuple(
    Command(example, key, tuple(typed.split()), *rest) for example, key, typed, *rest in _TABLE
)
#: Actions about caps, which have no key where caps are off.
_CALLED_CAPS: Final = (act.CallCaps, act.AcceptCaps, act.ContestCaps)
_OF_KIND: Final[Mapping[object, Command]] = {each.means: each for each in COMMANDS}
#: What may be typed for each contract.
ALONE: Final = {
    Contract.PARTNER_CLOSE_CAPS: ("pcc", "bid pcc"),
    Contract.HALF_COURT: ("half", "half court", "bid half court"),
    Contract.FULL_COURT: ("full", "full court", "bid full court"),
}
# Actions without a key: cards, numbers, and what Enter alone does. Its kind, Ready, stands for all
# of them, and nobody reads it.
_NO_COMMAND: Final = Command(act.Ready(), "", (), "", "", "", "")
#: Actions that claim something: listed last, away from what is chosen at most turns.
_CLAIMS: Final = (act.CallCaps, act.CallSpoilt, act.DemandRedeal, act.CallDouble)
#: Actions that end or bend a hand: the player is asked about them once more.
_COSTLY: Final = (*_CLAIMS, act.AcceptCaps)
#: Actions that claim and reveal no more than the rules demand: Enter alone does one that is the
#: only choice.
_DEMANDED: Final = (
    act.AnnounceNone,
    act.AnnounceCut,
    act.ShowIndicator,
    act.DenyTrump,
    act.ShowTrump,
    act.SortHand,
    act.OpenCards,
)
#: Actions that decide nothing, such as sorting: done unasked where one is the only choice.
_DUTIES: Final = (act.SortHand, act.OpenCards, act.OpenHandedOver)
#: Actions that share their kind's key, which goes from one choice to the next: partners to ask.
_ONE_OF_SEVERAL: Final = (act.AskPartner, act.ShowCard)
#: Actions that are chosen by picking one card of one's own.
_WITH_A_CARD: Final = (act.LayIndicator, act.PlayCard, act.PlayDown, act.ShowCard, act.ShowTrump)


def keys(profile: Profile) -> tuple[Key, ...]:
    """Return a key, with its help, for each kind of action that can arise under the profile."""
    # PROFILES 3.2: with a called partner Half Court is what four cards can undertake.
    half, close = profile.half_court or profile.partner_called, profile.pcc
    names = {"Partner Close Caps": close, "Half Court": half, "Full Court": profile.partner_called}
    alone = " or ".join(name for name, agreed in names.items() if agreed)
    missing = {
        act.AskPartner: not profile.ask_partner,
        act.DemandRedeal: not profile.redeal_below,
        # Opening and keeping closed answer one question, which is not asked where trump must stay
        # closed (specs/rules.md 8).
        act.OpenTrump: not profile.open_trump,
        act.KeepClosed: not profile.open_trump,
        act.CallDouble: not profile.double,
        act.DeclareMarriages: not profile.marriages,
        act.CallSpoilt: not profile.spoilt_trumps,
        act.ShowCard: profile.pre_show_card is PreShow.NO,
        Contract: not alone,
        **dict.fromkeys(_CALLED_CAPS, profile.caps_model is CapsModel.OFF),
    }
    # A called partner plays such a contract, too, so that nobody goes alone.
    how = "undertake all tricks" if profile.partner_called else "go alone"
    return tuple(
        Key(
            each.key,
            f"{how} ({alone})" if each.means is Contract else own_words(each.words, profile),
            own_words(each.when, profile),
            each.typed,
        )
        for each in COMMANDS
        if not missing.get(each.means, False)
    )


def choices(view: View[State], legal: Sequence[Action]) -> tuple[Choice, ...]:
    """Return the legal actions as choices in the order of showing: cards as they stand in the hand,
    then the rest, claims last.

    Where several choices have one key, only the first keeps it, except for a key that goes through
    them: a partner to ask, or a card to show.
    """
    order = {each.slot: place for place, each in enumerate(held_cards(view))}
    bids = [each.bid for each in legal if isinstance(each, act.PlaceBid)]
    # Any bid above it is asked about once more: it costs more than the least.
    lowest = min((bid for bid in bids if isinstance(bid, int)), default=None)
    found = [_choice(each, view, alone=len(legal) == 1, lowest=lowest) for each in legal]
    found.sort(key=lambda each: _rank(each, order))
    # The key for marriages shows all of them, which is the first choice; the keys to ask a partner
    # and to show a card go from one choice to the next. Reversed, so that of choices with one key
    # the first keeps it; those without a key stay as they are either way.
    keyed = {each.key: each for each in reversed(found)}
    return tuple(
        each
        if isinstance(each.action, _ONE_OF_SEVERAL) or keyed[each.key] is each
        else each._replace(key="")
        for each in found
    )


def order_caps(choice: Choice, order: Sequence[Slot], view: View[State]) -> act.CallCaps:
    """Return the call of caps of `choice` with its cards in `order`, the slots as the player put
    them.
    """
    # Only a call of caps has an order to state.
    assert isinstance(choice.action, act.CallCaps)
    return act.CallCaps(tuple((slot, view.faces[slot]) for slot in order))


def _words(action: Action, view: View[State]) -> tuple[Line, tuple[str, ...]]:
    """Return an action in the words of a player who takes it, without a capital, "play 9♥ face
    down"; and what may be typed for it, in lower case, ("9h", "~9h"), empty where the words of its
    kind of action do. The view has the cards that the player plays or lays.
    """
    faces = view.faces
    match action:
        case act.Cut(offset):
            # An empty line and "no" both leave the pack as it is.
            typed = (*(() if offset else ("", "no")), f"cut {offset}")
            return say(f"cut at {offset}" if offset else "leave the pack uncut"), typed
        case act.PlaceBid(Contract() as contract):
            return say(f"bid {bid_name(contract)}"), ALONE[contract]
        case act.PlaceBid(bid):
            return say(f"bid {bid}"), (f"bid {bid}",)
        case act.AskPartner(int() as mate):
            letters = seat_letters(view.state.seats)
            return say("ask ", Who(mate)), (f"ask {letters[mate].lower()}",)
        case act.AskPartner():
            # There is one partner, who need not be named.
            return say("ask your partner"), ()
        case act.DemandRedeal(cards):
            shown = f" and show your {NUMBER_WORDS[len(cards)]}" if cards else ""
            return say("demand new cards", shown), ()
        case act.LayIndicator(slot):
            card = faces[slot]
            return say("lay ", card, ": trump is ", card.suit), card_names(card)
        case act.SortHand():
            return say("sort your hand"), ()
        case act.NameCard(card):
            names = [(name, f"with {name}") for name in card_names(card)]
            return say("name ", card), tuple(each for pair in names for each in pair)
        case act.OpenTrump(card):
            return say("open trump: show ", card), ()
        case act.PlayCard(_, card, all_trumps=False):
            return say("play ", card), card_names(card)
        case act.PlayCard(_, card):
            # "+" after the card claims a hand of trumps.
            return say("play ", card, ", all trumps"), tuple(f"{n}+" for n in card_names(card))
        case act.PlayDown(slot):
            typed = card_names(faces[slot])
            # With the sign that texts of hands have for a card face down, too.
            typed = (*typed, *(f"~{name}" for name in typed))
            return say("play ", faces[slot], " face down"), typed
        case act.AnnounceNone():
            return say("announce no trump"), ()
        case act.AnnounceCut(cards):
            opened = say(" and show ", join_parts(card for _, card in cards)) if cards else ()
            return say("announce the cut", opened), ()
        case act.ShowIndicator(card):
            return say("show the indicator, ", card), ()
        case act.Ready():
            return say("go on; nothing to claim"), ("", "r", "ready")
        case act.ShowCard(_, card):
            typed = tuple(f"show {name}" for name in card_names(card))
            return say("show ", card, " now, and play it next"), typed
        case act.DeclareMarriages(cards):
            # King, queen, king, queen: every second card names its suit.
            suits = " ".join(card.suit.letter.lower() for _, card in cards[::2])
            return say("show ", join_parts(card for _, card in cards)), (f"marriage {suits}",)
        case (
            act.Pass()
            | act.KeepClosed()
            | act.CallCaps()
            | act.AcceptCaps()
            | act.ContestCaps()
            | act.CallDouble()
            | act.CallSpoilt()
        ):
            # As help words it.
            return say(_OF_KIND[type(action)].words), ()
        case act.DenyTrump():
            return say("answer: no trump was dealt to you"), ()
        case act.ShowTrump(_, card):
            return say("show ", card, ", a trump dealt to you"), card_names(card)
        case act.OpenCards() | act.OpenHandedOver():
            return say("open what the count needs"), ()
        case _:
            assert_never(action)


def _choice(action: Action, view: View[State], *, alone: bool, lowest: int | None) -> Choice:
    """Return the choice that offers one legal action. `alone` says that no other action is legal.

    `lowest` is the lowest number that may be bid, or None: a player who picks any other bid, a
    contract too, is asked whether it is meant.
    """
    # The one action whose command depends on its value: see the table.
    goes_alone = isinstance(action, act.PlaceBid) and isinstance(action.bid, Contract)
    command = _OF_KIND.get(Contract if goes_alone else type(action), _NO_COMMAND)
    profile = view.state.profile
    cut = action == act.Cut(0)
    dear = isinstance(action, act.PlaceBid) and action.bid != lowest
    label, typed = _words(action, view)
    order: tuple[Slot, ...] = ()
    # One card has one order.
    if isinstance(action, act.CallCaps) and profile.caps_order_stated and len(action.order) > 1:
        order = tuple(slot for slot, _ in action.order)
    return Choice(
        action,
        label,
        key=command.key,
        typed=typed or command.typed,
        numbers=_numbers(action, profile),
        slot=action.slot if isinstance(action, _WITH_A_CARD) else None,
        order=order,
        claim=_claim(profile) if isinstance(action, act.CallCaps) else (),
        brief="no cut" if cut else "go on" if isinstance(action, act.Ready) else command.brief,
        plays=isinstance(action, act.PlayCard | act.PlayDown),
        # Enter alone must never claim or show more than the rules demand.
        default=isinstance(action, act.Ready) or cut or (alone and isinstance(action, _DEMANDED)),
        window=isinstance(action, act.Ready),
        idle=isinstance(action, act.Ready)
        and view.seat is not None
        and nothing_to_claim(view.state, view.seat),
        forfeits=isinstance(action, act.Ready) and calls_at_once(profile),
        duty=isinstance(action, _DUTIES),
        costly=isinstance(action, _COSTLY) or dear,
    )


def _claim(profile: Profile) -> tuple[Line, ...]:
    """Return, in short paragraphs, what a call of caps claims, shows and risks."""
    # Told where the player states an order; a table with stated orders shows the cards, too.
    return (
        say(
            "You claim that your team wins every trick with your cards played in one fixed order,"
            " whatever the others hold and play, your own side included."
        ),
        say("When you call, all these cards are shown to everybody."),
        say(
            f"A trick lost after it costs {profile.caps_called_trick_lost} tokens or more; a call"
            f" before it was certain, {profile.caps_late_or_early_penalty} or more."
        ),
    )


def _numbers(action: Action, profile: Profile) -> tuple[int, ...]:
    """Return the numbers that choose an action when typed: a cut's offset, or a bid and its
    shorthand; empty for other actions.
    """
    match action:
        case act.Cut(offset):
            return (offset,)
        case act.PlaceBid(int() as bid):
            return (bid, *(said for said, meant in profile.bid_shorthand if meant == bid))
        case _:
            return ()


def _rank(choice: Choice, order: Mapping[Slot, int]) -> tuple[int, int]:
    """Return the sort key that puts choices of cards first, in the order of the hand, then all
    others, and claims last.
    """
    # Last, away from what is chosen at most turns: a claim by mistake costs tokens.
    if isinstance(choice.action, _CLAIMS):
        return 2, 0
    if choice.slot is None:
        return 1, 0
    # To show a card comes behind playing one; what is not in the hand, behind all that is.
    return int(isinstance(choice.action, act.ShowCard)), order.get(choice.slot, len(order))


# --- caps that are due, told to the player who must call them: which order is certain, and why ----


def urgent(view: View[State]) -> Urgent | None:
    """Return the call of caps that the view's seat must make now, with an order that is sure to win
    and the reasons; None where no call is due or the seat is not awaited.

    It searches, which may take seconds.
    """
    state, seat = view.state, view.seat
    if seat is None or seat not in state.awaiting:
        return None
    judged = state.profile.caps_model is CapsModel.EPISTEMIC
    playing = state.phase in (Phase.WINDOW, Phase.TRICK)
    # By the public record no call can be due.
    if not judged or not playing or why_no_caps(state, seat) is not None:
        return None
    information = information_of(state, seat, view.faces)
    found = find_order(information)
    if not found.sure:
        return None
    # The search answers in cards, actions name slots.
    slots = {view.faces[slot]: slot for slot in caps_slots(state, seat)}
    # By now the cards are known to be sure: what follows is worded, not judged.
    cards, key = join_parts(found.order), _OF_KIND[act.CallCaps].key
    return Urgent(
        key=key,
        order=tuple(slots[card] for card in found.order),
        brief=say(
            f"Call caps now ({key}): ", cards, " are certain to win every trick in this order."
        ),
        lines=(
            say("Caps are due: played in the order ", cards, ", your cards are certain to win"
                " every trick, whatever the others hold and play. Who is certain must call; to go"
                " on without a call is Wrong Caps."),
            *reasons(information, found.order),
        ),
        skipped=say("Go on without calling caps, although they are certain: that is Wrong Caps"),
    )  # fmt: skip


def reasons(information: InformationSet, order: Sequence[Card]) -> Iterator[Line]:
    """Yield sentences on why `order` is certain to win: which cards that others may hold could
    beat or cut it, and why they do not.
    """
    out = _out(information)
    beaten = {card: _higher(card, out) for card in order}
    safe = [card for card, higher in beaten.items() if not higher]
    if safe:
        yield say("Nothing that is still out is higher in its suit than ", join_parts(safe), ".")
    for card, higher in beaten.items():
        # A sure order may hold cards that others beat: their betters fall first, or are a
        # partner's.
        if higher:
            verb, falls = ("is", "falls") if len(higher) == 1 else ("are", "fall")
            why = f", but {falls} before it, or could only help your side to win."
            yield say(join_parts(higher), f" {verb} higher than ", card, why)
    yield from _cutting_lines(information, order, out)
    yield say(
        "Every way in which the cards that you cannot see may lie was tried: none takes a trick"
        " from you."
    )


def _cutting_lines(
    information: InformationSet, order: Sequence[Card], out: Sequence[Card]
) -> Iterator[Line]:
    """Yield one sentence on why nobody can cut a card of `order`; where the seat does not know
    trump, that the order holds whichever suit that is. Nothing where all cards of `order` are
    trumps.

    `out` are the cards that other seats may still play.
    """
    trump = information.trump
    if trump is None:
        yield say("Trump is hidden, and it holds whichever suit it is.")
        return
    trumps = [card for card in out if card.suit is trump]
    if all(card.suit is trump for card in order):
        return
    if not trumps:
        yield say("No trump is out any more, so that nobody can cut.")
    # The order is known to be sure: what follows only says by what the trumps that are out fail.
    elif order[0].suit is trump:
        yield say("The trumps that are out, ", join_parts(trumps), ", fall on yours first.")
    else:
        yield say("The trumps that are out, ", join_parts(trumps), ", come too late to cut.")


def _out(information: InformationSet) -> list[Card]:
    """Return every card that other seats may still play, as far as the seat knows, by suits,
    high to low.
    """
    slots = [
        slot
        for seat, hand in enumerate(information.hands)
        if seat != information.seat
        for slot in hand
    ]
    seen = {information.faces[slot] for slot in slots if slot in information.faces}
    return sorted(seen | information.unseen, key=ORDER.__getitem__)


def _higher(card: Card, out: Sequence[Card]) -> list[Card]:
    """Return the cards of `out` that are of the suit of `card` and beat it, in the order of
    `out`.
    """
    # A lower place in ORDER is a higher card.
    return [each for each in out if each.suit is card.suit and ORDER[each] < ORDER[card]]


def certain_line(seat: Seat, certainty: Certainty) -> Line:
    """Return a clause on which cards of `seat` were certain to win, and since when: "J♥ 9♥ of
    South were certain since the end of trick 4", "... in trick 3", "... before the first lead".
    """
    moment = certainty.moment
    tricks, begun = divmod(moment.cards, moment.seats)
    since = f"in trick {tricks + 1}" if begun else f"since the end of trick {tricks}"
    when = since if moment.cards else "before the first lead"
    own = say(join_parts(certainty.order), " of ", Who(seat))
    was = " was certain " if len(certainty.order) == 1 else " were certain "
    return say(own, was, when)
