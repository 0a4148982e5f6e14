"""What is signed and sent: one encoding, one envelope, keys for one purpose."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spake2 import ed25519_basic as curve

from cli.conformance.trials import DEFAULT, vectors_in
from p2p304.seats import Seat
from protocol.bounds import MAX_BYTES, MAX_DEPTH, MAX_NUMBER, MAX_ROUND, MAX_SEATS
from protocol.encoding import INT_MAX, INT_MIN, Value, decode, encode, frame
from protocol.errors import LocalError, MalformedMessage, PeerFault
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.table.evidence import Fault, evidence_from_bytes
from protocol.wire import edwards
from protocol.wire.contents import KINDS, MAX_REFEREES, Action, HandKeys, LuckOpening
from protocol.wire.identity import (
    FRAME_SIZES,
    MAX_PAYLOAD_BYTES,
    NO_SEAT,
    BadSignature,
    Envelope,
    PublicKey,
    Purpose,
    Seal,
    sign,
)
from protocol.wire.messages import (
    Message,
    Notice,
    RefereeWord,
    decode_body,
    open_ledger_message,
    open_message,
)
from protocol.wire.schema import Binary, FieldType, Integer, Items, Record, Sequence, Text
from tests.table.bus import (
    TORSION,
    charter,
    encoded,
    envelope,
    flipped,
    refused,
    seeded,
    signature_with,
    signed_again,
    signing_key,
    times,
)
from tests.table.bus import decoded as point_of
from tests.vectors.answers import ask

# --- encoding -------------------------------------------------------------------------------------

# Strict msgpack: one encoding for each value and message, nothing else decodes or costs much.

leaves = (
    st.integers(INT_MIN, INT_MAX)
    | st.binary(max_size=300)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
)
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=20).map(tuple), max_leaves=40)


def depth(value: Value) -> int:
    if not isinstance(value, tuple):
        return 0
    return 1 + max((depth(each) for each in value), default=0)


@given(values.filter(lambda value: depth(value) <= MAX_DEPTH))
@settings(max_examples=150)
def test_decoding_undoes_encoding_and_agrees_with_msgpack(value: Value) -> None:
    data = encode(value)
    assert decode(data) == value
    assert msgpack.unpackb(data, use_list=False) == value


@given(values.filter(lambda value: depth(value) <= MAX_DEPTH), st.data())
@settings(max_examples=150)
def test_no_two_byte_strings_decode_to_one_value(value: Value, data: st.DataObject) -> None:
    encoded = encode(value)
    place = data.draw(st.integers(0, len(encoded) - 1))
    other = flipped(encoded, place, data.draw(st.integers(1, 255)))
    try:
        decoded = decode(other)
    except MalformedMessage:
        return
    assert encode(decoded) == other


LONG_FORMS = {
    "uint8 of 5": b"\xcc\x05",
    "uint8 of 127": b"\xcc\x7f",
    "uint16 of 255": b"\xcd\x00\xff",
    "uint32 of 65535": b"\xce\x00\x00\xff\xff",
    "uint64 of 2^32-1": b"\xcf\x00\x00\x00\x00\xff\xff\xff\xff",
    "int8 of -32": b"\xd0\xe0",
    "int8 of 5": b"\xd0\x05",
    "int16 of -128": b"\xd1\xff\x80",
    "int16 of 300": b"\xd1\x01\x2c",
    "int32 of -32768": b"\xd2\xff\xff\x80\x00",
    "int64 of -2^31": b"\xd3\xff\xff\xff\xff\x80\x00\x00\x00",
    "int64 of 1": b"\xd3" + bytes(7) + b"\x01",
    "str8 of 31": b"\xd9\x1f" + b"a" * 31,
    "str16 of 255": b"\xda\x00\xff" + b"a" * 255,
    "str32 of 3": b"\xdb\x00\x00\x00\x03abc",
    "bin16 of 255": b"\xc5\x00\xff" + b"a" * 255,
    "bin32 of 3": b"\xc6\x00\x00\x00\x03abc",
    "array16 of 15": b"\xdc\x00\x0f" + b"\x01" * 15,
    "array32 of 2": b"\xdd\x00\x00\x00\x02\x01\x02",
}
#: Maps, nil, what is never used, truth values, extensions with timestamps, floating numbers.
FOREIGN = (
    *range(0x80, 0x90),
    *range(0xC0, 0xC4),
    *range(0xC7, 0xCC),
    *range(0xD4, 0xD9),
    0xDE,
    0xDF,
)


def everywhere(form: bytes) -> list[bytes]:
    """The form alone, first, last and nested in an otherwise sound encoding."""
    return [form, b"\x92" + form + b"\x01", b"\x92\x01" + form, b"\x91\x91\x91" + form]


@pytest.mark.parametrize("name", LONG_FORMS)
def test_forms_longer_than_needed_are_refused(name: str) -> None:
    for data in everywhere(LONG_FORMS[name]):
        assert refused(decode, data) == "encoding.canonical"


def test_what_is_no_integer_bytes_text_or_array_is_refused() -> None:
    for head in FOREIGN:
        for rest in (b"", bytes(18), b"\x01\x02\x01\x03", b"\x0c\xff" + bytes(12), b"\xff" * 8):
            for data in everywhere(bytes((head,)) + rest):
                assert refused(decode, data) == "encoding.type", data.hex()


@pytest.mark.parametrize(
    "text", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x00b", b"\xc3"]
)
def test_text_that_is_no_utf8_or_holds_nul_is_refused(text: bytes) -> None:
    for data in everywhere(bytes((0xA0 + len(text),)) + text):
        assert refused(decode, data) == "encoding.text"


def test_every_trailing_byte_and_every_truncation_is_refused() -> None:
    data = encode((1, -5, 300, b"abc" * 100, "text", (2**40, (b"", "")), ()))
    for extra in range(256):
        assert refused(decode, data + bytes((extra,))) == "encoding.trailing"
    for end in range(len(data)):
        assert refused(decode, data[:end]) == "encoding.truncated"


@pytest.mark.parametrize("head", [b"\xdd", b"\xc6", b"\xdb"])
@pytest.mark.parametrize("wrapping", range(MAX_DEPTH))
def test_a_declared_length_allocates_nothing(head: bytes, wrapping: int) -> None:
    data = b"\x91" * wrapping + head + b"\xff\xff\xff\xff" + b"\x01" * 8
    tracemalloc.start()
    assert refused(decode, data) == "encoding.truncated"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


def test_depth_is_bounded_and_its_error_prints_no_object() -> None:
    assert decode(b"\x91" * (MAX_DEPTH - 1) + b"\x90")
    for depth_tried in (MAX_DEPTH + 1, 511, 1_024, 1_025, 15_999):
        with pytest.raises(MalformedMessage) as caught:
            decode(b"\x91" * (depth_tried - 1) + b"\x90")
        assert caught.value.check == "encoding.depth"
        assert len(str(caught.value)) < 100
    assert refused(decode, b"\x91" * 100_000) == "encoding.size"


def test_size_is_bounded() -> None:
    most = MAX_BYTES - 3
    assert decode(encode(b"a" * most)) == b"a" * most
    assert (
        refused(decode, b"\xc5" + (most + 1).to_bytes(2, "big") + b"a" * (most + 1))
        == "encoding.size"
    )
    with pytest.raises(LocalError):
        encode(b"a" * (most + 1))


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        1.0,
        [1],
        {},
        bytearray(b""),
        1 << 64,
        -(1 << 63) - 1,
        "\0",
        "\ud800",
        (1, (None,)),
    ],
)
def test_what_has_no_encoding_is_our_own_error(value: object) -> None:
    with pytest.raises(LocalError):
        encode(value)  # type: ignore[arg-type]


# --- messages -------------------------------------------------------------------------------------


def items_of(kind: FieldType) -> st.SearchStrategy[object]:
    match kind:
        case Integer(least, most):
            return st.integers(least, most)
        case Binary(least, most):
            return st.binary(min_size=least, max_size=min(most, least + 40))
        case Text(most, ascii_only):
            last = 0x7E if ascii_only else 0xD7FF
            letters = st.characters(min_codepoint=0x20, max_codepoint=last)
            return st.text(letters, max_size=min(most, 60))
        case Sequence(item, most):
            return st.lists(items_of(item), max_size=min(most, 4)).map(tuple)
        case Items(items):
            return st.tuples(*map(items_of, items))
        case Record(make, members):
            drawn = {member.name: items_of(member.type) for member in members}
            return st.fixed_dictionaries(drawn).map(lambda given: make(**given))
        case _:
            raise AssertionError(kind)


@st.composite
def bodies(draw: st.DrawFn) -> Message | Notice | RefereeWord:
    kind = draw(st.sampled_from(KINDS))
    content = draw(items_of(kind.record))
    table = draw(st.binary(min_size=8, max_size=8))
    seat = Seat(draw(st.integers(0, MAX_SEATS - 1)))
    if kind.purpose is Purpose.RULING:
        return RefereeWord(table, draw(st.integers(0, MAX_REFEREES - 1)), content)  # type: ignore[arg-type]
    if kind.lane is None:
        return Notice(table, seat, draw(st.integers(0, MAX_NUMBER)), content)  # type: ignore[arg-type]
    ledger = LedgerName(kind.lane, draw(st.integers(0, MAX_NUMBER)))
    place = Place(ledger, draw(st.integers(0, MAX_ROUND)), seat)
    previous = Digest(draw(st.binary(min_size=32, max_size=32)))
    return Message(table, place, previous, content)  # type: ignore[arg-type]


def decoded(body: bytes, purpose: Purpose = Purpose.LEDGER) -> Message | Notice | RefereeWord:
    return decode_body(Envelope(purpose, Seat(0), bytes(64), body))


def purpose_of(body: Message | Notice | RefereeWord) -> Purpose:
    match body:
        case Message():
            return Purpose.LEDGER
        case Notice():
            return Purpose.NOTICE
        case RefereeWord():
            return Purpose.RULING


@given(bodies())
@settings(max_examples=200)
def test_decoding_undoes_encoding(body: Message | Notice | RefereeWord) -> None:
    assert decoded(body.to_bytes(), purpose_of(body)) == body


@given(bodies(), st.data())
@settings(max_examples=200)
def test_a_changed_body_is_refused_or_is_another_message(
    body: Message | Notice | RefereeWord, data: st.DataObject
) -> None:
    whole = body.to_bytes()
    place, bits = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255))
    raw = flipped(whole, place, bits)
    try:
        other = decoded(raw, purpose_of(body))
    except MalformedMessage:
        return
    assert other != body
    assert other.to_bytes() == raw


MISFITS = [each for each in vectors_in(DEFAULT, ("messages",)) if each.expect is not None]


@pytest.mark.parametrize("check", sorted({str(each.expect) for each in MISFITS}))
def test_a_field_that_does_not_fit_is_refused(check: str) -> None:
    for each in MISFITS:
        if each.expect == check:
            assert ask(each.op, each.input).get("reject") == check, each.about


@pytest.mark.parametrize(
    "content",
    [
        LuckOpening(b"x" * 31),
        LuckOpening("x" * 32),  # type: ignore[arg-type]
        HandKeys(b"", b"p" * 96),
        Action("p" * 401),
        Action("tab\t"),
        Action("play", proofs=[b"p"]),  # type: ignore[arg-type]
        Action("play", commitments=(b"short",)),
    ],
)
def test_our_own_misfit_is_a_local_error(content: object) -> None:
    kind = next(kind for kind in KINDS if kind.record.make is type(content))
    assert kind.lane is not None
    place = Place(LedgerName(kind.lane, 0), 0, Seat(0))
    with pytest.raises(LocalError):
        Message(b"c" * 8, place, Digest(b"p" * 32), content).to_bytes()  # type: ignore[arg-type]


def test_content_in_a_wrong_lane_is_a_local_error() -> None:
    place = Place(LedgerName(Lane.DECK, 0), 0, Seat(0))
    with pytest.raises(LocalError):
        Message(b"c" * 8, place, Digest(b"p" * 32), Action("play 5")).to_bytes()


# --- envelope -------------------------------------------------------------------------------------

# The envelope: authority comes from the signature, checked before anything is decoded.

AGREED = charter()
TABLE = LedgerName(Lane.TABLE, 0)


def honest(seat: int = 1) -> Envelope:
    return envelope(AGREED, TABLE, 1, seat, LuckOpening(bytes(32)), previous=b"p" * 32)


def dropped(raw: bytes) -> str:
    return refused(open_message, raw, AGREED)


def test_a_body_signed_by_another_seat_or_a_stranger_is_dropped() -> None:
    for stranger in (signing_key(2), signing_key(9)):
        forged = envelope(
            AGREED, TABLE, 1, 1, LuckOpening(bytes(32)), previous=b"p" * 32, key=stranger
        )
        assert dropped(forged.to_bytes()) == "signature"
    assert dropped(honest(1).to_bytes()[:2] + b"\x09" + honest(1).to_bytes()[3:]) == "envelope.seat"


def test_a_signature_for_another_purpose_or_table_is_dropped() -> None:
    body = honest().body
    chat = sign(signing_key(1), body, purpose=Purpose.NOTICE, seat=Seat(1), charter=AGREED.digest)
    as_ledger = Envelope(Purpose.LEDGER, Seat(1), chat.signature, body)
    assert dropped(as_ledger.to_bytes()) == "signature"
    elsewhere = sign(
        signing_key(1), body, purpose=Purpose.LEDGER, seat=Seat(1), charter=charter(3).digest
    )
    assert dropped(elsewhere.to_bytes()) == "signature"


def test_unsigned_junk_never_reaches_the_decoder() -> None:
    # Were the body decoded first, this would be a PeerFault or an encoding error.
    for body in (b"\xc0", b"\xdd\xff\xff\xff\xff", b"\x91" * 1_000):
        raw = Envelope(Purpose.LEDGER, Seat(1), bytes(64), body).to_bytes()
        assert dropped(raw) == "signature"


def test_an_envelope_of_another_version_is_told_with_both_versions() -> None:
    raw = Envelope(Purpose.LEDGER, Seat(1), bytes(64), b"\xc0").to_bytes()
    with pytest.raises(MalformedMessage, match="9, ours is 1"):
        Envelope.from_bytes(b"\x09" + raw[1:])


def test_a_malformed_body_under_a_good_signature_is_its_signers() -> None:
    for body, check in (
        (b"\xc0", "encoding.type"),
        (b"\x91\x01\x01", "encoding.trailing"),
        (b"\x91\x01", "schema.fields"),
        (b"\x01", "schema.type"),
    ):
        made = sign(
            signing_key(3), body, purpose=Purpose.LEDGER, seat=Seat(3), charter=AGREED.digest
        )
        with pytest.raises(PeerFault) as caught:
            open_message(made.to_bytes(), AGREED)
        assert (caught.value.seat, caught.value.check) == (3, check)
        (evidence,) = caught.value.evidence
        fault = evidence_from_bytes(evidence)
        assert isinstance(fault, Fault)
        assert (fault.check, fault.message) == (check, made.to_bytes())


def test_a_body_that_names_another_seat_or_table_is_dropped() -> None:
    other_seat = sign(
        signing_key(2), honest(1).body, purpose=Purpose.LEDGER, seat=Seat(2), charter=AGREED.digest
    )
    assert dropped(other_seat.to_bytes()) == "envelope.other_seat"
    moved = replace(open_ledger_message(honest().to_bytes(), AGREED), table=b"q" * 8)
    other_table = moved.signed(signing_key(1), charter=AGREED.digest).raw
    assert dropped(other_table) == "envelope.other_table"


def test_two_good_signatures_on_one_body_are_one_message() -> None:
    made = honest()
    second = signed_again(made, AGREED)
    assert second.signature != made.signature
    one = open_ledger_message(made.to_bytes(), AGREED)
    other = open_ledger_message(second.to_bytes(), AGREED)
    assert one.id == other.id
    assert made.message_id == one.id


def test_an_empty_or_oversize_body_is_our_own_error() -> None:
    for body in (b"", bytes(16_001)):
        with pytest.raises(LocalError):
            sign(signing_key(1), body, purpose=Purpose.LEDGER, seat=Seat(1), charter=bytes(32))


# --- identity -------------------------------------------------------------------------------------

# Keys no honest seat has, signatures for one purpose only, frames that tell a stranger nothing.

P = edwards.PRIME
# Every encoding of the eight points of small order, canonical and not.
_Y8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD83D3D706A17C7
SMALL_ORDER = [
    (y | sign << 255).to_bytes(32, "little")
    for y in (0, 1, P - 1, P, P + 1, _Y8, P - _Y8)
    for sign in (0, 1)
]


@pytest.mark.parametrize("data", SMALL_ORDER, ids=lambda data: data.hex()[:8] + data.hex()[-2:])
def test_a_key_of_small_order_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        PublicKey(data)


def test_a_signature_is_for_one_key_one_label_and_one_sequence_of_fields() -> None:
    key, other = signing_key(0), signing_key(1)
    signature = key.sign(b"label", b"ab", b"c")
    key.public.verify(signature, b"label", b"ab", b"c")
    attempts: tuple[Callable[[], None], ...] = (
        lambda: other.public.verify(signature, b"label", b"ab", b"c"),
        lambda: key.public.verify(signature, b"other", b"ab", b"c"),
        lambda: key.public.verify(signature, b"label", b"a", b"bc"),
        lambda: key.public.verify(signature, b"label", b"abc"),
        lambda: key.public.verify(signature[:-1], b"label", b"ab", b"c"),
    )
    for verify in attempts:
        with pytest.raises(BadSignature):
            verify()


def test_a_signature_with_s_beyond_the_order_is_refused() -> None:
    key = signing_key(0)
    signature = key.sign(b"label", b"x")
    s = int.from_bytes(signature[32:], "little") + edwards.ORDER
    with pytest.raises(BadSignature):
        key.public.verify(signature[:32] + s.to_bytes(32, "little"), b"label", b"x")


def test_signatures_on_which_verifiers_differ_are_refused() -> None:
    """R with a part of small order passes where verifiers multiply by the cofactor; R in another
    encoding passes where they decode it. With such an R a seat could divide live and offline."""
    key, nonce, text = signing_key(0), 31337, frame(b"label", b"x")
    plain, _ = signature_with(key, encoded(times(nonce)), nonce, text)
    key.public.verify(plain, b"label", b"x")  # the recipe is right

    beside = curve.add_elements(times(nonce), TORSION)
    cofactored, challenge = signature_with(key, encoded(beside), nonce, text)
    response = int.from_bytes(cofactored[32:], "little")
    right = curve.add_elements(beside, times(challenge, point_of(key.public.to_bytes())))
    assert encoded(times(8 * response)) == encoded(times(8, right))
    with pytest.raises(BadSignature):
        key.public.verify(cofactored, b"label", b"x")

    neutral, _ = signature_with(key, (1).to_bytes(32, "little"), 0, text)
    key.public.verify(neutral, b"label", b"x")  # strange and valid
    for other in (P + 1, 1 | 1 << 255):
        spelt, _ = signature_with(key, other.to_bytes(32, "little"), 0, text)
        with pytest.raises(BadSignature):
            key.public.verify(spelt, b"label", b"x")


def test_secrets_neither_print_nor_pickle() -> None:
    key, seal = signing_key(0), Seal(b"k" * 32, b"table")
    assert key.revealed_seed().hex() not in repr(key)
    assert "6b6b" not in repr(seal)
    for secret in (key, seal):
        with pytest.raises(LocalError):
            pickle.dumps(secret)


@given(st.binary(max_size=MAX_PAYLOAD_BYTES), st.integers(0, NO_SEAT))
@settings(max_examples=40)
def test_what_is_sealed_opens_in_one_of_few_sizes(payload: bytes, seat: int) -> None:
    seal = Seal(b"k" * 32, b"table")
    frame = seal.seal(payload, seat=seat, entropy=seeded("seal"))
    assert len(frame) in FRAME_SIZES
    opened = seal.open(frame)
    assert (opened.payload, opened.sealed_by) == (payload, seat)


def test_an_oversize_payload_is_our_own_error() -> None:
    with pytest.raises(LocalError):
        Seal(b"k" * 32, b"t").seal(bytes(MAX_PAYLOAD_BYTES + 1), seat=0, entropy=seeded("s"))


def test_frames_do_not_cross_tables_keys_or_seats() -> None:
    seal = Seal(b"k" * 32, b"table")
    frame = seal.seal(b"hello", seat=1, entropy=seeded("seal"))
    for other in (Seal(b"k" * 32, b"other"), Seal(b"j" * 32, b"table")):
        with pytest.raises(MalformedMessage):
            other.open(frame)
    # The same ciphertext under the hint of another seat is another seat's frame: refused.
    assert refused(seal.open, frame[:1] + bytes((frame[1] ^ 1 ^ 2,)) + frame[2:]) == "seal.tag"


def test_a_thousand_restarts_never_repeat_a_salt_and_nothing_in_a_frame_repeats() -> None:
    seal = Seal(b"k" * 32, b"table")
    frames = [
        seal.seal(b"same", seat=0, entropy=seeded(f"start {number}")) for number in range(1_000)
    ]
    assert len({frame[2:34] for frame in frames}) == 1_000
    assert len({frame[34:] for frame in frames}) == 1_000
    # The masked seat spreads over all values: the broker cannot group frames by sender.
    assert len({frame[1] for frame in frames}) > 200


@pytest.mark.parametrize("version", [0, 1, 3, 255])
def test_a_frame_of_another_version_is_refused_by_name(version: int) -> None:
    frame = Seal(b"k" * 32, b"table").seal(b"hello", seat=1, entropy=seeded("version"))
    assert refused(Seal(b"k" * 32, b"table").open, bytes((version,)) + frame[1:]) == "seal.version"


def test_topics_differ_by_table_and_tell_nothing() -> None:
    topics = {Seal(bytes((number,)) * 32, b"t").topic for number in range(50)}
    assert len(topics) == 50
    assert all(set(topic) <= set("abcdef0123456789p/") for topic in topics)
