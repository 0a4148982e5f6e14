"""Vectors of codes: their text, their messages, the exchange of keys."""

from __future__ import annotations

from typing import Any

from cli.conformance.tables import seeded
from p2p304.seats import Seat
from protocol.encoding import decode, encode
from protocol.wire.code_messages import (
    Find,
    Grant,
    Guess,
    Here,
    Knock,
    Offer,
    OpenMessage,
    Refusal,
    SealedMessage,
    Welcome,
    Why,
    Wish,
    to_frame,
    to_payload,
)
from protocol.wire.invite import InviteFields
from tests.vectors.collect import Collector

TEXT = "7-zebra-lantern"


def _ids() -> dict[str, bytes]:
    draw = seeded("code vectors")
    return {name: draw(16) for name in ("host", "joiner", "exchange")}


def _exchanged() -> dict[str, Any]:
    """What `code.exchange` is given for the exchange of the examples."""
    draw = seeded("code randomness")
    ids = {name: value.hex() for name, value in _ids().items()}
    return {"code": TEXT, **ids, "joiner_random": draw(64).hex(), "host_random": draw(64).hex()}


def _said(joiner_element: bytes, host_element: bytes, confirmation: bytes) -> dict[str, bytes]:
    """Frames and payloads of a whole exchange by the names of their messages."""
    ids = _ids()
    host, joiner, exchange = ids.values()
    draw = seeded("code tables")
    invite = InviteFields(draw(16), draw(32), Seat(2), draw(16), "mqtt://127.0.0.1:1883").format()
    names = ((Seat(0), "Amara"),)
    return {
        "Find": to_frame(Find(7, joiner)),
        "Here": to_frame(Here(7, joiner, host)),
        "Knock": to_frame(Knock(7, host, joiner)),
        "Offer": to_frame(Offer(7, host, joiner, exchange, host_element)),
        "Guess": to_frame(Guess(7, host, joiner, exchange, joiner_element, confirmation)),
        "Refusal": to_frame(Refusal(7, host, joiner, exchange, Why.WRONG, 4)),
        "Welcome": to_payload(
            Welcome(1, "304, pagat rules", 4, names, (Seat(1), Seat(2), Seat(3)))
        ),
        "Wish": to_payload(Wish(1, Seat(2))),
        "Grant": to_payload(Grant(draw(16), invite)),
    }


def spoken() -> dict[str, bytes]:
    """The encoded values of the messages of a whole exchange."""
    found = Collector("code", "")
    found.accept("code.exchange", "", **_exchanged())
    output = found.rows[-1]["output"]
    elements = (output[name] for name in ("joiner_element", "host_element", "confirmation"))
    said = _said(*map(bytes.fromhex, elements))
    return {name: _body(frame) for name, frame in said.items()}


def _body(data: bytes) -> bytes:
    if len(data) == 1_024:
        return data[4 : 4 + int.from_bytes(data[2:4], "big")]
    return data[1:]


def code() -> Collector:
    """Codes."""
    found = Collector("code", "codes: their text, messages and exchange of keys (7.9)")
    _texts(found)
    draw = seeded("code hosts")
    table, salt = draw(16).hex(), draw(16).hex()
    found.accept("code.host", "a host", table=table, number=7, salt=salt)
    found.accept("code.host", "under another number", table=table, number=999, salt=salt)
    found.accept("code.host", "with another salt", table=table, number=7, salt="00" * 16)
    _exchanges(found)
    said = next(row["output"] for row in found.rows if row.get("op") == "code.exchange")
    elements = (said[name] for name in ("joiner_element", "host_element", "confirmation"))
    for name, data in _said(*map(bytes.fromhex, elements)).items():
        _messages(found, name, data)
    for about, frame in _odd_frames().items():
        found.accept("code.read", about, strange=True, frame=frame.hex())
    for about, payload in _odd_payloads().items():
        found.accept("code.open", about, strange=True, payload=payload.hex())
    return found


def _odd_frames() -> dict[str, bytes]:
    """What is a message in the open, and looks wrong: who reads it judges no more than its form."""
    host, joiner, exchange = _ids().values()
    zeros, element = bytes(16), bytes(32)
    found: dict[str, OpenMessage] = {
        "the smallest number": Find(1, joiner),
        "the largest number": Find(999, joiner),
        "an asker of zeros": Find(7, zeros),
        "a host that asks itself": Here(7, host, host),
        "a knock of the host's own id": Knock(7, host, host),
        "an element of zeros": Offer(7, host, joiner, exchange, element),
        "an exchange of zeros": Offer(7, host, joiner, zeros, element),
        "a confirmation of zeros": Guess(7, host, joiner, exchange, element, bytes(32)),
        "busy, without an exchange": Refusal(7, host, joiner, b"", Why.BUSY, 5),
        "dead, without an exchange": Refusal(7, host, joiner, b"", Why.DEAD, 0),
        "wrong, with as many guesses left as before": Refusal(7, host, joiner, zeros, Why.WRONG, 5),
        "an exchange of three bytes": Refusal(7, host, joiner, exchange[:3], Why.DEAD, 5),
    }
    return {about: to_frame(message) for about, message in found.items()}


def _odd_payloads() -> dict[str, bytes]:
    """What is a sealed message, and looks wrong."""
    one, two = (Seat(0), "Amara"), (Seat(1), "අමරා")
    found: dict[str, SealedMessage] = {
        "nobody sits": Welcome(1, "304", 4, (), (Seat(1),)),
        "nothing is free": Welcome(1, "304", 2, (one, two), ()),
        "a name in Sinhala letters": Welcome(1, "304", 4, (two,), (Seat(2),)),
        "a seat that is free and taken": Welcome(1, "304", 4, (one,), (Seat(0),)),
        "a seat twice": Welcome(1, "304", 4, (one, one), (Seat(2), Seat(2))),
        "a free seat that the table has not": Welcome(1, "304", 4, (one,), (Seat(63),)),
        "the serial 0": Welcome(0, "304", 4, (one,), (Seat(1),)),
        "the largest serial": Welcome((1 << 32) - 1, "304", 4, (one,), (Seat(1),)),
        "no game": Welcome(1, "", 4, (one,), (Seat(1),)),
        "a game of 200 letters": Welcome(1, "x" * 200, 4, (one,), (Seat(1),)),
        "a table of 64": Welcome(1, "304", 64, (), tuple(map(Seat, range(64)))),
        "a wish for the last seat that there may be": Wish(1, Seat(63)),
        "a wish with the serial 0": Wish(0, Seat(0)),
        "an empty invite": Grant(bytes(16), ""),
        "an invite that is none": Grant(bytes(16), "P2P304-"),
    }
    return {about: to_payload(message) for about, message in found.items()}


def _texts(found: Collector) -> None:
    words = ["aardvark", "lantern", "yo-yo", "zebra", "zucchini"]
    base = found.accept("code.parse", "a code", text=TEXT, words=words)
    for about, text in (
        ("in capital letters, with blanks", " 7 Zebra  LANTERN "),
        ("with a hyphen behind it", f"{TEXT}-"),
        ("the largest number, the first and the last word", "999-aardvark-zucchini"),
        ("a number with zeros before it", f"000{TEXT}"),
        ("with hyphens before it", f"--{TEXT}"),
        ("with tabs and two hyphens", "\t7--zebra\t-\tlantern"),
    ):
        found.accept("code.parse", about, text=text, words=words, strange=True)
    for about, text in (
        ("nothing", ""),
        ("no number", "zebra-lantern"),
        ("the number 0", "0-zebra-lantern"),
        ("the number 1000", "1000-zebra-lantern"),
        ("a number of other digits", "\uff17-zebra-lantern"),
        ("a word too few", "7-zebra"),
        ("a word too many", f"{TEXT}-zebra"),
        ("a word that is none", "7-zebra-lantirn"),
        ("the beginning of a word", "7-zeb-lantern"),
        ("a word with a hyphen in it", "7-yo-yo"),
        ("65 characters", "7-zebra-lantern".ljust(65)),
    ):
        found.reject(base, about, "code", text=text)


def _exchanges(found: Collector) -> None:
    given = _exchanged()
    found.accept("code.exchange", "both have the code", **given)
    output = found.rows[-1]["output"]
    found.accept("code.exchange", "another code", **{**given, "code": "7-zebra-zucchini"})
    for name in ("host", "joiner", "exchange", "joiner_random", "host_random"):
        other = {**given, name: "01" * (len(given[name]) // 2)}
        found.accept("code.exchange", f"another {name}", **other)
    judged = {name: given[name] for name in ("code", "host", "joiner", "exchange", "host_random")}
    judged |= {"element": output["joiner_element"], "confirmation": output["confirmation"]}
    right = found.accept("code.judge", "a right guess", **judged)
    for about, changed in (
        ("another code at the host", {"code": "7-zebra-zucchini"}),
        ("another number at the host", {"code": "8-zebra-lantern"}),
        ("a bit of the confirmation", {"confirmation": _flipped(judged["confirmation"])}),
        ("no confirmation", {"confirmation": ""}),
        ("another host", {"host": "00" * 16}),
        ("another joiner", {"joiner": "00" * 16}),
        ("another exchange", {"exchange": "00" * 16}),
        ("the host's own element", {"element": output["host_element"]}),
        ("the identity", {"element": "01" + "00" * 31}),
        (
            "an element of order eight",
            {"element": "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"},
        ),
        ("an element that is not canonical", {"element": "ff" * 32}),
        ("an element off the curve", {"element": "02" + "00" * 31}),
        ("an element of 31 bytes", {"element": output["joiner_element"][:-2]}),
    ):
        found.reject(right, about, "code", **changed)


def _flipped(text: str) -> str:
    data = bytearray(bytes.fromhex(text))
    data[-1] ^= 1
    return data.hex()


def _messages(found: Collector, name: str, data: bytes) -> None:
    member, op = ("frame", "code.read") if len(data) == 1_024 else ("payload", "code.open")
    base = found.accept(op, name, **{member: data.hex()})
    value = decode(_body(data))
    assert isinstance(value, tuple)

    def written(*fields: Any) -> bytes:
        body = encode(fields)
        if member == "payload":
            return b"C" + body
        return (b"C\2" + len(body).to_bytes(2, "big") + body).ljust(1_024, b"\0")

    faults = [
        ("no C", b"D" + data[1:]),
        ("cut short", data[:-1]),
        ("a byte behind it", data + b"\0"),
        ("a number that is none", written(77, *value[1:])),
        ("a field too few", written(*value[:-1])),
        ("a field too many", written(*value, 0)),
        ("a text for its first field", written(value[0], "x", *value[2:])),
    ]
    if member == "frame":
        faults += [
            ("version 1", data[:1] + b"\1" + data[2:]),
            ("a last byte that is not zero", data[:-1] + b"\1"),
            ("a length beyond the frame", data[:2] + b"\xff\xff" + data[4:]),
            ("said under a seal alone", written(8, 1, 2)),
            ("the number 0", written(value[0], 0, *value[2:])),
            ("the number 1000", written(value[0], 1_000, *value[2:])),
        ]
    else:
        faults += [("said in the open alone", written(1, 7, bytes(16)))]
    for about, wrong in faults:
        found.reject(base, f"{name}: {about}", "code", **{member: wrong.hex()})


CATEGORIES = (code,)
