"""41 and 400 in the registry: house rules are all there is to agree on."""

from __future__ import annotations

from p2p304.errors import ProfileError
from p2p304.rules41.hand import Game41
from p2p304.rules41.rules import Variant, parse_rules


def create(variant: Variant, parameters: str) -> Game41:
    """Return the game of the `variant`, 41 or 400, with the house rules that `parameters` names,
    with commas between them, in any order; "" names none.

    Raises ProfileError for an unknown house rule, and for one named twice.
    """
    return Game41(parse_rules(variant, parameters))


def full(variant: Variant, parameters: str) -> str:
    """Return `parameters` as a charter of this `variant` writes it: the house rules in the order of
    TOGGLES, with commas between them; "" for none.

    Raises ProfileError for an unknown house rule, and for one named twice.
    """
    return parse_rules(variant, parameters).parameters


def game_of(variant: Variant, text: str) -> Game41:
    """Return the game of the `variant`, 41 or 400, for a text that `full` returned; raises
    ProfileError for any other text.
    """
    meant = full(variant, text)
    # One agreement has one text in a charter, or two programs with other defaults could sign one
    # text and mean two games.
    if text != meant:
        raise ProfileError(f"the canonical text of these house rules is {meant!a}")
    return create(variant, text)
