"""Writes the generated parts of `specs/*.md`.

    python -m tests.vectors.specification

Tables come from the code's own tables, examples from a saved hand, so that text and code cannot
drift apart.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from p2p304.cards import Suit, parse_card
from p2p304.rules304.action_text import format_action
from p2p304.rules304.agreement import format_full_agreement
from p2p304.rules304.choices import Price
from p2p304.rules304.machine import TRANSITIONS
from p2p304.rules304.parameters import PARAMETERS, ProfileParameter, value_text
from p2p304.rules304.profile import Profile, ranges
from p2p304.rules304.profiles import FOUR_SEATS, PAGAT, PROFILES
from p2p304.rules304.toggles import FORBIDDEN, TOGGLES
from protocol import labels
from protocol.group.constants import (
    card_point,
    chain_base,
    constants_digest,
    score_unit,
    shuffle_generators,
    suit_point,
)
from protocol.table.ledger import AWAITED
from protocol.table.ledger import NEXT as PHASES
from protocol.transcript.checks import VERIFICATIONS
from protocol.wire.terms import KNOWN_TERMS
from tests.vectors.action_examples import EXAMPLES
from tests.vectors.action_examples import OTHERS as OTHER_ACTIONS
from tests.vectors.breakages import BREAKAGES, VALID
from tests.vectors.example_text import worked_examples
from tests.vectors.game_text import game_parts
from tests.vectors.lobby_text import code_sections, lobby_sections
from tests.vectors.markers import filled
from tests.vectors.message_text import cddl, limits, message_sections
from tests.vectors.other_names import OTHERS
from tests.vectors.tournament_text import conviction_rows, piece_sections, power_items

SPECS = Path(__file__).parents[2] / "specs"
PAGES = (
    *sorted(SPECS.glob("0*.md")),
    *(SPECS / f"{name}.md" for name in ("rules", "conformance", "tournament", "guide/game-maker")),
)
GENERATORS = (4, 8, 32, 52)


def _labels() -> str:
    rows = ["| name | label |", "| --- | --- |"]
    for name, value in vars(labels).items():
        if name.isupper() and isinstance(value, bytes):
            rows.append(f"| {name.lower().replace('_', ' ')} | `{value.decode()}` |")
    return "\n".join(rows)


def _constants() -> str:
    rows = ["| N | digest of all constants with N generators |", "| --- | --- |"]
    rows += [f"| {count} | `{constants_digest(count).hex()}` |" for count in GENERATORS]
    rows += ["", "Some of them:", "", "| constant | point |", "| --- | --- |"]
    some = [
        ("CARD_9C", card_point(parse_card("9C"))),
        ("CARD_JS", card_point(parse_card("JS"))),
        *((f"SUIT_{suit.letter}", suit_point(suit)) for suit in Suit),
        ("V", score_unit()),
        ("K", chain_base()),
        *((f"h_{place}", point) for place, point in enumerate(shuffle_generators(2))),
    ]
    rows += [f"| {name} | `{point.to_bytes().hex()}` |" for name, point in some]
    return "\n".join(rows)


def _phases() -> str:
    rows = ["| phase | awaits | may be followed by |", "| --- | --- | --- |"]
    for phase, kinds in AWAITED.items():
        awaited = " or ".join(kind.__name__ for kind in kinds)
        following = ", ".join(sorted(each.value for each in PHASES[phase]))
        if awaited:
            rows.append(f"| {phase.value} | {awaited} | {following} |")
    return "\n".join(rows)


def _transitions() -> str:
    rows = ["| phase | action | leads to |", "| --- | --- | --- |"]
    for (phase, action), row in TRANSITIONS.items():
        following = ", ".join(each.name for each in sorted(row.leads_to))
        rows.append(f"| {phase.name} | {action.__name__} | {following} |")
    return "\n".join(rows)


def _checks() -> str:
    rows = ["| check | kind | stands for | in no audit, because |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{each.name}` | {each.category} | {each.meaning} | {each.elsewhere} |"
        for each in VERIFICATIONS
    ]
    return "\n".join(rows)


def _elsewhere() -> str:
    rows = ["| name | of | stands for |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | {of} | {meaning} |" for name, (of, meaning) in OTHERS.items()]
    return "\n".join(rows)


# How a value is written, and where it is specified; the rest is the program's own list.
TERMS = {
    "continues": (
        "[charter, [hand, closed, head], present, dealer, scores, bots]",
        "[6.5](06-files.md)",
    ),
    "referee": ("[key, ...]", "[5.8](05-hand.md)"),
    "tournament": ("[tournament, match]", "[tournament 10](tournament.md)"),
}


def _terms() -> str:
    rows = ["| name | value | means | what it lets whom do | asked about | see |"]
    rows += ["| --- | --- | --- | --- | --- | --- |"]
    for name, term in KNOWN_TERMS.items():
        value, see = TERMS[name]
        asked = "yes" if term.rules else "no"
        rows.append(f"| `{name}` | `{value}` | {term.means} | {term.lets} | {asked} | {see} |")
    return "\n".join(rows)


def _profiles() -> str:
    names = list(FOUR_SEATS)
    rows = [f"| parameter | {' | '.join(names)} | meaning |", "| --- " * (len(names) + 2) + "|"]
    for each in PARAMETERS:
        values = " | ".join(_shown(each, profile) for profile in FOUR_SEATS.values())
        rows.append(f"| `{each.name}` | {values} | {each.explanation} |")
    others = [profile for profile in PROFILES.values() if profile.name not in FOUR_SEATS]
    for about, more in (
        ("For six and eight seats.", [each for each in others if each.seats != PAGAT.seats]),
        ("More for four seats.", [each for each in others if each.seats == PAGAT.seats]),
    ):
        rows += ["", f"{about} Where no row says otherwise, each is as {PAGAT.name}:", ""]
        rows += [f"| parameter | {' | '.join(each.name for each in more)} |"]
        rows += ["| --- " * (len(more) + 1) + "|"]
        for each in PARAMETERS:
            texts = [_shown(each, profile) for profile in more]
            if any(text != _shown(each, PAGAT) for text in texts):
                rows.append(f"| `{each.name}` | {' | '.join(texts)} |")
    unsaid = ", ".join(f"`{each.name} = {each.unsaid}`" for each in PARAMETERS if each.unsaid)
    rows += ["", f"Lines of a full agreement that go without saying, and are left out: {unsaid}."]
    rows += ["", "What can be set, and to what:", "", "| parameter | to | arises with |"]
    rows += ["| --- | --- | --- |"]
    settable = {each.name: each for each in PARAMETERS if each.fixed is None}
    for field in fields(Profile):
        if field.name in settable:
            needs = settable[field.name].needs
            rows.append(
                f"| `{field.name}` | {_domain(field.name)} | {needs.text if needs else ''} |"
            )
    rows += ["", "What cannot be set, and need not arise:", "", "| parameter | arises with |"]
    rows += ["| --- | --- |"]
    rows += [f"| `{p.name}` | {p.needs.text} |" for p in PARAMETERS if p.fixed and p.needs]
    rows += ["", "House rules, and what each sets:", "", "| house rule | sets | meaning |"]
    rows += ["| --- | --- | --- |"]
    for toggle in TOGGLES.values():
        sets = ", ".join(f"`{key} = {value_text(value)}`" for key, value in toggle.changes.items())
        rows.append(f"| `{toggle.name}` | {sets} | {toggle.explanation} |")
    for name, forbidden in FORBIDDEN.items():
        rows += ["", f"`{name}` forbids what these set: {', '.join(forbidden)}."]
    rows += ["", "The full agreement `pagat`:", "", "```"]
    rows += [format_full_agreement(PROFILES["pagat"]), "```"]
    return "\n".join(rows)


def _shown(parameter: ProfileParameter, profile: Profile) -> str:
    """A profile's value, also where it cannot arise: a house rule may make it arise."""
    if parameter.applies_to(profile):
        return parameter.text(profile)
    return f"{parameter.value(profile)} (n/a)"


def _domain(name: str) -> str:
    """The values that a parameter can be set to, as they are written."""
    bounds = ranges(PAGAT.deck, PAGAT.deal_batches).get(name)
    if bounds is not None:
        return "{} to {}".format(*bounds)
    match getattr(PROFILES["pagat"], name):
        case bool():
            return "yes, no"
        case Price():
            return "`made / failed`"
        case tuple():
            return "none, or pairs such as `60=160` with a space between"
        case value:
            return "; ".join(str(choice.value) for choice in type(value))


def _actions() -> str:
    rows = ["| action | example |", "| --- | --- |"]
    rows += [
        f"| {type(each).__name__} | `{format_action(each)}` |"
        for each in (*EXAMPLES, *OTHER_ACTIONS)
    ]
    return "\n".join(rows)


def _breakages() -> str:
    rows = ["| what is broken | vectors, category | auditor, check | seat, sitting |"]
    rows += ["| --- | --- | --- | --- |"]
    for name, each in BREAKAGES.items():
        category = f"`{each.category}`" if each.category else "-"
        check = f"`{each.check}`" if each.check else "-"
        if each.check == VALID:
            check = "a sound file is refused"
        rows.append(f"| {name} | {category} | {check} | {each.sitting or '-'} |")
    return "\n".join(rows)


def _hand() -> str:
    return f"```\n{(SPECS / 'examples' / 'hand.txt').read_text('utf-8').rstrip()}\n```"


def parts() -> dict[str, str]:
    """Every generated part by its name."""
    return {
        "labels": _labels(),
        "constants": _constants(),
        "cddl": cddl(),
        "messages": message_sections(),
        "limits": limits(),
        "lobby": lobby_sections(),
        "pieces": piece_sections(),
        "tournament-convictions": conviction_rows(),
        "tournament-powers": power_items(),
        "codes": code_sections(),
        **worked_examples(),
        "breakages": _breakages(),
        "phases": _phases(),
        "checks": _checks(),
        "elsewhere": _elsewhere(),
        "terms": _terms(),
        "transitions": _transitions(),
        "hand": _hand(),
        "profiles": _profiles(),
        "actions": _actions(),
        **game_parts(),
    }


def render() -> dict[Path, str]:
    """Each page with its generated parts."""
    written = parts()
    return {page: filled(page.read_text("utf-8"), written) for page in PAGES}


if __name__ == "__main__":
    for page, text in render().items():
        page.write_text(text, "utf-8")
