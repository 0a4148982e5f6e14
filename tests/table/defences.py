"""For the rows of `specs/attacks.md`: the defence taken out, whereupon a test of the row must fail.

`make attacks` plants each in a private copy of the tree and runs the tests that the row names. What
the cryptography itself checks has a longer list of its own (`make mutants`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.crypto.mutants import Mutant


class Defence(NamedTuple):
    """What a row rests on: in `path`, `original` becomes `without`; then one of the tests fails.

    `case` narrows the row's tests down to those whose name holds it.
    """

    row: str
    path: str
    original: str
    without: str
    case: str = ""
    everywhere: bool = False

    @property
    def mutant(self) -> Mutant:
        """As the planting of mutants takes it."""
        return Mutant(self.path, self.original, self.without, self.row, (), self.everywhere)


# fmt: off
CARDS: Final = (
    Defence("G1", "protocol/group.py", "if data[0] not in (2, 3):", "if data[0] not in (0, 2, 3):"),
    Defence("G2", "protocol/group.py", "if data[0] not in (2, 3):", "if data[0] not in (2, 3, 6):"),
    Defence("G3", "protocol/scalar.py", "if value >= ORDER:", "if value > ORDER:"),
    Defence("G4", "protocol/group.py", "if type(data) is not bytes:", "if data is None:"),
    Defence("G5", "protocol/group.py", 'raise IdentityPoint("0 times a point")', "return point"),
    Defence("G6", "protocol/group.py", '        raise LocalError("points come from',
            '        return\n        raise LocalError("points come from'),
    Defence("G8", "protocol/masking.py", 'raise ProofError("key.proof", error.check) from None',
            "return", "test_deck_cheats"),
    Defence("G8", "protocol/proceedings.py",
            "                    except ProofError as error:  # keys",
            "                    except ZeroDivisionError as error:  # keys", "test_review_audit"),
    Defence("G9", "protocol/masking.py", 'raise ProofError("key.proof", error.check) from None',
            "return", "rogue"),
    Defence("G9", "protocol/occasion.py", "seat=int(self.place.seat),", "seat=0,", "another seat"),
    Defence("G10", "protocol/masking.py", "    card, suit = step.keys\n",
            "    card, suit = step.keys\n"
            '    if card.to_bytes()[0] == 3:\n        raise ProofError("key.sum")\n'),
    Defence("G11", "protocol/masking.py", "if GENERATOR in step.keys:", "if False:", "generator"),
    Defence("G11", "protocol/masking.py", "if card == suit:\n        raise ProofError",
            "if False:\n        raise ProofError", "both halves"),
    Defence("G12", "protocol/key_register.py", "earlier[0] != signed.place.ledger", "False"),
    Defence("G13", "protocol/constants.py", "    return hash_to_curve(str(card).encode",
            "    return hash_to_curve(str(card)[:1].encode"),
    Defence("FS2", "protocol/occasion.py", "history=bytes(self.previous),", "history=bytes(32),",
            "occasion"),
    Defence("FS11", "protocol/expansion.py", "        drawn += 1\n",
            "        drawn += 1 + id(draw) % 97\n", "same_bytes"),
    Defence("SH2", "protocol/deck.py",
            "        verify_shuffle(statement, step.proof, context=context, "
            "purpose=labels.DECK_SHUFFLE_PURPOSE)\n", "", "test_deck_cheats"),
    Defence("SH3", "protocol/deck.py",
            "        before = tuple(self.slots[Slot(place)].card for place in "
            "range(len(self.pack)))\n        return",
            "        before = start_deck(self.pack, table_keys(self.keys))\n        return"),
    Defence("SH4", "protocol/preparing.py",
            "after = Phase.SETTLED if shuffled == self.seats else Phase.SHUFFLING",
            "after = Phase.SETTLED if shuffled >= 2 else Phase.SHUFFLING", "no_deck"),
    Defence("SH4", "protocol/ledger.py", "or place.seat not in self.contributors:", ":",
            "out_of_turn"),
    Defence("SH5", "protocol/group.py", "if data[0] not in (2, 3):", "if data[0] not in (0, 2, 3):",
            "test_deck_cheats"),
    Defence("SH6", "protocol/deck.py",
            "        verify_shuffle(statement, step.proof, context=context, "
            "purpose=labels.DECK_SHUFFLE_PURPOSE)\n", "", "test_deck_cheats"),
    Defence("SH8", "p2p304/rules304/dealing.py", "0 <= action.offset < SIZE",
            "0 <= action.offset <= SIZE", "outside"),
    Defence("SH9", "protocol/deck.py", "and hidden.owner != seat and seat in hidden.locks",
            "and seat in hidden.locks"),
    Defence("SH10", "protocol/deck.py", "and hidden.owner != seat and seat in hidden.locks",
            "and seat in hidden.locks", "test_attacks"),
    Defence("SH10", "protocol/shares.py",
            'LayoutReader("shares", data, points=2 * cards, scalars=_PROOF_SCALARS)',
            'LayoutReader("shares", data[-66 * cards - 96:], points=2 * cards, '
            "scalars=_PROOF_SCALARS)", "too many"),
    Defence("SH11", "protocol/ledger.py",
            "        if place.round > closed or self.contributors is None:",
            "        if self.contributors is None:"),
    Defence("SH12", "protocol/deck.py",
            "        verify_shuffle(statement, step.proof, context=context, "
            "purpose=labels.HAND_SHUFFLE_PURPOSE)\n", "", "test_deck_cheats"),
    Defence("SH13", "p2p304/rules304/dealing.py", "    if slot not in hand:\n", "    if False:\n"),
    Defence("SH14", "protocol/permutation.py", "% (last + 1)", "% last"),
    Defence("SH15", "protocol/turn.py", "self.now - moved >= HEADS_INTERVAL and waiting",
            "False and waiting", "test_attacks"),
    Defence("DL1", "protocol/deck.py",
            "        verify_shares([each.card for each in hidden], batch, "
            "self.keys[seat], context=context)\n", "", "test_deck_cheats"),
    Defence("DL2", "protocol/deck.py",
            "        verify_shares([each.card for each in hidden], batch, "
            "self.keys[seat], context=context)\n", "", "test_deck_cheats"),
    Defence("DL3", "protocol/turn.py", "if lacked or behind or", "if behind or", "bad_weather"),
    Defence("DL4", "protocol/equality.py", "raise ProofError(check",
            "return; raise ProofError(check", "name of another", True),
    Defence("DL4", "p2p304/rules304/play.py",
            '    raise RulesError("S1", f"slot {slot} is no unplayed',
            '    return False\n    raise RulesError("S1", f"slot {slot} is no unplayed', "partner"),
    Defence("DL6", "p2p304/rules304/duties.py", "    if card in state.faces.values():",
            "    if False:", "seen elsewhere"),
    Defence("DL7", "protocol/handover.py",
            'raise ProofError("hand-over.proof", error.check) from None', "return",
            "test_deck_cheats"),
    Defence("DL8", "protocol/handover.py", "if message.cover.to_bytes() in covers:", "if False:",
            "test_deck_cheats"),
    Defence("DL8", "protocol/dealing.py", "        covers=deck.covers | judged.covers,",
            "        covers=deck.covers,", "test_deck_cheats"),
    Defence("DL9", "protocol/course.py", "if type(content) is not AWAITED[phase]:", "if False:"),
    Defence("DL11", "protocol/course.py", "if type(content) is not AWAITED[phase]:", "if False:",
            "shares in"),
    Defence("DL12", "p2p304/rules304/calls.py", "if not state.profile.pre_show_card", "if False",
            "shown before"),
    Defence("CM1", "protocol/commitment.py", "{salt.hex()}:", "{bytes(32).hex()}:"),
    Defence("CM2", "protocol/commitments.py",
            "            verify_opening(made.value, context=made.context, salt=salt, "
            "value=card_value(card))", "            pass", "test_cheats"),
    Defence("CM2", "protocol/equality.py", "raise ProofError(check",
            "return; raise ProofError(check", "counted as", True),
    Defence("CM5", "protocol/opening.py", '                    raise ProofError("luck.opening")',
            "                    pass", "test_cheats"),
)

HISTORY: Final = (
    Defence("CH1", "protocol/ledger.py",
            "Known() if earlier.id == signed.id else Equivocation(earlier)", "Known()"),
    Defence("CH2", "protocol/ledger.py",
            "        if signed.message.previous != self.digest_after(place.round):",
            "        if False:"),
    Defence("CH4", "protocol/ledger.py", "key=lambda each: each.place.seat", "key=lambda each: 0",
            everywhere=True),
    Defence("CH5", "protocol/proceedings.py", "Known() if self.forgotten(name) else Beyond()",
            "Known() if False else Beyond()", "test_forgetting"),
    Defence("CH5", "protocol/ledger.py",
            "            return Known() if earlier.id == signed.id else Equivocation(earlier)",
            "            return Equivocation(earlier)", "replays"),
    Defence("CH6", "protocol/transcript.py", 'raise MalformedMessage("transcript.incomplete"',
            'return; raise MalformedMessage("transcript.incomplete"'),
    Defence("CH7", "protocol/identity.py", 'raise BadSignature("signature") from None', "return"),
    Defence("CH8", "protocol/edwards.py",
            "if _is_neutral(point) or not _is_neutral(_times(ORDER, point)):", "if False:"),
    Defence("CH9", "protocol/envelope.py",
            "return digest(labels.MESSAGE_ID, bytes((self.purpose,)), self.body)",
            "return digest(labels.MESSAGE_ID, bytes((self.purpose,)), self.signature, "
            "self.body)"),
    Defence("CH11", "protocol/playing.py", "tuple(self.outcome.scores) != scores:",
            "len(self.outcome.scores) != len(scores):", "test_attacks"),
    Defence("CH12", "protocol/ledger.py",
            "if place.round >= closed + WINDOW or place.round > MAX_ROUND:", "if False:",
            "test_floods"),
    Defence("CH12", "protocol/schema.py", "if not self.least <= value <= self.most:", "if False:",
            "test_messages"),
    Defence("CH13", "protocol/reception.py", "    if seat != envelope.seat:", "    if False:"),
    Defence("CH14", "protocol/turn.py",
            "if ours and not returning and not isinstance(received.offered, Known):", "if False:"),
    Defence("MP1", "protocol/encoding.py", "raise MalformedMessage(\"encoding.canonical\"",
            "MalformedMessage(\"encoding.canonical\"", everywhere=True),
    Defence("MP2", "protocol/encoding.py", 'raise MalformedMessage("encoding.type", f"form',
            'return 1, 0, False; raise MalformedMessage("encoding.type", f"form'),
    Defence("MP4", "protocol/encoding.py", '    if "\\0" in _texts(value):', "    if False:"),
    Defence("MP6", "protocol/encoding.py", "    if place != end:", "    if False:"),
    Defence("MP7", "protocol/encoding.py", "        if length > end - place:", "        if False:"),
    Defence("MP8", "protocol/encoding.py", "            if len(missing) > MAX_DEPTH:",
            "            if False:"),
    Defence("MP9", "protocol/schema.py", "if not self.least <= value <= self.most:", "if False:"),
    Defence("MP10", "protocol/schema.py", "if len(value) != len(self.fields):", "if False:"),
    Defence("MP11", "protocol/reception.py", "    envelope = open_envelope(raw, charter)\n    try:",
            "    envelope = Envelope.from_bytes(raw)\n"
            "    decode_body(envelope)\n    envelope = open_envelope(raw, charter)\n    try:"),
    Defence("ID4", "protocol/charter.py", "if version != PROTOCOL_VERSION:", "if False:"),
    Defence("ID5", "protocol/charter.py",
            "if len({entry.key for entry in self.seats}) != len(self.seats):", "if False:"),
    Defence("ID6", "protocol/charter.py", "        if entry.nonce != nonce:", "        if False:"),
)
# fmt: on
