"""The one version of the protocol that this program speaks, and what it says of every other."""

from __future__ import annotations

from typing import Final

from protocol.errors import MalformedMessage

PROTOCOL_VERSION: Final = 2  #: What the first item of a charter and the first byte of a frame say.

UNRELEASED: Final = 1  #: The versions up to here were tried by their makers alone.


def other_version(version: int, *, check: str) -> MalformedMessage:
    """Return the error, with the name `check`, for what is of a `version` that is not ours.

    Its detail ends a sentence about what was read: "of version 3 of the protocol, and this
    p2p304 reads version 2 alone: ...".
    """
    what = f"of version {version} of the protocol"
    ours = f"this p2p304 reads version {PROTOCOL_VERSION} alone"
    # Nobody can get a program that reads these.
    if 1 <= version <= UNRELEASED:
        return MalformedMessage(
            check, f"{what}, which was never released, and {ours}: begin a new table"
        )
    return MalformedMessage(check, f"{what}, and {ours}: use the p2p304 that wrote it")
