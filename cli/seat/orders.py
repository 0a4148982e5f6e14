"""What a process that starts a bot tells it, beside the invite."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from cli.errors import UserError
from cli.seat.setup import Founding
from protocol.cards.secrets import SEED_BYTES


@dataclass(frozen=True, slots=True)
class Orders:
    """What whoever started this process has it do, on a second line of its input. It is secret.

    `founding` makes it the founder of the table. `seed`, for demonstrations alone, takes the place
    of chance, so that the same cards come again.
    """

    founding: Founding | None = None
    seed: bytes | None = field(default=None, repr=False)

    def format(self) -> str:
        """Return the orders in a line."""
        founding = self.founding and {
            "game": self.founding.game,
            "profile": self.founding.profile,
            "tokens": [each.hex() for each in self.founding.tokens],
        }
        return json.dumps({"founding": founding, "seed": self.seed and self.seed.hex()})

    @classmethod
    def parse(cls, text: str) -> Orders:
        """Return the orders that a line holds; raises UserError."""
        try:
            value = json.loads(text)
            founding = value["founding"]
            if founding is not None:
                tokens = tuple(bytes.fromhex(each) for each in founding["tokens"])
                founding = Founding(founding["game"], founding["profile"], tokens)
            given = value["seed"]
            seed = None if given is None else bytes.fromhex(given)
            if seed is not None and len(seed) != SEED_BYTES:
                raise ValueError("a seed of another length")
            return cls(founding, seed)
        except (ValueError, KeyError, TypeError) as error:
            raise UserError("The second line holds no orders.") from error
