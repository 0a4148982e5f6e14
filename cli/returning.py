"""Sentences for a seat that returns and may not sign yet: open claims, and an older journal
(specs 7.5).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from typing import Final

from cli.errors import UserError
from cli.sanitize import safe_name
from cli.wording import hand_label
from p2p304.seats import Seat, place_name, seat_names
from protocol.places import Lane
from protocol.table.events import HeadClaim
from protocol.wire.charter import Charter

# Said before anybody vouches (specs 7.5).
RISK: Final = (
    "If this seat signed something that its journal does not hold (an older copy of the journal was"
    " put back, or another copy of the seat plays), what it signs now contradicts that, and the two"
    " convict you."
)
BEHIND: Final = (
    "The journal of this seat is an older copy, or another copy of the seat plays: it lacks what"
    " the seat signed later. What the others hold is taken back from them. What reached nobody"
    " cannot be: if it turns up after you signed something else in its place, it convicts you. If"
    " you have the newer journal, leave now and put it back."
)


# Two lines of a screen of 24.
BEHIND_IN_SHORT: Final = (
    "The journal of this seat is an older copy: what you sign now may convict you. If you have the"
    " newer one, leave and put it back."
)


def claims_in_short(claims: Iterable[HeadClaim], seats: int) -> str:
    """Return the sentence of `claims_line` shortened to two lines of a small screen."""
    named = [place_name(claim.seat, seats) for claim in claims]
    who = " and ".join(named)
    # Ready to copy into a shell.
    options = " ".join(f"--vouch {shlex.quote(name.lower())}" for name in named)
    return (
        f"{who} told of more than was shown: nothing is signed for you. Leave, and"
        f" 'p2p304 resume {options}' tells the risk and signs."
    )


def claims_line(claims: Iterable[HeadClaim], *, seats: int, called: Callable[[Seat], str]) -> str:
    """Return a sentence that names the seats with open claims, and says what the player can do."""
    told = list(claims)
    named = [each.seat for each in told]
    who = " and ".join(map(called, named))
    where = ", ".join(
        f"{Lane(claim.head.lane).name.lower()} {hand_label(claim.head.number)},"
        f" round {claim.head.closed}"
        for claim in told
    )
    options = " ".join(f"--vouch '{place_name(seat, seats).lower()}'" for seat in named)
    return (
        f"{who} told of more than any message shows ({where}), and is asked for the messages: until"
        " they are here, nothing is signed for you. If you know that there are none of yours among"
        f" them, leave, and p2p304 resume {options} signs all the same."
    )


def parse_vouched_seats(
    charter: Charter, names: Iterable[str], own: Seat | None = None
) -> frozenset[Seat]:
    """Return the seats that `names` lists by place or nickname.

    Raises UserError for a name that is no seat, and for our `own` seat.
    """
    found = set()
    # By what the screen shows, in either case of letters: people type what they read.
    for name in names:
        wanted = name.strip().lower()
        seats = [
            Seat(seat)
            for seat, entry in enumerate(charter.seats)
            if wanted
            in (place_name(seat, len(charter.seats)).lower(), safe_name(entry.nickname).lower())
        ]
        # None, several or one's own: nobody vouches for what itself may have signed (specs 7.5).
        if len(seats) != 1 or seats[0] == own:
            every = seat_names(len(charter.seats))
            others = [each for seat, each in enumerate(every) if seat != own]
            raise UserError(f"Nobody else sits there: --vouch takes one of {', '.join(others)}.")
        found.add(seats[0])
    return frozenset(found)
