"""Every domain-separation label of the protocol, each used in one place and for one purpose.

A label names the purpose of a hash, so that bytes hashed for one purpose can never be taken for
another. Add a label here before using it; a test holds that no two are equal.
"""

from typing import Final

# Hash to curve (RFC 9380 section 3.1 asks for tags that name the application and the suite).
CARD_POINT_DST: Final = b"P2P304-V01-CARD-with-secp256k1_XMD:SHA-256_SSWU_RO_"
SUIT_POINT_DST: Final = b"P2P304-V01-SUIT-with-secp256k1_XMD:SHA-256_SSWU_RO_"
SHUFFLE_GENERATOR_DST: Final = b"P2P304-V01-SHUFFLE-with-secp256k1_XMD:SHA-256_SSWU_RO_"

# The group and the proof engine.
BLINDED_MULTIPLICATION: Final = b"p2p304/v1/blinded-multiplication"
PROOF_NONCE: Final = b"p2p304/v1/proof-nonce"
SIMULATED_BRANCH: Final = b"p2p304/v1/simulated-branch"
SIGMA_COMPOSITION: Final = b"p2p304/v1/sigma-composition"

# Hash commitments.
CARD_COMMITMENT: Final = b"p2p304/v1/card-commitment"
