"""Vectors of the wire: topics and frames, invites, the lobby."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from cli.conformance.tables import seeded
from cli.invite import Invite
from cli.net.address import BrokerAddress, parse_nodes
from p2p304.seats import Seat
from protocol import labels
from protocol.encoding import Value, decode, encode
from protocol.hashing import frame as encode_frame
from protocol.version import PROTOCOL_VERSION
from protocol.wire import lobby as lobbies
from protocol.wire.contents import ANY_SEATING, Head
from protocol.wire.identity import (
    FRAME_SIZES,
    MAX_PAYLOAD_BYTES,
    NO_SEAT,
    Seal,
    SigningKey,
    derive_key,
)
from protocol.wire.presence import Presence, Whereabouts
from protocol.wire.registrar import Registrar
from tests.vectors.collect import Collector
from tests.vectors.hands import SAVED_HANDS


def sealing() -> Collector:
    """Topics and frames."""
    found = Collector("sealing", "topics, frames (7.1)")
    draw = seeded("sealing vectors")
    table_key, table, salt = draw(32), draw(16), draw(32)
    common = {"table_key": table_key.hex(), "table": table.hex()}
    found.accept("seal.topic", "a topic", **common)
    found.accept("seal.topic", "another table's", table_key=table_key.hex(), table="00" * 16)
    found.accept("seal.topic", "another key's", table_key="07" * 32, table=table.hex())
    seal = Seal(table_key, table)
    for about, payload, seat, strange, *room in (
        ("a short payload", b"\1abc", 0, False),
        ("a seat's", b"\1abc", 3, False),
        ("of somebody without a seat", b"L\x90", NO_SEAT, False),
        ("nothing", b"", 0, True),
        ("as much as the small frame holds", b"x" * 972, 1, True),
        ("a byte more", b"x" * 973, 1, True),
        ("as much as the second size holds", b"x" * 1_996, 1, True),
        ("more than the second size holds", b"x" * 1_997, 1, True),
        ("a short payload with room for what the second size holds", b"\1abc", 1, False, 1_996),
        ("a short payload with room for a byte more", b"\1abc", 1, False, 1_997),
        ("a short payload in the largest frame", b"\1abc", 1, False, MAX_PAYLOAD_BYTES),
        ("room for less than there is", b"x" * 1_000, 1, False, 900),
        ("more than the third size holds", b"x" * 4_045, 1, True),
    ):
        found.accept("seal.seal", about, **common, seat=seat, salt=salt.hex(), strange=strange,
                     payload=payload.hex(), room=room[0] if room else 0)  # fmt: skip
        frame = found.rows[-1]["output"]["frame"]
        found.accept("seal.open", f"{about}, opened", **common, frame=frame, strange=strange)
    frame = seal.seal(b"\1abc", seat=2, entropy=lambda length: salt[:length])
    base = found.accept("seal.open", "from which the faults are made", **common, frame=frame.hex())

    def fault(about: str, expect: str, data: bytes) -> None:
        found.reject(base, about, expect, frame=data.hex())

    fault("a byte less", "seal.size", frame[:-1])
    fault("a byte more", "seal.size", frame + b"\0")
    fault("nothing", "seal.size", b"")
    fault("version 1", "seal.version", b"\1" + frame[1:])
    fault("version 3", "seal.version", b"\3" + frame[1:])
    for at in (1, 2, 33, 34, 500, 1023):
        changed = bytearray(frame)
        changed[at] ^= 1
        fault(f"a bit of byte {at}", "seal.tag", bytes(changed))
    sealed = (
        ("a length beyond the frame", (973).to_bytes(2, "big") + b"\1abc", 1_024),
        ("a last byte that is not zero", b"\0\4\1abc" + bytes(967) + b"\1", 1_024),
        ("a first byte behind it that is not zero", b"\0\4\1abc\1", 1_024),
        ("a length of nothing before bytes", b"\0\0\1abc", 1_024),
    )
    for about, start, size in sealed:
        fault(about, "seal.padding", _padded_by_hand(table_key, table, frame[:34], start, size))
    found.reject(base, "another key", "seal.tag", table_key="07" * 32)
    found.reject(base, "another table", "seal.tag", table="00" * 16)
    assert FRAME_SIZES[-1] - 52 == MAX_PAYLOAD_BYTES
    return found


def _padded_by_hand(table_key: bytes, table: bytes, head: bytes, start: bytes, size: int) -> bytes:
    """A frame of seat 2 whose padding is not as it must be."""
    seat_key = derive_key(table_key, labels.SEAL_SEAT_KEY, table, b"\2")
    frame_key = derive_key(seat_key, labels.SEAL_FRAME_KEY, head[2:])
    associated = encode_frame(labels.SEAL_ASSOCIATED, bytes((PROTOCOL_VERSION, 2)), table)
    padded = start + bytes(size - 50 - len(start))
    return head + ChaCha20Poly1305(frame_key).encrypt(bytes(12), padded, associated)


def invite() -> Collector:
    """Invites."""
    found = Collector("invite", "invites (7.3)")
    draw = seeded("invite vectors")
    base = ""
    for about, address, seat in (
        ("a player's", "mqtt://127.0.0.1:1883", 2),
        ("a spectator's", "mqtt://127.0.0.1:1883", None),
        ("a broker with TLS", "mqtts://broker.example", 0),
        ("a broker behind a web server", "wss://broker.example/mqtt", 1),
    ):
        token = None if seat is None else draw(16)
        place = None if seat is None else Seat(seat)
        made = Invite(BrokerAddress.parse(address), draw(16), draw(32), place, token).format()
        name = found.accept("invite.parse", about, text=made)
        base = base or name
        if seat == 2:
            text = made
    for about, written in (
        ("in small letters", text.lower()),
        ("with hyphens and line breaks", "-".join(text[at : at + 20] for at in range(0, len(text),
         20)).replace("-", "-\n ")),
        ("with O for 0 and I for 1", text[:7] + text[7:].replace("0", "O").replace("1", "I")),
    ):  # fmt: skip
        found.accept("invite.parse", about, text=written, strange=True)
    for about, wrong in (
        ("nothing", ""),
        ("the beginning alone", "P2P304-"),
        ("another beginning", text.replace("P2P304", "P2P305")),
        ("a letter less", text[:-1]),
        ("a letter more", text + "0"),
        ("a letter changed", text[:40] + ("2" if text[40] != "2" else "3") + text[41:]),
        ("a letter that is none", text[:40] + "U" + text[41:]),
        ("two letters exchanged", text[:20] + text[21] + text[20] + text[22:]),
        ("half of it", text[: len(text) // 2]),
        ("twice", text + text),
    ):
        found.reject(base, about, "invite", text=wrong)
    for version in (1, 3):
        old = _with_addresses(Invite.parse(text), "mqtt://127.0.0.1:1883", version=version)
        found.reject(base, f"of version {version}", "invite", text=old)
    one, two = "mqtts://one.example", "mqtts://two.example:8884"
    several = ",".join((one, two, "mqtts://three.example", "mqtts://four.example"))
    clustered = Invite(BrokerAddress.parse(one), draw(16), draw(32), Seat(3), draw(16))
    made = _with_addresses(clustered, several)
    assert made == clustered.at(parse_nodes(several)).format()
    name = found.accept("invite.parse", "a clustered broker with four addresses", text=made)
    for about, addresses in (
        ("five addresses", f"{several},mqtts://five.example"),
        ("an address twice", f"{one},{two},{one}"),
        ("an address twice, in other words", f"{one},{one}:8883"),
        ("no address after the comma", f"{one},"),
        ("nothing between two commas", f"{one},,{two}"),
        ("no address at all", ""),
        ("a second address that is none", f"{one},ftp://two.example"),
        ("a user in the second address", f"{one},mqtts://me@two.example"),
    ):
        found.reject(name, about, "invite", text=_with_addresses(clustered, addresses))
    return found


def _with_addresses(invite: Invite, addresses: str, *, version: int = PROTOCOL_VERSION) -> str:
    """The invite with this text in place of its address, and the checksum that is right then."""
    assert invite.seat is not None
    assert invite.token is not None
    head = bytes((version, invite.seat, len(addresses)))
    body = head + invite.table + invite.table_key + invite.token + addresses.encode()
    data = body + sha256(b"p2p304 invite 1" + body).digest()[:5]
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    return "P2P304-" + "".join(letters[int(bits[at : at + 5], 2)] for at in range(0, len(bits), 5))


def examples() -> dict[str, bytes]:
    """A payload of every lobby message by its name: a table of two, its second seat's token."""
    draw = seeded("lobby vectors")
    table, tokens = draw(16), (draw(16), draw(16))
    keys = tuple(SigningKey(draw(32)) for _ in tokens)
    registrar = Registrar(table=table, game="304", profile="pagat", tokens=tokens)
    names = ("Amara", "Banu")
    claims = [
        lobbies.Claim.make(
            table=table,
            seat=Seat(seat),
            token=token,
            key=keys[seat],
            nickname=names[seat],
            nonce=draw(32),
        )
        for seat, token in enumerate(tokens)
    ]
    first, full = (registrar.take(claim) for claim in claims)
    other = lobbies.Claim.make(
        table=table, seat=Seat(1), token=tokens[1], key=keys[0], nickname="Banu", nonce=draw(32)
    )
    taken = registrar.take(other)
    heads = (Head(2, 0, 7, bytes(range(32)), 0b11),)
    found = {
        "Claim": claims[1],
        "Board, not full": first,
        "Board, full": full,
        "Taken": taken,
        "Inquiry": lobbies.Inquiry(table, Seat(0), False, heads),
        "Presence": Presence.make(
            table=table,
            seat=Seat(1),
            key=keys[1],
            connection=bytes(range(8)),
            serial=300,
            state=Whereabouts.HERE,
            serves=False,
        ),
    }
    return {name: lobbies.to_bytes(each) for name, each in found.items() if each is not None}


def token() -> bytes:
    """The token of the second seat in the examples."""
    draw = seeded("lobby vectors")
    return [draw(16) for _ in ("table", "first seat", "second seat")][-1]


def lobby() -> Collector:
    """Messages of the lobby."""
    found = Collector("lobby", "claims, boards, refusals, inquiries (7.4)")
    bases: dict[str, str] = {}
    table = seeded("lobby vectors")(16)
    common: dict[str, Any] = {"table": table.hex(), "seats": 2, "seat": 1, "token": token().hex()}
    whole = examples()
    common["key"] = decoded(whole["Claim"])[3].hex()  # type: ignore[union-attr]
    for name, payload in whole.items():
        bases[name] = found.accept("lobby.read", name, payload=payload.hex(), **common)
        strange = {**common, "token": "00" * 16}
        if name not in ("Inquiry", "Presence"):
            about = f"{name}: of somebody without the token"
            found.accept("lobby.read", about, strange=True, payload=payload.hex(), **strange)
        for about, data in _lobby_faults(payload):
            found.reject(bases[name], f"{name}: {about}", "lobby", payload=data.hex())
        found.reject(bases[name], f"{name}: another table", "lobby", table="00" * 16)
    for about, payload in _lobby_oddities().items():
        found.accept("lobby.read", about, strange=True, payload=payload.hex(), **common)
    found.reject(bases["Claim"], "a seat that the table has not", "lobby", seats=1)
    found.reject(bases["Inquiry"], "no seats at all", "lobby", seats=0)
    number, *rest = decoded(whole["Presence"])
    for about, (at, value) in {
        "a state that is none": (4, 5),
        "neither yes nor no": (5, 2),
        "a connection of 7 bytes": (2, bytes(7)),
        "a serial that is too high": (3, 1 << 32),
    }.items():
        changed = b"L" + encode((number, *rest[:at], value, *rest[at + 1 :]))
        found.reject(bases["Presence"], f"Presence: {about}", "lobby", payload=changed.hex())
    *before, said = decoded(examples()["Inquiry"])
    assert isinstance(said, tuple)
    for does, words in {"asks": (b"q" * 16, b""), "answers": (b"", b"a" * 16)}.items():
        payload = b"L" + encode((*before, (*words, *said[2:])))
        about = f"Inquiry: one that {does} in its heads"
        found.reject(bases["Inquiry"], about, "lobby", payload=payload.hex())
    return found


def _lobby_oddities() -> dict[str, bytes]:
    """What is legal at the table of the examples, and looks wrong."""
    draw = seeded("lobby oddities")
    whole = examples()
    _, table, names, charter, proofs = decoded(whole["Board, full"])
    assert isinstance(table, bytes)
    assert isinstance(names, tuple)
    assert isinstance(proofs, tuple)
    key = SigningKey(draw(32))
    claim = lobbies.Claim.make(
        table=table, seat=Seat(1), token=token(), key=key, nickname="අමරා", nonce=draw(32)
    )
    unproved = replace(claim, proof=b"", signature=b"")
    knows = lobbies.Inquiry(table, Seat(1), True)
    sixteen = tuple(Head(2, number, 0, bytes(32), 0) for number in range(16))
    everything = lobbies.Inquiry(table, Seat(0), True, sixteen)
    leaving = Presence(table, Seat(0), bytes(8), 0, Whereabouts.LOST, True, bytes(64))
    found: dict[str, lobbies.LobbyMessage] = {
        "a presence that another seat signed, or nobody": leaving,
        "a claim in Sinhala letters": claim,
        "a claim without proof or signature": unproved,
        "an inquiry of one who knows the charter and nothing else": knows,
        "an inquiry with as many heads as there may be": everything,
        "a board that nobody is on": lobbies.Board(table, (), b"").proved((bytes(16), token())),
    }
    for clash in (lobbies.Clash.NAME, lobbies.Clash.KEY):
        taken = lobbies.Taken(table, Seat(1), draw(32), clash).proved(token())
        found[f"another has its {clash.name.lower()}"] = taken
    written = {about: lobbies.to_bytes(each) for about, each in found.items()}

    def board(*fields: Value) -> bytes:
        return b"L" + encode((2, table, *fields))

    return {
        **written,
        "a board told to a spectator, without proofs": board(names, charter, ()),
        "a board with its names in another order": board(names[::-1], charter, proofs),
        "a board with 64 proofs": board(names, charter, proofs * 32),
        "a board whose charter is none": board(names, b"\0", proofs),
    }


def decoded(payload: bytes) -> tuple[Value, ...]:
    """The values of a lobby message: its number, then its fields."""
    value = decode(payload[1:])
    assert isinstance(value, tuple)
    return value


def _lobby_faults(payload: bytes) -> list[tuple[str, bytes]]:
    value = decoded(payload)

    def written(*fields: Value) -> bytes:
        return b"L" + encode(fields)

    return [
        ("no L", b"M" + payload[1:]),
        ("cut short", payload[:-1]),
        ("a byte behind it", payload + b"\0"),
        ("a number that is none", written(9, *value[1:])),
        ("a field too few", written(*value[:-1])),
        ("a field too many", written(*value, 0)),
        ("a text for the table", written(value[0], "x", *value[2:])),
        ("a number for the last field", written(*value[:-1], 7)),
    ]


def rematch() -> Collector:
    """The table of another match."""
    found = Collector("rematch", "charter, key and token of another match in other seats (5.7)")
    draw = seeded("rematch vectors")
    agreed = replace(SAVED_HANDS["passed-out"].rehearsed().charter, profile="a short profile")
    common: dict[str, Any] = {"table_key": draw(32).hex(), "token": draw(16).hex()}
    common |= {"charter": agreed.to_bytes().hex(), "after": draw(32).hex()}
    base = found.accept("rematch.charter", "other partners", seating=1, **common)
    found.accept("rematch.charter", "the other seating of four", seating=2, **common)
    other = {**common, "after": draw(32).hex()}
    found.accept("rematch.charter", "after another hand", seating=1, **other)
    three = replace(agreed, seats=agreed.seats[:3])
    found.accept("rematch.charter", "three seats", seating=1,
                 **{**common, "charter": three.to_bytes().hex()})  # fmt: skip
    for about, seating in (("as they sit", 0), ("more than there are", 3), ("any", ANY_SEATING)):
        found.reject(base, about, "rematch.seating", seating=seating)
    return found


CATEGORIES = (sealing, invite, lobby, rematch)
