"""The client's times and bounds, each with its reason: seconds of waits and intervals, and the
most that is read, kept or tried of what people, files, brokers and other seats give.
"""

from __future__ import annotations

from typing import Final

from protocol.rates import Rate

# What people type and paste.

# Mail programs break lines at 72 to 78 characters, and an invite is longer.
# A choice: an invite with one usual address has a few.
INVITE_LINES: Final = 12  #: Lines into which a mail program may have broken an invite.
# The rest of a paste is there at once; a person who types is not waited for.
NEXT_LINE_WITHIN: Final = 1.0  #: Seconds for the next of them.
# No bid has more; and `int` of a long text takes time (attacks RS7).
MOST_DIGITS: Final = 4
# A choice: less than three lines of 80 cells; the wire allows more (specs 3.6).
LONGEST_MESSAGE: Final = 200  #: Characters of one message that a person writes.
# Lines of a pipe; the reading thread waits when so many are unread, so that memory is bounded.
LINES_WAITING: Final = 256
# A terminal gives 4,096 bytes for one line; in a pipe the setup of a bot that founds a table takes
# up to 6,600.
LONGEST_LINE: Final = 8_192
# Nobody types a label that is a whole sentence: such choices have keys or numbers.
MOST_TYPED: Final = 12  #: Characters of one choice.
#: Seconds after a card was typed in full in which Enter only says so, as people type it: the card
#: has acted already, and what stands there by then is another question.
ENTER_CONFIRMS_FOR: Final = 1.0
# Escape alone is also the first byte of every arrow key: 0.5 s, prompt_toolkit's, feels dead.
ESCAPE_SECONDS: Final = 0.05  #: How long a lone Escape waits for the rest of a sequence.
#: Seconds without a key after which the player is called: who has just pressed one looks on.
CALLED_AFTER: Final = 5.0
#: Seconds, after a change was drawn, in which a key may still be meant for what was there before:
#: longer than people take to notice, shorter than they take to read.
KEY_MEANT_BEFORE: Final = 0.4
# A choice: longer delays everybody who pipes an invite, shorter misses a slow program.
#: For so long a pipe may stay open after the invite without being one that answers.
PIPE_SECONDS: Final = 0.3

# The time of a turn.

# A fixed time, so that how soon a bot answers tells nothing of its cards (attacks PR9).
BOT_THINKS: Final = 0.4  #: Seconds after which a bot answers.
# A minute: more would look like a table that hangs.
LONGEST_PACE: Final = 60.0  #: Seconds.
# Long enough that a forced card is not told from a chosen one by its time (attacks PR2).
FORCED_CARD_FROM: Final = 0.8
#: Seconds before a forced card is played by itself: drawn anew each time, so that they tell
#: nothing (whoever chooses takes as long).
FORCED_CARD_UNTIL: Final = 3.0
# A choice: to see that something may be claimed, and to reach a key.
#: Seconds for which a window in which something may be claimed stays open at the least.
CLAIM_WINDOW: Final = 1.5
# An estimate: with too much the proofs only begin earlier.
MAKING: Final = 0.05  #: Seconds in which a message is made, with its proofs, and put on the disk.
# Shorter than a person takes to choose a card.
#: Seconds without a move before the seat of a person works on the next deck: while somebody thinks.
#: Bots work on it at once.
NEXT_DECK_AFTER: Final = 0.6

# The screen.

# Python's own is 0.005: so long a key would wait for the thread of a proof.
SWITCH_SECONDS: Final = 0.001
# A bound: a fault in a timer comes again and again while the screen is up.
MOST_ASIDE: Final = 16  #: Errors of others that are told when the screen has gone.
# prompt_toolkit caches each style for ever, and others choose the words: a bound on what they cost.
MOST_STYLES: Final = 4_096
# Twenty frames a second; without a screen (in tests) nothing is drawn, and nobody waits longer.
A_FRAME: Final = 0.05  #: Seconds after which a frame is waited for no longer.
# A choice: words that lay there for less count as unread, and wait for the next pause.
READ_AFTER: Final = 2.0  #: Seconds in which somebody has read what others said.
# Shorter than a bot's pause, longer than an eye needs.
CARD_MOVES_FOR: Final = 0.28  #: How long a card is on its way.
# A choice: seven frames for each card.
MOVING_FRAME: Final = 0.04  #: Seconds between two frames of it.
# Of one hand; more would fill the pause between two hands.
MOST_UNREAD: Final = 12

# A seat's line, and who may say how much on it.

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
# A choice: fewer enter the thread more often, more hold the session for longer.
MOST_AT_ONCE: Final = 64  #: Received messages that one call of the worker thread handles.
# Less than the time after which a seat that lacks a message asks for it again.
#: Seconds in which a payload is read only once, if its sender is beyond its rate.
REPEATED_WITHIN: Final = 4.0
# Bounded, since whoever has the table key can send new payloads for ever; the number is a choice.
REMEMBERED_PAYLOADS: Final = 4_096  #: So many payloads are known to have been read, the latest.
# Fixed: a word that followed the player's keys would tell when it thinks.
BEAT: Final = 5.0  #: Seconds between two words of ours.
# Three words of 5 s and one of delay.
#: Seconds after which nothing is heard of a seat: three of its words are missing.
SILENT_AFTER: Final = 16.0
# Bounded memory, by a number that is a choice: a word that comes late is of one of the last
# connections.
RETIRED: Final = 8  #: Earlier connections of a seat whose words are known to be old.

# Sitting down.

# Seconds; claims may be lost, and the founder answers a repeated one alike (specs 7.4). An inquiry
# for the charter goes to another seat each time.
CLAIM_INTERVAL: Final = 1.0
# A choice: a founder that is there answers each claim.
#: Claims without an answer after which the player is told that nobody is there.
UNANSWERED: Final = 5
# Bounded: strangers may send before there is a charter. A choice: what is dropped is lacked, and
# comes by a question to the seats (specs 7.6).
CLAIMER_KEEPS: Final = 64  #: Messages of seats that are further than we are, kept for the session.
# A choice: time to sit down by hand; longer, a friend whose program died keeps the seat.
#: Seconds after which a seat that was given and not claimed can be given again; the first claim has
#: it.
GIVEN_FOR: Final = 60.0
# A choice: soon enough for a person who looks on.
#: Seconds after which is looked whether the code has died, and what there is to tell.
CODE_TICK: Final = 1.0
# Frames may be lost; the host answers a repeated one alike (specs 7.9). A choice: an answer leaves
# after `ANSWERED_AFTER`, so half a second is left for both ways.
GUEST_ASKS_EVERY: Final = 0.7
# This wait and those below are choices: a person looks at the screen meanwhile.
FOUND_WITHIN: Final = 4.0  #: Seconds for a broker to let us in, and for a host there to answer.
OTHERS_WITHIN: Final = 0.7  #: Seconds more for hosts at other brokers, once one has answered.
LET_IN_WITHIN: Final = 20.0  #: Seconds for our guess, which may have to wait for those of others.
# Seconds; the host only has to look whether the seat is free.
SEATED_WITHIN: Final = 10.0
# Far longer than a step of the exchange takes to compute (specs 7.9).
#: Seconds after which every answer goes out: how long it was computed is nobody's business.
ANSWERED_AFTER: Final = 0.2
# Time for two questions, as one may be lost (specs 7.9).
LISTENED_FOR: Final = 0.8  #: Seconds of silence after which a number is free.
# An answer waits for `ANSWERED_AFTER`, so 0.2 seconds are left for both ways.
PROBED_AGAIN: Final = 0.4  #: Seconds between two questions whether a number is taken.
# Twelve taken numbers are no chance: somebody answers for all.
NUMBERS_TRIED: Final = 12

# Playing on and leaving.

# A choice: time for a program that runs, while nobody else can come. Not for ever, as a friend's
# program may have died, and whoever overheard a code may never come (attacks CO15).
#: Seconds in which a friend who has an invite is expected; then others can come in its place.
PROMISED_FOR: Final = 5.0
# A choice: the founder tells at the old table first.
ASKED_AFTER: Final = 3.0  #: Seconds that somebody at the old table has to tell us.
# As often as a seat answers (specs 7.6).
#: Seconds between two questions whether the others have the end of the last hand.
ASKING: Final = 1.0
# A choice: less loses who restarts at the end, more holds us for who never comes back.
#: Seconds that we stay, beyond lingering, for seats that may lack the end of the last hand.
STAYS_FOR: Final = 30.0
# Seconds: deadlines of the protocol are longer, so a second more or less changes nothing.
SEAT_TICK: Final = 1.0
# Seconds; nothing of a bot's is in a hurry beside its moves.
BOT_LOOKS_EVERY: Final = 1.0
# A choice: less leaves while the claims may still be answered, more holds up whoever runs it.
#: Seconds without a break that claims may hold a bot after a restart before it leaves.
HELD_FOR: Final = 60.0
# A choice: less leaves out who is back at once, more keeps those who wait.
BOT_WAITS_FOR: Final = 10.0  #: Seconds that a bot gives a player who others say is gone.
# Looked at again and again: a bot leaves at its turn, and nothing in particular happens then.
#: Seconds after which is looked whether the table waits for a bot that leaves.
LEAVING_INTERVAL: Final = 0.2
# Seconds; shorter than a player's, since all seats are on this machine.
BOTS_LINGER: Final = 2.0
# A choice: SIGTERM ends a bot at once; whoever leaves waits so long for one that is stopped.
BOT_ENDS_WITHIN: Final = 5.0  #: Seconds that a bot has to end after it was told to.
# A sentence fits on a screen; a traceback's last line may be of any length.
LONGEST_REASON: Final = 300
# A limit for a table that hangs and no measure of speed: a hand takes some seconds.
SECONDS_A_HAND = 120.0
# Long enough for one that closes a connection, short enough for who pressed Ctrl-C.
#: Seconds after which a task that goes on although it was cancelled is cancelled again.
CANCELLED_AGAIN: Final = 0.2

# Spectators and pages.

# Seconds between two looks at whether something was missed. A choice, half of PATIENCE: an inquiry
# is late by so much at most.
SPECTATOR_TICK: Final = 0.25
# A choice: a seat answers once a second, and is asked again after all others.
#: Seconds between two of our inquiries; each goes to another seat.
SPECTATOR_ASKS_EVERY: Final = 0.5
# A choice, three times HEADS_INTERVAL: seats that wait tell their heads meanwhile.
SILENCE: Final = 15.0  #: Seconds without news after which we ask whether we missed any.
# Bounded: strangers may send before there is a charter. A choice, and more than a seat keeps (64):
# a spectator may come in the middle of a hand, and each seat answers it only once a second.
SPECTATOR_KEEPS: Final = 256
# Enough for a room of readers; bounds what an idle browser can hold.
MOST_CONNECTIONS: Final = 64
# A choice (decisions 025), about as much as common servers take.
MOST_REQUEST: Final = 8_192  #: Bytes of a request.
# A choice (decisions 025): it is in memory, once for all readers.
MOST_HISTORY: Final = 16 << 20  #: Bytes of events that are kept; then the oldest chapters go.
# A choice (decisions 025): a slow line takes a piece in it, a stopped reader is dropped.
#: Seconds for a whole request, and for a reader to take the next piece.
READER_WITHIN: Final = 10.0
#: Bytes that a reader must take within `READER_WITHIN`; more are not held for it (decisions 025).
READER_PIECE: Final = 64 << 10
# Old proxies drop connections that are silent: the HTML standard advises a comment every 15 seconds
# or so ("Authoring notes" of its server-sent events).
#: Seconds of silence after which a reader gets a comment, which shows whether it is there.
PAGE_BEAT: Final = 15.0
# A choice: who ends the watching waits for it.
GOODBYE: Final = 1.0  #: Seconds in which readers can take the last events.
# A choice: it bounds what is read into memory, whatever file lies there.
#: Bytes of a transcript that a live page is given; a hand of any game here has far fewer.
MOST_TRANSCRIPT: Final = 8 << 20
# A choice: pages are sent by mail, and kept in memory while they are made.
PAGE_BYTES: Final = 16 << 20  #: Of the transcripts of one page: the hands of many matches.

# Brokers, seen as a client.

# Long: our own uplink may be slow.
WRITE_DEADLINE: Final = 20.0
# Two of these and some slack make the ten seconds of a lost connection.
#: Seconds between two questions for a sign of life. A broker of which no packet comes for twice as
#: long is left: so a connection of which only our half is left ends within 10 seconds.
KEEPALIVE: Final = 4
#: Seconds of our own silence that we ask the broker to bear: a machine may be slow.
ANNOUNCED_KEEPALIVE: Final = 20
# A choice, many times what proxies send: whoever answers may send without end.
LONGEST_PROXY_ANSWER: Final = 16_384
# Bytes of one read, a choice: as many as the largest packet has.
CHUNK: Final = 65_536
# A choice: of pings, the dearest frames, so many bytes are read and answered in 50 ms.
WEBSOCKET_CHUNK: Final = 8_192  #: Bytes of one read from a websocket.
# RFC 8305: IPv6 first, and IPv4 a quarter of a second later.
EYEBALLS_DELAY: Final = 0.25
# Short: most lost connections are back at once.
#: Seconds before the second attempt to connect; each pause is twice as long as the one before.
FIRST_PAUSE: Final = 0.25
# A broker that comes back is found within this time.
LONGEST_PAUSE: Final = 15.0
# A choice: a broker that lets us in and soon ends the connection must not be asked all the time.
STEADY_AFTER: Final = 10.0  #: Seconds of a connection after which the pauses begin anew.
# Seconds between two looks for echoes, a choice: far less than `echo_deadline`.
ECHO_TICK: Final = 1.0
# Twice what an answer takes on a slow line: the next attempt, or the next node, may do better.
JOIN_DEADLINE: Final = 10.0  #: Seconds in which a node of a lost broker must let us in again.
# Shorter than that for one version of MQTT: it is the proxy that is told.
PROXY_DEADLINE: Final = 5.0  #: Seconds in which a proxy must connect us.
# As many as wait in the outbox at a time: each of them may come back.
#: Frames of ours that may come back from the broker, and are known then.
REMEMBERED_FRAMES: Final = 512
# A choice: room for `MAX_FRAME` of transports and what MQTT adds, and little for a flood.
#: The largest remaining length that is read; our own frames have at most 16 KiB.
MAX_PACKET: Final = 65_536
#: Bytes of the largest answer to a CONNECT that is read: of properties the client library reads
#: twice as many in four times the time.
MAX_ANSWER: Final = 4_096
# A choice below 64 kB: room for what a broker counts besides; our frames have 16 KiB at most.
#: Bytes in the largest frame that is sent; the strictest public broker found carries 64 kB.
MAX_FRAME: Final = 49_152
# specs/07-wire.md, 7.3: of one address; the table's together have at most 255.
LONGEST_ADDRESS: Final = 200
# specs/07-wire.md, 7.3.
MAX_NODES: Final = 4  #: How many addresses of one clustered broker a table may name.
#: Characters of all its addresses together: an invite tells their number in one byte.
LONGEST_NODES: Final = 255
#: Seconds. A responder multicasts a record once a second at most (RFC 6762, 6): if another joiner
#: has just had the answer, ours comes after that second.
LOOKED_FOR: Final = 2.0
# A choice: a stranger may answer first, and everybody who joins waits for it.
#: Seconds more for tables of the same number, once one has answered.
NEARBY_OTHERS_WITHIN: Final = 0.7
#: Tables of one number that are looked at: strangers announce as many as they like.
MOST_TABLES: Final = 8
# Bounded: strangers announce as many names as they like.
NAMES_NEARBY: Final = 1_024
# A choice: a table at a slower broker would be no pleasure.
PROBE_WITHIN: Final = 5.0  #: Seconds for a frame to come through, and to reach the broker.
# A choice: the standard sets no time, and the check waits for it.
#: Seconds that a broker has for what it kept, after it has answered our subscription.
KEPT_WITHIN: Final = 0.3
# More would only make the same sentence with a larger number.
MOST_LEFT: Final = 1_000
# A choice: all are tried at once, by everybody who looks for the fastest.
MOST_PUBLIC: Final = 8
# A choice: the host waits for the slowest on the list.
MEASURED_FOR: Final = 8.0  #: Seconds for all that is tried at one broker.

# Our own broker.

# A choice: far more than any client needs, and an idle connection is gone soon.
# Seconds for a client to send its CONNECT.
GREETING_DEADLINE: Final = 10.0
# amqtt once did not stop (decisions 023).
STOPPING_DEADLINE: Final = 3.0
# Many more than a table needs: four seats, spectators, and clients that come again.
CONNECTION_LIMIT: Final = 64
# A client of ours subscribes once; amqtt keeps each of them in memory.
SUBSCRIPTION_LIMIT: Final = 32
# A choice (decisions 023): some hundred frames of the largest size.
#: Bytes that may wait for one slow reader before it is cut off; it comes back and catches up.
WAITING_BYTES_LIMIT: Final = 2_097_152
# A choice: more costs a table a pause under a flood of tiny frames, less costs more reads.
#: Bytes: as many frames of a websocket as may be in them are told apart without a pause.
READ_AT_ONCE: Final = 4_096
# Far more than a table needs: it slows down floods alone (decisions 023).
PACKETS_A_SECOND: Final = 500
# A choice: two seconds of the rate.
PACKETS_AT_ONCE: Final = 1_000  #: Packets that may come without a pause after a silence.

# Files.

# 64 KiB: as much as a pipe gives at once.
FILE_PIECE: Final = 65_536
#: Bytes that are read of what a compressed file unpacks to: those of some 3,500 hands.
MAX_UNPACKED: Final = 256 << 20
# A choice: no match comes near, and what lies there may be any file.
# A hand takes some hundred kilobytes.
LARGEST_RECORD: Final = 64 << 20  #: Bytes of a transcript that is read for this.
# A choice, 16 MiB.
#: Bytes after which nothing more is written: what others do must not fill a disk.
LARGEST_LOG: Final = 16_777_216
# Some lines; a larger file was named by mistake.
LARGEST_CREDENTIALS: Final = 8_192
# Some lines; a larger file is no list.
LARGEST_BROKER_LIST: Final = 8_192
# Bounds the file, by a number that is a choice; the oldest without a petname go first.
MOST_PEERS: Final = 10_000
# More than either file can have, whatever was put in its place.
LARGEST_IDENTITY: Final = 1_024
# 10,000 peers of two names of the longest letters fit.
LARGEST_PEERS_FILE: Final = 8_388_608
# 1 MiB: no message of any game comes near, so a greater length is damage.
MAX_RECORD: Final = 1_048_576
# A choice: every opening writes as much once more (`_renew`).
#: Bytes of the records that share one visit to the disk, when they are not one that is larger.
MAX_TOGETHER: Final = 65_536
# 64 KiB: the file is edited by hand, and anything may stand in its place.
LARGEST_SETTINGS: Final = 65_536

# Tournaments.

# processes of several seats each: more would only wait for the processor
TABLES_AT_ONCE: Final = 16
# 13 tables of four seats, and four folders, are the 56 connections that may listen there: of its 64
# an eighth is kept for newcomers. A table whose seats find none, as of six, is tried again.
EMBEDDED_TABLES: Final = 13  #: Tables at once for which our own broker has connections.
TABLES_LINGER: Final = 1.0  # all seats are one process: nobody is left behind for long
# A choice: time for answers, which is lost where nobody is there.
RECORD_QUIET: Final = 3.0  #: Seconds without anything new after which we have what the others have.
# A choice: soon enough for who waits, and no flood for a broker that comes back.
BROKER_TRIED_AGAIN: Final = 5.0  #: Seconds after which a broker that was away is tried again.
# The times and counts from here on are choices: a referee waits for them, and must have
# seen the point that it rules on (specs 5.8).
SEATS_QUIET: Final = 4.0  #: Seconds without anything new after which we have what the seats have.
#: How often a ruling is sent, a second apart: who hears it tells the others.
RULING_TOLD: Final = 6
#: Seconds after which we need not wait for a rest of the table, if we have lacked nothing of it.
NEED_NOT_WAIT: Final = 12.0
SEATS_ASKED: Final = 0.5  #: Seconds between two questions to the seats.
# A choice: far longer than it takes to unite and write a record.
RECORD_HELD: Final = 10.0  #: Seconds that another process of ours may hold the record.
# These times and CHOICE are choices: longer times make people wait, shorter ones repeat what is
# under way.
HELLO_EVERY: Final = 3.0  #: Seconds after which we say again what we have: frames may be lost.
#: The same for who sits at a table meanwhile: whoever comes says what it has, and is answered.
CARRY_EVERY: Final = 60.0
#: Seconds without anything new, or asked of us, after which we may leave: others lack the end.
CARRIER_LINGERS: Final = 4.0
#: Seconds after which whoever could leave does: who repeats pieces, or asks for ever, keeps
#: nobody.
CARRIER_LEAVES: Final = 60.0
#: Milliseconds within which whoever has what another lacks answers, at random.
HESITATION: Final = 300
#: Seconds between two answers of ours, in which those of others arrive.
BETWEEN_ANSWERS: Final = 0.02
#: Seconds for which a piece that was just sent, by whomever, is not sent again.
SENT_AGAIN_AFTER: Final = 2.0
GATHERED_FOR: Final = 0.1  #: Seconds in which pieces come that are kept, judged and told together.

# Programs under test.

# A choice: programs may be far slower than ours, and one that hangs costs this long.
PROGRAM_ANSWERS_WITHIN: Final = 60.0  #: Seconds that a program may take for one answer.
# So often a program may die before it is asked no more: a mutation may kill it, all must not.
MOST_DEATHS: Final = 20
# 16 MB: more than any answer, and not more than memory.
LONGEST_ANSWER: Final = 16_000_000
# Seconds that it gets to end by itself, once its input is closed.
PROGRAM_ENDS_WITHIN: Final = 5.0
# The seconds, here and below, are choices: a slow program has time, one that fails costs no more.
CHEAT_WATCHED_FOR: Final = 6.0  #: Seconds for which a seat that has found a cheat is watched.
#: Seconds for which it may be answered before it ends by itself.
SITTING_ANSWERED_FOR: Final = 30.0
# Seconds in which a program that has found a cheat must publish it.
CONVICTS_WITHIN: Final = 10.0
# Seconds in which it must send again what we say that we lack.
SENT_AGAIN_WITHIN: Final = 5.0
#: Seconds for which what a program said before it ended may still be under way.
SITTING_GRACE: Final = 5.0
# A hand that does not end is a defect, and stops the run.
LONGEST_LEDGER: Final = 10_000  #: Rounds of a ledger that is played to its end.
