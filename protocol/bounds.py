"""The protocol's times and bounds, each with its reason or the section of the specification that
pins it: seconds of intervals, and the most that is read or kept of what others send.
"""

from __future__ import annotations

from typing import Final

from protocol.rates import Rate

# Encodings, files and keys.

# A bound against nesting that breaks a decoder (MP8). A charter nests deepest: terms, a term, its
# value, the bots in it, and a pair of seats.
MAX_DEPTH: Final = 6  #: Arrays within arrays, the outermost counted as one.
# Fits the largest frame, 16,384 bytes, with envelope and sealing around it.
MAX_BYTES: Final = 16_000  #: The longest encoding that travels; a saved file may allow itself more.
# No message comes near it: it bounds what a reader has to hold (specs 6.1).
MAX_RECORD: Final = 65_536
#: So many keys are kept, two of each seat, of 50,000 decks of four seats: what stays below 300 MB.
MOST_KEYS: Final = 400_000
# A fault brings the agreed messages of its ledgers along, which may be thousands (specs 6.4 pins
# it).
MAX_EVIDENCE_BYTES: Final = 4_000_000
# specs/03-encodings.md, 3.6: bounds that no game comes near, so that strangers cannot fill memory.
MAX_ROUND: Final = 4_095
MAX_NUMBER: Final = (1 << 32) - 1
MAX_PROOF: Final = 15_000  # the rest of a body of 16,000 is for the other fields
MAX_SLOTS: Final = 256
MAX_HEADS: Final = 16  # ours have two for each of three lanes, and those of messages we hold
# Pinned by specs 7.6: the asker's next heads bring the rest.
MAX_RESENT: Final = 64  #: Envelopes that one answer to heads resends at most.

# Charters, codes and invites.

# Specs 3.2: who is alone plays with nobody, and a set of seats is a field of 64 bits.
MIN_SEATS: Final = 2
MAX_SEATS: Final = 64
# Specs 3.2 pins these three: every seat must refuse the same charters.
# In characters, not bytes.
MAX_NAME: Final = 32
MAX_GAME: Final = 32
MAX_PROFILE: Final = 8_000
# A challenge has 336 bytes for each referee: for eight it fits a frame of 4,096 (specs 3.2 pins
# it).
MAX_REFEREES: Final = 8
# Two bytes, more than any draw of teams makes.
MOST_MATCHES: Final = 65_535
MOST_CLOSED: Final = 4_096
MOST_SCORES: Final = 64
# The longest code has 25; there is room for blanks, as in an invite.
LONGEST_CODE: Final = 64  #: Characters of a text that is looked at.
# Lifetime, patience and answers a second are pinned by specs 7.9.
CODE_LIFETIME: Final = 600.0  #: Seconds that a code lives.
#: Seconds that an opened exchange waits for its guess, while others are told that we are busy.
GUESS_WITHIN: Final = 5.0
#: Answers in the open, and answers under a seal that are said again: strangers ask for them.
ANSWERS: Final = Rate(20, 20)
# Wrong guesses are counted, right ones are not: whoever knows the code could open them without end.
MOST_LET_IN: Final = 32  #: Exchanges in which the code was right; the oldest gives way.
# Against 20.7 bits of the words (specs/decisions/050); a friend may mistype.
GUESSES: Final = 5  #: Wrong guesses after which a code is dead.
# A bound for strangers. More than a charter's 32: it is a text for people, "304, pagat rules".
LONGEST_GAME_TEXT: Final = 200
# The longest invite has 531 characters; there is room for blanks and hyphens.
LONGEST_INVITE: Final = 2_048  #: Characters of a text that is looked at.

# A table's rounds and hands.

# "At most once a second" (specs 7.6).
HEADS_SOON: Final = 1.0  #: Seconds between two tellings of our heads when there is a reason.
# A bound on memory against rounds far ahead (CH12); specs 5.2, step 4, pins its size.
#: How many rounds, the open one included, messages are held for. One message a seat and round.
ROUND_WINDOW: Final = 8
# So that nobody makes rounds without end (CH27); specs 5.7, no. 4, pins the number.
#: Rounds in which different seatings were named, after which no match follows.
SEATING_ROUNDS: Final = 16
# Both intervals are pinned by specs 7.6.
HEADS_INTERVAL: Final = 5.0  #: Seconds between two tellings of our heads while we wait.
ANSWER_INTERVAL: Final = 1.0  #: Seconds between two answers to one seat.
# An honest seat is at most one ahead: for the next but one our own message was needed (specs 5.2,
# step 2).
#: How many ledgers of a lane beyond the newest open one messages are held for.
LEDGERS_AHEAD: Final = 1
# A choice: a hand may be forgotten once all seats have signed its result (specs 5.2).
#: How many counted hands are kept, with their decks and openings: what a peer may lack, and what a
#: transcript is written from. No hand is counted before all have signed it, so that only who lost
#: its journal is further behind; transcripts have the rest (see `protocol.transcript.file`).
KEPT_HANDS: Final = 4
#: Transcripts that are looked into for one answer: of the hand that a peer is in, and the next.
TRANSCRIPTS_NEEDED: Final = 2

# Topics.

# Both bounds are those of specs 7.8: memory for what was shown, and room in the journal.
#: Latest serials of one seat that are known one by one; all below them count as heard.
CHAT_WINDOW: Final = 64
#: Words of one seat that are heard before the next hand begins: they are kept in the journal.
MOST_IN_A_HAND: Final = 256
# A choice: the player learns that somebody floods, and is not flooded with that.
TOLD_AGAIN: Final = 60.0  #: Seconds between two tellings that words of one seat are left out.
# A bound on memory: a seat can sign agreements without end (specs 5.6, no. 9).
#: How many agreements of one seat are kept: it may have named other seats before.
AGREEMENTS_KEPT: Final = 4
# Specs 5.8, no. 8, tells both bounds: a referee that rules without end fills no memory (RF11).
#: Rulings that stop nothing and are kept of a table; those that stop a hand are all kept, for there
#: is one in each stretch of hands.
MOST_RULINGS: Final = 64
#: A ruling is kept if its hand is less than so many millions ahead of the table's: we may lack the
#: ruling that opened the next million.
RULINGS_AHEAD: Final = 2
# Specs 5.8 pins both: what a seat may challenge is bounded, and so is what all keep of it.
MOST_CHALLENGES: Final = 3  #: How often a seat may challenge in a match.
# Bounded memory: a notice that a broker repeats after so many others asks the player again. No seat
# pushes one out soon: of each only BURST are heard within PERIOD.
REMEMBERED_NOTICES: Final = 256  #: Notices whose repetition is known as such.
# Of chat (specs 7.8, no. 3), and of notices that ask something of our player (CH24, CH31).
BURST: Final = 8  #: Words of one seat that are heard within PERIOD.
PERIOD: Final = 10.0  #: Seconds.

# Tournaments.

MOST_NAMES: Final = 1_400  #: Short names that one payload holds, of which each takes ten bytes.
#: Pieces of entries that are taken from the others before the list, of which a record holds twice
#: as many: anybody can enter any keys.
MOST_ENTERED: Final = 512
#: Pieces that one answer sends at most, a choice (14.3); whoever lacks more asks again.
MOST_SENT: Final = 64
# More than one, since a captain may correct an entry; few, since a word may leak.
MOST_OF_A_WORD: Final = 8  #: Entries that are taken from the others for one word.
#: Standings of one organiser that a record keeps all pieces of, beside all those that it had; a
#: choice (10.9): a dishonest organiser can make any number of them.
MOST_FORKS: Final = 8
#: Ends of one draw that are looked at, a choice (12.7): each costs as much as a standing.
MOST_ENDS: Final = 8
#: Results of one pair and score that a record is sure to keep, those of the lowest terms; a choice
#: (10.9): one decides, and a transcript may bear out another one.
MOST_AGREED: Final = 4
# A choice: some lines for people, and little that a stranger can make others keep.
LONGEST_TEXT: Final = 200
# Both far above what 32 teams sign: they bound what a stranger can make us read (10.8).
MAX_RECORD_BYTES: Final = 8_000_000
MOST_PIECES: Final = 16_384
#: Signatures of entries: 32 teams of four need 128, and each key takes long to check.
MOST_ENTRIES: Final = 1_024
# Lists and restarts multiply: a dishonest organiser's must not take for ever (11.5).
MOST_DRAWS: Final = 1_024
