"""Types of fields, and the tables of messages that are made of them.

A row of a table is all that a kind of message takes: its encoder, its decoder and its documentation
come from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final, Generic, Protocol, TypeVar, get_type_hints

from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage


class FieldType(Protocol):
    """The type of a field: values it accepts, what they become, its name in documents."""

    def to_value(self, item: Any) -> Value:
        """Return the encodable value of `item`; raises LocalError for one that does not fit."""
        ...

    def from_value(self, value: Value) -> Any:
        """Return the item in `value`.

        Raises MalformedMessage `schema.*` for one that does not fit.
        """
        ...

    def describe(self) -> str:
        """Return the type in words, for the specification."""
        ...


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer from `least` to `most`."""

    least: int
    most: int

    def to_value(self, item: Any) -> Value:
        return _ours(self, item)

    def from_value(self, value: Value) -> int:
        if type(value) is not int:
            raise MalformedMessage("schema.type", "an integer is expected")
        if not self.least <= value <= self.most:
            raise MalformedMessage("schema.range", f"{self.least} to {self.most}")
        return value

    def describe(self) -> str:
        return f"integer, {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Binary:
    """Bytes, `least` to `most` of them."""

    least: int
    most: int

    def to_value(self, item: Any) -> Value:
        return _ours(self, item)

    def from_value(self, value: Value) -> bytes:
        if type(value) is not bytes:
            raise MalformedMessage("schema.type", "bytes are expected")
        if not self.least <= len(value) <= self.most:
            raise MalformedMessage("schema.size", f"{len(value)} bytes")
        return value

    def describe(self) -> str:
        if self.least == self.most:
            return f"{self.least} bytes"
        return f"bytes, {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Text:
    """Text of at most `most` characters; `ascii_only` for what only programs write."""

    most: int
    ascii_only: bool = False

    def to_value(self, item: Any) -> Value:
        return _ours(self, item)

    def from_value(self, value: Value) -> str:
        if type(value) is not str:
            raise MalformedMessage("schema.type", "text is expected")
        if len(value) > self.most:
            raise MalformedMessage("schema.size", f"{len(value)} characters")
        if self.ascii_only and not all(" " <= letter <= "~" for letter in value):
            raise MalformedMessage("schema.ascii", "printable ASCII is expected")
        return value

    def describe(self) -> str:
        return f"{'printable ASCII' if self.ascii_only else 'text'}, at most {self.most}"


@dataclass(frozen=True, slots=True)
class Sequence:
    """An array of at most `most` items of one type."""

    item: FieldType
    most: int

    def to_value(self, item: Any) -> Value:
        if type(item) is not tuple or len(item) > self.most:
            raise LocalError(f"a tuple of at most {self.most} items is expected")
        return tuple(self.item.to_value(each) for each in item)

    def from_value(self, value: Value) -> tuple[Any, ...]:
        items = _array(value)
        if len(items) > self.most:
            raise MalformedMessage("schema.size", f"{len(items)} items")
        return tuple(self.item.from_value(each) for each in items)

    def describe(self) -> str:
        return f"array of at most {self.most}: {self.item.describe()}"


@dataclass(frozen=True, slots=True)
class Items:
    """An array of one item of each type, in this order, that becomes a tuple."""

    items: tuple[FieldType, ...]

    def to_value(self, item: Any) -> Value:
        if type(item) is not tuple or len(item) != len(self.items):
            raise LocalError(f"a tuple of {len(self.items)} items is expected")
        return tuple(kind.to_value(each) for kind, each in zip(self.items, item, strict=True))

    def from_value(self, value: Value) -> tuple[Any, ...]:
        items = _array(value, length=len(self.items))
        return tuple(kind.from_value(each) for kind, each in zip(self.items, items, strict=True))

    def describe(self) -> str:
        return f"[{'; '.join(each.describe() for each in self.items)}]"


@dataclass(frozen=True, slots=True)
class Made:
    """An item of a class of its own: `make` builds it of what `type` reads, `unmake` undoes that.

    `make` may raise MalformedMessage for what no such item is built of.
    """

    type: FieldType
    make: Callable[[Any], Any]
    unmake: Callable[[Any], Any]

    def to_value(self, item: Any) -> Value:
        return self.type.to_value(self.unmake(item))

    def from_value(self, value: Value) -> Any:
        return self.make(self.type.from_value(value))

    def describe(self) -> str:
        return self.type.describe()


def exactly(size: int) -> Binary:
    """Return the type of so many bytes."""
    return Binary(size, size)


def one_of(choices: type[IntEnum]) -> Made:
    """Return the type of a member of an enumeration, whose numbers have no gaps."""
    return Made(Integer(min(choices), max(choices)), choices, int)


FLAG: Final = Made(Integer(0, 1), bool, int)
"""Yes or no."""


@dataclass(frozen=True, slots=True)
class Field:
    """One named field of a record."""

    name: str
    type: FieldType
    doc: str


@dataclass(frozen=True, slots=True)
class Record:
    """A fixed array of named fields that becomes a value of `make`."""

    make: Callable[..., Any]
    fields: tuple[Field, ...]

    def to_value(self, item: Any) -> Value:
        if type(item) is not self.make:
            raise LocalError(f"a {self.make.__name__} is expected")
        return tuple(field.type.to_value(getattr(item, field.name)) for field in self.fields)

    def from_value(self, value: Value) -> Any:
        items = zip(self.fields, _array(value, length=len(self.fields)), strict=True)
        return self.make(**{field.name: field.type.from_value(each) for field, each in items})

    def describe(self) -> str:
        inner = "; ".join(f"{field.name} ({field.type.describe()})" for field in self.fields)
        return f"[{inner}]"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of messages: the code on the wire, and the fields in their order."""

    code: int
    record: Record

    @classmethod
    def of(cls, code: int, make: Callable[..., Any], *fields: Field) -> Row:
        """Return the row of messages that `make` builds of these fields."""
        return Row(code, Record(make, fields))

    @classmethod
    def declared(cls, code: int, made: type) -> Row:
        """Return the row of messages of a dataclass, each of whose fields is annotated with what
        is on the wire and what it means: `Annotated[int, Integer(0, 9), "number of a hand"]`."""
        hints = get_type_hints(made, include_extras=True)
        named = ((each.name, hints[each.name].__metadata__) for each in fields(made))
        return Row.of(code, made, *(Field(name, kind, doc) for name, (kind, doc) in named))

    @property
    def name(self) -> str:
        """The message's name in code, specification and vectors."""
        return self.record.make.__name__

    @property
    def doc(self) -> str:
        """The docstring of the message's class: what the message says, in its author's voice."""
        # Python 3.13 takes the indentation off by itself, earlier ones leave it.
        lines = (self.record.make.__doc__ or "").strip().split("\n")
        return "\n".join(line.strip() for line in lines)

    def describe_fields(self) -> list[str]:
        """Return the lines of a Markdown table of the fields, for the specification."""
        return [
            "| field | type | meaning |",
            "| --- | --- | --- |",
            *(
                f"| `{field.name}` | {field.type.describe()} | {field.doc} |"
                for field in self.record.fields
            ),
        ]


MessageT = TypeVar("MessageT")


class MessageTable(Generic[MessageT]):
    """All messages of one kind of talk: encoded, each is its row's code and then its fields."""

    def __init__(self, *rows: Row) -> None:
        self.rows: Final = rows
        self._by_type = {row.record.make: row for row in rows}
        self._by_code = {row.code: row for row in rows}

    def row_of(self, message: MessageT) -> Row:
        """Return the row that describes `message`."""
        return self._by_type[type(message)]

    def to_bytes(self, message: MessageT) -> bytes:
        """Return the encoded message; raises LocalError for a field that does not fit."""
        row = self.row_of(message)
        fields = row.record.to_value(message)
        assert isinstance(fields, tuple)
        return encode((row.code, *fields))

    def from_bytes(self, data: bytes) -> MessageT:
        """Return the message in `data`.

        Raises MalformedMessage `encoding.*` or `schema.*`: `schema.kind` for the code of no row.
        """
        match decode(data):
            case (int(code), *fields) if code in self._by_code:
                message: MessageT = self._by_code[code].record.from_value(tuple(fields))
                return message
            case _:
                raise MalformedMessage("schema.kind")


def _array(value: Value, *, length: int | None = None) -> tuple[Value, ...]:
    """Return the items of an array, of so many if that is said."""
    if type(value) is not tuple:
        raise MalformedMessage("schema.type", "an array is expected")
    if length is not None and len(value) != length:
        raise MalformedMessage("schema.fields", f"{len(value)}, not {length}")
    return value


def _ours(kind: Integer | Binary | Text, item: Any) -> Value:
    try:
        return kind.from_value(item)
    except MalformedMessage as error:
        raise LocalError(f"our own field does not fit: {error}") from None
