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
    """The type of a field of messages: it encodes, decodes and describes the field's items."""

    def to_value(self, item: Any) -> Value:
        """Return `item` as an encodable value; raises LocalError for an item that does not fit."""
        ...

    def from_value(self, value: Value) -> Any:
        """Return the item that a decoded value stands for; raises MalformedMessage `schema.*`
        for a value that does not fit.
        """
        ...

    def describe(self) -> str:
        """Return the type in words, for the specification: "integer, 0 to 63"."""
        ...


class _Plain:
    """A type whose items are encoded as they are."""

    def to_value(self, item: Any) -> Value:
        """Return `item` itself; raises LocalError unless it fits, since it is one of our own."""
        try:
            return self.from_value(item)
        except MalformedMessage as error:
            raise LocalError(f"our own field does not fit: {error}") from None

    def from_value(self, value: Value) -> Value:
        """Return `value`; raises MalformedMessage `schema.*` unless it fits. Here raises
        NotImplementedError: each type has its own.
        """
        raise NotImplementedError


# No slots, here and below: the base has none, so that they would save nothing.
@dataclass(frozen=True)
class Integer(_Plain):
    """An integer from `least` to `most`."""

    least: int
    most: int

    def from_value(self, value: Value) -> int:
        """Return `value`; raises MalformedMessage `schema.type` or `schema.range` unless it
        fits.
        """
        # Not isinstance: True is an int (attacks.md, MP3).
        if type(value) is not int:
            raise MalformedMessage("schema.type", "an integer is expected")
        if not self.least <= value <= self.most:
            raise MalformedMessage("schema.range", f"{self.least} to {self.most}")
        return value

    def describe(self) -> str:
        """Return the type in words, with its bounds: "integer, 0 to 63"."""
        return f"integer, {self.least} to {self.most}"


@dataclass(frozen=True)
class Binary(_Plain):
    """Bytes, `least` to `most` of them."""

    least: int
    most: int

    def from_value(self, value: Value) -> bytes:
        """Return `value`; raises MalformedMessage `schema.type` or `schema.size` unless it fits."""
        # Exactly: `encode` takes no subclass, and a bytearray could change after the check.
        if type(value) is not bytes:
            raise MalformedMessage("schema.type", "bytes are expected")
        if not self.least <= len(value) <= self.most:
            raise MalformedMessage("schema.size", f"{len(value)} bytes")
        return value

    def describe(self) -> str:
        """Return the type in words, with its bounds: "bytes, 0 to 16", or "32 bytes" if they are
        equal.
        """
        if self.least == self.most:
            return f"{self.least} bytes"
        return f"bytes, {self.least} to {self.most}"


@dataclass(frozen=True)
class Text(_Plain):
    """Text of at most `most` characters; with `ascii_only` printable ASCII alone."""

    most: int
    ascii_only: bool = False

    def from_value(self, value: Value) -> str:
        """Return `value`; raises MalformedMessage `schema.type`, `schema.size` or `schema.ascii`
        unless it fits.
        """
        # Exactly: `encode` takes no subclass, such as a member of a `StrEnum`.
        if type(value) is not str:
            raise MalformedMessage("schema.type", "text is expected")
        if len(value) > self.most:
            raise MalformedMessage("schema.size", f"{len(value)} characters")
        # No control characters: such text is printed on terminals (attacks.md, CL6).
        # Text in any script is made safe where it is shown instead.
        if self.ascii_only and not all(" " <= letter <= "~" for letter in value):
            raise MalformedMessage("schema.ascii", "printable ASCII is expected")
        return value

    def describe(self) -> str:
        """Return the type in words, with its bound: "text, at most 500", or "printable ASCII, at
        most 400".
        """
        return f"{'printable ASCII' if self.ascii_only else 'text'}, at most {self.most}"


@dataclass(frozen=True, slots=True)
class Sequence:
    """An array of at most `most` items of one type."""

    item: FieldType
    most: int

    def to_value(self, item: Any) -> Value:
        """Return the items of a tuple as encodable values; raises LocalError for another object,
        too many items, or one that does not fit.
        """
        # Exactly: a NamedTuple is a record of ours, and would be taken for an array.
        if type(item) is not tuple or len(item) > self.most:
            raise LocalError(f"a tuple of at most {self.most} items is expected")
        return tuple(self.item.to_value(each) for each in item)

    def from_value(self, value: Value) -> tuple[Any, ...]:
        """Return the items of an array as a tuple; raises MalformedMessage `schema.*` for
        another value, too many items, or one that does not fit.
        """
        items = _array(value)
        if len(items) > self.most:
            raise MalformedMessage("schema.size", f"{len(items)} items")
        return tuple(self.item.from_value(each) for each in items)

    def describe(self) -> str:
        """Return the type in words, with its bound and the type of its items: "array of at most
        64: 32 bytes".
        """
        return f"array of at most {self.most}: {self.item.describe()}"


@dataclass(frozen=True, slots=True)
class Items:
    """An array of fixed length, each item of a type of its own; read as a tuple."""

    items: tuple[FieldType, ...]

    def to_value(self, item: Any) -> Value:
        """Return the items of a tuple as encodable values; raises LocalError for another object,
        another number of items, or one that does not fit its type.
        """
        # Exactly, as in `Sequence`.
        if type(item) is not tuple or len(item) != len(self.items):
            raise LocalError(f"a tuple of {len(self.items)} items is expected")
        return tuple(kind.to_value(each) for kind, each in zip(self.items, item, strict=True))

    def from_value(self, value: Value) -> tuple[Any, ...]:
        """Return the items of an array as a tuple; raises MalformedMessage `schema.*` for
        another value, another number of items, or one that does not fit its type.
        """
        items = _array(value, length=len(self.items))
        return tuple(kind.from_value(each) for kind, each in zip(self.items, items, strict=True))

    def describe(self) -> str:
        """Return the types of the items in words: "[integer, 0 to 63; text, at most 32]"."""
        return f"[{'; '.join(each.describe() for each in self.items)}]"


@dataclass(frozen=True, slots=True)
class Made:
    """A type whose items are objects: `make` builds one from what `type` reads, `unmake` is its
    inverse.

    `make` may raise MalformedMessage.
    """

    type: FieldType
    make: Callable[[Any], Any]
    unmake: Callable[[Any], Any]

    def to_value(self, item: Any) -> Value:
        """Return `item` as an encodable value; raises LocalError if `type` refuses what `unmake`
        returns, and whatever `unmake` raises for an object of another class.
        """
        return self.type.to_value(self.unmake(item))

    def from_value(self, value: Value) -> Any:
        """Return the object of a decoded value; raises MalformedMessage if it does not fit."""
        return self.make(self.type.from_value(value))

    def describe(self) -> str:
        """Return the underlying type in words."""
        return self.type.describe()


def exactly(size: int) -> Binary:
    """Return the type of bytes of exactly the length `size`."""
    return Binary(size, size)


def one_of(choices: type[IntEnum]) -> Made:
    """Return the type of the members of `choices`, encoded as their integers. These must have no
    gaps: a value in a gap would raise ValueError.
    """
    return Made(Integer(min(choices), max(choices)), choices, int)


#: Yes or no; an integer, since the encoding has no booleans (specs 3.1).
FLAG: Final = Made(Integer(0, 1), bool, int)


@dataclass(frozen=True, slots=True)
class Field:
    """One named field of a record."""

    name: str
    type: FieldType
    doc: str


@dataclass(frozen=True, slots=True)
class Record:
    """An array of named fields in fixed order, read as an object that `make` builds from them."""

    make: Callable[..., Any]
    fields: tuple[Field, ...]

    @classmethod
    def declare(cls, made: type) -> Record:
        """Return the record of the dataclass `made`, whose fields are annotated with type and
        meaning, such as `Annotated[int, Integer(0, 9), "number of a hand"]`.
        """
        # With extras: the type on the wire and the meaning stand in `Annotated`.
        hints = get_type_hints(made, include_extras=True)
        named = ((each.name, hints[each.name].__metadata__) for each in fields(made))
        return cls(made, tuple(Field(name, kind, doc) for name, (kind, doc) in named))

    def to_value(self, item: Any) -> Value:
        """Return the fields of `item` as an encodable tuple; raises LocalError for an object of
        another class, or a field that does not fit.
        """
        # Exactly: a subclass may have fields that this record would leave out.
        if type(item) is not self.make:
            raise LocalError(f"a {self.make.__name__} is expected")
        return tuple(field.type.to_value(getattr(item, field.name)) for field in self.fields)

    def from_value(self, value: Value) -> Any:
        """Return the object of a decoded array; raises MalformedMessage `schema.*` unless every
        field fits.
        """
        items = zip(self.fields, _array(value, length=len(self.fields)), strict=True)
        return self.make(**{field.name: field.type.from_value(each) for field, each in items})

    def describe(self) -> str:
        """Return the fields in words, each with its type: "[lane (integer, 0 to 2); digest (32
        bytes)]".
        """
        inner = "; ".join(f"{field.name} ({field.type.describe()})" for field in self.fields)
        return f"[{inner}]"


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A row of a table of messages: a code on the wire, and the record of the message's fields."""

    code: int
    record: Record

    @property
    def name(self) -> str:
        """The name of the message's class, used in specification and vectors, too."""
        return self.record.make.__name__

    @property
    def doc(self) -> str:
        """The docstring of the message's class, without indentation, for the specification."""
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
    """The messages of one kind of exchange; each is encoded as its row's code, then its fields."""

    def __init__(self, *made: type) -> None:
        """Make the table of the dataclasses `made`, as `Record.declare` takes them; their codes
        are 1, 2, 3 and so on.
        """
        self.rows: Final = tuple(
            MessageRow(code, Record.declare(each)) for code, each in enumerate(made, 1)
        )
        self._by_type = {row.record.make: row for row in self.rows}
        self._by_code = {row.code: row for row in self.rows}

    def row_of(self, message: MessageT) -> MessageRow:
        """Return the row of the class of `message`; raises KeyError for a class without one."""
        return self._by_type[type(message)]

    def to_bytes(self, message: MessageT) -> bytes:
        """Return the encoded message; raises LocalError for a field that does not fit, KeyError
        for a class without a row.
        """
        row = self.row_of(message)
        fields = row.record.to_value(message)
        # `Record.to_value` gives an array; `Value` is wider.
        assert isinstance(fields, tuple)
        return encode((row.code, *fields))

    def from_bytes(self, data: bytes) -> MessageT:
        """Return the message that `data` encodes.

        Raises MalformedMessage `encoding.*` or `schema.*`; `schema.kind` for an unknown code, or
        for a value that is no array with a code in front.
        """
        match decode(data):
            # No True, which would be 1: the encoding has no booleans (specs 3.1).
            case (int(code), *fields) if code in self._by_code:
                # Declared: a record makes objects of any class.
                message: MessageT = self._by_code[code].record.from_value(tuple(fields))
                return message
            case _:
                raise MalformedMessage("schema.kind")


def _array(value: Value, *, length: int | None = None) -> tuple[Value, ...]:
    """Return the items of an array, of this length if it is given; raises MalformedMessage
    `schema.type` or `schema.fields`.
    """
    # `type`, as `encode` takes it: a NamedTuple is a record of ours, and no array.
    if type(value) is not tuple:
        raise MalformedMessage("schema.type", "an array is expected")
    if length is not None and len(value) != length:
        raise MalformedMessage("schema.fields", f"{len(value)}, not {length}")
    return value
