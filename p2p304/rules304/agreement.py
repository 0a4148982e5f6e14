"""What a table agrees on: a profile by name, house rules, and single parameters on top.

As one line of text that round-trips: "pagat", or "pagat; +bank_scoring; bid_max = 250; caps_grace =
next card"; and as the text that states every parameter, which a charter holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, Final, NamedTuple

from p2p304.errors import ProfileError
from p2p304.rules304.profile import (
    FORBIDDEN,
    PROFILES,
    TOGGLES,
    CapsModel,
    Partners,
    Price,
    Profile,
    ranges,
)

# --- parameters -----------------------------------------------------------------------------------

# What every parameter of 304 means, in one line each: those that vary and those that never do.


class Need(NamedTuple):
    """A condition of a parameter: in words, and as a test of a profile. Where it fails, the
    parameter can never matter.
    """

    text: str
    holds: Callable[[Profile], bool]


class ProfileParameter(NamedTuple):
    """One row of the matrix of PROFILES 1 (or, in section "2", of its toggles).

    `fixed` is the value where none can be set, or what it follows from; else the profile has a
    field of this name. Where `needs` does not hold the parameter cannot arise. A full agreement
    has no line for a parameter that has the value `unsaid`: it was added after agreements without
    it had been signed, and means what they mean; where it has `needs`, that is "n/a".
    """

    name: str
    section: str
    explanation: str
    fixed: str | Callable[[Profile], str] | None = None
    needs: Need | None = None
    unsaid: str | None = None

    def applies_to(self, profile: Profile) -> bool:
        """Tell whether the parameter can matter under `profile`: `redeal_proof` does only where
        a redeal may be demanded.
        """
        return self.needs is None or self.needs.holds(profile)

    def text(self, profile: Profile) -> str:
        """Return the value under `profile` as agreements and screens show it, such as "160";
        "n/a" where it cannot matter.
        """
        if not self.applies_to(profile):
            return NOT_APPLICABLE
        return self.value(profile)

    def value(self, profile: Profile) -> str:
        """Return the value under `profile` as text, also where it cannot matter."""
        if self.fixed is None:
            return value_text(getattr(profile, self.name))
        return self.fixed if isinstance(self.fixed, str) else self.fixed(profile)


NOT_APPLICABLE: Final = "n/a"


def value_text(value: object) -> str:
    """Return a parameter's value as text: "yes", "no", a number, the words of a choice, "2 / 3" for
    a price, "60=160 70=170" for pairs, "none" for no pairs.
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case Enum():
            return str(value.value)
        # A price is a tuple, too.
        case tuple() if not isinstance(value, Price):
            return " ".join(f"{said}={meant}" for said, meant in value) or "none"
        case _:
            return str(value)


# What the rows of the table below need, in the words of an agreement.
_CUT: Final = Need("max_cuts 1", lambda p: p.max_cuts > 0)
_NOT_FORCED: Final = Need("opening_bid_forced off", lambda p: not p.opening_bid_forced)
_MANY_CALLS: Final = Need("a reentry_rule", lambda p: not p.single_call)
_ASK: Final = Need("ask_partner on", lambda p: p.ask_partner)
_REDEAL: Final = Need("redeal_below above 0", lambda p: p.redeal_below > 0)
_AUCTION8: Final = Need("auction8 on", lambda p: p.auction8)
_PCC: Final = Need("pcc on", lambda p: p.pcc)
_HALF_COURT: Final = Need(
    "half_court on, or partners called card", lambda p: p.half_court or p.partner_called
)
_TEAMS: Final = Need("partners teams", lambda p: p.partners is Partners.TEAMS)
_CALLED: Final = Need("partners called card", lambda p: p.partner_called)
_EXHAUSTED: Final = Need("exhausted_trumps on", lambda p: p.exhausted_trumps)
_SPOILT: Final = Need("spoilt_trumps on", lambda p: p.spoilt_trumps)
_CAPS: Final = Need("caps_model not off", lambda p: p.caps_model is not CapsModel.OFF)
_JUDGED: Final = Need("caps_model epistemic", lambda p: p.caps_model is CapsModel.EPISTEMIC)

# The first batches that there are (`DealBatches`).
_NUMBERS: Final = {3: "three", 4: "four"}


def _first_cards(profile: Profile) -> str:
    """Return the text of `indicator_from`: "first four cards", by the size of the first batch
    that is dealt; where a partner is called, "all cards; Half Court: first four cards".
    """
    if profile.partner_called:
        # A card is called at 4 + 4 alone.
        return "all cards; Half Court: first four cards"
    return f"first {_NUMBERS[profile.deal_batches.sizes[0]]} cards"


# Short names, so that a row of the table is a line.
_P: Final = ProfileParameter
_NA: Final = NOT_APPLICABLE
# Those that never vary are in it, too: a full agreement, which a charter signs, states each. Those
# with `unsaid` came after agreements without them had been signed.
#: Every parameter in the order of the matrix.
PARAMETERS: Final = (
    _P("deck", "1.1", "how many cards, and which ranks of each suit"),
    _P(
        "rank_points",
        "1.1",
        "the ranks from high to low, each with its points",
        lambda profile: profile.deck.rank_points,
    ),
    _P("partners", "1.1", "who plays together", unsaid="teams"),
    _P("turn_direction", "1.1", "the way deal, auctions and play go round", "counter-clockwise"),
    _P("deal_batches", "1.1", "cards to each seat before and after the indicator"),
    _P("first_dealer", "1.1", "who deals the first hand of a match"),
    _P("dealer_rotation", "1.1", "where the deal goes after a hand", "right, each hand"),
    _P("cut_by", "1.1", "who may cut the shuffled pack"),
    _P("cut_optional", "1.1", "whether the cut may be declined", None, _CUT),
    _P("max_cuts", "1.1", "how often the pack may be cut"),
    _P("shuffle_model", "1.1", "how well the pack is mixed", "uniform"),
    _P("bid_min", "1.2", "the lowest number that may be bid"),
    _P("bid_max", "1.2", "the highest number that may be bid"),
    _P("bid_step_low", "1.2", "numbers up to 200 are multiples of this"),
    _P("bid_step_high", "1.2", "numbers above 200 are multiples of this"),
    _P(
        "bracket_middle",
        "1.2",
        "the number for which 200 stands in other parameters",
        unsaid="200",
    ),
    _P("bracket_top", "1.2", "the number for which 250 stands there", unsaid="250"),
    _P("first_speaker", "1.2", "who has the first turn of the four-card auction", "dealer's right"),
    _P("opening_bid_forced", "1.2", "whether the first turn must end in a bid, own or asked"),
    _P("reentry_rule", "1.2", "what a seat may bid after its first turn"),
    _P(
        "partner_overbid4", "1.2", "what may be bid over a partner who stands highest", None, _TEAMS
    ),
    _P("self_overbid", "1.2", "whether one may raise one's own standing bid", "no", _MANY_CALLS),
    _P("ask_partner", "1.2", "whether a seat may have its partner speak in its turn"),
    _P("asked_partner_may_pass", "1.2", "whether a partner who is asked may pass", None, _ASK),
    _P("ask_spends_both_turns", "1.2", "whether asking is both seats' turn", "yes", _ASK),
    _P("ask_again_later", "1.2", "whether a seat may ask again in a later turn", None, _ASK),
    _P("auction4_end", "1.2", "what ends a four-card auction that has a bid"),
    _P("all_pass", "1.2", "what four passes lead to", "no score, next dealer", _NOT_FORCED),
    _P("redeal_seat", "1.2", "who may reject weak cards", "dealer's right", _REDEAL),
    _P("redeal_below", "1.2", "four cards worth less than this may be rejected; 0 is never"),
    _P("redeal_deadline", "1.2", "until when", "before own bid, pass or ask", _REDEAL),
    _P("redeal_proof", "1.2", "how weak cards are proved", None, _REDEAL),
    _P("redeal_dealer", "1.2", "who deals again after a redeal", "same", _REDEAL),
    _P("bid_shorthand", "1.2", "short numbers and the bids they stand for"),
    _P("indicator_from", "1.3", "where the indicator is taken from", _first_cards),
    _P("auction8", "1.3", "whether there is a second auction with eight cards"),
    _P("auction8_min", "1.3", "the lowest eight-card number", None, _AUCTION8),
    _P("auction8_vs_four", "1.3", "eight-card numbers against the four-card bid", None, _AUCTION8),
    _P("auction8_order", "1.3", "who speaks when", "four-card maker first, one circuit", _AUCTION8),
    _P("auction8_calls", "1.3", "eight-card calls of each seat", "1", _AUCTION8),
    _P("auction8_ask", "1.3", "whether a partner may be asked", "no", _AUCTION8),
    _P("auction8_partner", "1.3", "over a partner's bid of this round", "must pass", _AUCTION8),
    _P("pcc", "1.3", "whether Partner Close Caps may be bid with eight cards"),
    _P("indicator_return", "1.3", "who takes the old indicator back", "old maker", _AUCTION8),
    _P("open_trump", "1.4", "whether the maker may open the indicator before the first lead"),
    _P("first_leader", "1.4", "who leads to trick 1", "dealer's right"),
    _P("pcc_leader", "1.4", "who leads to trick 1 under Partner Close Caps", "bidder", _PCC),
    _P("first_lead_ban", "1.4", "whether a maker may not lead hidden trump to trick 1"),
    _P("void_face_down", "1.4", "with trump hidden, cards that do not follow go down", "must"),
    _P("maker_may_discard_trump", "1.4", "whether hidden trump may be thrown off", "no"),
    _P(
        "indicator_may_be_played",
        "1.4",
        "when the hidden indicator may be played",
        lambda p: f"to cut another's non-trump lead; trick {p.deal_batches.cards}",
    ),
    _P("inspection_by", "1.4", "who looks at face-down cards, and when", "maker, trick end"),
    _P("reveal_on_cut", "1.4", "which face-down cards a cut trick shows to all"),
    _P("reveal_if_no_cut", "1.4", "which face-down cards an uncut trick shows", "nothing"),
    _P("open_after_trick1_from", "1.4", "final bids from this open trump after trick 1"),
    _P("exhausted_trumps", "1.4", "whether a maker who alone has trumps must go on leading them"),
    _P("exhausted_binds_hidden_indicator", "1.4", "and the indicator with them", "no", _EXHAUSTED),
    _P("spoilt_trumps", "1.4", "whether a hand is void when the defenders were dealt no trump"),
    _P("spoilt_callers", "1.4", "who may call spoilt trumps", "anyone", _SPOILT),
    _P("spoilt_deadline", "1.4", "until when", "last card of last trick", _SPOILT),
    _P("spoilt_dealer", "1.4", "who deals after spoilt trumps", "same", _SPOILT),
    _P("spoilt_false_call", "1.4", "what a false call of spoilt trumps costs", None, _SPOILT),
    _P("trick_review", "1.4", "which tricks may be looked at again", "last trick only"),
    _P("pre_show_card", "1.4", "whether a card may be shown to the partner before it is played"),
    _P("table_talk", "1.4", "whether partners may talk during a hand", "no"),
    _P("caps_model", "1.5", "Caps judged by what a seat could know, by result, or not at all"),
    _P("caps_counts_partner_as", "1.5", "how the partner plays", "any legal play", _JUDGED),
    _P("caps_order_stated", "1.5", "whether a call states the order of play", None, _CAPS),
    _P("caps_expose", "1.5", "whether a call shows the caller's cards", None, _CAPS),
    _P("caps_bonus_before", "1.5", "a call earns the bonus before this trick's lead", None, _CAPS),
    _P(
        "caps_last_call",
        "1.5",
        "until when Caps may be called",
        lambda profile: f"trick {profile.deal_batches.cards}'s first card",
        _CAPS,
    ),
    _P("caps_grace", "1.5", "when the window of a duty to call closes", None, _JUDGED),
    _P("caps_late_or_early_penalty", "1.5", "the least that Wrong Caps costs", None, _CAPS),
    _P("caps_concealment", "1.5", "what a missed call is once a trick was lost", None, _CAPS),
    _P("caps_bonus", "1.5", "tokens that correct Caps in time add", None, _CAPS),
    _P("caps_called_trick_lost", "1.5", "the least that a lost call costs", None, _CAPS),
    _P("external_caps", "1.5", "what correct Caps by the defenders in time cost", None, _CAPS),
    _P("caps_late_free", "2", "whether late calls go unpunished", None, _JUDGED),
    _P("double", "1.5", "whether a side that won five tricks may undertake all", unsaid="no"),
    _P("half_court", "2", "whether four cards may be played alone for all four tricks"),
    _P("tokens_under_200", "1.6", "tokens for a bid under 200, made / failed"),
    _P("tokens_200_249", "1.6", "tokens for a bid of 200 to 249, made / failed"),
    _P("tokens_250_up", "1.6", "tokens for a bid of 250 and up, made / failed"),
    _P("tokens_pcc", "1.6", "tokens for Partner Close Caps, made / failed", None, _PCC),
    _P("tokens_half_court", "2", "tokens for Half Court, made / failed", None, _HALF_COURT),
    _P("tokens_full_court", "1.6", "points for Full Court, made / failed", None, _CALLED, _NA),
    _P(
        "tokens_start",
        "1.6",
        "each team's tokens at the start; with own stock the race too",
        None,
        _TEAMS,
    ),
    _P("settlement", "1.6", "where paid tokens go and what ends the match", None, _TEAMS),
    _P("score_goal", "1.6", "a seat with so many has won the match", None, _CALLED, _NA),
    _P("marriages", "2", "whether king and queen of a suit may be shown", None, _CALLED, _NA),
    _P("last_trick", "2", "whether the last trick counts ten points", None, _CALLED, _NA),
    _P("divide_by_ten", "2", "whether points are shown divided by ten", None, _CALLED, _NA),
    _P("violation", "1.6", "what a broken rule costs"),
)

PARAMETERS_BY_NAME: Final = {each.name: each for each in PARAMETERS}


# --- agreements -----------------------------------------------------------------------------------

# Agreements come from strangers' charters; what is read of them has a bound (specs/rules.md 14).
LONGEST: Final = 2000
#: How many characters of a text an error repeats, always escaped: the text is a stranger's, and a
#: terminal shows it. A choice: enough to know the text by.
_SHOWN: Final = 60
# Four digits at the most, here and below, as specs/rules.md 14 has it.
_PAIR: Final = re.compile(r"([0-9]{1,4}) / ([0-9]{1,4})")
_SHORTHAND: Final = re.compile(r"([0-9]{1,4})=([0-9]{1,4})")
# All that "parameter = value" can set: a name and house rules are parts of another form.
_FIELDS: Final = tuple(
    field.name for field in fields(Profile) if field.name not in ("name", "toggles")
)


def _no(what: str, said: str, names: Iterable[str]) -> str:
    """Return the text of an error for an unknown name: 'there is no profile 'pagta'; did you mean
    'pagat'? there are ...'.

    `what` is the kind of thing, `said` the unknown name, and `names` all known ones; the question
    is left out where none is close.
    """
    # Cut short, too, because the search for likely names takes longer with every character.
    near = get_close_matches(said[:_SHOWN], names, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ";"
    return f"there is no {what} {said!a:.{_SHOWN}}{meant} there are {', '.join(names)}"


def named_profile(
    name: str,
    toggles: Iterable[str] = (),
    overrides: Mapping[str, object] | None = None,
) -> Profile:
    """Return the profile called `name` with these house rules, and then these parameters, in force.

    Raises ProfileError for an unknown profile, house rule or parameter, for a value of another type
    or out of range, for a parameter that one of the house rules sets as well, and for a
    contradiction: a parameter that cannot arise under the rest of the agreement, or a rule that the
    profile forbids.

    Args:
        name: a key of PROFILES, such as "pagat".
        toggles: names of house rules, keys of TOGGLES, in any order.
        overrides: from a field of Profile to its value, or to the text that `value_text` writes
            for it; None sets nothing.
    """
    base = PROFILES.get(name)
    if base is None:
        raise ProfileError(_no("profile", name, PROFILES))
    wanted = set(toggles)
    # Sorted, for a set has no order: one text gets one error.
    unknown = sorted(wanted - set(TOGGLES))
    if unknown:
        raise ProfileError(_no("house rule", unknown[0], TOGGLES), f"+{unknown[0]}")
    chosen = tuple(toggle for toggle in TOGGLES if toggle in wanted)
    changes: dict[str, Any] = {"toggles": chosen}
    reasons: dict[str, str] = {}
    # In the order of TOGGLES: where two set one parameter, the later one wins (see there).
    for toggle in chosen:
        changes.update(TOGGLES[toggle].changes)
        reasons.update(dict.fromkeys(TOGGLES[toggle].changes, toggle))
    for key, value in (overrides or {}).items():
        if key not in _FIELDS:
            near = get_close_matches(key[:_SHOWN], _FIELDS)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ProfileError(
                f"there is no parameter {key!a:.{_SHOWN}} that can be set{hint}", key
            )
        # Else the text would not say which of the two the players read.
        if reasons.get(key) in chosen:
            raise ProfileError(f"{key} is set twice, by {reasons[key]} and by itself", key)
        # A value has one text: whoever gives the value itself is read by that.
        changes[key] = _read(key, value_text(value), base)
        reasons[key] = key
    profile = replace(base, **changes)
    for toggle in FORBIDDEN.get(name, ()):
        # By its effect: parameters set one by one are as forbidden as the house rule of that name.
        if all(getattr(profile, key) == value for key, value in TOGGLES[toggle].changes.items()):
            raise ProfileError(f"{toggle} contradicts {name}, which forbids it", f"+{toggle}")
    for key, reason in reasons.items():
        needs = PARAMETERS_BY_NAME[key].needs
        # A parameter without effect would let two texts mean one game, and would mislead who reads
        # it.
        if needs is not None and not needs.holds(profile):
            raise ProfileError(
                f"{reason} contradicts {name} as agreed: it needs {needs.text}",
                # With + where a house rule set the parameter, without where it was set by itself.
                f"+{reason}",
                reason,
            )
    return profile


def _read(name: str, text: str, base: Profile) -> object:
    """Return `text` as a value of the type of the field `name` of `base`: "yes" and "no" become
    bool, up to five digits int, "2 / 3" a Price, "60=160 70=170" a tuple of pairs, and "none" no
    pairs.

    Raises ProfileError, which says the wanted kind and range, for any other text. Whether a number
    is in the range is not asked.
    """
    example = getattr(base, name)
    match example:
        case bool() if text in ("yes", "no"):
            return text == "yes"
        case bool():
            kind = "yes or no"
        # Digits of other scripts pass isdecimal(), and no parameter has more than five digits.
        case int() if text.isascii() and text.isdecimal() and len(text) < 6:
            return int(text)
        case int():
            kind = "a number"
        case Enum():
            for choice in type(example):
                if text == choice.value:
                    return choice
            kind = " or ".join(f'"{choice.value}"' for choice in type(example))
        case Price() if pair := _PAIR.fullmatch(text):
            return Price(int(pair[1]), int(pair[2]))
        case Price():
            kind = "a pair of numbers"
        case _:
            words = [] if text == "none" else text.split()
            pairs = [pair for word in words if (pair := _SHORTHAND.fullmatch(word))]
            if len(pairs) == len(words):
                return tuple((int(pair[1]), int(pair[2])) for pair in pairs)
            kind = "pairs"
    bounds = ranges(base.deck, base.deal_batches).get(name)
    if bounds is not None:
        kind += " from {} to {}".format(*bounds)
    raise ProfileError(f"{name} is {kind}, not {text!a:.{_SHOWN}}", name)


def format_agreement(profile: Profile) -> str:
    """Return a profile as one canonical line, such as "pagat; +bank_scoring; bid_max = 250".

    First its name, then its house rules, then each parameter that these two do not already set.
    """
    plain = named_profile(profile.name, profile.toggles)
    parts = [profile.name, *(f"+{toggle}" for toggle in profile.toggles)]
    for item in fields(Profile):
        value = getattr(profile, item.name)
        if value != getattr(plain, item.name):
            parts.append(f"{item.name} = {value_text(value)}")
    return "; ".join(parts)


def parse_agreement(text: str) -> Profile:
    """Return the profile of one line: a name, then "+house_rule" and "parameter = value" in any
    order, divided by ";".

    Raises ProfileError for a line of more than 2,000 characters, for a part of neither form, for a
    part named twice, for an unknown name, for a value of another type or out of range, and for
    parts that contradict each other.
    """
    if len(text) > LONGEST:
        raise ProfileError(f"an agreement has at most {LONGEST} characters")
    name, *parts = (part.strip() for part in text.split(";"))
    toggles: list[str] = []
    overrides: dict[str, object] = {}
    for part in parts:
        if part.startswith("+"):
            if part[1:] in toggles:
                raise ProfileError(f"the house rule {part[1:]!a:.{_SHOWN}} is named twice", part)
            toggles.append(part[1:])
            continue
        key, equals, said = (each.strip() for each in part.partition("="))
        if not equals:
            raise ProfileError(
                f'{part!a:.{_SHOWN}} is neither "+house_rule" nor "parameter = value"', part
            )
        if key in overrides:
            raise ProfileError(f"the parameter {key!a:.{_SHOWN}} is set twice", key)
        overrides[key] = said
    return named_profile(name, toggles, overrides)


def place_of(text: str, error: ProfileError) -> int:
    """Return the 0-based place in an agreement's text of the last part that `error.names` has,
    as a whole or by the name before its "="; 0 if it has none.
    """
    # The last, for of a part that is named twice the second one is too many.
    at = found = 0
    for part in text.split(";"):
        said = part.strip()
        if said in error.names or said.partition("=")[0].strip() in error.names:
            found = at + len(part) - len(part.lstrip())
        at += len(part) + 1  # and the ";" behind it
    return found


def format_full_agreement(profile: Profile) -> str:
    """Return the text that a charter signs: the line of `format_agreement`, then for each parameter
    a line "name = value".

    Every value is written out, so that two programs with other defaults cannot mean other games by
    it. A parameter whose text is its `unsaid` has no line: it was added after charters without it
    had been signed.
    """
    said = ((each, each.text(profile)) for each in PARAMETERS)
    rows = [f"{each.name} = {text}" for each, text in said if text != each.unsaid]
    return "\n".join((format_agreement(profile), *rows))
