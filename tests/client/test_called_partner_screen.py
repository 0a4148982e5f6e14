"""The called partner on the screen: the card is named by typing it, and each seat sees its side."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cli.auditing import audit_file
from cli.screen.clientseat import ClientSeat
from cli.screen.input import press
from cli.screen.preferences import Habits
from p2p304.rules304.actions import NameCard
from p2p304.rules304.state import Phase
from protocol.seat.session import Session
from tests.client.test_ui_app import SHOWN, play_a_hand
from tests.table.test_called_partner_table import BotTable, tabled

SIZES = ((80, 24), (140, 45))


def at_naming(seed: int = 2) -> tuple[BotTable, int]:
    """A table whose maker is to name a card, and which seat that is."""
    table = tabled("maharashtra", seed)
    table.confirm()

    def state() -> object:
        hand = table.chairs[0].session.table_state.hand
        return None if hand is None else hand.machine.state.phase

    table.run(lambda: state() is Phase.NAMING and not table.flying)
    hand = table.chairs[0].session.table_state.hand
    assert hand is not None
    return table, hand.machine.state.maker


async def named_by_typing(session: Session, keys: str) -> tuple[ClientSeat, NameCard]:
    """What the maker's screen does with these keys."""
    seat = ClientSeat(Habits(agree=True, hints=True))
    await seat.begin(session)
    asked = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.my_turn:
        await asyncio.sleep(0)
    for columns, rows in SIZES:
        text = "\n".join(seat.frame(columns, rows).text())
        assert "name the card whose holder is your partner" in " ".join(text.split())
    seat.desk, _ = press(seat.desk, seat.table, "?")
    assert "a card that is not in your hand" in "\n".join(seat.frame(80, 24).text())
    seat.press("enter")
    for key in keys.split():
        seat.press(key)
    action = await asked
    assert isinstance(action, NameCard)
    return seat, action


async def test_the_maker_types_the_card_or_picks_it_with_arrows() -> None:
    table, maker = at_naming()
    session = table.chairs[maker].session
    legal = [each for each in session.legal_actions() if isinstance(each, NameCard)]
    for rank in "ajk":  # of which the first and the last are keys of the game at other times
        wanted = next(each for each in legal if str(each.card).lower().startswith(rank))
        _, action = await named_by_typing(session, " ".join(str(wanted.card).lower()))
        assert action == wanted
    _, action = await named_by_typing(session, "right right enter")
    assert action in legal


async def test_a_card_of_ones_own_is_refused_with_a_sentence() -> None:
    table, maker = at_naming()
    session = table.chairs[maker].session
    view = session.view()
    assert view is not None
    own = view.faces[view.state.hands[maker][0]]
    seat = ClientSeat(Habits(agree=True))
    await seat.begin(session)
    asked = asyncio.create_task(seat.decide(session))
    while seat.table is None or not seat.table.my_turn:
        await asyncio.sleep(0)
    for key in str(own).lower():
        seat.press(key)
    assert f"You hold {seat.table.writer.card(own)}: name a card" in seat.desk.notice
    asked.cancel()


def test_every_seat_is_told_what_it_may_know_of_the_sides() -> None:
    table, maker = at_naming()
    session = table.chairs[maker].session
    legal = [each for each in session.legal_actions() if isinstance(each, NameCard)]
    table.act(maker, legal[0])

    def playing() -> bool:
        hand = table.chairs[0].session.table_state.hand
        return hand is not None and hand.machine.state.phase is Phase.TRICK

    table.run(lambda: playing() and not table.flying)
    from p2p304.games import telling_of

    telling = telling_of(table.game)
    knowing = []
    for seat, chair in enumerate(table.chairs):
        view = chair.session.view()
        assert view is not None
        scene = telling.scene(view, (0, 0, 0, 0))
        words = [part for line in scene.contract for part in line]
        assert "partner: who holds " in words
        assert legal[0].card in words
        assert [count.word for count in scene.counts][:1] == ["Score"]
        assert len(scene.counts[0].values) == 4
        if any("partner" in place.roles for place in scene.places):
            knowing.append(seat)
            assert "partner" in scene.places[maker].roles
    assert len(knowing) == 1
    assert knowing != [maker]


async def test_a_hand_is_played_by_keys_alone_and_its_file_tells_the_sides(tmp_path: Path) -> None:
    seat = ClientSeat(Habits(), SHOWN)
    fingers = await play_a_hand(tmp_path, seat, profile="maharashtra")
    assert fingers.read is not None
    assert len(fingers.read.scores) == 4
    (file,) = tmp_path.glob("0/**/*.p304")
    told: list[str] = []
    assert audit_file(str(file), tell=told.append).valid
    assert any(" names " in line and "whoever holds it" in line for line in told)
    assert any(" shows it: " in line and " is the partner of " in line for line in told)
