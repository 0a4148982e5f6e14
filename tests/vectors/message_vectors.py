"""Vectors of charters, envelopes and messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cli.conformance.tables import seeded
from p2p304.seats import Seat
from protocol.encoding import Value, decode, encode
from protocol.version import PROTOCOL_VERSION
from protocol.wire.charter import Charter
from protocol.wire.envelope import Envelope, Purpose, sign
from protocol.wire.identity import SigningKey
from protocol.wire.kinds import KINDS
from tests.vectors.collect import Collector
from tests.vectors.hands import SAVED_HANDS
from tests.vectors.message_text import examples


def _rows(found: Collector, charter: Charter) -> Iterator[tuple[str, str, bytes]]:
    value = decode(charter.to_bytes())
    assert isinstance(value, tuple)
    _, table, game, profile, seats, _ = value
    assert isinstance(seats, tuple)
    first, *rest = seats
    assert isinstance(first, tuple)
    key, name, nonce = first
    assert isinstance(key, bytes)

    def seat(**changed: Value) -> Value:
        row = {"key": key, "name": name, "nonce": nonce, **changed}
        return (row["key"], row["name"], row["nonce"])

    def whole(
        *,
        version: Value = PROTOCOL_VERSION,
        table: Value = table,
        game: Value = game,
        profile: Value = profile,
        seats: Value = seats,
        terms: Value = (),
    ) -> bytes:
        return encode((version, table, game, profile, seats, terms))

    def with_first(row: Value) -> bytes:
        return whole(seats=(row, *rest))

    for version in (1, 3, 0, -1):
        yield f"version {version}", "charter.version", whole(version=version)
    yield "version 1 as it was", "charter.version", encode((1, table, game, profile, seats))
    yield "another version of one field", "charter.version", encode((1,))
    yield "a version that is text", "charter.shape", whole(version="2")
    yield "a version that is bytes", "charter.shape", whole(version=b"\2")
    yield "no fields", "charter.shape", encode(())
    yield (
        "a field too few",
        "charter.shape",
        encode((PROTOCOL_VERSION, table, game, profile, seats)),
    )
    yield "a field too many", "charter.shape", encode((*value, 0))
    yield "a game that is bytes", "charter.shape", whole(game=b"304")
    yield "no array", "charter.shape", encode(b"charter")
    yield "a short table id", "charter.table", whole(table=b"t" * 15)
    yield "one seat", "charter.seats", whole(seats=seats[:1])
    yield "no seats", "charter.seats", whole(seats=())
    yield "no game", "charter.game", whole(game="")
    yield "a game that is not ASCII", "charter.game", whole(game="３０４")
    yield "a game with a control character", "charter.game", whole(game="304\1")
    yield "a game with a last control character", "charter.game", whole(game="304\x7f")
    yield "a game of 33 letters", "charter.game", whole(game="3" * 33)
    yield "a profile too long", "charter.profile", whole(profile="p" * 8001)
    yield "terms that are no list", "charter.shape", whole(terms=0)
    yield "a term that is a name alone", "charter.shape", whole(terms=("bots",))
    yield "a term without a value", "charter.shape", whole(terms=(("bots",),))
    yield "a term with two values", "charter.shape", whole(terms=(("bots", 1, 2),))
    yield "a term whose name is bytes", "charter.shape", whole(terms=((b"bots", 1),))
    yield "an unknown term", "charter.term", whole(terms=(("bots", 1),))
    yield "an unknown term with a list", "charter.term", whole(terms=(("bots", (1, b"x", ("y",))),))
    yield "a term without a name", "charter.term", whole(terms=(("", 1),))
    yield "terms in another order", "charter.term_order", whole(terms=(("b", 1), ("a", 1)))
    yield "a term twice", "charter.term_order", whole(terms=(("a", 1), ("a", 1)))
    yield "a term twice with another value", "charter.term_order", whole(terms=(("a", 1), ("a", 2)))
    astral = (("\ufffd", 1), ("\U00010000", 1))
    yield "two unknown terms in order", "charter.term", whole(terms=astral)
    yield "in the order of UTF-16", "charter.term_order", whole(terms=astral[::-1])
    yield (
        "terms before nicknames",
        "charter.term",
        whole(terms=(("a", 1),), seats=((key, "", nonce), *rest)),
    )
    yield "a seat without a nonce", "charter.shape", with_first((key, name))
    yield "a key of 31 bytes", "key.size", with_first(seat(key=key[:-1]))
    yield "a key of 33 bytes", "key.size", with_first(seat(key=key + b"\0"))
    low = {
        "a key that is the identity": (1).to_bytes(32, "little"),
        "a key of order 2": (2**255 - 20).to_bytes(32, "little"),
        "a key of order 4": bytes(32),
        "a key of order 8": bytes.fromhex(
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
        ),
    }
    for about, data in low.items():
        yield about, "key.order", with_first(seat(key=data))
    beyond = (2**255 - 18).to_bytes(32, "little")
    yield "a key with y beyond the prime", "key.canonical", with_first(seat(key=beyond))
    negative = bytearray((1).to_bytes(32, "little"))
    negative[31] |= 0x80
    yield "a key with x negative zero", "key.canonical", with_first(seat(key=bytes(negative)))
    yield "a key off the curve", "key.curve", with_first(seat(key=(2).to_bytes(32, "little")))
    for about, bad in (
        ("no nickname", ""), ("33 letters", "a" * 33), ("a space before", " a"),
        ("a space after", "a "), ("a line break", "a\nb"), ("an escape", "a\x1b[2J"),
        ("a right-to-left override", "a\u202eb"), ("a zero-width space", "a\u200bb"),
        ("a byte-order mark", "\ufeffa"), ("a soft hyphen", "a\u00adb"),
        ("a tag", "a\U000e0041"), ("a C1 control", "a\u009bb"),
    ):  # fmt: skip
        yield f"nickname: {about}", "charter.nickname", with_first(seat(name=bad))
    assert isinstance(nonce, bytes)
    yield "a short nonce", "charter.nonce", with_first(seat(nonce=nonce[:-1]))
    second = rest[0]
    assert isinstance(second, tuple)
    yield "one key twice", "charter.duplicate_key", with_first(seat(key=second[0]))
    yield "one name twice", "charter.duplicate_nickname", with_first(seat(name=second[1]))
    yield "one nonce twice", "charter.duplicate_nonce", with_first(seat(nonce=second[2]))
    yield "a byte after it", "encoding.trailing", charter.to_bytes() + b"\0"
    yield "cut short", "encoding.truncated", charter.to_bytes()[:-1]
    assert found.rows


def charter() -> Collector:
    """Charters."""
    found = Collector("charter", "charters and public keys (3.2)")
    agreed = SAVED_HANDS["passed-out"].rehearsed().charter
    agreed = replace(agreed, profile="a short profile")
    base = found.accept("charter.decode", "a table of four", bytes=agreed.to_bytes().hex())
    for about, changed in (
        ("two seats", replace(agreed, seats=agreed.seats[:2])),
        ("a game that nobody knows", replace(agreed, game="x")),
        ("no profile", replace(agreed, profile="")),
        ("a nickname with a joiner", _named(agreed, "ශ්\u200dරී")),
        ("a nickname of 32 letters", _named(agreed, "ன" * 32)),
        ("a nickname of one letter", _named(agreed, "x")),
        ("names that differ by case alone", _named(agreed, agreed.seats[1].nickname.upper())),
        ("seats turned round", replace(agreed, seats=agreed.seats[1:] + agreed.seats[:1])),
        ("a table of zeros", replace(agreed, table=bytes(16))),
    ):
        found.accept("charter.decode", about, bytes=changed.to_bytes().hex(), strange=True)
    many = tuple(
        replace(
            agreed.seats[0],
            key=SigningKey(seeded(f"seat {seat}")(32)).public,
            nickname=f"Seat {seat}",
            nonce=seeded(f"nonce {seat}")(32),
        )
        for seat in range(64)
    )
    found.accept("charter.decode", "64 seats", bytes=replace(agreed, seats=many).to_bytes().hex(),
                 strange=True)  # fmt: skip
    for about, expect, data in _rows(found, agreed):
        found.reject(base, about, expect, bytes=data.hex())
    for seat in agreed.seats:
        found.accept("key.decode", "an honest key", bytes=seat.key.to_bytes().hex())
    return found


def _named(agreed: Charter, name: str) -> Charter:
    return replace(agreed, seats=(replace(agreed.seats[0], nickname=name), *agreed.seats[1:]))


class _Signer:
    """Bodies of a table under good signatures."""

    def __init__(self) -> None:
        self.table = SAVED_HANDS["closed"].rehearsed()
        self.charter = self.table.charter

    def raw(self, body: bytes, *, seat: int = 1, purpose: Purpose = Purpose.LEDGER) -> bytes:
        signed = sign(self.table.keys[seat], body, purpose=purpose, seat=Seat(seat),
                      charter=self.charter.digest)  # fmt: skip
        return signed.to_bytes()


def envelope() -> Collector:
    """Envelopes: what anybody could have sent, and what convicts its signer."""
    found = Collector("envelope", "envelopes and signatures (3.3)")
    signer = _Signer()
    agreed = signer.charter.to_bytes().hex()
    refereed = SAVED_HANDS["ruled"].table_of().charter.to_bytes().hex()
    for name, raw in examples().items():
        if len(raw) < 2000:
            under = refereed if raw[1] == Purpose.RULING else agreed
            found.accept("envelope.open", f"a {name}", charter=under, envelope=raw.hex())
    raw = examples()["Confirmation"]
    seat = raw[2]
    value = decode(Envelope.from_bytes(raw).body)
    assert isinstance(value, tuple)
    base = found.accept("envelope.open", "from which the faults are made", charter=agreed,
                        envelope=raw.hex())  # fmt: skip

    def fault(about: str, expect: str, data: bytes) -> None:
        found.reject(base, about, expect, envelope=data.hex())

    fault("nothing", "envelope.size", b"")
    fault("a header without a body", "envelope.size", raw[:67])
    fault("66 bytes", "envelope.size", raw[:66])
    fault("version 2", "envelope.version", b"\2" + raw[1:])
    fault("version 0", "envelope.version", b"\0" + raw[1:])
    fault("purpose 0", "envelope.purpose", raw[:1] + b"\0" + raw[2:])
    fault("purpose 3", "envelope.purpose", raw[:1] + b"\3" + raw[2:])
    fault("seat 4 of four", "envelope.seat", raw[:2] + b"\4" + raw[3:])
    fault("seat 255", "envelope.seat", raw[:2] + b"\xff" + raw[3:])
    fault("another seat's name", "signature", raw[:2] + bytes(((seat + 1) % 4,)) + raw[3:])
    fault("the other purpose", "signature", raw[:1] + b"\2" + raw[2:])
    for at in (3, 34, 35, 66, 67, len(raw) - 1):
        flipped = bytearray(raw)
        flipped[at] ^= 1
        fault(f"a bit of byte {at}", "signature", bytes(flipped))
    fault("a byte more", "signature", raw + b"\0")
    fault("a byte less", "signature", raw[:-1])
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(raw[35:67], "little") + order
    fault("the signature's s not reduced", "signature",
          raw[:35] + scalar.to_bytes(32, "little") + raw[67:])  # fmt: skip
    fault("a signature of zeros", "signature", raw[:3] + bytes(64) + raw[67:])
    other = SAVED_HANDS["passed-out"].rehearsed().charter
    found.reject(base, "another table's charter", "signature", charter=other.to_bytes().hex())
    fault("signed by another seat's key", "signature",
          raw[:3] + signer.raw(raw[67:], seat=(seat + 1) % 4)[3:67] + raw[67:])  # fmt: skip
    body = encode((value[0], *value[1:4], (seat + 1) % 4, *value[5:]))
    fault("body and envelope name two seats", "envelope.other_seat", signer.raw(body, seat=seat))
    body = encode((bytes(8), *value[1:]))
    fault("the tag of another table", "envelope.other_table", signer.raw(body, seat=seat))
    fault("a body that is nil", "encoding.type", signer.raw(b"\xc0", seat=seat))
    fault("a body with a byte behind it", "encoding.trailing",
          signer.raw(raw[67:] + b"\0", seat=seat))  # fmt: skip
    body = encode((*value[:5], 99, *value[6:]))
    fault("a kind that does not exist", "schema.kind", signer.raw(body, seat=seat))
    return found


def messages() -> Collector:
    """Bodies of every kind, and single faults of their schema."""
    found = Collector("messages", "bodies of all kinds and their schema (3.4, 3.5)")
    for kind in KINDS:
        raw = examples()[kind.name]
        body = Envelope.from_bytes(raw).body
        if len(body) > 2500:
            continue
        given = {"purpose": int(kind.purpose), "body": body.hex()}
        base = found.accept("body.decode", f"a {kind.name}", **given)
        value = decode(body)
        assert isinstance(value, tuple)
        for about, expect, changed in _schema_faults(kind.purpose, value):
            found.reject(base, f"{kind.name}: {about}", expect, body=encode(changed).hex())
    tag = bytes(8)
    for about, strange in (
        ("an action with every list empty", ("pass", (), (), (), ())),
        ("an action of 400 letters", ("p" * 400, (), (), (), ())),
        ("an action with an empty proof", ("pass", (b"",), (), (), ())),
        ("an action with 64 proofs", ("pass", (b"",) * 64, (), (), ())),
    ):
        body = encode((tag, 2, 0, 4095, 63, 8, bytes(32), strange))
        found.accept("body.decode", about, strange=True, purpose=1, body=body.hex())
    last = found.rows[-4]["id"]
    for about, expect, content in (
        ("401 letters", "schema.size", ("p" * 401, (), (), (), ())),
        ("a letter that is not ASCII", "schema.ascii", ("pässe", (), (), (), ())),
        ("a tab", "schema.ascii", ("cut\t0", (), (), (), ())),
        ("65 proofs", "schema.size", ("pass", (b"",) * 65, (), (), ())),
        ("a commitment of 31 bytes", "schema.size", ("pass", (), (bytes(31),), (), ())),
        ("a proof that is text", "schema.type", ("pass", ("x",), (), (), ())),
        ("five remixes", "schema.size", ("sort", (), (), (b"x",) * 5, ())),
        ("an empty remix", "schema.size", ("sort", (), (), (b"",), ())),
        ("a salt of 33 bytes", "schema.size", ("pass", (), (), (), (bytes(33),))),
    ):
        body = encode((tag, 2, 0, 4095, 63, 8, bytes(32), content))
        found.reject(last, about, expect, body=body.hex())
    return found


def _schema_faults(
    purpose: Purpose, value: tuple[Value, ...]
) -> Iterator[tuple[str, str, tuple[Value, ...]]]:
    *head, content = value
    assert isinstance(content, tuple)
    yield "a field too few", "schema.fields", tuple(head)
    yield "a field too many", "schema.fields", (*value, 0)
    yield "content that is no array", "schema.type", (*head, b"")
    yield "content with a field too many", "schema.fields", (*head, (*content, 0))
    yield "content without its last field", "schema.fields", (*head, content[:-1])
    place = {Purpose.LEDGER: 5, Purpose.NOTICE: 3, Purpose.RULING: 2}[purpose]
    yield "kind 0", "schema.kind", _at(value, place, 0)
    yield "a table tag of 9 bytes", "schema.size", _at(value, 0, bytes(9))
    if purpose is Purpose.LEDGER:
        yield "lane 3", "schema.range", _at(value, 1, 3)
        lane = value[1]
        assert isinstance(lane, int)
        yield "the kind in another lane", "schema.lane", _at(value, 1, (lane + 1) % 3)
        yield "number 2^32", "schema.range", _at(value, 2, 2**32)
        yield "round 4096", "schema.range", _at(value, 3, 4096)
        yield "round -1", "schema.range", _at(value, 3, -1)
        yield "seat 64", "schema.range", _at(value, 4, 64)
        yield "a seat that is bytes", "schema.type", _at(value, 4, b"\1")
        yield "a kind that is text", "schema.kind", _at(value, 5, "1")
        yield "previous of 31 bytes", "schema.size", _at(value, 6, bytes(31))
    elif purpose is Purpose.RULING:
        yield "referee 8", "schema.range", _at(value, 1, 8)
    else:
        yield "serial 2^32", "schema.range", _at(value, 2, 2**32)
        yield "seat 64", "schema.range", _at(value, 1, 64)


def _at(value: tuple[Value, ...], place: int, item: Value) -> tuple[Value, ...]:
    changed = list(value)
    changed[place] = item
    return tuple(changed)


CATEGORIES = (charter, envelope, messages)
