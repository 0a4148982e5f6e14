"""What a seat reads of others and answers them, each rate with its reason."""

from __future__ import annotations

from typing import Final

from protocol.rates import Rate

# The burst, then so many in a second.
# A choice, far above the claim a second and the word in five that a seat says: with less whoever
# has the table key drowns them sooner, with more reading what it says costs more time.
#: Messages of the lobby that one seat, or all without one, have sealed.
LOBBY: Final = Rate(1_024, 512)

# An answer has 64 messages (specs 7.6); eight times as many a second, and twice that at once, are
# a choice.
#: Envelopes of a kind that one seat has sealed, before there is a charter: eight times what an
#: answer to a question for history brings.
EARLY: Final = Rate(1_024, 512)

# A choice, twice the rate of one: a flood in one name leaves the others as much again.
#: Messages of the lobby and early envelopes, of all senders together: whoever has the table key may
#: name each seat in turn.
TOGETHER: Final = Rate(2_048, 1_024)

# A choice, twenty times what a seat hears: to verify a forged flood of words costs little.
WORDS: Final = Rate(64, 16)  #: Chat in a seat's name; a seat hears eight in ten seconds.

# A choice, more than a usual table sends: beyond it each frame costs us a signature's check.
#: Envelopes of a kind, in a seat's name, that are read whoever made them: all of a usual table.
UNPROVED: Final = Rate(64, 32)

# More than our own broker takes from a connection, 1,000 at once and 500 a second: whoever repeats
# old messages of a seat over one does not crowd out the seat's new ones.
#: Envelopes of a kind beyond UNPROVED, which the seat in whose name they come has signed.
SIGNED: Final = Rate(1_024, 512)

# A quarter of a core's time.
#: Signatures that are verified for SIGNED, of all seats together.
CHECKED: Final = Rate(4_096, 4_096)

# A choice: as often as a seat that lacks messages is answered (specs 7.6).
#: Answers of a kind to claims that come late and to spectators, whoever asks: spectators have no
#: names.
LATECOMERS: Final = Rate(1, 1)

# Six in ten seconds, a choice: a line that comes and goes is shown, and fills no screen.
#: Changes of where a seat is that are shown: whoever says more floods.
CHANGES: Final = Rate(6, 0.6)
