"""Names of checks that no audit reports, with what they stand for; the others are in `protocol`."""

from __future__ import annotations

from typing import Final

OTHERS: Final = {
    "evidence.format": ("evidence", "the file names evidence, in our version"),
    "evidence.shape": ("evidence", "the file has its fields"),
    "evidence.ledger": ("evidence", "every ledger of a fault says where it starts"),
    "evidence.prefix": ("evidence", "what goes before the wrong message is right and fits"),
    "evidence.conflict": ("evidence", "the two messages contradict each other"),
    "evidence.fault": ("evidence", "the message stands behind what goes before it, and is wrong"),
    "evidence.check": ("evidence", "it is wrong by the check that the file states"),
    "seal.size": ("frames", "a frame has one of four lengths"),
    "seal.version": ("frames", "the frame's version is ours"),
    "seal.tag": ("frames", "the frame was sealed under the table's key"),
    "seal.padding": ("frames", "the payload fits and the padding is zeros"),
    "invite": ("invites", "the text is an invite (7.3)"),
    "invite.version": ("invites", "the invite is of our version; vectors call it `invite`"),
    "lobby": ("lobby", "the payload is a lobby message of this table (7.4)"),
    "agreement": ("agreements", "the line is an agreement (rules 14)"),
    "tournament.rule": ("tournaments", "the rules allow it (tournament 1 to 8)"),
    "tournament.text": ("tournaments", "the text is that of a tournament (tournament 9)"),
    "point.identity": ("sums", "a sum of points is no identity"),
    "deck.handed": ("hand-overs", "the reader has not got the card; the game's rules come first"),
    "equality.identity": (
        "proofs",
        "no sum in a batch of equal secrets is the identity; told as the statement's `.proof`",
    ),
    "instance.equations": ("relations", "a relation has an equation"),
    "instance.empty": ("relations", "an equation has image terms and terms"),
    "instance.index": ("relations", "indices and counts lie between 0 and 2^32"),
    "instance.element": ("relations", "every index refers to an element"),
    "instance.unused-element": ("relations", "every element is in an equation"),
    "instance.unused-scalar": ("relations", "every scalar is in an equation"),
    "instance.generator": ("relations", "element 0 is the generator"),
    "instance.identity": ("relations", "no element is the identity"),
    "instance.image": ("relations", "no image is the identity"),
    "instance.column": ("relations", "some base of every scalar is no identity"),
    "sigma.length": ("proofs", "a proof has its length"),
    "sigma.scalar": ("proofs", "the scalars of a proof are below the group's order"),
    "sigma.point": ("proofs", "the commitments of a batchable proof decode"),
    "sigma.commitment": ("proofs", "no recomputed commitment is the identity"),
    "sigma.challenge": ("proofs", "a compact proof's challenge comes out"),
    "sigma.response": ("proofs", "a batchable proof's commitments come out"),
}
"""Each name's subject and meaning, in the order of the page."""
