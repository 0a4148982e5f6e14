"""Another table with the same people: its setup, its journal, its bots (specs 5.7)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cli.local.bot_processes import Bot, bot_home, homes_at
from cli.local.sitting import kept_setup, setup_in
from cli.seat.setup import JournalKind, Setup, charter_in
from cli.store.identity import IdentityStore
from cli.store.journal import FILE_NAME, Journal
from cli.store.paths import make_private_directory, make_table_directory, table_directory
from p2p304.seats import Seat
from protocol.cards.secrets import SEED_BYTES
from protocol.entropy import Entropy
from protocol.wire.charter import Charter
from protocol.wire.rematch import moved_seats, next_charter, next_key, next_token


def next_setup(
    setup: Setup, charter: Charter, after: bytes, seating: int, entropy: Entropy
) -> tuple[Setup, Charter]:
    """Return our setup at the next table, and its charter. Only our seed is drawn anew, by
    `entropy`; all else follows from the old table.

    `after` is the head of the last hand of the match that is over; `seating` is the one on which
    all agreed.
    """
    following = next_charter(charter, after, seating)
    places = moved_seats(len(charter.seats), seating)
    # The seating says who moves where; our key finds its new place.
    seat = Seat(places.index(setup.seat))
    table, old = following.table, setup.invite
    # A seat's invite has a token; only one to watch has none.
    assert old.token is not None
    founding = setup.founding
    if founding is not None:
        tokens = tuple(next_token(founding.tokens[each], table) for each in places)
        founding = replace(founding, tokens=tokens)
    invite = replace(
        old,
        table=table,
        # Derived alike at all seats: no invite has to be sent (specs 5.7).
        table_key=next_key(old.table_key, table),
        seat=seat,
        token=next_token(old.token, table),
    )
    made = replace(
        setup,
        invite=invite,
        nonce=following.seats[seat].nonce,
        # New randomness for the cards; everything else follows from the old table.
        seed=entropy(SEED_BYTES),
        founding=founding,
    )
    return made, following


def agreed_journal(
    root: Path, setup: Setup, charter: Charter, *, confirmed: bool = True
) -> tuple[Journal, Setup]:
    """Return the journal of a table whose charter is known before anybody sits down, and our setup
    there. Unless `confirmed`, the player is still asked for its agreement.

    They are the existing ones if we came as far before a crash. Raises StoreError. The setup is
    written last: without it nobody resumes as if there were no charter.
    """
    table = charter.table
    directory = make_table_directory(root, table)
    if (directory / FILE_NAME).exists():
        journal = Journal.open(table_directory(root, table), table)
        known, ready = charter_in(journal.records())[0], setup_in(journal) is not None
        if known is not None and ready:
            # Closed, as `kept_setup` opens it again with its own checks.
            journal.close()
            return kept_setup(root, table)
    else:
        journal = Journal.create(directory, table)
    try:
        # Again, too, after a crash between these: the latest of a kind counts.
        journal.append(JournalKind.CHARTER, charter.to_bytes())
        if confirmed:  # all agreed to this charter with the rematch, or with their entry
            journal.append(JournalKind.CONFIRMED, b"")
        journal.append(JournalKind.SETUP, setup.to_bytes())
    # A lock must not stay with a journal that is not returned.
    except BaseException:
        journal.close()
        raise
    return journal, setup


def next_bots(
    root: Path, old: Charter, new: Setup, charter: Charter, seating: int, entropy: Entropy
) -> tuple[Bot, ...]:
    """Return our bots at the table of the `old` charter for the new one and its `charter`, in the
    order of their old seats, with their keys in new homes. Raises StoreError.

    They move by the `seating`.
    """
    now = make_table_directory(root, charter.table)
    places = moved_seats(len(charter.seats), seating)
    found = []
    for was, before in sorted(homes_at(table_directory(root, old.table), old).items()):
        seat = Seat(places.index(was))
        home = make_private_directory(bot_home(now, seat))
        # The same key: the charter names it.
        IdentityStore(before).copy_key(home)
        # The token is only a field: nobody claims a seat that the charter has.
        invite = replace(new.invite, seat=seat)
        name, nonce = charter.seats[seat].nickname, charter.seats[seat].nonce
        setup = Setup(invite, name, nonce, entropy(SEED_BYTES), new.credentials)
        # Closed: the bot's process opens it.
        agreed_journal(home, setup, charter)[0].close()
        found.append(Bot(invite, home, name=name))
    return tuple(found)
