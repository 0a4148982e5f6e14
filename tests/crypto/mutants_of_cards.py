"""Mutants of masked cards beyond those of `test_card_verifier_mutants`; see `mutants`."""

from __future__ import annotations

from typing import Final

from tests.crypto.mutants import Mutant

# fmt: off
LAYOUT: Final = (
    Mutant("layout", "return Point.from_bytes(self._take(POINT_BYTES))",
           "self._take(POINT_BYTES)\n        from protocol.group import GENERATOR\n"
           "        return GENERATOR", "points are not decoded"),
    Mutant("layout", "return Scalar.from_bytes(self._take(SCALAR_BYTES))",
           "from protocol.group import ORDER\n"
           '        return Scalar(int.from_bytes(self._take(SCALAR_BYTES), "big") % ORDER)',
           "scalars are reduced in silence"),
    Mutant("layout", "        self._place = start + length\n", "        self._place = start\n",
           "every field is the first"),
    Mutant("context", "if type(number) is not int or not 0 <= number < 1 << 8 * _NUMBER_BYTES:",
           "if not 0 <= number < 1 << 8 * _NUMBER_BYTES:", "True is round 1"),
    Mutant("context", "if type(number) is not int or not 0 <= number < 1 << 8 * _NUMBER_BYTES:",
           "if type(number) is not int:", "numbers that do not fit"),
    Mutant("context", "            if type(data) is not bytes:", "            if False:",
           "identifiers that are not bytes"),
    Mutant("context", 'kind=f"{self.kind}/{number}"', "kind=self.kind", "all parts are one"),
    Mutant("context", "            labels.PROOF_CONTEXT,\n", '            b"",\n', "no label"),
)

WEIGHTS: Final = (
    Mutant("weights", 'low = int.from_bytes(drawn[:_HALF], "little") + 1',
           'low = int.from_bytes(drawn[:_HALF], "little")', "a weight may be zero"),
    Mutant("weights", "(low + high * LAMBDA) % ORDER", "low % ORDER", "64 bits of choice"),
    Mutant("weights", "drawn = sponge.squeeze(count * WEIGHT_BYTES)",
           "drawn = sponge.squeeze(WEIGHT_BYTES) * count", "one weight for all: errors cancel"),
    Mutant("permutation", "% (last + 1)", "% len(places)", "a biased shuffle"),
    Mutant("permutation", "places[last], places[pick] = places[pick], places[last]",
           "places[last] = places[pick]", "no permutation"),
    Mutant("permutation", "drawn[start : start + _DRAW_BYTES]", "drawn[:_DRAW_BYTES]",
           "one draw for every place"),
    Mutant("constants", "labels.SUIT_POINT_DST", "labels.CARD_POINT_DST",
           "suits under the tag of cards"),
    Mutant("constants",
           'return hash_to_curve(place.to_bytes(4, "big"), labels.SHUFFLE_GENERATOR_DST)',
           "from protocol.group import Scalar, base_multiply\n"
           "    return base_multiply(Scalar(place + 2))", "generators with known logarithms"),
    Mutant("constants", 'return hash_to_curve(str(card).encode("ascii"), labels.CARD_POINT_DST)',
           "from protocol.group import Scalar, base_multiply\n"
           "    return base_multiply(Scalar(hash(str(card)) % 997 + 2))",
           "cards with known logarithms"),
    Mutant("constants", "return hash_to_curve(_CHAIN_BASE_NAME, labels.SHUFFLE_GENERATOR_DST)",
           "return _shuffle_generator(0)", "the chain's base is a generator"),
    Mutant("constants", "return hash_to_curve(_SCORE_UNIT_NAME, labels.SCORE_POINT_DST)",
           "from protocol.group import GENERATOR\n    return GENERATOR",
           "points are counted in a base that masks are multiples of"),
)

SHUFFLE: Final = (
    Mutant("shuffle", "if not self.keys or not self.before or len(self.before) != len(self.after):",
           "if not self.keys or not self.before:", "more cards after than before"),
    Mutant("shuffle", "if any(len(card) != width for card in (*self.before, *self.after)):",
           "if False:", "a card with a half more or less"),
    Mutant("shuffle", "if sorted(permutation) != list(range(count)) or len(secret.masks) != count:",
           "if False:", "what is no permutation is proved"),
    Mutant("shuffle", "if len({mask.value for mask in masks}) != len(masks):", "if False:",
           "a stuck source masks all cards alike"),
    Mutant("shuffle", "    links[-1] -= challenge * second.last\n", "",
           "the verifier does not tie the last link"),
    Mutant("shuffle", "        product = product * weight % ORDER\n    first_link",
           "        product = 1\n    first_link", "the verifier forgets the product"),
    Mutant("shuffle", "        links[place - 1] += responses[place] * second.links[place]\n",
           "        pass\n", "the verifier does not chain the links"),
    Mutant("shuffle", "(-challenge * chain * second.total, sum_points(proof.commitments)),\n", "",
           "the verifier forgets the sum of the commitments"),
    Mutant("shuffle", "(challenge * chain * second.total, sum_points(generators)),\n", "",
           "the verifier forgets the sum of the generators"),
    Mutant("shuffle", "(-mask_sum, _merge(statement.keys, second.halves)),\n", "",
           "the verifier forgets the halves' keys"),
    Mutant("shuffle", "matrix * matrix_sum + chain * chain_sum - mask * mask_sum",
           "matrix * matrix_sum + chain * chain_sum", "the verifier forgets the masks' sum"),
    Mutant("shuffle", "(chain * first_link, chain_base()),\n", "",
           "the verifier forgets the chain's base"),
    Mutant("shuffle", "                *zip(responses, bases, strict=True),\n", "",
           "the verifier forgets the outputs"),
    Mutant("shuffle", "image_weights = (matrix, mask, *second.halves)",
           "image_weights = (matrix, mask, 0, *second.halves[1:])",
           "the verifier forgets the card half before"),
    Mutant("shuffle", "image_weights = (matrix, mask, *second.halves)",
           "image_weights = (matrix, mask, *second.halves[:-1], 0)",
           "the verifier forgets the suit half before"),
    Mutant("shuffle", "image_weights = (matrix, mask, *second.halves)",
           "image_weights = (matrix, 0, *second.halves)", "the verifier forgets the masks before"),
    Mutant("shuffle", "image_weights = (matrix, mask, *second.halves)",
           "image_weights = (0, mask, *second.halves)", "the verifier forgets the matrix"),
    Mutant("shuffle", "zip((matrix, chain, mask, 1), proof.announcements",
           "zip((matrix, chain, mask, 0), proof.announcements", "an announcement is not compared"),
    Mutant("shuffle", "        labels.SHUFFLE_NONCE,\n        statement,",
           "        labels.SHUFFLE_NONCE,\n        (),", "nonces do not depend on the statement"),
    Mutant("shuffle", "        (*secret.permutation, *[mask.value for mask in secret.masks]),",
           "        (),", "nonces do not depend on the secret"),
    Mutant("shuffle", "    if not mask:\n        return card\n", "",
           "a mask of 0 is a crash instead of the same card"),
    Mutant("shuffle", "permutation: tuple[int, ...] = field(repr=False)",
           "permutation: tuple[int, ...]", "the permutation shows itself"),
)

MASKING: Final = (
    Mutant("masking", "        if self.keys() != keys:", "        if False:",
           "a share under wrong keys leaves"),
    Mutant("masking", "    if card == suit:\n        raise LocalError",
           "    if False:\n        raise LocalError", "a stuck source makes equal halves"),
    Mutant("masking", "    if len(set(pack)) != len(pack):", "    if False:", "a card twice"),
    Mutant("masking", "add(suit_point(card.suit), keys.suit)",
           "add(suit_point(card.suit), keys.card)",
           "one key for both halves"),
    Mutant("masking", "    card: SecretScalar = field(repr=False)", "    card: SecretScalar",
           "a field of the secret shows"),
    Mutant("masking", "context.session_identifier(labels.KEY_PURPOSE)", 'b"k" * 32',
           "possession is proved nowhere in particular", everywhere=True),
    Mutant("masking", "sum_points([each.suit for each in keys])", "keys[-1].suit",
           "the last seat alone masks the suits"),
)

EQUALITY: Final = (
    Mutant("equality", "        if not self.keys or not self.bases or",
           "        if", "a batch of nothing"),
    Mutant("equality", "        if any(len(row) != len(self.bases) for row in self.images):",
           "        if False:", "an image too few"),
    Mutant("equality",
           "        builder.equation([builder.element(key)], [(secret, GENERATOR_INDEX)])\n",
           "", "the key is not tied"),
    Mutant("equality",
           "        builder.equation([builder.element(_weighted(row, weights))], "
           "[(secret, base)])\n",
           "        builder.equation([builder.element(key)], [(secret, base)])\n"
           "        _weighted(row, weights)\n", "the images are not tied"),
    Mutant("equality", "    for key, row in zip(statement.keys, statement.images, strict=True):",
           "    for key, row in list(zip(statement.keys, statement.images, strict=True))[:1]:",
           "the suit half is not proved"),
    Mutant("equality", "            terms.append((Scalar(ORDER - weight), difference[1]))",
           "            pass", "a difference is its first point"),
    Mutant("equality", '        raise ProofError("equality.identity") from None', "        raise",
           "an identity sum is a crash"),
    Mutant("equality", "return builder.relation(), bound", "return builder.relation(), session",
           "the proof does not bind what its sums were made of"),
    Mutant("equality", "        labels.BATCH_EQUALITY,\n", '        b"",\n', "no label"),
)

SHARES: Final = (
    Mutant("shares", "            tuple((share.suit,) for share in shares),\n",
           "            tuple((share.card,) for share in shares),\n",
           "the suit's share is not looked at"),
    Mutant("shares", "            tuple((share.card,) for share in shares),\n",
           "            tuple((share.suit,) for share in shares),\n",
           "the card's share is not looked at"),
    Mutant("shares", "    verify_equality(\n", "    (lambda *_, **__: None)(\n",
           "no proof of shares"),
    Mutant("shares", "context.session_identifier(labels.SHARE_PURPOSE)", 'b"s" * 32',
           "shares are proved nowhere in particular", everywhere=True),
    Mutant("shares", "labels.SHARE_PURPOSE", "labels.OPENING_PURPOSE",
           "a share's purpose is an opening's", everywhere=True),
    Mutant("shares", "card.mask, subtract(card.card, share.card), subtract(card.suit, share.suit)",
           "card.mask, subtract(card.card, share.card), card.suit", "one half keeps its mask"),
)

HANDOVER: Final = (
    Mutant("handover", "            [builder.element(share)], [(secret, mask), (cover_secret, "
           "builder.element(theirs))]",
           "            [builder.element(share)], "
           "[(secret, mask), (cover_secret, GENERATOR_INDEX)]",
           "the cover is for nobody's key"),
    Mutant("handover", "(suit_secret, message.suit_share, owner.suit, reader.suit)",
           "(suit_secret, message.suit_share, owner.suit, reader.card)",
           "the suit half is under the key of the card half"),
    Mutant("handover", "        (suit_secret, message.suit_share, owner.suit, reader.suit),\n", "",
           "the suit half is not proved"),
    Mutant("handover", "            negate(message.cover),", "            message.cover,",
           "the reader's mask has the wrong sign"),
    Mutant("handover", '        raise ProofError("hand-over.identity") from None', "        raise",
           "an identity is a crash"),
    Mutant("handover", "(session, join(card), join(reader)),", "(session, join(reader)),",
           "a stuck source covers two cards alike"),
    Mutant("handover", "        (secret.card.value, secret.suit.value),", "        (),",
           "a stuck source shows the cover"),
    Mutant("handover", "context.session_identifier(labels.HANDOVER_PURPOSE)", 'b"h" * 32',
           "hand-overs are proved nowhere in particular", everywhere=True),
)

DISTINCTION: Final = (
    Mutant("distinction",
           "        builder.equation(\n            [difference],\n",
           "        builder.element(difference) if False else None\n"
           "        builder.equation(\n            [scaled, difference, (difference, -1)],\n",
           "T is not tied"),
    Mutant("distinction", "                (blind, second, -1),\n", "",
           "a card is compared with nothing"),
    Mutant("distinction", "zip(masks, (-1, 1), strict=False)", "zip(masks, (-1,), strict=False)",
           "the other card's mask is forgotten"),
    Mutant("distinction",
           "            if number != true_list:\n                difference = decoy\n",
           "            if number != true_list:\n"
           "                difference = difference or decoy\n",
           "what is published for other lists tells which of their cards are of the suit"),
    Mutant("distinction",
           "            difference = _scaled_difference(comparison, blind, product)\n"
           "            if number != true_list:",
           "            difference = (\n"
           "                _scaled_difference(comparison, blind, product)\n"
           "                if number == true_list else None\n            )\n"
           "            if number != true_list:",
           "which list is true shows in the work"),
    Mutant("distinction", "            key.to_bytes(),\n", "", "hedging forgets the key"),
    Mutant("distinction", "        (secret.value, true_list),", "        (true_list,),",
           "a stuck source shows the blinds"),
    Mutant("distinction", "    if not lists or not all(lists) or not 0 <= true_list < len(lists):",
           "    if False:", "a distinction of nothing"),
    Mutant("distinction", "points=2 * sum(counts), scalars=scalars",
           "points=2 * sum(counts), scalars=scalars - 1", "a scalar is not read"),
)

SCORE: Final = (
    Mutant("score", "        if any(value < 0 for value in values):", "        if False:",
           "cards that count less than nothing"),
    Mutant("score", "    below = [each for each in table.sums(len(hidden)) if each < limit]\n"
           "    if not below",
           "    below = [each for each in table.sums(len(hidden)) if each <= limit]\n"
           "    if not below", "the limit itself is below the limit"),
    Mutant("score", "        shuffle.to_bytes(),\n", "", "the rows are not bound"),
    Mutant("score",
           '        b"".join(place.to_bytes(_ROW_BYTES, "big") for place in places),\n', "",
           "the places are not bound"),
    Mutant("score", "        builder.equation([builder.element(keys.suit)], "
           "[(secret, GENERATOR_INDEX)])\n", "", "the sum's key is not tied"),
    Mutant("score", "        if total:\n            image.append((builder.element(score_unit()), "
           "-total))\n", "", "all sums are zero"),
    Mutant("score", "        bases=tuple((card.mask, row[0]) for card, row in pairs),",
           "        bases=tuple((card.mask,) for card, row in pairs),",
           "a row's mask is forgotten"),
    Mutant("score", "        images=(tuple((card.card, row[1]) for card, row in pairs),),",
           "        images=(tuple((card.card,) for card, row in pairs),),", "a row is forgotten"),
    Mutant("score", "        if type(data) is not bytes:", "        if False:", "not bytes"),
    Mutant("score", "        for scalars in (same_cards, low_sum):", "        for scalars in ():",
           "scalars are not decoded before anything is computed"),
    Mutant("score", "    if total >= limit:", "    if False:", "a false statement is begun"),
    Mutant("score", " or len(proof.places) != len(hidden)", "", "a place too many"),
    Mutant("score", "        purpose=labels.SCORE_SHUFFLE_PURPOSE",
           "        purpose=labels.HAND_SHUFFLE_PURPOSE", "a table is a hand", everywhere=True),
)

PROVING: Final = (
    Mutant("proving", "return bool(slots) or limit <= 0", "return bool(slots)",
           "nothing counts fewer points than nothing"),
    Mutant("proving", "            return all(alternative.slots for alternative in alternatives)",
           "            return any(alternative.slots for alternative in alternatives)",
           "an empty alternative is not true"),
    Mutant("proving", "            return all(alternative.slots for alternative in alternatives)",
           "            return False", "alternatives need no proof"),
    Mutant("proving", "            return bool(statement.slots)", "            return False",
           "statements need no proof"),
    Mutant("proving", "labels.SUIT_OPENING_PURPOSE", "labels.OPENING_PURPOSE",
           "an opening of suits is one of cards", everywhere=True),
    Mutant("proving", "labels.ALTERNATIVES_PURPOSE", "labels.DISTINCTION_PURPOSE",
           "alternatives are a distinction", everywhere=True),
    Mutant("proving",
           '    LayoutReader("opening", proof, points=0, scalars=count).scalars(count)\n',
           "", "an opening is not decoded first"),
    Mutant("proving", "tuple((each.card, card_point(card)) for each",
           "tuple((each.card,) for each", "the card of an opening is forgotten"),
    Mutant("proving", "tuple((each.suit, suit_point(suit)) for each in hidden)",
           "tuple((each.suit,) for each in hidden)", "the suit of an opening is forgotten"),
    Mutant("proving", "        keys=(deck.keys[seat].suit,),", "        keys=(deck.keys[0].suit,),",
           "everybody proves under the first seat's key"),
    Mutant("proving", "    hidden = deck.under(seat, statement.slots)",
           "    hidden = deck.under(seat, statement.slots[:1])", "one slot stands for all"),
)

DECK: Final = (
    Mutant("deck", 'raise ProofError("deck.remix", "a remix takes one\'s own cards")', "pass",
           "a reader mixes in a card that was handed over to it"),
    Mutant("deck", "        if not len(new) == len(after) == len(before):", "        if False:",
           "slots that are not new or not as many"),
    Mutant("deck", "        verify_shuffle(statement, step.proof, context=context, "
           "purpose=labels.DECK_SHUFFLE_PURPOSE)\n", "", "no argument of the deck's shuffle"),
    Mutant("deck", "        verify_shuffle(statement, step.proof, context=context, "
           "purpose=labels.HAND_SHUFFLE_PURPOSE)\n", "", "no argument of the hand's shuffle"),
    Mutant("deck", "labels.HAND_SHUFFLE_PURPOSE", "labels.DECK_SHUFFLE_PURPOSE",
           "a hand's shuffle is a deck's", everywhere=True),
    Mutant("deck", "        verify_shares([each.card for each in hidden], batch, self.keys[seat], "
           "context=context)\n", "", "no proof of shares"),
    Mutant("deck", "        verify_handover(\n", "        (lambda *_, **__: None)(\n",
           "no proof of hand-overs"),
    Mutant("deck", "if hidden.owner is not None and hidden.owner != seat and seat in hidden.locks",
           "if hidden.owner is not None and seat in hidden.locks", "a seat shares its own cards"),
    Mutant("deck", "if hidden.owner is not None and hidden.owner != seat and seat in hidden.locks",
           "if hidden.owner != seat and seat in hidden.locks", "undealt cards are shared"),
    Mutant("deck", "if hidden.owner is not None and hidden.owner != seat and seat in hidden.locks",
           "if hidden.owner is not None and hidden.owner != seat", "a share is owed twice"),
    Mutant("deck", "locks=each.locks - {seat}", "locks=each.locks", "a share opens nothing"),
    Mutant("deck", "        sorted(\n                slot", "        list(\n                slot",
           "shares lie in the order of some mapping"),
    Mutant("deck", "        if owner is None:", "        if False:",
           "an undealt card is handed over"),
    Mutant("deck", "        if not before or len(set(before)) != len(before):",
           "        if len(set(before)) != len(before):", "a remix of nothing"),
    Mutant("deck", "for slot, hidden in self.slots.items() if slot not in before}",
           "for slot, hidden in self.slots.items()}", "retired slots stay"),
    Mutant("deck", "for slot, face in self.faces.items() if slot not in before}",
           "for slot, face in self.faces.items()}", "faces of retired slots stay"),
    Mutant("deck", "        proof = ShuffleProof.from_bytes(data[split:], cards=cards)\n"
           "        return cls(cards_from_bytes(data[:split], count=cards), proof)",
           "        found = cards_from_bytes(data[:split], count=cards)\n"
           "        return cls(found, ShuffleProof.from_bytes(data[split:], cards=cards))",
           "points are decoded before the length is judged"),
    Mutant("deck", "    secret.check_keys(deck.keys[seat])\n", "", "shares under other keys leave"),
    Mutant("deck", "    secret.check_keys(deck.keys[owner])\n", "",
           "hand-overs under other keys leave"),
    Mutant("deck", "        self.hidden(slot)\n        known", "        known",
           "a slot that does not exist is opened"),
)
# fmt: on

CARDS: Final = (
    *LAYOUT,
    *WEIGHTS,
    *SHUFFLE,
    *MASKING,
    *EQUALITY,
    *SHARES,
    *HANDOVER,
    *DISTINCTION,
    *SCORE,
    *PROVING,
    *DECK,
)
