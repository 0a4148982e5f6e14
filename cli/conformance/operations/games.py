"""The operations on games: public play of any, and those that games bring through the registry."""

from __future__ import annotations

from collections.abc import Callable

from cli.conformance.answers import operation
from p2p304.games import GAMES, create_game
from p2p304.plain_json import Answer, Json, Steps, disclosure_json, statement_json
from p2p304.seats import Seat

USUAL = "304"
"""The game that is asked about where none is named."""


@operation("rules.play")
def rules_play(given: Json) -> Answer:
    """`game` (304 if left out), `agreement`, `dealer`, `scores` that the hand begins with (none if
    left out), `actions` [seat, text]: who is awaited, and what the last action states and
    discloses; a step for each action. `action.rule` if one is refused by what those before it led
    to, those of one window among them (5.2)."""
    game = create_game(given.get("game", USUAL), given["agreement"])
    step = game.start(Seat(given["dealer"]), tuple(given.get("scores", ())))
    steps: Steps = []
    for seat, text in given["actions"]:
        step = game.apply(step.state, Seat(seat), game.parse_action(text))
        told = {
            "statements": [statement_json(each) for each in step.statements],
            "disclosures": [disclosure_json(each) for each in step.disclosures],
        }
        steps.append([f"{seat} {text}", told])
    state = step.state
    output: Json = {
        "phase": state.phase.name,
        "awaited": list(map(int, game.contributors(state))),
        "statements": [statement_json(each) for each in step.statements],
        "disclosures": [disclosure_json(each) for each in step.disclosures],
    }
    if game.is_over(state):
        output["scores"] = list(game.settle(state).scores)
    return Answer(output, steps)


def _of_games(meant: dict[str, Callable[[Json], Answer]]) -> Callable[[Json], Answer]:
    """Return one operation for the games that bring one of a name; it says what each takes and
    gives."""

    def perform(given: Json) -> Answer:
        return meant[given.get("game", USUAL)](given)

    texts: dict[str, list[str]] = {}
    for game, each in meant.items():
        texts.setdefault(each.__doc__ or "", []).append(game)
    usual, *others = texts
    said = [f"With `game` {' or '.join(texts[text])}: {text}" for text in others]
    perform.__doc__ = " ".join([usual, *said])
    return perform


_FOUND: dict[str, dict[str, Callable[[Json], Answer]]] = {}
for _game, _entry in GAMES.items():
    for _name, _operation in _entry.operations().items():
        _FOUND.setdefault(_name, {})[_game] = _operation
for _name, _meant in _FOUND.items():
    operation(_name)(_of_games(_meant))
