"""The code of a table: one guess for each exchange, five in all, and nothing for who listens."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from cli.code import complete_code, known_words, parse_code
from cli.conformance.tables import seeded_entropy
from p2p304.seats import Seat
from protocol.bounds import ANSWERS, CODE_LIFETIME, GUESS_WITHIN, GUESSES
from protocol.wire import code_exchange
from protocol.wire.code import Code, looks_like_code, new_words
from protocol.wire.code_exchange import (
    CodeState,
    CodeStep,
    HostCode,
    JoinerCode,
    JoinerStage,
    LetIn,
    SeatRequested,
    WrongGuess,
    host_id,
)
from protocol.wire.code_messages import (
    OPEN_BYTES,
    Guess,
    Offer,
    Refusal,
    Welcome,
    Why,
    from_frame,
    to_frame,
    to_payload,
)
from protocol.wire.identity import FRAME_SIZES
from protocol.wire.invite import InviteFields

RIGHT = Code(7, ("zebra", "lantern"))
WRONG = Code(7, ("zebra", "zucchini"))
TABLE = bytes(range(16))
INVITE = InviteFields(
    TABLE, bytes(range(100, 132)), Seat(2), bytes(range(200, 216)), "mqtt://127.0.0.1:1883"
).format()


class Meeting:
    """A host and whoever comes, at one topic, in a time that the test moves."""

    def __init__(self, code: Code = RIGHT) -> None:
        self.now = 100.0
        self.draws = seeded_entropy("codes")
        self.host = HostCode(code, TABLE, entropy=self.draws, now=self.now)
        self.said: list[bytes] = []
        self.events: list[object] = []

    def joiner(self, code: Code = RIGHT) -> JoinerCode:
        return JoinerCode(code, entropy=self.draws)

    def hear(self, frame: bytes | None) -> CodeStep:
        """What the host does with a frame, a tenth of a second later than with the one before."""
        assert frame is not None
        self.now += 0.1
        self.said.append(frame)
        step = self.host.hear(frame, self.now)
        self.said += step.answers
        if step.event is not None:
            self.events.append(step.event)
        return step

    def until_guess(self, joiner: JoinerCode) -> bytes:
        """Find and knock; the frame of the joiner's guess."""
        for stage in (JoinerStage.FINDING, JoinerStage.KNOCKING):
            assert joiner.stage is stage
            (answer,) = self.hear(joiner.asking_frame()).answers
            joiner.hear(answer)
        assert joiner.stage is JoinerStage.GUESSING
        return joiner.asking_frame()

    def guess(self, code: Code) -> tuple[JoinerCode, CodeStep]:
        """One person's whole try."""
        joiner = self.joiner(code)
        return joiner, self.hear(self.until_guess(joiner))

    def found(self, joiner: JoinerCode) -> None:
        """Let a joiner find the host."""
        (here,) = self.hear(joiner.asking_frame()).answers
        joiner.hear(here)

    def knock(self, joiner: JoinerCode) -> bytes:
        """The host's answer to a joiner that has found it."""
        (answer,) = self.hear(joiner.asking_frame()).answers
        return answer

    def refused(self, code: Code = RIGHT) -> JoinerCode:
        """Somebody who asks twice, whatever is answered."""
        joiner = self.joiner(code)
        for _ in range(2):
            for answer in self.hear(joiner.asking_frame()).answers:
                joiner.hear(answer)
        assert joiner.stage is JoinerStage.REFUSED
        return joiner

    def let_in(self) -> tuple[JoinerCode, bytes]:
        """Somebody with the right code, who was told what is free, and the exchange."""
        joiner, step = self.guess(RIGHT)
        assert isinstance(step.event, LetIn)
        joiner.hear(self.welcome(step.event.exchange))
        return joiner, step.event.exchange

    def wished(self, joiner: JoinerCode, seat: int) -> bytes:
        """A joiner's wish, which the host has not heard."""
        joiner.wish(Seat(seat))
        wish = joiner.asking_frame()
        assert wish is not None
        return wish

    def welcome(self, exchange: bytes, free: tuple[int, ...] = (1, 2, 3)) -> bytes:
        return self.host.welcome(
            exchange, game="304", seats=4, names=((Seat(0), "Amara"),), free=tuple(map(Seat, free))
        )


@pytest.fixture
def there() -> Meeting:
    return Meeting()


def test_a_guesser_who_tries_a_thousand_codes_has_five_guesses_and_the_right_one_is_dead() -> None:
    there = Meeting()
    words = known_words()
    tried = (Code(7, pair) for pair in itertools.product(words, words) if pair != RIGHT.words)
    for code in itertools.islice(tried, 1_000):
        joiner = there.joiner(code)
        while joiner.stage is not JoinerStage.REFUSED:
            for answer in there.hear(joiner.asking_frame()).answers:
                joiner.hear(answer)
    assert there.events == [WrongGuess(left) for left in (4, 3, 2, 1, 0)]
    assert there.now < 100.0 + CODE_LIFETIME
    assert there.host.state(there.now) is CodeState.GUESSED_OUT
    there.events.clear()
    there.refused()
    assert there.events == []


def test_a_thousand_guesses_at_one_exchange_are_one_guess(there: Meeting) -> None:
    guess = from_frame(there.until_guess(there.joiner(WRONG)))
    for number in range(1_000):
        other = replace(guess, confirmation=number.to_bytes(32, "big"))
        there.hear(to_frame(other))
    assert there.events == [WrongGuess(GUESSES - 1)]


def test_one_exchange_is_open_at_a_time_and_others_are_told_so(there: Meeting) -> None:
    one, other = there.joiner(), there.joiner()
    guess = there.until_guess(one)
    there.found(other)
    refusal = other.hear(there.knock(other))
    assert isinstance(refusal, Refusal)
    assert refusal.why is Why.BUSY
    assert other.stage is JoinerStage.KNOCKING  # it goes on asking
    assert isinstance(there.hear(guess).event, LetIn)
    other.hear(there.knock(other))
    assert isinstance(there.hear(other.asking_frame()).event, LetIn)


def test_who_opens_an_exchange_and_says_nothing_holds_it_for_five_seconds_and_guesses_nothing(
    there: Meeting,
) -> None:
    late = there.until_guess(there.joiner())
    there.now += GUESS_WITHIN
    assert there.hear(late) == CodeStep()
    assert there.host.left == GUESSES
    assert isinstance(there.guess(RIGHT)[1].event, LetIn)


def test_a_code_lives_ten_minutes(there: Meeting) -> None:
    guess = there.until_guess(there.joiner())
    there.now = 100.0 + CODE_LIFETIME - 1
    assert there.host.state(there.now) is CodeState.LIVING
    there.now = 100.0 + CODE_LIFETIME
    assert there.host.state(there.now) is CodeState.EXPIRED
    assert there.hear(guess).event is None
    there.refused()


def test_of_more_than_thirty_two_who_were_let_in_the_oldest_gives_way(there: Meeting) -> None:
    exchanges = [there.let_in()[1] for _ in range(33)]
    with pytest.raises(KeyError):
        there.welcome(exchanges[0])
    assert all(there.welcome(each) for each in exchanges[1:])


def test_what_the_broker_lost_is_said_again_in_the_same_bytes(there: Meeting) -> None:
    joiner = there.joiner()
    there.found(joiner)
    offers = {there.hear(joiner.asking_frame()).answers for _ in range(3)}
    assert len(offers) == 1
    joiner.hear(offers.pop()[0])
    guess = joiner.asking_frame()
    event = there.hear(guess).event
    assert isinstance(event, LetIn)
    welcome = there.welcome(event.exchange)
    assert there.hear(guess).answers == (welcome,)
    joiner.hear(welcome)
    wish = there.wished(joiner, 1)
    assert isinstance(there.hear(wish).event, SeatRequested)
    grant = there.host.grant(event.exchange, INVITE)
    assert there.hear(wish).answers == (grant,)
    assert len(there.events) == 2


def test_the_first_serial_of_another_program_may_be_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        code_exchange, "to_payload", lambda said: to_payload(replace(said, serial=said.serial - 1))
    )
    there = Meeting()
    joiner, step = there.guess(RIGHT)
    assert isinstance(step.event, LetIn)
    welcome = joiner.hear(there.welcome(step.event.exchange))
    assert isinstance(welcome, Welcome)
    assert welcome.serial == 0
    assert isinstance(there.hear(there.wished(joiner, 2)).event, SeatRequested)


# --- those in the middle -------------------------------------------------------------------------


def changed(frame: bytes, **fields: bytes) -> bytes:
    message = from_frame(frame)
    return to_frame(replace(message, **fields))  # type: ignore[arg-type]


def test_whoever_relays_and_changes_what_is_bound_lets_nobody_in() -> None:
    other_point = bytes.fromhex(
        "5866666666666666666666666666666666666666666666666666666666666666"
    )  # the generator
    for about, to_joiner, to_host in (
        ("the host's element", {"element": other_point}, {}),
        ("the exchange", {"exchange": bytes(16)}, {"exchange": None}),
        ("the joiner's element", {}, {"element": other_point}),
        ("the confirmation", {}, {"confirmation": bytes(32)}),
    ):
        there = Meeting()
        joiner = there.joiner()
        there.found(joiner)
        offer = there.knock(joiner)
        told = from_frame(offer)
        joiner.hear(changed(offer, **to_joiner))
        guess = joiner.asking_frame()
        back = {name: value or told.exchange for name, value in to_host.items()}
        assert there.hear(changed(guess, **back)).event == WrongGuess(GUESSES - 1), about


def test_an_exchange_of_one_joiner_is_none_of_another(there: Meeting) -> None:
    guess = from_frame(there.until_guess(there.joiner()))
    assert there.hear(to_frame(replace(guess, joiner=bytes(16)))) == CodeStep()
    assert there.hear(to_frame(replace(guess, host=bytes(16)))) == CodeStep()
    assert isinstance(there.hear(to_frame(guess)).event, LetIn)


def test_a_host_that_is_none_gets_one_guess_and_no_second_confirmation(there: Meeting) -> None:
    """It answers before the real host, with a code that it guesses."""
    joiner = there.joiner()
    false_host = HostCode(WRONG, bytes(16), entropy=there.draws, now=there.now)
    for _ in range(2):
        joiner.hear(false_host.hear(joiner.asking_frame() or b"", there.now).answers[0])
    guess = joiner.asking_frame()
    step = false_host.hear(guess or b"", there.now)
    assert isinstance(step.event, WrongGuess)
    # Any other exchange that it opens is not answered: the first guess was all.
    for _ in range(3):
        knock = from_frame(guess or b"")
        offer = Offer(7, knock.host, knock.joiner, bytes(16), knock.element)
        joiner.hear(to_frame(offer))
        assert joiner.asking_frame() == guess


def test_small_and_strange_elements_are_no_side_of_an_exchange() -> None:
    order_one = (1).to_bytes(32, "little")
    order_eight = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    for element in (order_one, order_eight, bytes(32), b"\xff" * 32):
        there = Meeting()
        joiner = there.joiner()
        there.found(joiner)
        offer = there.knock(joiner)
        assert joiner.hear(changed(offer, element=element)) is None
        assert joiner.stage is JoinerStage.KNOCKING  # it has said nothing to be tested
        joiner.hear(offer)
        guess = joiner.asking_frame()
        assert isinstance(there.hear(changed(guess, element=element)).event, WrongGuess)


def test_an_element_that_is_sent_back_is_refused(there: Meeting) -> None:
    joiner = there.joiner()
    there.found(joiner)
    offer = from_frame(there.knock(joiner))
    mirrored = Guess(7, offer.host, offer.joiner, offer.exchange, offer.element, bytes(32))
    assert isinstance(there.hear(to_frame(mirrored)).event, WrongGuess)


def test_what_is_said_under_the_seal_is_no_use_to_anybody_else(there: Meeting) -> None:
    joiner, exchange = there.let_in()
    wish = there.wished(joiner, 2)
    _, other_exchange = there.let_in()
    grant = there.host.grant(other_exchange, INVITE)
    assert joiner.hear(grant) is None
    assert joiner.hear(wish) is None  # its own words, sent back
    assert there.hear(there.welcome(exchange)) == CodeStep()
    there.hear(wish)
    assert there.hear(wish).event is None  # a wish that is repeated chooses nothing


def test_a_grant_for_another_table_than_the_one_that_was_joined_is_dropped(there: Meeting) -> None:
    joiner, exchange = there.let_in()
    fields = InviteFields.parse(INVITE)
    other = replace(fields, table=bytes(16)).format()
    assert joiner.hear(there.host.grant(exchange, other)) is None
    assert joiner.hear(there.host.grant(exchange, INVITE)) is not None


def test_the_id_of_a_host_tells_nothing_of_its_table() -> None:
    assert host_id(TABLE, 7, bytes(16)) != host_id(TABLE, 7, b"\1" * 16)
    assert host_id(TABLE, 7, bytes(16)) != host_id(TABLE, 8, bytes(16))


def test_refusals_of_strangers_end_nothing_that_they_do_not_name(there: Meeting) -> None:
    joiner = there.joiner()
    there.found(joiner)
    knock = from_frame(joiner.asking_frame() or b"")
    wrong = Refusal(7, knock.host, knock.joiner, b"", Why.WRONG, 0)
    assert joiner.hear(to_frame(wrong)) is None
    assert joiner.stage is JoinerStage.KNOCKING
    joiner.hear(there.knock(joiner))
    for why in Why:
        said = Refusal(7, knock.host, knock.joiner, bytes(16), why, 0)
        assert joiner.hear(to_frame(said)) is None
    assert joiner.stage is JoinerStage.GUESSING


def test_a_flood_is_answered_at_a_bounded_rate(there: Meeting) -> None:
    frame = there.joiner().asking_frame() or b""
    answered = sum(len(there.host.hear(frame, 200.0).answers) for _ in range(1_000))
    assert answered == ANSWERS.at_once
    assert there.host.hear(frame, 201.5).answers != ()


def test_a_sealed_word_that_strangers_repeat_is_answered_at_a_bounded_rate(there: Meeting) -> None:
    joiner, exchange = there.let_in()
    wish = there.wished(joiner, 1)
    there.hear(wish)
    joiner.hear(there.welcome(exchange))
    answered = sum(len(there.host.hear(wish, 200.0).answers) for _ in range(1_000))
    assert answered == ANSWERS.at_once
    assert isinstance(there.host.hear(there.wished(joiner, 2), 200.0).event, SeatRequested)


def test_one_exchange_holds_one_seat_however_often_it_wishes(there: Meeting) -> None:
    joiner, exchange = there.let_in()
    there.hear(there.wished(joiner, 2))
    grant = there.host.grant(exchange, INVITE)
    for seat in (1, 3, 2):
        step = there.hear(there.wished(joiner, seat))
        assert step == CodeStep((grant,)), "the same seat, once more"


@pytest.mark.parametrize("wishes", [0, 1])
def test_a_dead_code_grants_nothing_to_who_was_let_in_before(wishes: int) -> None:
    there = Meeting()
    joiner, exchange = there.let_in()
    for _ in range(wishes):  # for a seat that was gone
        there.hear(there.wished(joiner, 3))
        joiner.hear(there.welcome(exchange))
    there.now += CODE_LIFETIME
    assert there.hear(there.wished(joiner, 2)) == CodeStep()
    guessed_out = Meeting()
    joiner, _ = guessed_out.let_in()
    for _ in range(GUESSES):
        guessed_out.guess(WRONG)
    assert guessed_out.hear(guessed_out.wished(joiner, 2)) == CodeStep()


# --- what is seen, and what is read ---------------------------------------------------------------


def test_everything_in_the_open_has_one_size_and_everything_sealed_another(there: Meeting) -> None:
    joiner, exchange = there.let_in()
    wish = there.wished(joiner, 1)
    there.guess(WRONG)
    assert {len(frame) for frame in there.said} == {OPEN_BYTES}
    sealed = (there.welcome(exchange), wish, there.host.grant(exchange, INVITE))
    assert {len(frame) for frame in sealed} == {2_048}
    assert {OPEN_BYTES, 2_048} <= {*FRAME_SIZES}


def test_no_word_of_the_code_is_in_anything_that_is_said_or_shown(there: Meeting) -> None:
    joiner, exchange = there.let_in()
    there.said += [there.welcome(exchange), there.host.grant(exchange, INVITE)]
    for word in RIGHT.words:
        assert all(word.encode() not in frame for frame in there.said)
        shown = f"{RIGHT!r} {there.host!r} {joiner!r} {there.events!r}"
        assert word not in shown


# --- the text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["7-zebra-lantern", " 7 Zebra  LANTERN ", "7-zebra lantern", "7-zebra-lantern-", "7-zeb-lante"],
)
def test_a_code_is_read_however_it_is_typed(text: str) -> None:
    assert parse_code(text) == RIGHT
    assert looks_like_code(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("zebra-lantern", "begins with a number"),
        ("0-zebra-lantern", "begins with a number"),
        ("1000-zebra-lantern", "begins with a number"),
        ("７-zebra-lantern", "begins with a number"),
        ("7-zebra", "a number and two words"),
        ("7-zebra-lantern-zebra", "a number and two words"),
        ("7-zebro-lantern", "first word is none that a code has: the nearest is zebra"),
        ("7-zebra-lantirn", "second word is none that a code has: the nearest is lantern"),
        ("7-xq-lantern", "first word is none that a code has: compare it"),
        ("7-" + "z" * 100, "too long"),
        ("", "begins with a number"),
    ],
)
def test_a_slip_is_told_before_it_costs_a_guess(text: str, sentence: str) -> None:
    with pytest.raises(Exception, match=sentence) as caught:
        parse_code(text)
    assert str(caught.value).endswith(".")


def test_words_are_drawn_from_the_whole_list() -> None:
    def all_of(words: tuple[str, ...]) -> Iterator[str]:
        for place in range(len(words)):
            yield from new_words(words, lambda size, at=place: at.to_bytes(size, "big"))

    words = known_words()
    assert set(all_of(words)) == set(words)


def test_tab_adds_as_much_of_a_word_as_is_certain() -> None:
    assert complete_code("7-zeb") == ("ra-", ())
    assert complete_code("7 Zebra lant") == ("ern", ())
    assert complete_code("7-zebra-lantern") == ("", ())
    assert complete_code("7") == complete_code("zeb") == ("", ())
    assert complete_code("7-") == ("", [*known_words()])
    assert complete_code("7-zebra-lantern-x") == ("", ())
    assert complete_code("7-q") == ("u", ["quarters", "quesadilla", "quilt", "quote"])


def test_another_number_with_the_right_words_is_another_code(there: Meeting) -> None:
    joiner = there.joiner(Code(8, RIGHT.words))
    assert there.hear(joiner.asking_frame()).answers == ()


def test_a_lost_refusal_is_said_again_and_costs_no_second_guess(there: Meeting) -> None:
    guess = there.until_guess(there.joiner(WRONG))
    assert there.hear(guess).answers == there.hear(guess).answers
    assert there.host.left == GUESSES - 1
