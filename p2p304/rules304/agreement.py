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
from p2p304.rules304.choices import Price
from p2p304.rules304.parameters import PARAMETERS, PARAMETERS_BY_NAME, value_text
from p2p304.rules304.profile import Profile, ranges
from p2p304.rules304.profiles import PROFILES
from p2p304.rules304.toggles import FORBIDDEN, TOGGLES

LONGEST: Final = 2000
_PAIR: Final = re.compile(r"([0-9]{1,4}) / ([0-9]{1,4})")
_SHORTHAND: Final = re.compile(r"([0-9]{1,4})=([0-9]{1,4})")
_FIELDS: Final = tuple(
    field.name for field in fields(Profile) if field.name not in ("name", "toggles")
)


def _no(what: str, said: str, names: Iterable[str]) -> str:
    """Return that there is none called so, the nearest, and all that there are."""
    near = get_close_matches(said[:40], names, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ";"
    return f"there is no {what} {said[:40]!a}{meant} there are {', '.join(names)}"


def profile_named(
    name: str,
    toggles: Iterable[str] = (),
    overrides: Mapping[str, object] | None = None,
) -> Profile:
    """Return the profile of that name with these house rules, and then these parameters, in force.

    The order of the house rules does not matter. An override names a field of Profile; its value
    is of the field's type, with lists and tuples of numbers for prices and pairs, or the text that
    shows it. Raises ProfileError for a name or a value that does not exist and for a
    contradiction: a parameter that cannot arise under the rest of the agreement, or one that the
    profile forbids.
    """
    base = PROFILES.get(name)
    if base is None:
        raise ProfileError(_no("profile", name, PROFILES))
    wanted = set(toggles)
    unknown = sorted(wanted - set(TOGGLES))
    if unknown:
        raise ProfileError(_no("house rule", unknown[0], TOGGLES), f"+{unknown[0]}")
    chosen = tuple(toggle for toggle in TOGGLES if toggle in wanted)
    changes: dict[str, Any] = {"toggles": chosen}
    reasons: dict[str, str] = {}
    for toggle in chosen:
        changes.update(TOGGLES[toggle].changes)
        reasons.update(dict.fromkeys(TOGGLES[toggle].changes, toggle))
    for key, value in (overrides or {}).items():
        if key not in _FIELDS:
            near = get_close_matches(key[:40], _FIELDS)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise ProfileError(f"there is no parameter {key[:40]!a} that can be set{hint}", key)
        if reasons.get(key) in chosen:
            raise ProfileError(f"{key} is set twice, by {reasons[key]} and by itself", key)
        changes[key] = _meant(key, value, base)
        reasons[key] = key
    profile = replace(base, **changes)
    for toggle in FORBIDDEN.get(name, ()):
        if all(getattr(profile, key) == value for key, value in TOGGLES[toggle].changes.items()):
            raise ProfileError(f"{toggle} contradicts {name}, which forbids it", f"+{toggle}")
    for key, reason in reasons.items():
        needs = PARAMETERS_BY_NAME[key].needs
        if needs is not None and not needs.holds(profile):
            raise ProfileError(
                f"{reason} contradicts {name} as agreed: it needs {needs.text}",
                f"+{reason}",
                reason,
            )
    return profile


def _meant(name: str, given: object, base: Profile) -> object:
    """Return the value of a parameter that `given` means, which is one that `base` could have.

    Raises ProfileError if it is of another kind.
    """
    example = getattr(base, name)
    value = _read(given, example) if isinstance(given, str) else given
    match example:
        case bool() if isinstance(value, bool):
            return value
        case int() if type(value) is int and not isinstance(example, bool):
            return value
        case Enum():
            for choice in type(example):
                if value is choice or value == choice.value:
                    return choice
            wanted = " or ".join(f'"{value_text(choice)}"' for choice in type(example))
            raise ProfileError(f"{name} is {wanted}, not {value!a:.60}", name)
        case Price() if _is_pair(value):
            return Price(*value)
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
    raise ProfileError(f"{name} is {kind}, not {value!a:.60}", name)


def _read(text: str, example: object) -> object:
    """Return the value of the example's type that the text shows; the text itself if it shows
    none."""
    match example:
        case bool():
            return {"yes": True, "no": False}.get(text, text)
        case int() if text.isascii() and text.isdecimal() and len(text) < 6:
            return int(text)
        case Price() if pair := _PAIR.fullmatch(text):
            return int(pair[1]), int(pair[2])
        case tuple() if text == "none":
            return ()
        case tuple() if not isinstance(example, Price):
            pairs = map(_SHORTHAND.fullmatch, text.split())
            return tuple((int(pair[1]), int(pair[2])) if pair else text for pair in pairs)
        case _:
            return text


def _is_pair(value: object) -> TypeGuard[tuple[int, int] | list[int]]:
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(type(number) is int for number in value)
    )


def format_agreement(profile: Profile) -> str:
    """Return the canonical text of a profile, which names only what differs from its defaults."""
    plain = profile_named(profile.name, profile.toggles)
    parts = [profile.name, *(f"+{toggle}" for toggle in profile.toggles)]
    for item in fields(Profile):
        value = getattr(profile, item.name)
        if value != getattr(plain, item.name):
            parts.append(f"{item.name} = {value_text(value)}")
    return "; ".join(parts)


def parse_agreement(text: str) -> Profile:
    """Return the profile that the text agrees on, in any order of its parts.

    Raises ProfileError for anything that format_agreement could not have meant.
    """
    if len(text) > LONGEST:
        raise ProfileError(f"an agreement has at most {LONGEST} characters")
    name, *parts = (part.strip() for part in text.split(";"))
    toggles: list[str] = []
    overrides: dict[str, object] = {}
    for part in parts:
        if part.startswith("+"):
            if part[1:] in toggles:
                raise ProfileError(f"the house rule {part[1:40]!a} is named twice", part)
            toggles.append(part[1:])
            continue
        key, equals, said = (each.strip() for each in part.partition("="))
        if not equals:
            raise ProfileError(
                f'{part[:40]!a} is neither "+house_rule" nor "parameter = value"', part
            )
        if key in overrides:
            raise ProfileError(f"the parameter {key[:40]!a} is set twice", key)
        overrides[key] = said
    return profile_named(name, toggles, overrides)


def place_of(text: str, error: ProfileError) -> int:
    """Return where in an agreement the error's cause stands: the last part that says it, or 0."""
    at = found = 0
    for part in text.split(";"):
        said = part.strip()
        if said in error.names or said.partition("=")[0].strip() in error.names:
            found = at + len(part) - len(part.lstrip())
        at += len(part) + 1
    return found


def format_full_agreement(profile: Profile) -> str:
    """Return the agreement, and below it every parameter with its value, one on each line.

    What a table signs: two programs whose defaults differ cannot mean different games by it.
    """
    said = ((each, each.text(profile)) for each in PARAMETERS)
    rows = [f"{each.name} = {text}" for each, text in said if text != each.unsaid]
    return "\n".join((format_agreement(profile), *rows))


def parse_full_agreement(text: str) -> Profile:
    """Return the profile of a text by format_full_agreement.

    Raises ProfileError, naming the parameter, where the text does not say what this program means
    by its first line.
    """
    head, *rows = text.split("\n")
    if not rows:
        raise ProfileError(f"{head[:60]!a} does not say every parameter")
    profile = parse_agreement(head)
    meant = format_full_agreement(profile).split("\n")
    if head != meant[0]:
        raise ProfileError(f"the canonical text of this agreement is {meant[0]!a:.200}")
    for said, mine in zip_longest(rows, meant[1:]):
        if said != mine:
            name = (mine or said or "").split(" = ")[0]
            raise ProfileError(
                f"{name[:40]} differs between the programs: {said!a:.60} and {mine!a:.60}"
            )
    return profile
