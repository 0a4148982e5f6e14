"""What a player says of going on without those who are waited for, as a message to the others."""

from __future__ import annotations

from dataclasses import replace

from cli.front.doors import Substitute
from protocol.entropy import Entropy
from protocol.errors import LocalError
from protocol.seat.continuing import NO_NONCE
from protocol.seat.view import SeatView
from protocol.wire.charter import NONCE_BYTES, TABLE_BYTES
from protocol.wire.contents import Continuation


def word_of(session: SeatView, how: Substitute, entropy: Entropy) -> Continuation:
    """Return what our seat says; raises LocalError where there is nothing to say it of."""
    asked, ours = session.asked_to_go_on(), session.continuation()
    if how is Substitute.AGREE and asked is not None:
        return replace(asked, nonce=entropy(NONCE_BYTES), charter=b"")
    if how is Substitute.REFUSE and (asked or ours) is not None:
        said = asked or ours
        assert said is not None
        return replace(said, agreed=0, nonce=NO_NONCE, charter=b"")
    if how in (Substitute.AGREE, Substitute.REFUSE):
        raise LocalError("nobody asks to go on at another table")
    back = how is Substitute.BACK
    gone = sorted(session.substituted() if back else session.others_awaited())
    if not gone:
        raise LocalError("no bot sits here for who left" if back else "nobody is waited for")
    present = [seat for seat in range(len(session.charter.seats)) if seat not in gone]
    own = int(session.seat)
    bots = tuple((int(seat), own) for seat in gone) if how is Substitute.BOT else ()
    return Continuation(
        hands=session.hands_begun,
        table=entropy(TABLE_BYTES),
        founder=own,
        present=sum(1 << seat for seat in present),
        bots=bots,
        agreed=1,
        nonce=entropy(NONCE_BYTES),
    )
