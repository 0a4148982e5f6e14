"""An agreement as one line of text that round-trips: profile, house rules, single parameters.

Such as "pagat", or "pagat; +bank_scoring; bid_max = 250; caps_grace = next card".
"""

from __future__ import annotations

import re
from dataclasses import fields
from enum import Enum
from itertools import zip_longest
from typing import Final

from p2p304.errors import ProfileError
from p2p304.rules304.agreement import profile_named
from p2p304.rules304.choices import Price
from p2p304.rules304.parameters import PARAMETERS, value_text
from p2p304.rules304.profile import Profile
from p2p304.rules304.profiles import PROFILES

LONGEST: Final = 2000
_PAIR: Final = re.compile(r"([0-9]{1,4}) / ([0-9]{1,4})")
_SHORTHAND: Final = re.compile(r"([0-9]{1,4})=([0-9]{1,4})")


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
        overrides[key] = _parsed(name, key, said)
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


def _parsed(profile: str, key: str, said: str) -> object:
    """Return the value that `said` stands for, of the kind of the profile's own value."""
    example = getattr(PROFILES.get(profile), key, None)
    match example:
        case bool():
            return {"yes": True, "no": False}.get(said, said)
        case int():
            return int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else said
        case Price():
            pair = _PAIR.fullmatch(said)
            return (int(pair[1]), int(pair[2])) if pair else said
        case tuple():
            if said == "none":
                return ()
            pairs = [_SHORTHAND.fullmatch(each) for each in said.split()]
            return tuple((int(pair[1]), int(pair[2])) if pair else said for pair in pairs)
        case Enum():
            return said
        case _:
            return said


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
