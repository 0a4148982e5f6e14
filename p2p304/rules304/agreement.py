"""What a table agrees on: a profile by name, house rules, and single parameters on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, Final, TypeGuard

from p2p304.errors import ProfileError
from p2p304.rules304.choices import Price
from p2p304.rules304.parameters import PARAMETERS_BY_NAME, value_text
from p2p304.rules304.profile import Profile, ranges
from p2p304.rules304.profiles import PROFILES
from p2p304.rules304.toggles import FORBIDDEN, TOGGLES

_FIELDS: Final = tuple(
    field.name for field in fields(Profile) if field.name not in ("name", "toggles")
)


def profile_named(
    name: str,
    toggles: Iterable[str] = (),
    overrides: Mapping[str, object] | None = None,
) -> Profile:
    """Return the profile of that name with these house rules, and then these parameters, in force.

    The order of the house rules does not matter. An override names a field of Profile; its value
    is of the field's type, or the text that shows a choice, or a pair for a price. Raises
    ProfileError for a name or a value that does not exist and for a contradiction: a parameter
    that cannot arise under the rest of the agreement, or one that the profile forbids.
    """
    base = PROFILES.get(name)
    if base is None:
        raise ProfileError(f"there is no profile {name[:40]!a}; there are {', '.join(PROFILES)}")
    wanted = set(toggles)
    unknown = sorted(wanted - set(TOGGLES))
    if unknown:
        raise ProfileError(
            f"there is no house rule {unknown[0][:40]!a}; there are {', '.join(TOGGLES)}",
            f"+{unknown[0]}",
        )
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
        changes[key] = _checked(key, value, base)
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


def _checked(name: str, value: object, base: Profile) -> object:
    """Return `value` as one that `base` could have.

    Raises ProfileError if it is of another kind.
    """
    example = getattr(base, name)
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


def _is_pair(value: object) -> TypeGuard[tuple[int, int] | list[int]]:
    return (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(type(number) is int for number in value)
    )
