"""The errors of the protocol, one class per way a caller would act differently."""


class InternalFault(Exception):
    """Something of our own is broken: a library, a check, this program. Nobody is accused.

    It is no `ProtocolError`, so that nothing that catches those takes it for a verdict: whatever
    was looked at stays unjudged, and nothing goes on. `check` names what showed it.
    """

    def __init__(self, check: str, detail: str = "") -> None:
        """Make the error; its text is `check`, and `detail` if there is one."""
        super().__init__(f"{check}: {detail}" if detail else check)
        self.check = check


class ProtocolError(Exception):
    """Anything the protocol refuses; catch a subclass unless the difference does not matter."""


class LocalError(ProtocolError):
    """Our own caller, machine or saved file is wrong, or asks for what cannot be done; no peer
    is at fault.
    """


class FailedCheck(ProtocolError):
    """A check failed; `check` is its stable name, such as `point.prefix`; `detail` says more.

    Catch its two kinds together by it; raise one of them.
    """

    def __init__(self, check: str, detail: str = "") -> None:
        """Make the error; its text is `check`, and `detail` if there is one."""
        super().__init__(f"{check}: {detail}" if detail else check)
        self.check = check
        self.detail = detail


class MalformedMessage(FailedCheck):
    """Bytes that do not decode, are not validly signed, or stand in a file where they cannot."""


class ProofError(FailedCheck):
    """A check of what does decode failed: a proof, a turn, a rule of the game, a point of evidence.

    Vectors assert on its `check`, such as `shuffle.equation`.
    """


class IdentityPoint(ProtocolError):
    """A group operation gave the identity, which no `Point` can be."""


class PeerFault(ProtocolError):
    """A validly signed message is wrong: of a peer, or of our own key.

    Internal to the protocol: a session turns it into `SeatBlamed`, `SeatSuspected` or
    `SessionStopped`. `check` is the stable name of the failed check; `evidence` holds one evidence
    file (`evidence_from_bytes`), or nothing if no stranger could be convinced.
    """

    def __init__(self, seat: int, check: str, evidence: tuple[bytes, ...] = ()) -> None:
        """Make the error; its text names the seat and the check, without the evidence."""
        # Without the evidence: it has thousands of bytes, and errors are printed.
        super().__init__(f"seat {seat}: {check}")
        self.seat = seat
        self.check = check
        self.evidence = evidence
