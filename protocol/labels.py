"""Every domain-separation label of the protocol, each used in one place and for one purpose.

A label names the purpose of a hash, so that bytes hashed for one purpose can never be taken for
another. Add a label here before using it; a test holds that no two are equal.
"""

from typing import Final

# `v1` numbers each label, not the protocol: one whose fields change becomes `v2` (specs 2.3).

# Hash to curve (RFC 9380 section 3.1 asks for tags that name the application and the suite).
CARD_POINT_DST: Final = b"P2P304-V01-CARD-with-secp256k1_XMD:SHA-256_SSWU_RO_"
SUIT_POINT_DST: Final = b"P2P304-V01-SUIT-with-secp256k1_XMD:SHA-256_SSWU_RO_"
SHUFFLE_GENERATOR_DST: Final = b"P2P304-V01-SHUFFLE-with-secp256k1_XMD:SHA-256_SSWU_RO_"

# The group and the proof engine.
BLINDED_MULTIPLICATION: Final = b"p2p304/v1/blinded-multiplication"
PROOF_NONCE: Final = b"p2p304/v1/proof-nonce"
DISJUNCTION_NONCE: Final = b"p2p304/v1/disjunction-nonce"

# Hash commitments.
CARD_COMMITMENT: Final = b"p2p304/v1/card-commitment"
COMMITMENT_SALT: Final = b"p2p304/v1/commitment-salt"

# Identity, sealing and the wire.
SIGNATURE: Final = b"p2p304/v1/signature"
SEAL_SEAT_KEY: Final = b"p2p304/v1/seal-seat-key"
SEAL_FRAME_KEY: Final = b"p2p304/v1/seal-frame-key"
SEAL_SEAT_HINT: Final = b"p2p304/v1/seal-seat-hint"
SEAL_ASSOCIATED: Final = b"p2p304/v1/seal-associated-data"
TOPIC: Final = b"p2p304/v1/topic"
CONTINUATION_KEY: Final = b"p2p304/v1/continuation-key"

# The charter and the ledger.
CHARTER: Final = b"p2p304/v1/charter"
MESSAGE_ID: Final = b"p2p304/v1/message-id"
LEDGER_ROOT: Final = b"p2p304/v1/ledger-root"
LEDGER_ROUND: Final = b"p2p304/v1/ledger-round"

# A referee: rulings in ledgers, and challenges that only the referee reads.
LEDGER_RULED: Final = b"p2p304/v1/ledger-ruled"
CHALLENGE: Final = b"p2p304/v1/challenge"
CHALLENGE_COMMITMENT: Final = b"p2p304/v1/challenge-commitment"
CHALLENGE_ENTROPY: Final = b"p2p304/v1/challenge-entropy"

# Masked cards: keys, shuffles, shares and statements; the first is a tag for hashing to the curve,
# as those above.
SCORE_POINT_DST: Final = b"P2P304-V01-SCORE-with-secp256k1_XMD:SHA-256_SSWU_RO_"
CONSTANT_POINTS: Final = b"p2p304/v1/constant-points"
PROOF_CONTEXT: Final = b"p2p304/v1/proof-context"
SHUFFLE_NONCE: Final = b"p2p304/v1/shuffle-nonce"
SHUFFLE_ARGUMENT: Final = b"p2p304/v1/shuffle-argument"
BATCH_EQUALITY: Final = b"p2p304/v1/batch-equality"
HANDOVER_NONCE: Final = b"p2p304/v1/handover-nonce"
DISTINCTION_NONCE: Final = b"p2p304/v1/distinction-nonce"

# Purposes of proofs: what the session identifier of each proof says it is for. Without a prefix,
# since they are hashed behind PROOF_CONTEXT, which has one.
KEY_PURPOSE: Final = b"key"
SHARE_PURPOSE: Final = b"share"
OPENING_PURPOSE: Final = b"opening"
SUIT_OPENING_PURPOSE: Final = b"suit-opening"
HANDOVER_PURPOSE: Final = b"hand-over"
DECK_SHUFFLE_PURPOSE: Final = b"deck-shuffle"
HAND_SHUFFLE_PURPOSE: Final = b"hand-shuffle"
SCORE_SHUFFLE_PURPOSE: Final = b"score-shuffle"
SCORE_ROWS_PURPOSE: Final = b"score-rows"
SCORE_SUM_PURPOSE: Final = b"score-sum"
DISTINCTION_PURPOSE: Final = b"distinction"
CARD_DISTINCTION_PURPOSE: Final = b"card-distinction"
ALTERNATIVES_PURPOSE: Final = b"alternatives"

# The session: randomness expanded from a table's seed, luck, commitments' contexts.
EXPANSION: Final = b"p2p304/v1/expansion"
DEAL_SEED: Final = b"p2p304/v1/deal-seed"
LUCK_SHARE: Final = b"p2p304/v1/luck-share"
LUCK_COMMITMENT: Final = b"p2p304/v1/luck-commitment"
LUCK: Final = b"p2p304/v1/luck"
COMMITMENT_CONTEXT: Final = b"p2p304/v1/commitment-context"

# Another match of the same people at another table.
REMATCH_TABLE: Final = b"p2p304/v1/rematch-table"
REMATCH_KEY: Final = b"p2p304/v1/rematch-key"
REMATCH_NONCE: Final = b"p2p304/v1/rematch-nonce"
REMATCH_TOKEN: Final = b"p2p304/v1/rematch-token"

# The lobby, where seats are claimed before there is a charter.
LOBBY_CLAIM: Final = b"p2p304/v1/lobby-claim"
LOBBY_TOKEN: Final = b"p2p304/v1/lobby-token"
LOBBY_BOARD: Final = b"p2p304/v1/lobby-board"
LOBBY_TAKEN: Final = b"p2p304/v1/lobby-taken"
LOBBY_PRESENCE: Final = b"p2p304/v1/lobby-presence"

# The code of a table, by which friends without an invite are let in.
CODE_HOST: Final = b"p2p304/v1/code-host"
CODE_PASSWORD: Final = b"p2p304/v1/code-password"
CODE_JOINER_SIDE: Final = b"p2p304/v1/code-joiner-side"
CODE_HOST_SIDE: Final = b"p2p304/v1/code-host-side"
CODE_EXCHANGE: Final = b"p2p304/v1/code-exchange"
CODE_CONFIRMATION: Final = b"p2p304/v1/code-confirmation"
CODE_SEAL: Final = b"p2p304/v1/code-seal"

# A tournament: its charter, its draw, and the tables of its matches.
TOURNAMENT: Final = b"p2p304/v1/tournament"
TOURNAMENT_DRAW: Final = b"p2p304/v1/tournament-draw"
# SEED is of a captain's signature, SHARE of the hash of it that is its seed (tournament 11.2).
TOURNAMENT_SEED: Final = b"p2p304/v1/tournament-seed"
TOURNAMENT_SHARE: Final = b"p2p304/v1/tournament-share"
TOURNAMENT_TABLE: Final = b"p2p304/v1/tournament-table"
TOURNAMENT_KEY: Final = b"p2p304/v1/tournament-key"
TOURNAMENT_NONCE: Final = b"p2p304/v1/tournament-nonce"
# WORDS is of the organiser's signature, WORD of the hash of it that is the word (tournament 10.5).
TOURNAMENT_WORDS: Final = b"p2p304/v1/tournament-words"
TOURNAMENT_WORD: Final = b"p2p304/v1/tournament-word"
TOURNAMENT_PROOF: Final = b"p2p304/v1/tournament-proof"
