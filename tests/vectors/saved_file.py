"""A saved hand as vectors change it: one message said otherwise, and signed again by its seat."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Self

from cli.conformance.tables import Draft, body_of, sign_body
from protocol.encoding import Value
from tests.vectors.hands import SAVED_HANDS
from tests.vectors.rehearsal import Rehearsal

KIND, CONTENT, ACTION = 5, 7, 8
"""Where a body says of what kind it is and what it holds, and the kind of actions (3.4, 3.5)."""


class Acted(NamedTuple):
    """The content of an action."""

    text: str
    proofs: tuple[bytes, ...]
    commitments: tuple[bytes, ...]
    remixes: tuple[bytes, ...]
    salts: tuple[bytes, ...]


class SavedFile:
    """The file of a hand, and the table that played it; messages are named by their numbers."""

    def __init__(self, table: Rehearsal, whole: bytes) -> None:
        self.table = table
        self.whole: Final = whole
        self.draft = Draft.of(whole)
        self.messages = self.draft.places(b"M")

    @classmethod
    def kept(cls, name: str) -> Self:
        """Return a hand as its file has it; nothing is played."""
        return cls(SAVED_HANDS[name].table_of(), SAVED_HANDS[name].kept())

    def raw(self, number: int) -> bytes:
        """Return the envelope of a message."""
        return self.draft.records[self.messages[number]].payload

    def body(self, number: int) -> tuple[Any, ...]:
        """Return the body of a message."""
        return body_of(self.raw(number))

    def content(self, number: int) -> tuple[Any, ...]:
        """Return the content of a message."""
        content: tuple[Any, ...] = self.body(number)[CONTENT]
        return content

    def put(self, number: int, raw: bytes) -> bytes:
        """Return the file with another envelope."""
        return self.draft.with_record(self.messages[number], raw).to_bytes()

    def signed(self, number: int, body: bytes | tuple[Value, ...], by: int | None = None) -> bytes:
        """Return the file with another body, signed by the same seat or by another one."""
        return self.put(number, sign_body(self.table, body, self.raw(number)[2], by=by))

    def changed(self, number: int, at: int, item: Value, by: int | None = None) -> bytes:
        """Return the file with one field of a body changed."""
        body = self.body(number)
        return self.signed(number, (*body[:at], item, *body[at + 1 :]), by)

    def said(self, number: int, *content: Value) -> bytes:
        """Return the file with another content in one message."""
        return self.changed(number, CONTENT, content)

    def acted(self, number: int, **fields: Any) -> bytes:
        """Return the file with these parts of an action changed."""
        return self.said(number, *Acted(*self.content(number))._replace(**fields))

    def number_of(
        self, text: str = "", *, proofs: int | None = None, code: int = ACTION, nth: int = 0
    ) -> int:
        """Return the n-th message of a kind; of actions, that begins so with so many proofs."""
        fitting = (
            number
            for number in range(len(self.messages))
            if self.body(number)[KIND] == code
            and (code != ACTION or str(self.content(number)[0]).startswith(text))
            and (proofs is None or len(self.content(number)[1]) == proofs)
        )
        return [*fitting][nth]
