"""Vectors of the suite: group, hashing to the curve, sponge, digests, commitments."""

from __future__ import annotations

from itertools import permutations

from cli.conformance.rehearsal import seeded
from p2p304.cards import Card, Rank, Suit
from protocol import labels
from protocol.group.point import base_multiply
from protocol.group.scalar import ORDER, Scalar
from tests.vectors.collect import Collector

PRIME = 2**256 - 2**32 - 977
G = base_multiply(Scalar(1)).to_bytes()


def _h(data: bytes) -> str:
    return data.hex()


def _n(value: int) -> str:
    return f"{value % 2**256:064x}"


def group() -> Collector:
    """Points and scalars."""
    found = Collector("group", "points, scalars, sums (2.1)")
    first = found.accept("point.decode", "the generator", bytes=_h(G))
    found.accept("point.decode", "minus the generator", bytes="03" + _h(G)[2:], strange=True)
    draw = seeded("group vectors")
    for place in range(10):
        point = base_multiply(Scalar.uniform(draw(64)))
        found.accept("point.decode", f"a point, no. {place}", bytes=_h(point.to_bytes()))
    small = [x for x in range(1, 60) if pow(x**3 + 7, (PRIME - 1) // 2, PRIME) == 1]
    for x in small[:24]:
        about = f"x = {x}, a point of whose logarithm nobody knows anything"
        found.accept("point.decode", about, bytes=f"02{x:064x}", strange=True)
    top = next(x for x in range(PRIME - 1, 0, -1) if pow(x**3 + 7, (PRIME - 1) // 2, PRIME) == 1)
    found.accept("point.decode", "the greatest x", bytes=f"03{top:064x}", strange=True)
    for prefix in (*range(2), *range(4, 12), 0x40, 0x82, 0xFE, 0xFF):
        data = f"{prefix:02x}{_h(G)[2:]}"
        found.reject(first, f"prefix {prefix:02x}", "point.prefix", bytes=data)
    for length in (0, 1, 31, 32, 34, 64, 65, 66):
        data = _h((G * 3)[:length])
        found.reject(first, f"{length} bytes", "point.length", bytes=data)
    found.reject(first, "33 zeros, an identity", "point.prefix", bytes="00" * 33)
    for about, x in (
        ("x = p", PRIME),
        ("x = p + 1", PRIME + 1),
        ("x = 2^256 - 1", 2**256 - 1),
        ("x = 0, not on the curve", 0),
        ("x = 5, not on the curve", 5),
    ):
        found.reject(first, about, "point.curve", bytes=f"02{x:064x}")
    one = found.accept("scalar.decode", "1", bytes=_n(1), nonzero=True)
    for about, value in (("n - 1", ORDER - 1), ("2^128", 2**128), ("(n - 1) / 2", ORDER // 2)):
        found.accept("scalar.decode", about, bytes=_n(value), nonzero=True, strange=True)
    zero = found.accept("scalar.decode", "0 where it may be", bytes=_n(0), nonzero=False,
                        strange=True)  # fmt: skip
    found.reject(zero, "0 where it may not be", "scalar.zero", nonzero=True)
    for about, value in (
        ("n", ORDER),
        ("n + 1, which is 1 not reduced", ORDER + 1),
        ("2^256 - 1", 2**256 - 1),
        ("p", PRIME),
    ):
        found.reject(one, about, "scalar.range", bytes=_n(value))
    for length in (0, 1, 31, 33, 64):
        found.reject(one, f"{length} bytes", "scalar.length", bytes="01" * length)
    pair = [[_n(2), _h(G)], [_n(3), _h(G)]]
    summed = found.accept("point.combine", "2G + 3G", terms=pair)
    found.accept("point.combine", "0G + G", terms=[[_n(0), _h(G)], [_n(1), _h(G)]], strange=True)
    found.accept("point.combine", "(n - 1)G", terms=[[_n(ORDER - 1), _h(G)]], strange=True)
    for place in range(6):
        terms = [[_n(int.from_bytes(draw(31), "big")), _h(base_multiply(
            Scalar.uniform(draw(64))).to_bytes())] for _ in range(place + 1)]  # fmt: skip
        found.accept("point.combine", f"a sum of {place + 1} terms", terms=terms)
    opposite = [[_n(1), _h(G)], [_n(1), "03" + _h(G)[2:]]]
    found.reject(summed, "G - G", "point.identity", terms=opposite)
    found.reject(summed, "0G", "point.identity", terms=[[_n(0), _h(G)]])
    bad = [[_n(ORDER), _h(G)], [_n(3), _h(G)]]
    found.reject(summed, "a scalar that is not reduced", "scalar.range", terms=bad)
    bad = [[_n(0), "02" + _n(5)], [_n(3), _h(G)]]
    found.reject(summed, "0 times no point", "point.curve", terms=bad)
    return found


def hash_to_group() -> Collector:
    """Hashing to the curve, and every constant."""
    found = Collector("hash-to-group", "RFC 9380 and the constants (2.4)")
    rfc = b"QUUX-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_"
    for message in (b"", b"abc", b"abcdef0123456789", b"q128_" + b"q" * 128, b"a512_" + b"a" * 512):
        about = f"RFC 9380 J.8.1, a message of {len(message)} bytes"
        found.accept("hash-to-curve.point", about, message=_h(message), dst=_h(rfc))
    for dst in (labels.CARD_POINT_DST, labels.SUIT_POINT_DST, labels.SHUFFLE_GENERATOR_DST):
        about = f"the same message under {dst.decode()}"
        found.accept("hash-to-curve.point", about, message=_h(b"S"), dst=_h(dst))
    for about, message, dst in (
        ("a tag of one byte", b"abc", b"x"),
        ("a tag of 255 bytes", b"abc", b"x" * 255),
        ("zeros", bytes(200), rfc),
    ):
        found.accept("hash-to-curve.point", about, message=_h(message), dst=_h(dst), strange=True)
    for suit in Suit:
        for rank in Rank:
            card = Card(suit, rank)
            found.accept("constants.card", f"the points of {card}", card=str(card))
    for index in (0, 1, 2, 31, 63):
        found.accept("constants.generator", f"generator {index}", index=index)
    for count in (1, 4, 8, 32, 52):
        about = f"all constants, {count} generators"
        found.accept("constants.digest", about, generators=count, strange=count == 1)
    return found


def sponge() -> Collector:
    """Absorbing and squeezing."""
    found = Collector("sponge", "the duplex sponge, scalars and weights (2.5)")
    sid = _h(bytes(range(32)))
    for tag in (b"a", b"p2p304", bytes(64), b"x" * 168, b"x" * 169, b"x" * 400):
        found.accept("sponge.session", f"a tag of {len(tag)} bytes", tag=_h(tag))
    found.accept("sponge.session", "an empty tag", tag="", strange=True)
    scripts: list[tuple[str, list[list[object]], bool]] = [
        ("absorb, squeeze", [["absorb", "616263"], ["squeeze", 64]], False),
        ("two squeezes continue one stream", [["absorb", "61"], ["squeeze", 5], ["squeeze", 59]],
         False),
        ("an absorb between squeezes begins anew",
         [["absorb", "61"], ["squeeze", 32], ["absorb", "62"], ["squeeze", 32]], False),
        ("two absorbs are one", [["absorb", "61"], ["absorb", "6263"], ["squeeze", 64]], True),
        ("an empty absorb changes nothing",
         [["absorb", "616263"], ["squeeze", 32], ["absorb", ""], ["squeeze", 32]], True),
        ("squeezing before anything was absorbed", [["squeeze", 64]], True),
        ("squeezing nothing", [["absorb", "61"], ["squeeze", 0], ["squeeze", 32]], True),
        ("a scalar", [["absorb", "61"], ["scalar"]], False),
        ("two scalars", [["absorb", "61"], ["scalar"], ["scalar"]], False),
        ("a weight", [["absorb", "61"], ["weights", 1]], False),
        ("four weights at once", [["absorb", "61"], ["weights", 4]], False),
        ("four weights, two and two", [["absorb", "61"], ["weights", 2], ["weights", 2]], True),
        ("weights, then a scalar", [["absorb", "61"], ["weights", 3], ["scalar"]], False),
        ("no weights", [["absorb", "61"], ["weights", 0], ["squeeze", 16]], True),
        ("more than a block", [["absorb", "00" * 168], ["squeeze", 400]], False),
        ("a block less one", [["absorb", "00" * 135], ["squeeze", 169]], True),
    ]  # fmt: skip
    for about, script, strange in scripts:
        found.accept("sponge.run", about, session=sid, script=script, strange=strange)
    for place in range(6):
        script = [["absorb", _h(seeded(f"sponge {place}")(40 * place))], ["scalar"]]
        found.accept("sponge.run", f"a challenge, no. {place}", session=sid, script=script)
    return found


def _digests(found: Collector) -> None:
    draw = seeded("digest vectors")
    charter = _h(draw(32))
    for about, label, fields, strange in (
        ("no fields", b"p2p304/v1/charter", [], True),
        ("one field", b"p2p304/v1/charter", [b"abc"], False),
        ("an empty field", b"p2p304/v1/charter", [b""], True),
        ("ab, c", b"label", [b"ab", b"c"], False),
        ("a, bc, another frame", b"label", [b"a", b"bc"], False),
        ("no label", b"", [b"label"], True),
        ("long fields", b"label", [bytes(300), bytes(70_00)], False),
    ):
        given = [_h(each) for each in fields]
        found.accept("frame.hash", about, label=_h(label), fields=given, strange=strange)
    context = {"version": 1, "table": charter, "ledger": "0200000000", "attempt": 0, "round": 9,
               "seat": 2, "kind": "Action/1", "history": _h(draw(32))}  # fmt: skip
    for purpose in ("key", "share", "opening", "distinction", "alternatives", "hand-over"):
        about = f"the session of a proof for {purpose}"
        found.accept("context.session", about, context=context, purpose=purpose, details=[])
    for name, value in (("version", 2), ("attempt", 1), ("round", 10), ("seat", 3), ("kind",
                        "Action/10"), ("ledger", "0200000001"), ("history", _h(bytes(32))),
                        ("table", _h(bytes(32)))):  # fmt: skip
        found.accept("context.session", f"another {name}", purpose="opening", details=[],
                     context={**context, name: value})  # fmt: skip
    unusual: tuple[tuple[str, object], ...] = (
        ("round", 4095),
        ("seat", 63),
        ("attempt", 2**32 - 1),
        ("kind", ""),
        ("kind", "Action/255"),
        ("version", 0),
        ("ledger", "02ffffffff"),
    )
    for name, value in unusual:
        found.accept("context.session", f"{name} {value!r}", purpose="opening", details=[],
                     context={**context, name: value}, strange=True)  # fmt: skip
    about = "two details"
    found.accept("context.session", about, context=context, purpose="score-rows",
                 details=["aa", "bb"])  # fmt: skip
    found.accept("context.session", "one detail of the same bytes", context=context,
                 purpose="score-rows", details=["aabb"], strange=True)  # fmt: skip
    link, other = _h(draw(32)), _h(draw(32))
    for about, lane, number, leading, scores, after, strange in (
        ("the first opening of a table", 0, 0, 0, [], [], False),
        ("the second opening", 0, 1, 0, [], [link], False),
        ("a deck", 1, 0, 3, [], [link], False),
        ("the last deck there can be", 1, 2**32 - 1, 63, [], [link], True),
        ("a hand", 2, 5, 2, [11, 9], [link, other], False),
        ("a hand with a team below zero", 2, 5, 2, [-3, 22], [link, other], True),
        ("a hand without scores", 2, 5, 2, [], [link, other], True),
    ):
        found.accept("ledger.root", about, charter=charter, lane=lane, number=number,
                     leading=leading, scores=scores, after=after, strange=strange)  # fmt: skip
    ids = [[seat, _h(draw(32))] for seat in range(4)]
    for order in permutations(ids):
        arrived = "".join(str(each[0]) for each in order)
        found.accept("ledger.round", f"four messages, arrived as {arrived}", previous=link,
                     number=7, messages=list(order), strange=True)  # fmt: skip
    for count in (1, 2, 3):
        found.accept("ledger.round", f"{count} messages", previous=link, number=0,
                     messages=ids[:count])  # fmt: skip
    found.accept("ledger.round", "the last round there can be", previous=link, number=4095,
                 messages=ids, strange=True)  # fmt: skip
    for purpose in (1, 2):
        found.accept("message.id", f"a body for purpose {purpose}", purpose=purpose, body="93c0")
    luck = [_h(draw(32)) for _ in range(4)]
    for seat in range(4):
        found.accept("luck.commit", f"seat {seat}", charter=charter, number=0, seat=seat,
                     luck=luck[seat])  # fmt: skip
    found.accept("luck.commit", "another match", charter=charter, number=1, seat=0, luck=luck[0])
    found.accept("luck.combine", "four shares", shares=luck)
    found.accept("luck.combine", "four equal shares", shares=[luck[0]] * 4, strange=True)
    found.accept("expand.draw", "draws from a seed", seed=_h(bytes(32)), purpose=["6b657973"],
                 lengths=[64, 64, 0, 7])  # fmt: skip


def digests() -> Collector:
    """Framed hashes and everything that is one."""
    found = Collector("digests", "frames, sessions, roots, round digests, ids, luck (2.3, 4.2, 5)")
    _digests(found)
    return found


def commitment() -> Collector:
    """Hash commitments to cards."""
    found = Collector("commitment", "hash commitments that a person can check (4.8)")
    draw = seeded("commitment vectors")
    charter = _h(draw(32))
    context, salt = _h(draw(32)), _h(draw(32))
    for slot in (0, 31, 40, 9999):
        found.accept("commitment.context", f"slot {slot}", charter=charter, lane=2, number=0,
                     round=12, seat=1, slot=slot, strange=slot > 200)  # fmt: skip
    for name, value in (("lane", 1), ("number", 1), ("round", 13), ("seat", 2)):
        given = {"charter": charter, "lane": 2, "number": 0, "round": 12, "seat": 1, "slot": 0}
        found.accept("commitment.context", f"another {name}", **{**given, name: value})
    for card in ("9C", "JS", "7D", "TH"):
        made = found.accept("commitment.commit", f"to {card}", context=context, salt=salt,
                            value=_h(card.encode()))  # fmt: skip
        digest = found.rows[-1]["output"]["commitment"]
        good = found.accept("commitment.verify", f"{card} opens", commitment=digest,
                            context=context, salt=salt, value=_h(card.encode()))  # fmt: skip
        assert made
        for about, changed in (
            ("another card", {"value": _h(b"9D" if card != "9D" else b"9H")}),
            ("the card in small letters", {"value": _h(card.lower().encode())}),
            ("another salt", {"salt": _h(draw(32))}),
            ("another context: another slot, seat or round", {"context": _h(draw(32))}),
            ("a byte after the card", {"value": _h(card.encode() + b"\0")}),
            ("no card", {"value": ""}),
        ):
            found.reject(good, about, "commitment.opening", **changed)
        found.reject(good, "a short salt", "commitment.salt-length", salt=salt[:-2])
        found.reject(good, "a long salt", "commitment.salt-length", salt=salt + "00")
        found.reject(good, "a short commitment", "commitment.length", commitment=digest[2:])
        found.reject(good, "a bit of the commitment", "commitment.opening",
                     commitment=f"{int(digest, 16) ^ 1:064x}")  # fmt: skip
    found.accept("commitment.commit", "to nothing", context=context, salt=salt, value="",
                 strange=True)  # fmt: skip
    found.accept("commitment.commit", "a salt of zeros", context=context, salt="00" * 32,
                 value="3943", strange=True)  # fmt: skip
    found.accept("commitment.salt", "a salt from a seed", seed="07" * 32, context=context)
    return found


CATEGORIES = (group, hash_to_group, sponge, digests, commitment)
