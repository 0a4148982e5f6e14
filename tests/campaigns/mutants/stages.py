"""Which tests are run for a change in each room.

Apart from the campaign, since nobody needs its tool to see that they are there.
"""

from __future__ import annotations

from typing import Final


def _of_tables(names: str) -> str:
    return " ".join(f"tests/table/test_{name}.py" for name in names.split())


CRYPTO: Final = "tests/crypto --deselect tests/crypto/test_shuffle_statistics.py"
TABLE: Final = "tests/table --deselect tests/table/test_forgetting.py"
HANDS: Final = _of_tables("recorded_hands session")
LIES: Final = _of_tables("lies cheats")
VECTORS: Final = "tests/vectors/test_specification.py tests/vectors/test_vectors.py"
#: What is run for a change in each room after the tests of its module, the quickest first, until
#: something fails.
STAGES: Final = {
    "proofs": (f"-m quick {CRYPTO}", CRYPTO, VECTORS),
    "cards": (f"-m quick {CRYPTO}", CRYPTO, HANDS, VECTORS, LIES),
    "wire": (
        _of_tables("encoding"),
        f"tests/journeys/test_invite.py {_of_tables('continuing driver_stops')}",
        VECTORS,
        HANDS,
        TABLE,
        "tests/campaigns/fuzz",
    ),
    "table": (_of_tables("ledger attacks"), HANDS, LIES, VECTORS, TABLE),
    "tournament": (
        _of_tables("tournament_cheats tournament_record tournament_histories"),
        _of_tables("tournament_results"),
        VECTORS,
        "tests/client/test_tournament_commands.py tests/client/test_tournament_stages.py",
        "tests/journeys/test_tournament_play.py",
    ),
}
