"""Messages and their fields in words, for the pages of the specification."""

from __future__ import annotations

from protocol.wire.schema import (
    Binary,
    FieldType,
    Integer,
    Items,
    Made,
    MessageRow,
    Record,
    Sequence,
    Text,
)


def doc_of(row: MessageRow) -> str:
    """The docstring of a message's class, without indentation."""
    # Python 3.13 takes the indentation off by itself, earlier ones leave it.
    lines = (row.record.make.__doc__ or "").strip().split("\n")
    return "\n".join(line.strip() for line in lines)


def field_lines(row: MessageRow) -> list[str]:
    """The lines of a Markdown table of a message's fields."""
    return [
        "| field | type | meaning |",
        "| --- | --- | --- |",
        *(
            f"| `{each.name}` | {type_words(each.type)} | {each.doc} |"
            for each in row.record.fields
        ),
    ]


def type_words(kind: FieldType) -> str:
    """A type in words: "integer, 0 to 63", "32 bytes", "printable
    ASCII, at most 400", "array of at most 64: 32 bytes", "[lane (integer, 0 to 2); ...]".
    """
    match kind:
        case Integer(least, most):
            return f"integer, {least} to {most}"
        case Binary(least, most):
            return f"{least} bytes" if least == most else f"bytes, {least} to {most}"
        case Text(most, ascii_only):
            return f"{'printable ASCII' if ascii_only else 'text'}, at most {most}"
        case Sequence(item, most):
            return f"array of at most {most}: {type_words(item)}"
        case Items(items):
            return f"[{'; '.join(map(type_words, items))}]"
        case Made():
            return type_words(kind.type)
        case Record():
            named = (f"{field.name} ({type_words(field.type)})" for field in kind.fields)
            return f"[{'; '.join(named)}]"
