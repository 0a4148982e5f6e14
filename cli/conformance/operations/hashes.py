"""Operations on hashes: frames, sponges, digests of ledgers, commitments (2.3, 2.5, 4.8, 5.1)."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple, cast

from cli.conformance.answers import operation, unhex
from p2p304.cards import Slot
from p2p304.plain_json import Answer, Json
from p2p304.seats import Seat
from protocol import labels
from protocol.cards import salted_commitment
from protocol.cards.secrets import expand
from protocol.encoding import encode
from protocol.group.scalar import ORDER
from protocol.hashing import digest, frame, wide_digest
from protocol.places import Digest, Lane, LedgerName, Place
from protocol.proofs.context import MessageContext, ProofContext
from protocol.proofs.sponge import DuplexSponge, derive_session_id
from protocol.proofs.weights import draw_weights
from protocol.table.ledger import Origin, round_digest
from protocol.wire.envelope import Envelope, Purpose
from protocol.wire.messages import SignedMessage


@operation("frame.hash")
def frame_hash(given: Json) -> Answer:
    """`label`, `fields`: H and W of the frame."""
    label, fields = unhex(given["label"]), [unhex(each) for each in given["fields"]]
    return Answer(
        {"sha256": digest(label, *fields).hex(), "sha512": wide_digest(label, *fields).hex()},
        [["frame", frame(label, *fields).hex()]],
    )


@operation("sponge.session")
def sponge_session(given: Json) -> Answer:
    """`tag`: sid(tag)."""
    return Answer({"session": derive_session_id(unhex(given["tag"])).hex()})


@operation("sponge.run")
def sponge_run(given: Json) -> Answer:
    """`session`, `script` of ["absorb", bytes], ["squeeze", length], ["scalar"], ["weights", n]:
    what was drawn."""
    sponge = DuplexSponge(unhex(given["session"]))
    drawn: list[str] = []
    for name, *arguments in given["script"]:
        match name:
            case "absorb":
                sponge.absorb(unhex(arguments[0]))
            case "squeeze":
                drawn.append(sponge.squeeze(arguments[0]).hex())
            case "scalar":
                drawn.append(f"{sponge.squeeze_scalar(ORDER):064x}")
            case _:
                drawn += [f"{each:064x}" for each in draw_weights(sponge, arguments[0])]
    return Answer({"drawn": drawn})


@operation("expand.draw")
def expand_draw(given: Json) -> Answer:
    """`seed`, `purpose`, `lengths`: the draws of 2.8 in order."""
    draw = expand(unhex(given["seed"]), *[unhex(each) for each in given["purpose"]])
    return Answer({"drawn": [draw(length).hex() for length in given["lengths"]]})


def context_of(given: Json) -> ProofContext:
    """Return the context that a question describes."""
    return ProofContext(
        version=given["version"],
        table=unhex(given["table"]),
        ledger=unhex(given["ledger"]),
        attempt=given["attempt"],
        round=given["round"],
        seat=given["seat"],
        kind=given["kind"],
        history=unhex(given["history"]),
    )


@operation("context.session")
def context_session(given: Json) -> Answer:
    """`context`, `purpose`, `details`: the session S."""
    details = [unhex(each) for each in given["details"]]
    session = context_of(given["context"]).session_identifier(given["purpose"].encode(), *details)
    return Answer({"session": session.hex()})


@operation("ledger.root")
def ledger_root(given: Json) -> Answer:
    """`charter` (its digest), `lane`, `number`, `leading`, `scores`, `after`: the root."""
    origin = Origin(
        LedgerName(Lane(given["lane"]), given["number"]),
        tuple(unhex(each) for each in given["after"]),
        Seat(given["leading"]),
        tuple(given["scores"]),
    )
    steps = [["scores and after", encode((origin.scores, origin.after)).hex()]]
    return Answer({"root": origin.root(unhex(given["charter"])).hex()}, steps)


class _Placed(NamedTuple):
    """As much of a signed message as a round's digest needs."""

    place: Place
    id: bytes


@operation("ledger.round")
def ledger_round(given: Json) -> Answer:
    """`previous`, `number`, `messages` [seat, id] in the order of arrival: the head after it."""
    ledger = LedgerName(Lane.HAND, 0)
    messages = [
        cast(SignedMessage, _Placed(Place(ledger, given["number"], Seat(seat)), unhex(name)))
        for seat, name in given["messages"]
    ]
    head = round_digest(Digest(unhex(given["previous"])), given["number"], messages)
    return Answer({"head": head.hex()})


@operation("message.id")
def message_id(given: Json) -> Answer:
    """`purpose`, `body`: the message's id."""
    envelope = Envelope(Purpose(given["purpose"]), Seat(0), bytes(64), unhex(given["body"]))
    return Answer({"id": envelope.message_id.hex()})


@operation("luck.commit")
def luck_commit(given: Json) -> Answer:
    """`charter`, `number`, `seat`, `luck`: the commitment of a Confirmation."""
    fields = (
        unhex(given["charter"]),
        given["number"].to_bytes(4, "big"),
        bytes((given["seat"],)),
        unhex(given["luck"]),
    )
    return Answer({"commitment": digest(labels.LUCK_COMMITMENT, *fields).hex()})


@operation("luck.combine")
def luck_combine(given: Json) -> Answer:
    """`shares`, by seat: the match's luck."""
    return Answer({"luck": digest(labels.LUCK, *[unhex(each) for each in given["shares"]]).hex()})


@operation("commitment.context")
def commitment_context(given: Json) -> Answer:
    """`charter`, `lane`, `number`, `round`, `seat`, `slot`: the context of a commitment."""
    ledger = LedgerName(Lane(given["lane"]), given["number"])
    place = Place(ledger, given["round"], Seat(given["seat"]))
    context = MessageContext(unhex(given["charter"]), place, Digest(bytes(32)))
    return Answer({"context": context.commitment_context(Slot(given["slot"])).hex()})


@operation("commitment.commit")
def commitment_commit(given: Json) -> Answer:
    """`context`, `salt`, `value`: the commitment."""
    parts = {name: unhex(given[name]) for name in ("context", "salt", "value")}
    line = salted_commitment.opening_line(**parts)
    return Answer({"commitment": sha256(line.encode("ascii")).hexdigest()}, [["line", line]])


@operation("commitment.verify")
def commitment_verify(given: Json) -> Answer:
    """`commitment`, `context`, `salt`, `value`: accepted or not."""
    salted_commitment.verify_opening(
        unhex(given["commitment"]),
        context=unhex(given["context"]),
        salt=unhex(given["salt"]),
        value=unhex(given["value"]),
    )
    return Answer({})


@operation("commitment.salt")
def commitment_salt(given: Json) -> Answer:
    """`seed` of the deal, `context`: the salt of 2.8."""
    salt = salted_commitment.derive_salt(seed=unhex(given["seed"]), context=unhex(given["context"]))
    return Answer({"salt": salt.hex()})
