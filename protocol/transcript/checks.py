"""All named verifications: what each stands for, and which subjects of a transcript it is about.

The names are those of errors, so that an audit, evidence and live play use the same. Some can fail
in play, in another implementation, or nowhere, but in no audit: an audit does not list them
(`AUDITED`), and the specification says why.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Verification(NamedTuple):
    """One named check. `subjects` are the kinds of things that have passed it once they are
    accepted.

    `category` is completeness, authenticity, consistency, encoding, integrity or rules; `meaning`
    says what holds where it passes. `elsewhere` says why no audit makes it; "" for those that
    audits make.
    """

    name: str
    category: str
    meaning: str
    subjects: tuple[str, ...] = ()
    elsewhere: str = ""


# Names of subjects, as `Auditor` counts them: what has passed each check.
ENVELOPES: Final = ("envelope",)
BODIES: Final = ("body",)
PLACED: Final = ("placed",)
ALL: Final = ("message",)
KEYS: Final = ("HandKeys",)
SHUFFLES: Final = ("ShuffleStep", "remix")
SHARES: Final = ("DealShares",)
HANDOVERS: Final = ("handover",)
ACTIONS: Final = ("Action",)
OTHER_SUITS: Final = ("NoneOfSuit", "SuitsDiffer", "AnyOf")  # AnyOf: one of such statements
DIFFERENCES: Final = ("NotCard", *OTHER_SUITS)
POINTED: Final = (*KEYS, *SHUFFLES, *SHARES, *HANDOVERS, *DIFFERENCES)
PROVED: Final = (*POINTED, "IsCard", "AllOfSuit", "PointsBelow")

# Reasons why a check is in no audit, as the specification tells them.
EARLIER: Final = "an earlier check comes first"
CALLER: Final = "the types that a caller passes"
BROKEN: Final = "a proof would have to be broken"
GAME: Final = "the rules of the game come first"
READER: Final = "who reads its own hand meets it"

# Names of which no message of play and no audit tells, such as `deck.handed`, stand in the
# second table of specs 6.3 alone.
# Name, category, meaning, and the subjects that pass it; of a check that no audit makes, a sentence
# in their place that says why.
_ROWS: Final[tuple[tuple[str, str, str, tuple[str, ...] | str], ...]] = (
    # completeness: everything that must be there is there
    ("transcript.format", "completeness", "the file names its format", ("beginning",)),
    ("transcript.record", "completeness", "every record is of a known kind", ("record",)),
    ("transcript.size", "completeness", "no record is longer than 64 KiB", ("record",)),
    ("transcript.origin", "completeness", "every ledger says where it starts", ("origin",)),
    ("transcript.order", "completeness", "charter, ledgers and messages in order", ("record",)),
    ("transcript.incomplete", "completeness", "the file is not cut short", ("file",)),
    ("transcript.after-end", "completeness", "nothing follows the end of the file", ("file",)),
    ("transcript.digest", "completeness", "the file is as it was written", ("file",)),
    ("transcript.missing", "completeness", "opening, deck and hand are all there", ("hand",)),
    ("ledger.complete", "completeness", "every round has all its contributions",
     "a round that is not complete is open"),
    ("ledger.settled", "completeness", "the ledger came to its end", ("ledger",)),
    ("agreement.seats", "completeness", "all who are present end the hand", ("agreement",)),
    ("agreement.sides", "completeness", "a seat of every side ends the hand", ("agreement",)),
    ("deck.shuffle-count", "completeness", "a shuffle gives as many cards as it takes", EARLIER),
    ("deck.start", "completeness", "no card of the ordered deck is the identity", BROKEN),
    ("shares.count", "completeness", "a share for each dealt card of the others", EARLIER),
    ("shares.none", "completeness", "nobody shares who owes nothing", EARLIER),
    ("hand-over.count", "completeness", "a hand-over for each face-down card", HANDOVERS),
    ("remix.count", "completeness", "a remix for each hand to be sorted", ("remix",)),
    ("statement.count", "completeness", "a proof for each statement of an action", ACTIONS),
    ("action.commitments", "completeness", "a commitment for each card laid down", ACTIONS),
    ("commitment.count", "completeness", "a salt for each commitment opened", ALL),
    # authenticity: every word is its seat's own
    ("envelope.size", "authenticity", "an envelope has a length that envelopes have", ENVELOPES),
    ("envelope.version", "authenticity", "the envelope's version is ours", ENVELOPES),
    ("envelope.purpose", "authenticity", "a signature is used for its own purpose", ENVELOPES),
    ("envelope.seat", "authenticity", "the author is a seat of the charter", ENVELOPES),
    ("envelope.other_seat", "authenticity", "body and envelope name one seat", BODIES),
    ("envelope.other_table", "authenticity", "the message is of this table", BODIES),
    ("signature", "authenticity", "the seat's Ed25519 signature is valid", ENVELOPES),
    ("key.size", "authenticity", "a seat's public key has 32 bytes", ("charter",)),
    ("key.canonical", "authenticity", "a seat's public key has its one encoding", ("charter",)),
    ("key.curve", "authenticity", "a seat's public key lies on the curve", ("charter",)),
    ("key.order", "authenticity", "a seat's public key is not of low order", ("charter",)),
    ("charter.version", "authenticity", "the charter's version is ours", ("charter",)),
    ("charter.table", "authenticity", "the table has a name of 16 bytes", ("charter",)),
    ("charter.shape", "authenticity", "the charter has its fields", ("charter",)),
    ("charter.seats", "authenticity", "the charter has a number of seats that tables have",
     ("charter",)),
    ("charter.game", "authenticity", "the charter names a game", ("charter",)),
    ("charter.profile", "authenticity", "the charter fixes every parameter", ("charter",)),
    ("charter.term", "authenticity", "every optional term is known", ("charter",)),
    ("charter.term_order", "authenticity", "terms stand in their one order", ("charter",)),
    ("charter.nickname", "authenticity", "nicknames show as they are", ("charter",)),
    ("charter.nonce", "authenticity", "every seat gave a nonce", ("charter",)),
    ("charter.duplicate_key", "authenticity", "no key sits in two seats", ("charter",)),
    ("charter.duplicate_nickname", "authenticity", "no name sits in two seats", ("charter",)),
    ("charter.duplicate_nonce", "authenticity", "no nonce was copied", ("charter",)),
    ("continuation.match", "authenticity", "a match goes on where a match can stand",
     ("continuation",)),
    ("continuation.sides", "authenticity", "a seat of every side stays when a match goes on",
     ("continuation",)),
    ("turn.seat", "authenticity", "whoever speaks is awaited", PLACED),
    ("turn.kind", "authenticity", "what is said is what is awaited", ALL),
    ("rematch.seating", "authenticity", "a seating is one that the table has", ("Reseating",)),
    # consistency: one history
    ("ledger.digest", "consistency", "every message continues the agreed history", PLACED),
    ("ledger.place", "consistency", "every place holds one message, in order", PLACED),
    ("ledger.head", "consistency", "the ledger ends with the digest that is stated", ("ledger",)),
    ("ledger.after", "consistency", "every ledger continues the ones before it", ("origin",)),
    ("ledger.equivocation", "consistency", "no seat signed two messages for one place",
     "a file has one message a place: ledger.place"),
    ("continuation.twice", "consistency", "nobody plays at two tables that go on with one match",
     "a file tells of one table"),
    ("continuation.old", "consistency", "nobody plays on where another table goes on",
     "a file tells of one table"),
    ("agreement.hand", "consistency", "a hand is ended where it stands", ("agreement",)),
    ("ruling.point", "consistency", "a referee ends a hand where it stands", ("ruling",)),
    ("ruling.twice", "consistency", "no referee rules twice where it may rule once",
     "a hand of a file has one ruling"),
    ("match.dealer", "consistency", "dealer and shufflers follow from the match", ("lineage",)),
    ("match.scores", "consistency", "the scores before the hand are the match's", ("lineage",)),
    ("luck.opening", "consistency", "luck opens to what was committed", ("LuckOpening",)),
    ("keys.reused", "consistency", "no key serves two decks", KEYS),
    ("key.reused", "consistency", "no key serves two deals", "its name in an audit is keys.reused"),
    ("result.scores", "consistency", "the signed result is the one that follows",
     ("ResultSignature",)),
    ("result.signatures", "consistency", "every seat signed the result", ("hand",)),
    # encoding
    ("encoding.size", "encoding", "no body is too long", BODIES),
    ("encoding.type", "encoding", "only integers, bytes, text and arrays", BODIES),
    ("encoding.canonical", "encoding", "every value in its one encoding", BODIES),
    ("encoding.truncated", "encoding", "declared lengths are there", BODIES),
    ("encoding.trailing", "encoding", "nothing follows a value", BODIES),
    ("encoding.depth", "encoding", "arrays nest six deep at the most", BODIES),
    ("encoding.text", "encoding", "text is UTF-8 without NUL", BODIES),
    ("schema.kind", "encoding", "the kind of message exists", BODIES),
    ("schema.lane", "encoding", "the kind belongs in this ledger", BODIES),
    ("schema.fields", "encoding", "a message has just its fields", BODIES),
    ("schema.type", "encoding", "every field has its type", BODIES),
    ("schema.range", "encoding", "every number is in its range", BODIES),
    ("schema.size", "encoding", "every field has its size", BODIES),
    ("schema.ascii", "encoding", "an action is plain ASCII", ACTIONS),
    ("point.length", "encoding", "a point has 33 bytes", EARLIER),
    ("point.type", "encoding", "a point is bytes", CALLER),
    ("point.prefix", "encoding", "a point begins with 02 or 03", POINTED),
    ("point.curve", "encoding", "a point lies on the curve", POINTED),
    ("scalar.length", "encoding", "a scalar has 32 bytes", EARLIER),
    ("scalar.type", "encoding", "a scalar is bytes", CALLER),
    ("scalar.range", "encoding", "a scalar is below the group's order", PROVED),
    ("scalar.zero", "encoding", "a scalar that must not be 0 is not",
     "no message holds such a scalar"),
    ("key-step.length", "encoding", "a message of keys has its length", EARLIER),
    ("key-step.type", "encoding", "a message of keys is bytes", CALLER),
    ("cards.length", "encoding", "masked cards have their length", EARLIER),
    ("cards.type", "encoding", "masked cards are bytes", CALLER),
    ("shuffle-proof.length", "encoding", "a shuffle argument has its length", SHUFFLES),
    ("shuffle-proof.type", "encoding", "a shuffle argument is bytes", CALLER),
    ("shares.length", "encoding", "a batch of shares has its length", SHARES),
    ("shares.type", "encoding", "a batch of shares is bytes", CALLER),
    ("hand-over.length", "encoding", "a hand-over has its length", HANDOVERS),
    ("hand-over.type", "encoding", "a hand-over is bytes", CALLER),
    ("opening.length", "encoding", "an opening has its length", ("IsCard", "AllOfSuit")),
    ("opening.type", "encoding", "an opening is bytes", CALLER),
    ("distinction.length", "encoding", "a proof that cards differ has its length", DIFFERENCES),
    ("distinction.type", "encoding", "a proof that cards differ is bytes", CALLER),
    ("score.length", "encoding", "a proof of few points has its length", ("PointsBelow",)),
    ("score.type", "encoding", "a proof of few points is bytes", CALLER),
    ("score.place", "encoding", "a row of the table of points exists", ("PointsBelow",)),
    # integrity: the cards
    ("key.proof", "integrity", "a seat knows its hand keys", KEYS),
    ("key.generator", "integrity", "a hand key is not the generator", KEYS),
    ("key.halves", "integrity", "the two halves of a hand key differ", KEYS),
    ("key.sum", "integrity", "the table's key is no identity", ("deck",)),
    ("shuffle.count", "integrity", "a shuffle argument is for as many cards as are shuffled",
     EARLIER),
    ("shuffle.equation", "integrity", "a shuffled deck is the same deck", SHUFFLES),
    ("deck.halves", "integrity", "both halves of a card that a seat reads are of one suit", READER),
    ("deck.remix", "integrity", "a hand is mixed from just its own cards", GAME),
    ("shares.identity", "integrity", "no share is the identity", BROKEN),
    ("shares.proof", "integrity", "shares are right", SHARES),
    ("deck.dealt", "integrity", "a card is dealt once", GAME),
    ("deck.locks", "integrity", "a card opens when all others have unlocked it", GAME),
    ("hand-over.identity", "integrity", "no hand-over is the identity", BROKEN),
    ("hand-over.reused", "integrity", "no hand-over's randomness served before", HANDOVERS),
    ("hand-over.proof", "integrity", "a handed-over card is the card that lies there", HANDOVERS),
    ("commitment.length", "integrity", "a commitment has 32 bytes", EARLIER),
    ("commitment.salt-length", "integrity", "a salt has 32 bytes", EARLIER),
    ("commitment.value", "integrity", "what is committed to is bytes", CALLER),
    ("commitment.opening", "integrity", "an opened card is the one committed to", ("salt",)),
    ("deck.face", "integrity", "a slot shows one card", BROKEN),
    ("deck.twice", "integrity", "no card lies open in two slots", BROKEN),
    ("deck.not-a-card", "integrity", "what a seat reads is a card of the pack", READER),
    ("deck.slot", "integrity", "the slot spoken of exists", GAME),
    ("opening.proof", "integrity", "an opened card is the masked one", ("IsCard",)),
    ("suit-opening.proof", "integrity", "cards shown to be of a suit are", ("AllOfSuit",)),
    ("distinction.count", "integrity", "a proof that cards differ covers every card", EARLIER),
    ("distinction.identity", "integrity", "cards or suits shown to differ differ",
     "what decodes as a point is no identity"),
    ("card-distinction.proof", "integrity", "cards shown to be others than one are", ("NotCard",)),
    ("distinction.proof", "integrity", "cards shown to be of other suits are", OTHER_SUITS),
    ("alternatives.proof", "integrity", "one of the alternatives holds", ("AnyOf",)),
    ("disjunction.sum", "integrity", "challenges of alternatives add up",
     "told as alternatives.proof or score.sum"),
    ("score.places", "integrity", "every card has a row of its own", ("PointsBelow",)),
    ("score.limit", "integrity", "some sum lies below the limit", GAME),
    ("score.rows", "integrity", "the rows are the cards", ("PointsBelow",)),
    ("score.sum", "integrity", "the points lie below the limit", ("PointsBelow",)),
    # rules
    ("action.notation", "rules", "an action is written as the game writes it", ACTIONS),
    ("action.rule", "rules", "the rules allow the action", ACTIONS),
    ("ruling.verdict", "rules", "what is ruled can be ruled there", ("ruling",)),
    ("second-opinion", "rules", "with the cards open every claim is true", ("hand",)),
)  # fmt: skip

VERIFICATIONS: Final = tuple(
    # A sentence in the place of subjects: why no audit makes the check.
    Verification(name, category, meaning, elsewhere=why)
    if isinstance(why, str)
    else Verification(name, category, meaning, why)
    for name, category, meaning, why in _ROWS
)
#: Those that an audit makes. Some transcript fails each of them but two: `result.signatures`, which
#: are there or not known, and `second-opinion`, which looks again at what proofs have shown.
AUDITED: Final = tuple(each for each in VERIFICATIONS if not each.elsewhere)
BY_NAME: Final = {each.name: each for each in VERIFICATIONS}
