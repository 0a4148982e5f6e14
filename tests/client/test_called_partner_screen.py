"""The called partner on the screen: the card is named by typing it, and each seat sees its side."""

from __future__ import annotations

import asyncio
from typing import Any

from cli.front.writing import Writer
from cli.screen.clientseat import ClientSeat
from cli.screen.preferences import PlaySettings
from p2p304.games import telling_of
from p2p304.rules304.actions import NameCard
from p2p304.rules304.state import Phase
from protocol.seat.session import Session
from tests.table.test_called_partner_table import BotTable

SIZES = ((80, 24), (140, 45))


def at_naming(seed: int = 2) -> tuple[BotTable, Session]:
    """A table whose maker is to name a card, and the maker's session."""
    table = BotTable("maharashtra", seed)
    run_to(table.begun(), Phase.NAMING)
    return table, table.sessions[table.hand().machine.state.maker]


def run_to(table: BotTable, phase: Phase) -> None:
    def there() -> bool:
        hand = table.sessions[0].table_state.hand
        return hand is not None and hand.machine.state.phase is phase and not table.flying

    table.run(there)


async def asked(session: Session, **play_settings: bool) -> tuple[ClientSeat, asyncio.Task[Any]]:
    """The maker's screen, once it is asked."""
    seat = ClientSeat(PlaySettings(agree=True, **play_settings))
    await seat.begin(lambda: session)
    decision = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.choices:
        await asyncio.sleep(0)
    return seat, decision


async def named_by_typing(session: Session, keys: str) -> object:
    """What the maker's screen does with these keys."""
    seat, decision = await asked(session, hints=True)
    for columns, rows in SIZES:
        text = "\n".join(seat.frame(columns, rows).text())
        assert "name the card whose holder is your partner" in " ".join(text.split())
    seat.press("?")
    assert "a card that is not in your hand" in "\n".join(seat.frame(80, 24).text())
    for key in ("enter", *keys.split()):
        seat.press(key)
    return await decision


async def test_the_maker_types_the_card_or_picks_it_with_arrows() -> None:
    _, session = at_naming()
    legal = [each for each in session.legal_actions() if isinstance(each, NameCard)]
    for rank in "ajk":  # of which the first and the last are keys of the game at other times
        wanted = next(each for each in legal if str(each.card).lower().startswith(rank))
        assert await named_by_typing(session, " ".join(str(wanted.card).lower())) == wanted
    assert await named_by_typing(session, "right right enter") in legal


def test_every_seat_is_told_what_it_may_know_of_the_sides() -> None:
    table, session = at_naming()
    named = next(each for each in session.legal_actions() if isinstance(each, NameCard))
    before = session.view()
    table.act(session.seat, named)
    run_to(table, Phase.TRICK)
    telling = telling_of(table.game)
    (line,) = telling.retell(before.state, session.seat, named, table.hand().machine.state, {})
    assert "J♠: whoever holds it is the maker's partner" in Writer(4).sentence(line)
    knowing = []
    for seat, each in enumerate(table.sessions):
        view = each.view()
        assert view is not None
        scene = telling.scene(view, (0, 0, 0, 0))
        words = [part for line in scene.contract for part in line]
        assert "partner: who holds " in words
        assert named.card in words
        assert [(count.word, len(count.values)) for count in scene.counts][:1] == [("Score", 4)]
        if any("partner" in place.roles for place in scene.places):
            knowing.append(seat)
            assert "partner" in scene.places[session.seat].roles
    assert len(knowing) == 1
    assert knowing != [session.seat]
