"""The forms in which a secret may lie somewhere, and the search for all of them at once."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

KEY: Final = 12
"""Bytes of a form by which it is looked up; then the whole form is compared."""
HALF: Final = 16
"""A secret of twice as many bytes is looked for by halves: a part of it is found as well."""


class Hit(NamedTuple):
    """A secret that lies where none may: whose, which, in what form, and at which byte."""

    owner: str
    secret: str
    form: str
    at: int


class Needle(NamedTuple):
    """The bytes to look for."""

    data: bytes
    owner: str
    secret: str
    form: str


def spellings(secret: bytes) -> Iterator[tuple[str, bytes]]:
    """Every form of a secret's bytes, with its name: raw, text of bytes, hex, base64, integers."""
    parts = [secret]
    if len(secret) >= 2 * HALF:
        parts = [secret[at : at + HALF] for at in range(0, len(secret) - HALF + 1, HALF)]
    for part in parts:
        yield "raw", part
        yield "raw, reversed", part[::-1]
        yield "repr", repr(part)[2:-1].encode()
        yield "repr", repr(b"'\"" + part)[6:-1].encode()  # where a quote in the rest changes it
        yield "hex", part.hex().encode()
        yield "HEX", part.hex().upper().encode()
        yield "hex, spaced", part.hex(" ").encode()
        yield "list", ", ".join(map(str, part)).encode()
    for aligned in range(3):
        text = b64encode(bytes(aligned) + secret).rstrip(b"=")
        whole = text[-(-aligned * 8 // 6) : (aligned + len(secret)) * 8 // 6]
        yield "base64", whole
        yield "base64 for addresses", whole.translate(bytes.maketrans(b"+/", b"-_"))
    yield from integers(int.from_bytes(secret, "big"))
    yield "integer, reversed", str(int.from_bytes(secret, "little")).encode()


def integers(number: int) -> Iterator[tuple[str, bytes]]:
    """An integer as text: decimal, and hexadecimal without leading zeros."""
    yield "integer", str(number).encode()
    yield "hex", f"{number:x}".encode()


class Haystacks:
    """All needles, and the search for them in whatever was written."""

    def __init__(self) -> None:
        self._needles: dict[bytes, list[Needle]] = {}
        self.secrets: set[tuple[str, str, bytes]] = set()
        self.searched = 0

    @property
    def counts(self) -> Counter[str]:
        """How many secrets there are, in how many forms, and the bytes that were searched."""
        forms = sum(map(len, self._needles.values()))
        return Counter(secrets=len(self.secrets), forms=forms, searched=self.searched)

    def hide(self, owner: str, name: str, secret: bytes) -> None:
        """Look for this secret, in every form, from now on."""
        if (owner, name, secret) not in self.secrets:
            self.secrets.add((owner, name, secret))
            for form, data in spellings(secret):
                self._add(Needle(data, owner, name, form))

    def hide_text(self, owner: str, name: str, text: str) -> None:
        """Look for this text as it is."""
        if (owner, name, text.encode()) not in self.secrets:
            self.secrets.add((owner, name, text.encode()))
            self._add(Needle(text.encode(), owner, name, "text"))

    def _add(self, needle: Needle) -> None:
        if len(needle.data) < KEY:
            raise ValueError(f"{needle.secret} is too short to be looked for")
        rows = self._needles.setdefault(needle.data[:KEY], [])
        if all(each.data != needle.data for each in rows):
            rows.append(needle)

    def search(self, data: bytes) -> list[Hit]:
        """Every secret in these bytes."""
        self.searched += len(data)
        needles = self._needles
        places = [at for at in range(len(data) - KEY + 1) if data[at : at + KEY] in needles]
        return [
            Hit(each.owner, each.secret, each.form, at)
            for at in places
            for each in needles[data[at : at + KEY]]
            if data.startswith(each.data, at)
        ]
