"""Writes every file of `specs/vectors/` but the draft's own proofs.

python -m tests.vectors.all_vectors
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.vectors import card_vectors, file_vectors, record_vectors, referee_vectors, table_audits
from tests.vectors.answers import operations
from tests.vectors.collect import VECTORS, Collector
from tests.vectors.file_vectors import evidence_files
from tests.vectors.rehearsal import SAVED_HANDS, TABLES
from tests.vectors.saved_hands import render as saved_hands

Category = str | Callable[[], Collector]
#: What makes each category, or its name where the questions are those of its file.
CATEGORIES: tuple[Category, ...] = (
    *("group", "hash-to-group", "sponge", "digests", "commitment", "encoding"),
    *("charter", "envelope", "messages"),
    *card_vectors.CATEGORIES,
    *card_vectors.STATEMENT_CATEGORIES,
    *("notation", "rules", "score", "match", "caps", "tournament"),
    *record_vectors.CATEGORIES,
    *file_vectors.CATEGORIES,
    *referee_vectors.CONTINUATION_CATEGORIES,
    *("sealing", "invite", "lobby", "rematch", "code"),
    *table_audits.CATEGORIES_41,
    *referee_vectors.CATEGORIES,
    *("refusals", "rules-seats", "rules-called"),
    *table_audits.CATEGORIES,
)

#: The hand of a table that is played again with those of the five profiles, 41 and 400.
SAMPLE = "doso_viso"


def collectors(*, whole: bool = True) -> Iterator[Collector]:
    """Every category; unless all of it is wanted, that of the tables' audits from its file, and of
    the others most costly answers."""
    for category in CATEGORIES:
        if category in table_audits.CATEGORIES and not whole:
            yield Collector.written(VECTORS / "tables.json")
        else:
            Collector.sparing = not whole
            try:
                found = made(category)
            finally:
                Collector.sparing = False
            yield found


def made(category: Category) -> Collector:
    """Return a category by what makes it, or by its name."""
    return Collector.answered(category) if isinstance(category, str) else category()


def _readme(found: list[Collector]) -> str:
    rows = ["# Vectors", "", "Written by `make vectors`; the form is told in"]
    rows += ["[conformance.md](../conformance.md), the schema is [schema.json](schema.json)."]
    rows += ["`hands/` and `evidence/` hold the files that vectors start from;"]
    rows += ["`sigma-secp256k1.json` holds proofs in the form of the IRTF drafts' own vectors.", ""]
    rows += ["| category | about | accepted | of them strange | refused |"]
    rows += ["| --- | --- | --- | --- | --- |"]
    totals = [0, 0, 0]
    for each in found:
        counts = [sum(key in row for row in each.rows) for key in ("output", "strange", "expect")]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        numbers = " | ".join(map(str, counts))
        rows.append(f"| [{each.category}]({each.category}.json) | {each.about} | {numbers} |")
    rows += [f"| all {len(found)} | | {' | '.join(map(str, totals))} |", ""]
    rows += [
        "## Operations",
        "",
        "`input`: results. The last column names the members of `output`,",
    ]
    rows += ["each of which every answer has, but those with a `?`, which some have.", ""]
    rows += ["| operation | takes and gives | members of `output` |", "| --- | --- | --- |"]
    members = {**_members(found), "transcript.records": ["`messages`"]}  # no vector asks it
    for name, each in sorted(operations().items()):
        rows.append(
            f"| `{name}` | {' '.join((each.__doc__ or '').split())} | {', '.join(members[name])} |"
        )
    return "\n".join(rows) + "\n"


def _members(found: list[Collector]) -> dict[str, list[str]]:
    """The members of the output of each operation, in their order; `?` behind those of some."""
    outputs: dict[str, list[dict[str, object]]] = {}
    for row in (row for each in found for row in each.rows if "output" in row):
        outputs.setdefault(row["op"], []).append(row["output"])
    return {
        op: [
            f"`{name}`" + ("" if all(name in each for each in rows) else "?")
            for name in dict.fromkeys(name for each in rows for name in each)
        ]
        or ["none"]
        for op, rows in outputs.items()
    }


def render(*, whole: bool = True) -> dict[Path, bytes]:
    """Each file with its bytes; without all of it, the tables' hands but one are left out."""
    found = list(collectors(whole=whole))
    names = [name for name in SAVED_HANDS if whole or name == SAMPLE or name not in TABLES]
    files = {VECTORS / f"{each.category}.json": each.render().encode("ascii") for each in found}
    files[VECTORS / "README.md"] = _readme(found).encode("utf-8")
    return {**files, **saved_hands(names), **evidence_files()}


if __name__ == "__main__":
    for path, data in render().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
