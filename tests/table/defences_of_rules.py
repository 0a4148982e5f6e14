"""The rest of the defences: what the rules forbid, and what one's own machine takes care of."""

from __future__ import annotations

from typing import Final

from tests.table.defences import CARDS, HISTORY, Defence

# fmt: off
RULES: Final = (
    Defence("RU1", "p2p304/rules304/bidding.py", "    if bid < floor:", "    if False:",
            "does not go above"),
    Defence("RU2", "protocol/ledger.py", "or place.seat not in self.contributors:", ":",
            "not_awaited"),
    Defence("RU2", "protocol/ledger.py",
            "Known() if earlier.id == signed.id else Equivocation(earlier)", "Known()",
            "second_word"),
    Defence("RU3", "protocol/distinction.py",
            "        raise ProofError(check, error.check) from None", "        return", "face up"),
    Defence("RU3", "p2p304/rules304/play.py", 'return none_of_suit(state, rest, led, "9.1", why)',
            "return ()", "without a proof"),
    Defence("RU4", "protocol/distinction.py",
            "        raise ProofError(check, error.check) from None", "        return",
            "face down]"),
    Defence("RU4", "p2p304/rules304/play.py",
            '    if not state.plays:\n        raise RulesError("9",',
            '    if False:\n        raise RulesError("9",', "lead face down"),
    Defence("RU4", "p2p304/rules304/play.py",
            '    if state.trump is not None:\n        raise RulesError("9.1", "trump is open',
            '    if False:\n        raise RulesError("9.1", "trump is open', "trump open"),
    Defence("RU4", "p2p304/rules304/play.py",
            'void = none_of_suit(state, state.hands[seat], led, "9.2", why)', "void = ()",
            "without a proof"),
    Defence("RU5", "p2p304/rules304/play.py",
            'void = none_of_suit(state, state.hands[seat], led, "9.2", why)',
            'void = none_of_suit(state, state.hands[seat][1:], led, "9.2", why)', "leaves out"),
    Defence("RU5", "protocol/distinction.py",
            "        raise ProofError(check, error.check) from None", "        return", "twice"),
    Defence("RU6", "p2p304/rules304/play.py",
            'void = none_of_suit(state, state.hands[seat], led, "9.2", why)',
            "void = none_of_suit(state, (*state.hands[seat], state.indicator) if seat == "
            'state.maker else state.hands[seat], led, "9.2", why)', "only_card"),
    Defence("RU7", "protocol/distinction.py",
            "        raise ProofError(check, error.check) from None", "        return", "one is"),
    Defence("RU7", "p2p304/rules304/play.py",
            'return void + off_trump(state, (slot,), "9.3", limit)', "return void", "thrown away"),
    Defence("RU8", "p2p304/rules304/tricks.py",
            '        raise RulesError("10.2", "none of the face-down cards is a trump")',
            "        pass", "cards that are none"),
    Defence("RU8", "protocol/equality.py", "raise ProofError(check",
            "return; raise ProofError(check", "wished", True),
    Defence("RU9", "p2p304/rules304/tricks.py",
            '    statements += none_of_suit(state, discard, trump, "10.2", why)\n', ""),
    Defence("RU11", "p2p304/rules304/play.py", 'return indicator_not_of(state, suit, "8", why)',
            "return ()", "first lead"),
    Defence("RU11", "p2p304/rules304/play.py",
            '            raise RulesError("9.3", "the indicator is led in the last trick only")',
            "            pass", "of the indicator"),
    Defence("RU12", "p2p304/rules304/dealing.py", "    if slot not in hand:\n", "    if False:\n",
            "old"),
    Defence("RU12", "protocol/equality.py", "raise ProofError(check",
            "return; raise ProofError(check", "another suit", True),
    Defence("RU13", "p2p304/rules304/play.py",
            "if exhausted_binds(state) and state.trump in state.unfollowed and suit",
            "if False and suit", "exhausted"),
    Defence("RU14", "p2p304/rules304/calls.py",
            'statements = none_of_suit(state, state.dealt[seat], trump, "12", why)',
            "statements = ()", "no trump was"),
    Defence("RU14", "protocol/equality.py", "raise ProofError(check",
            "return; raise ProofError(check", "somebody else", True),
    Defence("RU15", "p2p304/rules304/dealing.py", "    if points >= profile.redeal_below:",
            "    if False:", "count enough]"),
    Defence("RU15", "p2p304/rules304/dealing.py",
            "    if seat != right_of(state.dealer):\n"
            '        raise RulesError("5.5", "only the seat at the dealer\'s right may demand '
            'a redeal")\n'
            "    if not bidding.first_slot(state.auction) or state.auction.asked is not None:",
            "    if False:", "another may"),
    Defence("RU15", "protocol/proving.py", "            verify_score_below(",
            "            (lambda *_, **__: None)(", "proved of"),
    Defence("RU16", "protocol/expansion.py",
            'digest(labels.DEAL_SEED, self._seed, deal.to_bytes(4, "big"))',
            "digest(labels.DEAL_SEED, self._seed, bytes(4))"),
    Defence("RU17", "protocol/turn.py", "self.now - moved >= HEADS_INTERVAL and waiting",
            "False and waiting"),
    Defence("RU19", "p2p304/rules304/count.py",
            '    exactly(action.cards, due_at_count(state, seat), "15", "the cards to open")\n', "",
            "leaves a card"),
    Defence("RU19", "protocol/equality.py", "raise ProofError(check",
            "return; raise ProofError(check", "counted as", True),
    Defence("RU20", "protocol/playing.py", "tuple(self.outcome.scores) != scores:",
            "sum(self.outcome.scores) != sum(scores):"),
    Defence("RU21", "protocol/ledger.py", "or place.seat not in self.contributors:", ":"),
    Defence("RU22", "p2p304/rules304/play.py",
            '    raise RulesError("S1", f"slot {slot} is no unplayed',
            '    return False\n    raise RulesError("S1", f"slot {slot} is no unplayed', "twice"),
    Defence("RU23", "protocol/deck.py", "and hidden.owner != seat and seat in hidden.locks",
            "and seat in hidden.locks"),
    Defence("RU24", "p2p304/rules304/dealing.py",
            "    return Step(dealt, (), _dealt(state, batch))\n",
            "    early = (*_dealt(state, batch), *_dealt(state, _batch(state, 1)))\n"
            "    return Step(dealt, (), early)\n"),
)

MACHINE: Final = (
    Defence("MQ1", "cli/net/gate.py", "return topic == self._topic and self._admit(payload)",
            "return self._admit(payload)", "asks_nobody"),
    Defence("MQ2", "cli/net/broker.py", "packet.raw[1:] if retained else packet.raw",
            "packet.raw[1:] if False else packet.raw", "nothing_is_retained"),
    Defence("MQ4", "cli/net/packets.py", "if size > self._limit:", "if False:", "at_its_header"),
    Defence("MQ5", "cli/net/mqtt.py", "        except Exception:  # noqa",
            "        except ZeroDivisionError:  # noqa"),
    Defence("MQ6", "cli/net/connection.py",
            'return "".join(secrets.choice(_LETTERS) for _ in range(22))', 'return "a" * 22',
            "gains_nothing"),
    Defence("MQ10", "cli/net/link.py", "ssl.create_default_context(cafile=credentials.ca)",
            "ssl._create_unverified_context(cafile=credentials.ca)", "unknown_authority"),
    Defence("MQ9", "protocol/identity.py", "    for size in FRAME_SIZES:",
            "    for size in range(64, 16_385):", "three_sizes"),
    Defence("MQ11", "protocol/identity.py", "salt = entropy(SALT_BYTES)",
            "salt = bytes(SALT_BYTES)"),
    Defence("MQ13", "cli/invite.py", "if not _looks_random(self.table_key) or", "if"),
    Defence("ID1", "cli/table/lobby.py",
            "if claim.seat >= len(self._tokens) or not claim.holds(self._tokens[claim.seat]):",
            "if claim.seat >= len(self._tokens):", "without_the_token"),
    Defence("CL1", "protocol/expansion.py", '        return "Secrets()"',
            '        return f"Secrets({self._seed.hex()})"', "test_attacks"),
    Defence("CL2", "cli/store/disk.py", "0o600)", "0o644)"),
    Defence("CL3", "protocol/commitment.py",
            "    if commit(context=context, salt=salt, value=value) != commitment:\n"
            '        raise ProofError("commitment.opening")',
            "    assert commit(context=context, salt=salt, value=value) == commitment",
            "judge_nothing"),
    Defence("CL4", "protocol/turn.py", "self.events += [Persist(signed.raw), Send(signed.raw)]",
            "self.events += [Send(signed.raw), Persist(signed.raw)]", "persisted"),
    Defence("CL5", "protocol/gossip.py",
            "        if set(self.answers) != others:\n            return False\n", "",
            "all_others"),
    Defence("CL6", "cli/sanitize.py", "harmless = _is_harmless(char) or", "harmless = True or"),
    Defence("CL7", "cli/sanitize.py", "_LOOKALIKES)", "{})"),
    Defence("CL8", "cli/store/paths.py", "    if len(table) != TABLE_BYTES:\n", "    if False:\n"),
    Defence("CL9", "cli/auditing.py",
            "    if not stat.S_ISREG(place.stat().st_mode):\n        raise OSError",
            "    if False:\n        raise OSError", "no_regular"),
    Defence("CL9", "cli/auditing.py",
            "            if auditor.report.broken is not None:\n                break\n", "",
            "ten_gigabytes_ends"),
    Defence("CL12", "protocol/session.py", "        except PeerFault as fault:\n"
            "            return self._blame(fault)\n"
            "        return self._done(turn)\n\n    def act", "        except PeerFault as fault:\n"
            "            return self._blame(fault)\n" "        except Exception:\n"
            "            pass\n        return self._done(turn)\n\n    def act", "test_attacks"),
    Defence("CL13", "protocol/docket.py", "except (MalformedMessage, ProofError) as error:\n"
            "            raise self.fault(signed, error.check) from None",
            "except Exception as error:\n"
            "            raise self.fault(signed, str(error)) from None", "test_attacks"),
    Defence("PR3", "protocol/identity.py", "FRAME_SIZES: Final = (1024, 4096, 16_384)",
            "FRAME_SIZES: Final = (*range(512, 16_384), 16_384)", "no_card"),
    Defence("PR7", "protocol/expansion.py",
            'digest(labels.DEAL_SEED, self._seed, deal.to_bytes(4, "big"))',
            "digest(labels.DEAL_SEED, self._seed, bytes(4))"),
    Defence("RS2", "protocol/session.py", "            return self._done(turn)\n"
            "        try:\n            if isinstance(message, Notice):\n"
            "                turn.hear",
            "        try:\n            if isinstance(message, Notice):\n"
            "                turn.hear"),
    Defence("RS3", "protocol/proceedings.py", "AHEAD: Final = 1", "AHEAD: Final = 1_001"),
    Defence("RS4", "protocol/turn.py", "self.events += [Persist(each.raw) for each in accepted]",
            "self.events += [Persist(each.raw) for each in accepted]\n"
            "        if not accepted:\n            self.events.append(Persist(b'x'))"),
    Defence("RS5", "protocol/gossip.py", "return before is None or now - before >= ANSWER_INTERVAL",
            "return True"),
    Defence("RS6", "protocol/audit.py", "        match entry:\n            case Charter():",
            "        group = __import__('protocol.group', fromlist=['group'])\n"
            "        for _ in range(self._subjects.total()):\n"
            "            group.base_multiply(group.Scalar(7))\n"
            "        match entry:\n            case Charter():"),
    Defence("RS7", "protocol/encoding.py",
            "    if len(data) > max_bytes:\n        raise MalformedMessage",
            "    if False:\n        raise MalformedMessage"),
)
# fmt: on

DEFENCES: Final = (*CARDS, *HISTORY, *RULES, *MACHINE)
