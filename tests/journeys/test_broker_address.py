"""Addresses and credentials: no secret in an address, none in an error, none readable by others."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.net.address import AddressError, BrokerAddress
from cli.net.credentials import (
    Credentials,
    CredentialsError,
    Secret,
    credentials_from_file,
    credentials_from_prompt,
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mqtt://",
        "http://broker.example.org",
        "mqtt://host:99999",
        "mqtt://host:0",
        "mqtt://host:port",
        "mqtt://ho st",
        "mqtt://host/path",
        "mqtt://host?x=1",
        "mqtt://host#x",
        "mqtt://-host",
        "mqtt://host..name",
        "ws://host/pa%74h",
        "mqtt://hôst",
        "mqtt://host\x1b[2J",
        "mqtt://[::1",
        "mqtt://" + "a" * 300,
        "a" * 195,
        "mqtt://[fe80::1%a,mqtt://b]",
        "mqtt://[fe80::1%a b]",
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        BrokerAddress.parse(text)
    assert str(caught.value).endswith(".")
    assert str(caught.value).isprintable()


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(AddressError) as caught:
        BrokerAddress.parse("mqtts://me:hunter2@broker.example.org")
    assert "hunter2" not in str(caught.value)
    assert "password" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "exposed"),
    [
        ("mqtt://broker.example.org", True),
        ("ws://8.8.8.8", True),
        ("mqtts://broker.example.org", False),
        ("mqtt://10.0.0.1", False),
        ("mqtt://table.local", False),
        ("mqtt://[fe80::1]", False),
    ],
)
def test_plain_addresses_far_away_are_known_as_exposed(text: str, exposed: bool) -> None:
    assert BrokerAddress.parse(text).exposed is exposed


def _file(place: Path, text: str, mode: int = 0o600) -> Path:
    path = place / "credentials"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_credentials_come_from_a_file_of_our_own(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "# the broker of the club\nuser = amara\npassword = a = b # c\n\n"
        "ca=ca.crt\ncertificate = /etc/c.crt\nkey = c.key\nkey-password = k\n",
    )
    assert credentials_from_file(path) == Credentials(
        user="amara",
        password=Secret("a = b # c"),
        ca=tmp_path / "ca.crt",
        certificate=Path("/etc/c.crt"),
        key=tmp_path / "c.key",
        key_password=Secret("k"),
    )


def test_a_password_keeps_its_blanks_and_every_letter_of_its_line(tmp_path: Path) -> None:
    path = _file(tmp_path, "user =amara\r\npassword =   a\u2028b \t\r\n ca =  ca.crt \n")
    assert credentials_from_file(path) == Credentials(
        user="amara", password=Secret("  a\u2028b \t"), ca=tmp_path / "ca.crt"
    )


@pytest.mark.parametrize(
    "text",
    [
        "user",
        "user =",
        "usr = x",
        "user = a\nuser = b",
        "password = secret-word",
        "certificate = a",
        "user = " + "x" * 9_000,
    ],
)
def test_a_file_that_is_none_is_refused_without_its_content(tmp_path: Path, text: str) -> None:
    with pytest.raises(CredentialsError) as caught:
        credentials_from_file(_file(tmp_path, text))
    assert "secret-word" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match="chmod 600"):
        credentials_from_file(_file(tmp_path, "user = a\n", mode=0o644))
    with pytest.raises(CredentialsError, match="cannot be read"):
        credentials_from_file(tmp_path / "missing")
    with pytest.raises(CredentialsError):
        credentials_from_file(tmp_path)


def test_credentials_come_from_a_prompt_that_hides_the_password() -> None:
    questions: list[str] = []

    def ask_hidden(question: str) -> str:
        questions.append(question)
        return "pass word"

    found = credentials_from_prompt(lambda _question: " amara ", ask_hidden)
    assert found == Credentials(user="amara", password=Secret("pass word"))
    assert len(questions) == 1
    assert credentials_from_prompt(lambda _question: "", ask_hidden) == Credentials()
    assert len(questions) == 1


def test_a_secret_shows_nothing_of_itself() -> None:
    secret = Credentials(user="amara", password=Secret("hunter2"))
    assert "hunter2" not in f"{secret!r}{secret}{secret.password}{secret.password!r}"


def test_a_broker_at_loopback_is_known_as_reachable_on_its_machine_alone() -> None:
    for text in ("mqtt://127.0.0.1:1883", "mqtt://127.9.9.9", "mqtt://[::1]", "mqtt://localhost"):
        assert BrokerAddress.parse(text).loopback, text
    for text in ("mqtt://192.168.1.20", "mqtt://card-table.lan", "mqtt://0.0.0.0"):
        assert not BrokerAddress.parse(text).loopback, text
