"""All fuzz targets, by name."""

from __future__ import annotations

from tests.campaigns.fuzz import (
    file_targets,
    record_targets,
    session_targets,
    text_targets,
    wire_targets,
)
from tests.campaigns.fuzz.target import Target

TARGETS: dict[str, Target] = {
    each.name: each
    for each in (
        *wire_targets.TARGETS,
        *text_targets.TARGETS,
        *file_targets.TARGETS,
        *record_targets.TARGETS,
        *session_targets.TARGETS,
    )
}
