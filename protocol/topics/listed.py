"""The list of topics, the one place of the main line that names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from protocol.topics.chat import CHAT
from protocol.topics.commands import Command
from protocol.topics.ending import ENDING, EndingShown, EndingWatched
from protocol.topics.referee import REFEREE, RefereeShown
from protocol.topics.rematch import REMATCH, RematchShown
from protocol.topics.step import SessionState, Topic, Watched
from protocol.topics.substitute import SUBSTITUTE, SubstituteShown
from protocol.wire.contents import NoticeContent, Ruling

#: In the order in which they are asked what follows. A watcher asks from the end: a ruling comes
#: before an end by agreement, which may lie behind the ruling's point.
TOPICS: Final[tuple[Topic[Any, Any], ...]] = (CHAT, ENDING, REFEREE, REMATCH, SUBSTITUTE)


#: The topic that each message belongs to, by the class of its content.
TOPIC_OF: Final[Mapping[type[NoticeContent | Ruling], Topic[Any, Any]]] = {
    message: topic for topic in TOPICS for message in topic.messages
}

#: The topic that carries out each command of our player but Confirm and Ask.
COMMANDED: Final[Mapping[type[Command], Topic[Any, Any]]] = {
    command: topic for topic in TOPICS for command in topic.commands
}


class SeatTopics(SubstituteShown, EndingShown, RefereeShown, RematchShown):
    """The views of all topics for the player of a seat."""


class WatchedTopics(EndingWatched):
    """The views of all topics for a watcher."""


def spoken_topics(state: SessionState | Watched) -> tuple[Topic[Any, Any], ...]:
    """Return all topics in their order once anything was said of any of them; before that none."""
    # Nothing said, nothing follows: a card played at a quiet table costs no call of a topic.
    return TOPICS if state.topic_states else ()


def why_left(state: SessionState) -> str:
    """Return why our seat signs nothing more at its table; "" if it may sign."""
    return next((why for each in spoken_topics(state) if (why := each.leaves(state))), "")
