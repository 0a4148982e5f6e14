"""What others have published about programs like this one: on their machines, not on ours."""

from __future__ import annotations

from typing import Final, NamedTuple


class Peer(NamedTuple):
    """One published figure. It stands beside ours and goes into no ratio."""

    program: str
    what: str
    figure: str
    machine: str
    source: str
    day: str
    """when the source was looked up"""


PEERS: Final = (
    Peer(
        "geometryxyz/mental-poker (Rust; Barnett-Smart with Bayer-Groth's argument)",
        "a proof of the shuffle of 52 cards, made",
        '"just over 50 ms"',
        '"a standard laptop"',
        "N. Mohnblatt, Mental Poker in the Age of SNARKs, part 1,"
        " https://nmohnblatt.github.io/mental-poker-1",
        "2026-11-21",
    ),
    Peer(
        "geometryxyz/mental-poker",
        "the same proof, judged",
        '"less than 1 ms"',
        '"a standard laptop"',
        "the same article",
        "2026-11-21",
    ),
    Peer(
        "0xFable (TypeScript and Circom; a SNARK for a hand of 7 of 64 cards)",
        "the proof of an initial hand",
        '"around 22-25 seconds"',
        "not said",
        "https://github.com/0xFableOrg/0xFable/pull/8, comment of March 2023",
        "2026-11-21",
    ),
)
"""No figures were found in the documents of LibTMCG and SecureSkat, and neither is packaged for the
system that was measured on, so that they are missing here."""
