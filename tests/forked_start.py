"""Has a program forked (`forked.py`) on the streams of this process, and ends as it does.

python -I -S forked_start.py DOOR DIRECTORY MODULE [ARGUMENTS...]
"""

import json
import os
import socket
import sys

door, directory, module, *arguments = sys.argv[1:]
asked = {
    "module": module,
    "arguments": arguments,
    "variables": dict(os.environ),
    "directory": directory,
}
with socket.socket(socket.AF_UNIX) as asking:
    asking.connect(door)
    socket.send_fds(asking, [b"!"], [0, 1, 2])
    asking.sendall(json.dumps(asked).encode("ascii") + b"\n")
    with asking.makefile("rb") as told:
        told.readline()
        code = int(told.readline())
if code < 0:
    os.kill(os.getpid(), -code)  # what ended the program ends this, too
sys.exit(code)
