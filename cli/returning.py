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
    "Your journal may lack messages that you signed, because somebody put an older copy of it back,"
    " or because another copy of your seat plays. If you now sign a different message in place of"
    " one of them, the two messages convict you of cheating."
)
# Said once the seat finds that its journal is behind (the event JournalBehind).
BEHIND: Final = (
    "Your journal is an older copy, or another copy of your seat plays: the journal lacks messages"
    " that you signed later. The other seats send back those that they have. If one reached nobody,"
    " turns up later, and you signed a different one in its place, the two convict you. If you have"
    " the newer journal, leave now and put it back."
)


# Two lines of a screen of 24.
BEHIND_IN_SHORT: Final = (
    "Your journal is an older copy: what you sign now may convict you. If you have the newer one,"
    " leave and put it back."
)


def claims_in_short(claims: Iterable[HeadClaim], seats: int) -> str:
    """Return a shorter sentence than that of `claims_line`, for two lines of a small screen:
    which seats, by place, claim messages of ours, and how to sign anyway with `resume --vouch`.
    """
    named = [place_name(claim.seat, seats) for claim in claims]
    who = " and ".join(named)
    # Ready to copy into a shell.
    options = " ".join(f"--vouch {shlex.quote(name.lower())}" for name in named)
    return (
        f"{who} claims to have messages of yours: you sign nothing until they come. To sign anyway,"
        f" leave, and type 'p2p304 resume {options}'."
    )


def claims_line(claims: Iterable[HeadClaim], *, seats: int, called: Callable[[Seat], str]) -> str:
    """Return a sentence on seats that claim messages which nobody has sent: who, by the names of
    `called`, up to which hand and round, and how to sign anyway with `resume --vouch`.
    """
    told = list(claims)
    named = [each.seat for each in told]
    who = " and ".join(map(called, named))
    where = ", ".join(
        f"{Lane(claim.head.lane).name.lower()} {hand_label(claim.head.number)},"
        f" round {claim.head.closed}"
        for claim in told
    )
    # In quotes: where places have no points of the compass, "seat 3" is one.
    options = " ".join(f"--vouch '{place_name(seat, seats).lower()}'" for seat in named)
    return (
        f"{who} claims to have messages ({where}) that nobody has sent, and is asked for them. You"
        " sign nothing until they come, since some may be yours. If you know that none is, leave,"
        f" and type: p2p304 resume {options}"
    )


def parse_vouched_seats(
    charter: Charter, names: Iterable[str], own: Seat | None = None
) -> frozenset[Seat]:
    """Return the seats that `names` give by place or nickname, in upper or lower case.

    Raises UserError for a name of no seat, of several, or of our `own` seat.
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
            raise UserError(
                f"No other player has that seat: --vouch takes one of {', '.join(others)}."
            )
        found.add(seats[0])
    return frozenset(found)
