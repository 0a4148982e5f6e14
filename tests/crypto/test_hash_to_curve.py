"""RFC 9380's own vectors (appendix J.8.1 and the shape of section 5.3.1), step by step."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from protocol import labels
from protocol.errors import LocalError
from protocol.group.hash_to_curve import curve_point, expand_message, hash_to_field, map_to_curve
from protocol.group.point import hash_to_curve

DST = b"QUUX-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_"
EXPANDER_DST = b"QUUX-V01-CS02-with-expander-SHA256-128"
PRIME = 2**256 - 2**32 - 977


class Vector(NamedTuple):
    message: bytes
    u: tuple[str, str]
    q0: tuple[str, str]
    q1: tuple[str, str]
    point: tuple[str, str]


VECTORS = (
    Vector(
        b"",
        (
            "6b0f9910dd2ba71c78f2ee9f04d73b5f4c5f7fc773a701abea1e573cab002fb3",
            "1ae6c212e08fe1a5937f6202f929a2cc8ef4ee5b9782db68b0d5799fd8f09e16",
        ),
        (
            "74519ef88b32b425a095e4ebcc84d81b64e9e2c2675340a720bb1a1857b99f1e",
            "c174fa322ab7c192e11748beed45b508e9fdb1ce046dee9c2cd3a2a86b410936",
        ),
        (
            "44548adb1b399263ded3510554d28b4bead34b8cf9a37b4bd0bd2ba4db87ae63",
            "96eb8e2faf05e368efe5957c6167001760233e6dd2487516b46ae725c4cce0c6",
        ),
        (
            "c1cae290e291aee617ebaef1be6d73861479c48b841eaba9b7b5852ddfeb1346",
            "64fa678e07ae116126f08b022a94af6de15985c996c3a91b64c406a960e51067",
        ),
    ),
    Vector(
        b"abc",
        (
            "128aab5d3679a1f7601e3bdf94ced1f43e491f544767e18a4873f397b08a2b61",
            "5897b65da3b595a813d0fdcc75c895dc531be76a03518b044daaa0f2e4689e00",
        ),
        (
            "07dd9432d426845fb19857d1b3a91722436604ccbbbadad8523b8fc38a5322d7",
            "604588ef5138cffe3277bbd590b8550bcbe0e523bbaf1bed4014a467122eb33f",
        ),
        (
            "e9ef9794d15d4e77dde751e06c182782046b8dac05f8491eb88764fc65321f78",
            "cb07ce53670d5314bf236ee2c871455c562dd76314aa41f012919fe8e7f717b3",
        ),
        (
            "3377e01eab42db296b512293120c6cee72b6ecf9f9205760bd9ff11fb3cb2c4b",
            "7f95890f33efebd1044d382a01b1bee0900fb6116f94688d487c6c7b9c8371f6",
        ),
    ),
    Vector(
        b"abcdef0123456789",
        (
            "ea67a7c02f2cd5d8b87715c169d055a22520f74daeb080e6180958380e2f98b9",
            "7434d0d1a500d38380d1f9615c021857ac8d546925f5f2355319d823a478da18",
        ),
        (
            "576d43ab0260275adf11af990d130a5752704f79478628761720808862544b5d",
            "643c4a7fb68ae6cff55edd66b809087434bbaff0c07f3f9ec4d49bb3c16623c3",
        ),
        (
            "f89d6d261a5e00fe5cf45e827b507643e67c2a947a20fd9ad71039f8b0e29ff8",
            "b33855e0cc34a9176ead91c6c3acb1aacb1ce936d563bc1cee1dcffc806caf57",
        ),
        (
            "bac54083f293f1fe08e4a70137260aa90783a5cb84d3f35848b324d0674b0e3a",
            "4436476085d4c3c4508b60fcf4389c40176adce756b398bdee27bca19758d828",
        ),
    ),
    Vector(
        b"q128_" + b"q" * 128,
        (
            "eda89a5024fac0a8207a87e8cc4e85aa3bce10745d501a30deb87341b05bcdf5",
            "dfe78cd116818fc2c16f3837fedbe2639fab012c407eac9dfe9245bf650ac51d",
        ),
        (
            "9c91513ccfe9520c9c645588dff5f9b4e92eaf6ad4ab6f1cd720d192eb58247a",
            "c7371dcd0134412f221e386f8d68f49e7fa36f9037676e163d4a063fbf8a1fb8",
        ),
        (
            "10fee3284d7be6bd5912503b972fc52bf4761f47141a0015f1c6ae36848d869b",
            "0b163d9b4bf21887364332be3eff3c870fa053cf508732900fc69a6eb0e1b672",
        ),
        (
            "e2167bc785333a37aa562f021f1e881defb853839babf52a7f72b102e41890e9",
            "f2401dd95cc35867ffed4f367cd564763719fbc6a53e969fb8496a1e6685d873",
        ),
    ),
    Vector(
        b"a512_" + b"a" * 512,
        (
            "8d862e7e7e23d7843fe16d811d46d7e6480127a6b78838c277bca17df6900e9f",
            "68071d2530f040f081ba818d3c7188a94c900586761e9115efa47ae9bd847938",
        ),
        (
            "b32b0ab55977b936f1e93fdc68cec775e13245e161dbfe556bbb1f72799b4181",
            "2f5317098360b722f132d7156a94822641b615c91f8663be69169870a12af9e8",
        ),
        (
            "148f98780f19388b9fa93e7dc567b5a673e5fca7079cd9cdafd71982ec4c5e12",
            "3989645d83a433bc0c001f3dac29af861f33a6fd1e04f4b36873f5bff497298a",
        ),
        (
            "e3c8d35aaaf0b9b647e88a0a0a7ee5d5bed5ad38238152e4e6fd8c1f8cb7c998",
            "8446eeb6181bf12f56a9d24e262221cc2f0c4725c7e3803024b5888ee5823aa6",
        ),
    ),
)


def integers(pair: tuple[str, str]) -> tuple[int, int]:
    return int(pair[0], 16), int(pair[1], 16)


def on_curve(x: int, y: int) -> bool:
    return (y * y - x * x * x - 7) % PRIME == 0


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.message[:8].decode())
def test_every_step_matches_rfc_9380(vector: Vector) -> None:
    assert hash_to_field(vector.message, DST, 2) == integers(vector.u)
    assert map_to_curve(int(vector.u[0], 16)) == integers(vector.q0)
    assert map_to_curve(int(vector.u[1], 16)) == integers(vector.q1)
    assert curve_point(vector.message, DST) == integers(vector.point)
    x, y = integers(vector.point)
    assert hash_to_curve(vector.message, DST).to_bytes() == bytes([2 + y % 2]) + x.to_bytes(
        32, "big"
    )


def test_expanding_a_message_matches_rfc_9380_appendix_k() -> None:
    assert expand_message(b"", EXPANDER_DST, 32).hex() == (
        "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235"
    )
    assert expand_message(b"abc", EXPANDER_DST, 32).hex() == (
        "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615"
    )


def test_the_exceptional_input_zero_lands_on_the_curve() -> None:
    """Section 6.6.2's branch for a vanishing denominator, x = B / (Z · A)."""
    x, y = map_to_curve(0)
    assert on_curve(x, y)
    assert x == 0xBF6CE2ABC92F03C7ABFB18752134ACC036B8E8EF46A7ED2634A86727C12D6AC1


def test_another_tag_gives_another_point() -> None:
    assert hash_to_curve(b"abc", DST) != hash_to_curve(b"abc", DST + b"x")


@pytest.mark.parametrize("dst", [b"", b"x" * 256])
def test_a_tag_that_rfc_9380_does_not_allow_is_refused(dst: bytes) -> None:
    with pytest.raises(LocalError):
        hash_to_curve(b"abc", dst)


def test_too_many_bytes_of_one_message_are_refused() -> None:
    with pytest.raises(LocalError):
        expand_message(b"abc", DST, 255 * 32 + 1)


def test_points_of_our_own_tags_are_pinned() -> None:
    """Whoever changes a tag, or takes a generator from elsewhere, changes these points."""
    tags = (labels.CARD_POINT_DST, labels.SUIT_POINT_DST, labels.SHUFFLE_GENERATOR_DST)
    assert [hash_to_curve(b"pin", tag).to_bytes().hex() for tag in tags] == [
        "02f2f130ab94bbe1306b41d682a50114de2565ea94f1c9e85629169147a967d471",
        "038ecc911bf8a5cf99ba68f7d46418772c581e58db0d8f14e8a9df10afd0883699",
        "0208302b299b3c2eeadd648b47e7129df356e21373cd28661d1bd78bbbc8b1f4e7",
    ]
