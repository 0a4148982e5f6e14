"""Types of fields, and the tables of messages that are made of them.

A row of a table is all that a kind of message takes: its encoder and its decoder come from it, and
its documentation in the specification.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final, Generic, TypeVar, cast, get_type_hints

from protocol.encoding import Value, decode, encode
from protocol.errors import LocalError, MalformedMessage


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer from `least` to `most`."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Binary:
    """Bytes, `least` to `most` of them."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Text:
    """Text of at most `most` characters; with `ascii_only` printable ASCII alone."""

    most: int
    ascii_only: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """An array of at most `most` items of one type; read as a tuple."""

    item: FieldType
    most: int


@dataclass(frozen=True, slots=True)
class Items:
    """An array of fixed length, each item of a type of its own; read as a tuple."""

    items: tuple[FieldType, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A type whose items are objects: `make` builds one from what `type` reads, `unmake` is its
    inverse.

    `make` may raise MalformedMessage.
    """

    type: FieldType
    make: Callable[[Any], Any]
    unmake: Callable[[Any], Any]


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


#: The type of a field of messages.
FieldType = Integer | Binary | Text | Sequence | Items | Made | Record


def to_value(kind: FieldType, item: Any) -> Value:
    """Return `item`, of the type `kind`, as an encodable value; raises LocalError for an item that
    does not fit, and whatever `unmake` raises for an object of another class.
    """
    match kind:
        case Made():
            return to_value(kind.type, kind.unmake(item))
        case Record():
            # Exactly: a subclass may have fields that this record would leave out.
            if type(item) is not kind.make:
                raise LocalError(f"a {kind.make.__name__} is expected")
            return tuple(to_value(field.type, getattr(item, field.name)) for field in kind.fields)
        case Sequence(inner, most):
            # Exactly: a NamedTuple is a record of ours, and would be taken for an array.
            if type(item) is not tuple or len(item) > most:
                raise LocalError(f"a tuple of at most {most} items is expected")
            return tuple(to_value(inner, each) for each in item)
        case Items(kinds):
            # Exactly, as in a sequence.
            if type(item) is not tuple or len(item) != len(kinds):
                raise LocalError(f"a tuple of {len(kinds)} items is expected")
            return tuple(map(to_value, kinds, item))
        # These are encoded as they are.
        case Integer() | Binary() | Text():
            try:
                return cast(Value, from_value(kind, item))
            except MalformedMessage as error:
                raise LocalError(f"our own field does not fit: {error}") from None


def from_value(kind: FieldType, value: Value) -> Any:
    """Return the item, of the type `kind`, that a decoded value stands for; raises MalformedMessage
    `schema.*` for a value that does not fit.
    """
    match kind:
        case Made():
            return kind.make(from_value(kind.type, value))
        case Integer(least, most):
            # Not isinstance: True is an int (attacks.md, MP3).
            if type(value) is not int:
                raise MalformedMessage("schema.type", "an integer is expected")
            if not least <= value <= most:
                raise MalformedMessage("schema.range", f"{least} to {most}")
            return value
        case Binary(least, most):
            # Exactly: `encode` takes no subclass, and a bytearray could change after the check.
            if type(value) is not bytes:
                raise MalformedMessage("schema.type", "bytes are expected")
            if not least <= len(value) <= most:
                raise MalformedMessage("schema.size", f"{len(value)} bytes")
            return value
        case Text(most, ascii_only):
            # Exactly: `encode` takes no subclass, such as a member of a `StrEnum`.
            if type(value) is not str:
                raise MalformedMessage("schema.type", "text is expected")
            if len(value) > most:
                raise MalformedMessage("schema.size", f"{len(value)} characters")
            # No control characters: such text is printed on terminals (attacks.md, CL6).
            # Text in any script is made safe where it is shown instead.
            if ascii_only and not all(" " <= letter <= "~" for letter in value):
                raise MalformedMessage("schema.ascii", "printable ASCII is expected")
            return value
    # The others are arrays. `type`, as `encode` takes it: a NamedTuple is a record of ours.
    if type(value) is not tuple:
        raise MalformedMessage("schema.type", "an array is expected")
    if isinstance(kind, Sequence):
        if len(value) > kind.most:
            raise MalformedMessage("schema.size", f"{len(value)} items")
        return tuple(from_value(kind.item, each) for each in value)
    kinds = kind.items if isinstance(kind, Items) else [each.type for each in kind.fields]
    if len(value) != len(kinds):
        raise MalformedMessage("schema.fields", f"{len(value)}, not {len(kinds)}")
    items = tuple(map(from_value, kinds, value))
    # The fields of a record stand in the order of its class.
    return items if isinstance(kind, Items) else kind.make(*items)


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
class MessageRow:
    """A row of a table of messages: a code on the wire, and the record of the message's fields."""

    code: int
    record: Record

    @property
    def name(self) -> str:
        """The name of the message's class, used in specification and vectors, too."""
        return self.record.make.__name__


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

    def to_bytes(self, message: MessageT) -> bytes:
        """Return the encoded message; raises LocalError for a field that does not fit, KeyError
        for a class without a row.
        """
        row = self._by_type[type(message)]
        fields = to_value(row.record, message)
        # A record gives an array; `Value` is wider.
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
                message: MessageT = from_value(self._by_code[code].record, tuple(fields))
                return message
            case _:
                raise MalformedMessage("schema.kind")
