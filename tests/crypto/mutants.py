"""Mutants of the cryptographic layer: one thing taken out of the product each.

`make mutants` plants each in a private copy of the tree and runs the tests that should notice. This
list holds the proof engine and what `test_card_verifier_mutants` leaves of the masked cards; that
module's list runs with it. A mutant that survives is a missing test.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Mutant(NamedTuple):
    """In `file`, the first `original` becomes `replacement`: then a test should fail, for `reason`.

    With `everywhere` each `original` of the file is replaced.
    """

    file: str
    original: str
    replacement: str
    reason: str
    tests: tuple[str, ...] = ()
    everywhere: bool = False


# The tests that concern a file, the quick ones first.
TESTS: Final[dict[str, tuple[str, ...]]] = {
    "scalar": ("test_group_encoding", "test_group_operations", "test_what_secrets_show"),
    "group": ("test_group_encoding", "test_group_operations", "test_hash_to_curve"),
    "hash_to_curve": ("test_hash_to_curve", "test_group_operations"),
    "sponge": ("test_sponge", "test_sigma_vectors"),
    "ciphersuite": ("test_sponge", "test_sigma_instances", "test_sigma_vectors"),
    "relation": ("test_sigma_instances", "test_sigma_forgeries", "test_sigma_vectors"),
    "nonces": ("test_sigma_nonces", "test_what_secrets_show"),
    "sigma": (
        "test_sigma_instances",
        "test_sigma_nonces",
        "test_sigma_forgeries",
        "test_sigma_vectors",
    ),
    "disjunction": (
        "test_sigma_disjunction",
        "test_what_secrets_show",
        "test_card_pins",
        "test_proving",
    ),
    "commitment": ("test_commitment", "test_mutations"),
    "digest": ("test_digest",),
    "labels": ("test_group_operations",),
    "context": ("test_context", "test_card_pins"),
    "layout": ("test_card_pins", "test_masking", "test_mutations"),
    "weights": ("test_card_pins", "test_shuffle"),
    "permutation": ("test_card_pins", "test_shuffle", "test_shuffle_statistics"),
    "constants": ("test_card_pins", "test_masking", "test_shuffle", "test_proving"),
    "shuffle": (
        "test_card_pins",
        "test_shuffle",
        "test_shuffle_forgeries",
        "test_what_secrets_show",
        "test_edges_of_proofs",
    ),
    "masking": ("test_card_pins", "test_masking", "test_what_secrets_show", "test_deck"),
    "equality": (
        "test_card_pins",
        "test_deck",
        "test_proving",
        "test_mutations",
        "test_edges_of_proofs",
    ),
    "shares": ("test_card_pins", "test_deck", "test_mutations"),
    "handover": ("test_card_pins", "test_deck", "test_mutations", "test_edges_of_proofs"),
    "distinction": (
        "test_card_pins",
        "test_proving",
        "test_what_secrets_show",
        "test_mutations",
        "test_edges_of_proofs",
    ),
    "score": ("test_card_pins", "test_proving", "test_mutations", "test_edges_of_proofs"),
    "proving": ("test_card_pins", "test_proving", "test_what_secrets_show", "test_mutations"),
    "deck": ("test_card_pins", "test_deck", "test_proving", "test_mutations"),
}

_TYPE: Final = "if type(data) is not bytes:"
_LENGTH: Final = "if len(data) != "

SCALAR: Final = (
    Mutant(
        "scalar",
        f'{_TYPE}\n            raise MalformedMessage("scalar.type", type(data).__name__)',
        "if False:\n            pass",
        "what is not bytes becomes a scalar",
    ),
    Mutant("scalar", "if len(data) != SCALAR_BYTES:", "if False:", "a scalar of any length"),
    Mutant("scalar", "if value >= ORDER:", "if False:", "a scalar is reduced in silence"),
    Mutant("scalar", "if value >= ORDER:", "if value > ORDER:", "the order itself is a scalar"),
    Mutant("scalar", "if scalar.value == 0:\n", "if False:\n", "0 where it is forbidden"),
    Mutant("scalar", "if not 0 <= value < ORDER:", "if not 0 <= value <= ORDER:", "the order fits"),
    Mutant("scalar", "if type(value) is not int:", "if not isinstance(value, int):", "True is 1"),
    Mutant("scalar", "or len(wide) != WIDE_BYTES", "or False", "a biased scalar of few bytes"),
    Mutant(
        "scalar",
        "isinstance(self, SecretScalar) or isinstance(other, SecretScalar)",
        "isinstance(self, SecretScalar)",
        "public plus secret shows itself",
    ),
    Mutant(
        "scalar",
        'return "SecretScalar(<redacted>)"',
        'return f"SecretScalar({self.value})"',
        "a secret shows itself",
    ),
    Mutant("scalar", "if not secret:\n", "if False:\n", "a zero secret is drawn"),
    Mutant(
        "scalar",
        'if self.value == 0:\n            raise LocalError("0 has',
        'if False:\n            raise LocalError("0 has',
        "0 is inverted",
    ),
    Mutant(
        "scalar",
        '        raise TypeError("a secret scalar cannot be pickled or copied")',
        "        return Scalar, (self.value,)  # type: ignore[return-value]",
        "a secret is pickled",
    ),
    Mutant(
        "scalar",
        '        raise TypeError("a secret scalar is not hashable: its hash would show it")',
        "        return hash(self.value)  # type: ignore[return-value]",
        "a secret's hash shows it",
    ),
)

GROUP: Final = (
    Mutant("group", _TYPE, "if False:", "what is not bytes reaches the library"),
    Mutant("group", "if len(data) != POINT_BYTES:", "if False:", "65 bytes and hybrids"),
    Mutant(
        "group",
        "if data[0] not in (2, 3):",
        "if data[0] not in (2, 3, 4, 6, 7):",
        "every prefix that the library takes",
    ),
    Mutant(
        "group",
        "    wide = wide_digest(\n"
        "        labels.BLINDED_MULTIPLICATION, secret.to_bytes(), point.to_bytes(), entropy(32)\n"
        "    )",
        "    wide = entropy(64)",
        "a stuck source splits all keys alike",
    ),
    Mutant(
        "group",
        "return add(multiply(point, first), multiply(point, secret - first))",
        "return multiply(point, secret)",
        "a key meets a variable base unblinded",
    ),
    Mutant("group", "elif value == ORDER - 1:", "elif value == ORDER - 2:", "-2 is a negation"),
    Mutant("group", "if wrong:", "if False:", "a library that lies is taken"),
    Mutant(
        "group",
        "def self_test(library: type[PublicKey] = PublicKey) -> None:",
        "def self_test(library: type[PublicKey] = PublicKey) -> None:\n"
        "    library = PublicKey\n    ",
        "another library than the one at hand is tested",
    ),
    Mutant(
        "group",
        "elif value == 0:\n            continue",
        "elif False:\n            continue",
        "a zero term of a sum is multiplied",
    ),
    Mutant("group", "elif not 0 < value < ORDER:", "elif False:", "a value that is not reduced"),
    Mutant("group", "if value == 1:", "if value == 2:", "2 is 1"),
    Mutant(
        "group",
        "    if not terms:\n        raise Id",
        "    if False:\n        raise Id",
        "a sum of nothing",
    ),
    Mutant(
        "group",
        '        raise IdentityPoint("the sum of the points is the identity") from None',
        "        return points[0]  # type: ignore[index]",
        "an identity sum becomes a point",
    ),
    Mutant("group", "if not scalar.value:", "if False:", "0 times a point"),
    Mutant(
        "group",
        '        except ValueError:\n            raise MalformedMessage("point.curve")',
        '        except ZeroDivisionError:\n            raise MalformedMessage("point.curve")',
        "a point off the curve is another error",
    ),
)

HASH_TO_CURVE: Final = (
    Mutant("hash_to_curve", "if not 1 <= len(dst) <= 255:", "if not 0 <= len(dst) <= 256:",
           "tags that RFC 9380 does not allow"),
    Mutant("hash_to_curve", "y if y % 2 == u % 2 else _PRIME - y", "y", "the sign of y"),
    Mutant("hash_to_curve", "if factor else", "if True else", "the exceptional input"),
    Mutant("hash_to_curve", "u * u * u % _PRIME", "u * u % _PRIME", "roots where g(x1) has none"),
    Mutant("hash_to_curve", "if y * y % _PRIME != right:", "if False:", "g(x1) without a root"),
    Mutant("hash_to_curve", "if blocks > 255:", "if False:", "too many bytes of one message"),
)  # fmt: skip

SPONGE: Final = (
    Mutant("sponge", "bytes(_RATE - SESSION_ID_BYTES)", 'b""', "the first block is not padded"),
    Mutant("sponge", "if len(session_id) != SESSION_ID_BYTES:", "if False:", "any identifier"),
    Mutant("sponge", "            self._offset = 0\n", "            pass\n",
           "an absorb does not begin a new stream"),
    Mutant("sponge", "self.squeeze(width + OVERSAMPLING_BYTES)", "self.squeeze(width)",
           "biased challenges"),
    Mutant("sponge", "            self._state.update(data)\n", "            pass\n",
           "nothing is absorbed"),
    Mutant("sponge", "    sponge.absorb(tag)\n", "    pass\n", "all sessions are one"),
    Mutant("ciphersuite", "if value >= suite.order:", "if False:", "responses have two spellings"),
    Mutant("ciphersuite", "if len(data) != suite.scalar_bytes:", "if False:", "short scalars"),
)  # fmt: skip

RELATION: Final = (
    Mutant("relation", "if not equations:", "if False:", "instance check 1"),
    Mutant("relation", "any(not equation.image or not equation.terms", "any(not equation.image",
           "instance check 2: no terms"),
    Mutant("relation", "any(not equation.image or not equation.terms", "any(not equation.terms",
           "instance check 2: no image"),
    Mutant("relation", "if type(number) is not int or not 0 <= number < _INDEX_BOUND:",
           "if False:", "instance check 3"),
    Mutant("relation", "if any(index >= num_elements for index in referenced):", "if False:",
           "instance check 4"),
    Mutant("relation", "if any(index not in referenced", "if False and any(index not in referenced",
           "instance check 5: an element that is absorbed and used nowhere"),
    Mutant("relation", "if len(used) != count:", "if False:", "instance check 6"),
    Mutant("relation",
           "first is not group.generator and group.encode(first) != group.encode(group.generator)",
           "False", "instance check 7: another generator"),
    Mutant("relation", "if len(present) != len(elements):", "if False:", "instance check 8"),
    Mutant("relation",
           '        if image is None:\n'
           '            raise ProofError("instance.image", "an image is the identity")\n',
           "        if image is None:\n            image = group.generator\n", "instance check 9"),
    Mutant("relation", "if len(live) != num_scalars:", "if False:", "instance check 10"),
    Mutant("relation",
           "if any(not 0 <= coefficient < order for coefficient in coefficients):", "if False:",
           "coefficients that are not reduced"),
    Mutant("relation", 'parts.append(image_term.element.to_bytes(4, "little"))', "pass",
           "which element an image is, is not absorbed"),
    Mutant("relation", 'parts.append(image_term.coefficient.to_bytes(width, "big"))', "pass",
           "an image's coefficient is not absorbed"),
    Mutant("relation", 'parts.append(term.coefficient.to_bytes(width, "big"))', "pass",
           "a term's coefficient is not absorbed"),
    Mutant("relation", 'parts.append(term.scalar.to_bytes(4, "little"))', "pass",
           "a term's scalar is not absorbed"),
    Mutant("relation", 'parts.append(term.element.to_bytes(4, "little"))', "pass",
           "a term's element is not absorbed"),
    Mutant("relation", 'parts = [len(equations).to_bytes(4, "little")]', "parts = []",
           "the number of equations is not absorbed"),
    Mutant("relation", 'parts.append(len(equation.image).to_bytes(4, "little"))', "pass",
           "the number of image terms is not absorbed"),
    Mutant("relation", 'parts.append(len(equation.terms).to_bytes(4, "little"))', "pass",
           "the number of terms is not absorbed"),
    Mutant("relation", "parts.extend(group.encode(element) for element in elements[1:])", "pass",
           "no element is absorbed: weak Fiat-Shamir"),
    Mutant("relation", "(opposite, image)])", "])", "responses are compared with no image"),
)  # fmt: skip

NONCES: Final = (
    Mutant("nonces", "if type(fresh) is not bytes or len(fresh) != FRESH_BYTES:", "if False:",
           "a source that gives nothing"),
    Mutant("nonces", "wide_digest(label, *statement, secrets, fresh)",
           "wide_digest(label, *statement, fresh)", "nonces do not depend on the witness"),
    Mutant("nonces", "wide_digest(label, *statement, secrets, fresh)",
           "wide_digest(label, secrets, fresh)", "nonces do not depend on the statement"),
    Mutant("nonces", "wide_digest(label, *statement, secrets, fresh)",
           "wide_digest(label, *statement, secrets)", "nonces do not depend on chance"),
    Mutant("nonces", "self._count += 1", "pass", "all scalars of a source are one"),
    Mutant("nonces", "    def __reduce__(self) -> NoReturn:", "    def _unused(self) -> NoReturn:",
           "a source is copied and repeats its nonces"),
)  # fmt: skip

SIGMA: Final = (
    Mutant("sigma", "sponge.absorb(relation.to_bytes())", "pass", "weak Fiat-Shamir: no statement"),
    Mutant("sigma", "    sponge.absorb(commitment)\n", "    pass\n", "no commitment"),
    Mutant("sigma", 'session + b"-" + flavor', 'b"-" + flavor', "the session is not bound"),
    Mutant("sigma", 'session + b"-" + flavor + b"-with-" + ciphersuite',
           'session + b"-with-" + ciphersuite', "the flavor is not bound"),
    Mutant("sigma", '+ b"-with-" + ciphersuite', '+ b"-with-"', "the suite is not bound"),
    Mutant("sigma", "    if not session:", "    if False:", "a proof without a session"),
    Mutant("sigma", "if challenge != _challenge(relation, commitment, session, COMPACT):",
           "if False:", "any challenge"),
    Mutant("sigma", "if recompute_commitment(relation, response, challenge) != commitment:",
           "if False:", "any response"),
    Mutant("sigma", "if len(proof) != split + suite.scalar_bytes * relation.num_scalars:",
           "if False:", "a batchable proof of any length"),
    Mutant("sigma", "            suite.decode(commitment[start : start + width])",
           "            pass",
           "commitments that are no points"),
    Mutant("sigma", "if len(data) != count * width:", "if False:", "scalars of any length"),
    Mutant("sigma", "    if type(data) is not bytes:", "    if False:",
           "a proof that is not bytes"),
    Mutant("sigma", "    if type(proof) is not bytes:", "    if False:",
           "a batchable proof that is not bytes"),
    Mutant("sigma",
           '        if element is None:\n'
           '            raise IdentityPoint("an element is the identity")',
           "        if element is None:\n            continue", "identity commitments"),
    Mutant("sigma", "if len(witness) != count:", "if False:", "a witness of any length"),
    Mutant("sigma", "if recomputed != commitment:", "if False:", "a false proof of ours leaves"),
    Mutant("sigma", "if len(nonces) != relation.num_scalars:", "if False:", "too few nonces"),
    Mutant("sigma",
           "(session_tag(session, flavor, relation.group.ciphersuite), relation.to_bytes())",
           "(session_tag(session, flavor, relation.group.ciphersuite),)",
           "nonces do not depend on the relation"),
    Mutant("sigma",
           "(session_tag(session, flavor, relation.group.ciphersuite), relation.to_bytes())",
           "(relation.to_bytes(),)", "nonces do not depend on the session"),
)  # fmt: skip

DISJUNCTION: Final = (
    Mutant("disjunction", "if total % suite.order != _challenge(branches, commitments, tag):",
           "if False:", "every branch simulated"),
    Mutant("disjunction", "    sponge.absorb(_statement(branches))", "    pass",
           "weak Fiat-Shamir: no statement"),
    Mutant("disjunction", "        sponge.absorb(commitment)", "        pass", "no commitments"),
    Mutant("disjunction", "if not 0 <= known < len(branches):", "if not known < len(branches):",
           "a branch counted from the end"),
    Mutant("disjunction", "if any(branch.group is not suite for branch in branches):", "if False:",
           "branches over two groups"),
    Mutant("disjunction", "    if not branches:", "    if False:", "no branches"),
    Mutant("disjunction",
           "session_tag(session, DISJUNCTION, suite.ciphersuite)\n    if total",
           'b"x"\n    if total', "the verifier forgets the session"),
    Mutant("disjunction", 'DISJUNCTION: Final = COMPACT + b"-OR"', "DISJUNCTION: Final = COMPACT",
           "a disjunction of one is a plain proof"),
    Mutant("disjunction", "(tag, _statement(branches), known", "(_statement(branches), known",
           "nonces do not depend on the session"),
    Mutant("disjunction", "(tag, _statement(branches), known", "(tag, known",
           "nonces do not depend on the branches"),
    Mutant("disjunction", "        check_own_response(branch, response, challenge, commitment)",
           "        pass", "a false proof of ours leaves"),
    Mutant("disjunction", "len(branches).to_bytes(4, \"little\") + ", "",
           "the number of branches is not absorbed"),
    Mutant("disjunction", "        total += challenge\n", "        total = challenge\n",
           "only the last challenge counts"),
    Mutant("disjunction",
           "honest, simulated = own_commitment(branch, secrets), "
           "_simulated(branch, secrets, challenge)",
           "simulated = _simulated(branch, secrets, challenge)\n"
           "        honest = own_commitment(branch, secrets) if index == known else simulated",
           "which branch is known shows in the work"),
)  # fmt: skip

COMMITMENT: Final = (
    Mutant("commitment",
           "if type(commitment) is not bytes or len(commitment) != COMMITMENT_BYTES:", "if False:",
           "a commitment of any length"),
    Mutant("commitment",
           "if type(salt) is not bytes or len(salt) != SALT_BYTES:\n        raise Proof",
           "if False:\n        raise Proof", "a salt of any length"),
    Mutant("commitment", "if type(value) is not bytes:", "if False:", "a value that is not bytes"),
    Mutant("commitment", " != commitment:", " is None:", "any opening"),
    Mutant("commitment", ":{salt.hex()}", "", "the salt is not bound"),
    Mutant("commitment", ":{context.hex()}", "", "the context is not bound"),
    Mutant("commitment", ":{value.hex()}", "", "the value is not bound"),
    Mutant("commitment", "digest(labels.COMMITMENT_SALT, seed, context)",
           "digest(labels.COMMITMENT_SALT, seed)", "one salt for every place"),
    Mutant("commitment", "digest(labels.COMMITMENT_SALT, seed, context)",
           "digest(labels.COMMITMENT_SALT, context)", "salts that anybody derives"),
    Mutant("commitment", "if len(seed) < SALT_BYTES:", "if False:", "a short seed"),
    Mutant("digest", 'parts.append(len(field).to_bytes(LENGTH_BYTES, "big"))', "pass",
           "fields run into each other"),
    Mutant("labels", 'SHARE_PURPOSE: Final = b"share"', 'SHARE_PURPOSE: Final = b"opening"',
           "two purposes share a label"),
    Mutant("digest", "if type(field) is not bytes:", "if False:", "a field that is not bytes"),
)  # fmt: skip

CORE: Final = (
    *SCALAR,
    *GROUP,
    *HASH_TO_CURVE,
    *SPONGE,
    *RELATION,
    *NONCES,
    *SIGMA,
    *DISJUNCTION,
    *COMMITMENT,
)
