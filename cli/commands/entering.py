"""Reading an invite, which may be pasted in pieces, or the code of a table."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import click

from cli.bounds import INVITE_LINES, NEXT_LINE_WITHIN
from cli.code import CodeError, complete_code, parse_code
from cli.commands.seating import answer
from cli.errors import UserError
from cli.invite import Invite, InviteError, InviteVersionError
from cli.lines.console import Console, InputEnded, Terminal
from cli.sanitize import safe_name, safe_text
from p2p304.seats import Seat, place_name
from protocol.bounds import LONGEST_INVITE
from protocol.wire.code import Code, looks_like_code
from protocol.wire.code_messages import Welcome
from protocol.wire.invite import PREFIX

ENTRY: Final = "The code, or the invite:"


NO_CODE: Final = (
    "This is a code, which gives a seat; an invite is needed here, and takes none: a player at the"
    " table shows it with i, its host with i and Enter."
)


async def invite_for(argument: str | None, console: Console) -> Invite:
    """Return the invite in the argument or in the lines of the input, as `entry_for` does; a code
    is refused, since it leads to a host, who gives a seat.
    """
    entry = await entry_for(argument, console, codes=False)
    assert isinstance(entry, Invite)
    return entry


async def entry_for(argument: str | None, console: Console, *, codes: bool = True) -> Invite | Code:
    """Return the invite, or the code if `codes` are taken, in the argument or, for None and "-", in
    the lines of the input.

    A person at a terminal is asked, and asked again, after a mistake, in the argument too. Raises
    InviteError or CodeError, or UserError if the input ends.
    """
    # "-" is the standard input, as in other programs.
    given, before = None if argument == "-" else argument, ""
    if given is not None and _holds_invite(given):
        click.echo(
            "The invite may now be in your shell's history, and others on this machine may have"
            " seen it: next time leave it out and paste it when asked.",
            err=True,
        )
    while True:
        text = await _read_entry(console, codes=codes) if given is None else given
        # In plain lines the rest of a broken invite comes by itself; where Tab completes, a
        # terminal pastes whole.
        goes_on = given is None and not (codes and isinstance(console, Terminal))
        try:
            return await _entry_in(before, text, console if goes_on else None, codes=codes)
        except (InviteError, CodeError) as error:
            # Only who sits at the terminal can try again; a script's error ends it.
            if not console.interactive:
                raise
            console.say(str(error))
            console.typed_before()  # the rest of a paste answers no new question
        given, before = None, text


async def _entry_in(
    before: str, text: str, console: Console | None, *, codes: bool
) -> Invite | Code:
    """Return the invite or the code in a text. It may be the rest of an invite that began in the
    text `before` it, or the beginning of one that goes on in the next lines of the `console`.

    Raises InviteError or CodeError, with the sentence to tell.
    """
    try:
        return Invite.parse(before + text)
    # It was read whole and is of another version: more lines would not mend it.
    except InviteVersionError:
        raise
    # Not yet an invite: perhaps a code, or the next lines complete it.
    except InviteError:
        pass
    if looks_like_code(text):
        if codes:
            return parse_code(text)
        raise InviteError(NO_CODE)
    try:
        return await _invite_in_lines(text, console)
    except InviteError as error:
        raise (_no_entry(text, error) if codes else error) from None


async def _invite_in_lines(text: str, console: Console | None) -> Invite:
    """Return the invite that begins with `text` and may go on in the next lines of the `console`.
    Raises InviteError for what is none.
    """
    for _ in range(INVITE_LINES):
        try:
            return Invite.parse(text)
        # Whole, and of another version: the next line is no part of it.
        except InviteVersionError:
            raise
        except InviteError as error:
            # A mail program may have broken the line; the next one is its rest, or empty. No invite
            # is longer than LONGEST_INVITE, so that more lines would not complete it.
            if console is None or not text.strip() or len(text) > LONGEST_INVITE:
                raise
            try:
                # A pipe that stays open must not hold the command: the error of what came is told.
                more = await asyncio.wait_for(console.line(), NEXT_LINE_WITHIN)
            # The first error is told: it is about what was typed.
            except (InputEnded, TimeoutError):
                raise error from None
            # An empty line ends what was pasted: the error is about all that came.
            if not more.strip():
                raise
            text += more
    return Invite.parse(text)


def _no_entry(text: str, error: InviteError | CodeError) -> InviteError | CodeError:
    """Return the error to tell for a text that is neither invite nor code: `error` itself if the
    text looks like one of them.

    Else it is a new one, which says that the text is neither or, for an empty text, what to type.
    """
    if not text.strip():
        return InviteError("Type the code that the host said, or paste the invite.")
    if isinstance(error, CodeError | InviteVersionError) or _holds_invite(text):
        return error
    return InviteError(
        f"This is neither a code, such as 7-zebra-lantern, nor an invite: {PREFIX}-..."
    )


def _holds_invite(text: str) -> bool:
    """Return whether the text holds the prefix of an invite, broken by spaces or hyphens or not."""
    return PREFIX in "".join(text.split()).replace("-", "").upper()


async def _read_entry(console: Console, *, codes: bool) -> str:
    """Ask for an invite or, if `codes` are taken, a code, and return the line; at a terminal Tab
    completes words of codes. Raises UserError if the input ends.
    """
    if codes and isinstance(console, Terminal):
        from cli.screen.app import ask_line  # only who types needs it

        try:
            return await ask_line(ENTRY, complete_code)
        except EOFError:  # Ctrl-D, as prompt_toolkit tells it
            raise UserError("The input ended before the question was answered.") from None
    # A pipe or a file is read without a question.
    if console.interactive:
        console.prompt(ENTRY if codes else "Invite:")
    return await answer(console)


# --- the seat -------------------------------------------------------------------------------------


async def choose_seat(console: Console, welcome: Welcome, *, ascii_only: bool) -> Seat:
    """Print the table; return the only free seat, or ask until a free one is named, an empty line
    for the first.
    """
    console.say(*welcome_lines(welcome, ascii_only=ascii_only))
    # The host's order: each guest has another first seat, or all would want the same.
    first, *others = welcome.free
    if not others:
        console.say(f"One seat is free: {place_name(first, welcome.seats)}.")
        return first
    while True:
        # In the order of seats, to be read; the usual one stays the first of the host's order.
        places = ", ".join(place_name(seat, welcome.seats) for seat in sorted(welcome.free))
        console.prompt(f"Which seat: {places}? [{place_name(first, welcome.seats)}]")
        said = (await answer(console)).strip()
        if not said:
            return first
        meant = seats_meant(said, welcome.free, welcome.seats)
        if len(meant) == 1:
            return meant[0]
        console.say("Type the name of a free seat, its first letter, or its number.")


def seats_meant(said: str, among: Iterable[Seat], seats: int) -> list[Seat]:
    """Return the seats `among` those of a table that a person may mean: by number (from 1), name,
    or the beginning of a name; "south" begins no "South-East", "south-" does.
    """
    said, found = said.lower(), []
    for seat in among:
        name = place_name(seat, seats).lower()
        # Else "south" would be two seats of a table that has South and South-East.
        begun = name.startswith(said) and ("-" in said or "-" not in name)
        # People count seats from 1.
        if said in (f"{seat + 1}", name) or begun:
            found.append(seat)
    return found


def welcome_lines(welcome: Welcome, *, ascii_only: bool) -> list[str]:
    """Return lines about a table that a code leads to: its game, who sits, and which seats are
    free.
    """
    width = max(len(place_name(seat, welcome.seats)) for seat in range(welcome.seats))
    # The host's own words: four lines of them at most.
    lines = [safe_text(welcome.game, cells=300, ascii_only=ascii_only)]
    sitting = dict(welcome.names)
    for number in range(welcome.seats):
        seat = Seat(number)
        if seat in sitting:
            who = safe_name(sitting[seat], ascii_only=ascii_only)
        else:
            who = "free" if seat in welcome.free else "taken"
        lines.append(f"  {place_name(seat, welcome.seats):<{width}}  {who}")
    return lines
