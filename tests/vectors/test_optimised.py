"""Under `python -O`, which drops every assert, the same answers: no verdict hangs on one."""

from __future__ import annotations

import json
import shlex
import sys

from click.testing import CliRunner

from cli.commands.groups import conformance as command
from tests.vectors.own_program import OURS

OPTIMISED = shlex.join([sys.executable, "-O", *OURS[1:]])


def test_without_asserts_a_sample_of_the_vectors_is_answered_as_with_them() -> None:
    run = CliRunner().invoke(
        command, ["vectors", OPTIMISED, "--every", "37", "--strict", "--json"],
        standalone_mode=False
    )  # fmt: skip
    found = json.loads(run.output)
    assert run.return_value == 0
    assert found["counts"]["failed"] == found["counts"]["unsupported"] == 0
    assert found["counts"]["passed"] >= 50
