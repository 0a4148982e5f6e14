"""Credentials for a broker: user, password, certificate; from a file or a prompt, never from
arguments.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cli.bounds import LARGEST_CREDENTIALS
from cli.errors import UserError
from cli.input_files import open_regular
from cli.net.address import BrokerAddress

_NAMES: Final = ("user", "password", "ca", "certificate", "key", "key-password", "hosts")
#: Whose values are compared letter by letter, blanks at their ends included.
_SECRET_NAMES: Final = ("user", "password", "key-password")


class CredentialsError(UserError):
    """A file of credentials cannot be used; one sentence says why, without its content."""


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A text that is never printed: `repr`, `str` and formatting show no part of it."""

    # Compared in plain: it meets only texts of this machine's own user.
    _text: str

    def reveal(self) -> str:
        """Return the text, for a library that needs it."""
        return self._text

    def __repr__(self) -> str:
        return "<secret>"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Everything that a broker may ask of us; every part is optional.

    `ca` is a file of certificates to trust instead of the system's. `certificate` and `key` are
    files of a client certificate, the key possibly locked with `key_password`. `hosts` are the
    hosts that may be shown all this.
    """

    user: str | None = None
    password: Secret | None = None
    ca: Path | None = None  #: None: the authorities of the system are trusted.
    certificate: Path | None = None
    key: Path | None = None
    key_password: Secret | None = None  #: None: the key is not locked.
    #: Empty: none yet; those that the user names at a command are added (`with_hosts`).
    hosts: tuple[str, ...] = ()

    @property
    def named(self) -> bool:
        """Whether a user, or a client certificate, identifies us to the broker."""
        return self.user is not None or self.certificate is not None

    def with_hosts(self, nodes: Iterable[BrokerAddress]) -> Credentials:
        """Return a copy in which the hosts of these brokers may be shown the credentials, too,
        because the user named them.
        """
        # Each once: a host may be in the file, and named at the command as well.
        named = dict.fromkeys((*self.hosts, *(each.host for each in nodes)))
        return replace(self, hosts=tuple(named))

    def strange_hosts(self, nodes: Iterable[BrokerAddress]) -> tuple[str, ...]:
        """Return the hosts of these brokers that are not among `hosts`, each once; none if we
        have neither a user nor a certificate, which would show who we are.
        """
        # A broker that learns no name and no certificate learns nothing.
        hosts = dict.fromkeys(each.host for each in nodes if self.named)
        return tuple(host for host in hosts if host not in self.hosts)

    def check_hosts(self, nodes: Sequence[BrokerAddress]) -> None:
        """Raise CredentialsError if our credentials show who we are, and a node's host, from
        somebody else's text, is none of the allowed ones.
        """
        # A stranger's invite could name the stranger's own broker (attacks MQ25).
        if strange := self.strange_hosts(nodes):
            # All hosts, not the strange ones alone: a file may have one such line.
            asked = tuple(dict.fromkeys(each.host for each in nodes))
            raise CredentialsError(
                f"This meets at {', '.join(asked)}, and your credentials go to no host that you"
                f" have not named: if you trust {', '.join(strange)}, write"
                f" 'hosts = {' '.join(asked)}' into the credentials file."
            )


NO_CREDENTIALS: Final = Credentials()


def credentials_from_file(path: Path) -> Credentials:
    """Return the credentials in a file of lines `name = value`.

    The names are user, password, ca, certificate, key, key-password and hosts, the last with one or
    more hosts that may be shown the others. Empty lines and lines that begin with `#` are skipped;
    relative paths are relative to this file. A user or password begins behind `= ` and ends with
    its line: other blanks belong to it. Raises CredentialsError if the file is missing, unreadable,
    readable by others or too large, has any other line or a name twice, or has a password without a
    user, or one of certificate and key without the other.
    """
    values: dict[str, str] = {}
    # Editors of Windows write a byte order mark and CRLF.
    lines = _private_text(path).removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, separator, value = line.partition("=")
        name, value = name.strip(), value.removeprefix(" ")
        if name not in _SECRET_NAMES:
            # Blanks may belong to a password.
            value = value.strip()
        # A name twice would leave open which counts.
        if not separator or name not in _NAMES or not value or name in values:
            raise CredentialsError(
                f"Line {number} of the credentials file is not one new"
                f" 'name = value' with a name among {', '.join(_NAMES)}."
            )
        values[name] = value
    # MQTT 3.1.1 allows no password without a user (3.1.2.9).
    if "password" in values and "user" not in values:
        raise CredentialsError("The credentials file has a password and no user.")
    if ("certificate" in values) != ("key" in values):
        raise CredentialsError("A client certificate needs both 'certificate' and 'key'.")
    return Credentials(
        user=values.get("user"),
        password=_secret(values.get("password")),
        ca=_file(path, values.get("ca")),
        certificate=_file(path, values.get("certificate")),
        key=_file(path, values.get("key")),
        key_password=_secret(values.get("key-password")),
        # Host names have no case.
        hosts=tuple(values.get("hosts", "").lower().replace(",", " ").split()),
    )


def credentials_from_prompt(
    ask: Callable[[str], str], ask_hidden: Callable[[str], str]
) -> Credentials:
    """Ask for a user, then for a password, and return both; for an empty user ask no further,
    and return credentials without any. `ask_hidden` echoes nothing.
    """
    # Brokers compare user names letter by letter: a blank typed by mistake would fail.
    user = ask("User name at the broker (empty for none)").strip()
    if not user:
        return NO_CREDENTIALS
    return Credentials(user=user, password=Secret(ask_hidden("Password at the broker")))


def _secret(text: str | None) -> Secret | None:
    """Return a text as a Secret; None for None."""
    return None if text is None else Secret(text)


def _file(settings: Path, name: str | None) -> Path | None:
    """Return a path of the credentials file, relative to its folder unless it is absolute; None
    for no name.
    """
    return None if name is None else settings.parent / Path(name).expanduser()


def _private_text(path: Path) -> str:
    """Return the text of a file; raises CredentialsError if it is missing, unreadable, readable
    by others, too large, or no text.
    """
    try:
        with open_regular(path) as file:
            # Of the open file, not of its name, which could lead elsewhere by now: bits of group
            # and others.
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise CredentialsError(
                    f"Other people may read {path}: make it yours alone with 'chmod 600' first."
                )
            # One byte more than allowed shows that there is more, without reading it.
            content = file.read(LARGEST_CREDENTIALS + 1)
    except FileNotFoundError as error:
        raise CredentialsError(f"There is no file {path}.") from error
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > LARGEST_CREDENTIALS:
        raise CredentialsError(f"{path} is too large for a file of credentials.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CredentialsError(f"{path} is no UTF-8 text.") from error
