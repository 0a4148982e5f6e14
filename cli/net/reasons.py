"""What refusals of a broker mean, in sentences. Source: MQTT 3.1.1, 3.2; MQTT 5.0, 3.2 and 3.14."""

from __future__ import annotations

from typing import Final

from cli.net.gate import SESSION_TAKEN_OVER
from cli.net.transport import TransportError, Trouble

QUOTA_EXCEEDED: Final = 0x97
FULL: Final = (
    "The broker is full, or we have used up what it allows us (quota exceeded): wait, or use"
    " another."
)
_TOO_MANY: Final = "The broker takes no more connections for a moment: wait, or use another."
_FAREWELLS: Final = {
    SESSION_TAKEN_OVER: (
        Trouble.LOST,
        "Another connection took over our name at the broker; we take a new one.",
    ),
    0x87: (Trouble.ACCESS, "The broker sent us away: what we do there is not allowed to us."),
    0x89: (Trouble.REFUSED, "The broker sent us away because it is too busy: we try again."),
    0x8B: (Trouble.REFUSED, "The broker is being shut down: we try again."),
    0x95: (
        Trouble.SIZE,
        "The broker ended the connection because a packet of ours was too large for it: ask the one"
        " who runs it for more, or use another broker.",
    ),
    0x96: (Trouble.REFUSED, "The broker sent us away because we sent too much at once."),
    0x97: (Trouble.REFUSED, FULL),
    0x98: (Trouble.REFUSED, "Whoever runs the broker ended our connection: ask them why."),
    0x9F: (Trouble.REFUSED, _TOO_MANY),
}
"""What a DISCONNECT of MQTT 5 says (section 3.14.2.1)."""


def why_not_let_in(code: int, *, named: bool) -> TransportError:
    """Return the error of a CONNACK with this code; `named` says whether we told who we are."""
    match code:
        case 1 | 0x84:
            return TransportError(
                Trouble.VERSION, "The broker does not speak this version of MQTT."
            )
        case 4 | 5 | 0x86 | 0x87 | 0x8C if not named:
            return TransportError(
                Trouble.CREDENTIALS,
                "The broker lets in only those whom it knows: give your user name and password with"
                " --login, or a file of them with --credentials.",
            )
        case 4 | 5 | 0x86 | 0x87 | 0x8C:
            return TransportError(
                Trouble.CREDENTIALS,
                "The broker refuses our user name, password or certificate:"
                " check the credentials file, or type them again.",
            )
        case 0x8A:
            return TransportError(
                Trouble.ACCESS, "The broker has banned us: ask the one who runs it."
            )
        case 0x97:
            return TransportError(Trouble.REFUSED, FULL)
        case 0x9F:
            return TransportError(Trouble.REFUSED, _TOO_MANY)
        case 3 | 0x88 | 0x89:
            return TransportError(
                Trouble.REFUSED, "The broker is too busy or closed for now: wait, or use another."
            )
        case _:
            return TransportError(
                Trouble.REFUSED, f"The broker refuses our connection with code {code}."
            )


def why_sent_away(code: int) -> TransportError:
    """Return the error of a DISCONNECT of MQTT 5 with this code."""
    trouble, sentence = _FAREWELLS.get(
        code, (Trouble.LOST, f"The broker ended the connection with code {code}.")
    )
    return TransportError(trouble, sentence)
