"""What a table agrees on: a profile by name, house rules, and single parameters on top.

As one line of text that round-trips: "pagat", or "pagat; +bank_scoring; bid_max = 250; caps_grace =
next card"; and as the text that states every parameter, which a charter holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from enum import Enum
from itertools import zip_longest
from typing import Any, Final, TypeGuard

from p2p304.errors import ProfileError
from p2p304.rules304.parameters import PARAMETERS, PARAMETERS_BY_NAME, value_text
from p2p304.rules304.profile import FORBIDDEN, PROFILES, TOGGLES, Price, Profile, ranges

# Agreements come from strangers' charters; what is read of them has a bound (specs/rules.md 14).
LONGEST: Final = 2000
#: How many characters of a text an error repeats, always escaped: the text is a stranger's, and a
#: terminal shows it. A choice: enough to know the text by.
_SHOWN: Final = 60
#: The same of the text that should have been there, which somebody may want to copy.
_SHOWN_WHOLE: Final = 200
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
    return f"there is no {what} {said[:_SHOWN]!a}{meant} there are {', '.join(names)}"


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
        overrides: from a field of Profile to its value, either of the field's type (a pair of
            numbers for a Price) or the text that `value_text` writes for it; None sets nothing.
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
            raise ProfileError(f"there is no parameter {key[:_SHOWN]!a} that can be set{hint}", key)
        # Else the text would not say which of the two the players read.
        if reasons.get(key) in chosen:
            raise ProfileError(f"{key} is set twice, by {reasons[key]} and by itself", key)
        changes[key] = _meant(key, value, base)
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


def _meant(name: str, given: object, base: Profile) -> object:
    """Return `given` as a value of the type of the field `name` of `base`: "yes" -> True, "160" ->
    160; a value of that type already stays.

    Raises ProfileError, which says the wanted kind and range, for a value of another type. Whether
    a number is in the range is not asked.
    """
    example = getattr(base, name)
    value = _read(given, example) if isinstance(given, str) else given
    match example:
        case bool() if isinstance(value, bool):
            return value
        # In Python True is an int, too.
        case int() if type(value) is int and not isinstance(example, bool):
            return value
        case Enum():
            for choice in type(example):
                # A caller's value of the field's type, or the text of one.
                if value is choice or value == choice.value:
                    return choice
            wanted = " or ".join(f'"{value_text(choice)}"' for choice in type(example))
            raise ProfileError(f"{name} is {wanted}, not {value!a:.{_SHOWN}}", name)
        case Price() if _is_pair(value):
            return Price(*value)
        # A price is a tuple, too, and has its case above.
        case tuple() if (
            not isinstance(example, Price)
            and isinstance(value, tuple | list)
            and all(_is_pair(pair) for pair in value)
        ):
            return tuple((said, meant) for said, meant in value)
    kinds = {bool: "yes or no", int: "a number", Price: "a pair of numbers", tuple: "pairs"}
    kind = kinds[type(example)]
    bounds = ranges(base.deck, base.deal_batches).get(name)
    if bounds is not None:
        kind += " from {} to {}".format(*bounds)
    raise ProfileError(f"{name} is {kind}, not {value!a:.{_SHOWN}}", name)


def _read(text: str, example: object) -> object:
    """Return `text` as a value of the type of `example`, or `text` itself where it is none.

    "yes" and "no" become bool, up to five digits int, "2 / 3" a pair, "60=160 70=170" a tuple of
    pairs, and "none" no pairs. Where pairs are wanted, a text with other words becomes a tuple with
    that whole text in place of each such word.
    """
    match example:
        case bool():
            return {"yes": True, "no": False}.get(text, text)
        # Digits of other scripts pass isdecimal(), and no parameter has more than five digits.
        case int() if text.isascii() and text.isdecimal() and len(text) < 6:
            return int(text)
        case Price() if pair := _PAIR.fullmatch(text):
            return int(pair[1]), int(pair[2])
        case tuple() if text == "none":
            return ()
        # A price is a tuple, too, and was read above.
        case tuple() if not isinstance(example, Price):
            pairs = map(_SHORTHAND.fullmatch, text.split())
            # The whole text in place of a wrong word: `_is_pair` refuses it, and the error repeats
            # it.
            return tuple((int(pair[1]), int(pair[2])) if pair else text for pair in pairs)
        case _:
            return text


def _is_pair(value: object) -> TypeGuard[tuple[int, int] | list[int]]:
    """Tell whether `value` is a tuple or list of just two integers; a bool is none."""
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        # Exactly: in Python True is an int, too.
        and all(type(number) is int for number in value)
    )


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
                f'{part[:_SHOWN]!a} is neither "+house_rule" nor "parameter = value"', part
            )
        if key in overrides:
            raise ProfileError(f"the parameter {key[:_SHOWN]!a} is set twice", key)
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


def parse_full_agreement(text: str) -> Profile:
    """Return the profile of a text by `format_full_agreement`, which must match to the character.

    Raises ProfileError for any other text; where only parameters differ it names the first of them.
    """
    head, *rows = text.split("\n")
    if not rows:
        raise ProfileError(f"{head[:_SHOWN]!a} does not say every parameter")
    profile = parse_agreement(head)
    meant = format_full_agreement(profile).split("\n")
    # One game, one text: charters are compared byte by byte.
    if head != meant[0]:
        raise ProfileError(f"the canonical text of this agreement is {meant[0]!a:.{_SHOWN_WHOLE}}")
    # Longest, so that a missing row and a row too many differ as well.
    for said, mine in zip_longest(rows, meant[1:]):
        if said != mine:
            # A row may be missing on one side, never on both.
            name = (mine or said or "").split(" = ")[0]
            raise ProfileError(
                f"{name[:_SHOWN]} differs between the programs: {said!a:.{_SHOWN}} and"
                f" {mine!a:.{_SHOWN}}"
            )
    return profile
