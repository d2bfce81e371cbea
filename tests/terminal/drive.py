"""Runs a program on a pseudo-terminal and answers what it asks.

Standard input has one JSON object: argv, env, cwd, columns, and steps, each a text to wait for and what to type then. Standard
output gets one JSON object: the exit status, and all that the terminal was given.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 60


def main():
    task = json.load(sys.stdin)
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.chdir(task["cwd"])
            os.execve(task["argv"][0], task["argv"], task["env"])
        finally:
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, task["columns"], 0, 0))
    steps, shown, searched = list(task["steps"]), b"", 0
    deadline = time.monotonic() + PATIENCE
    while True:
        while steps and (at := shown.find(steps[0][0].encode(), searched)) >= 0:
            wanted, answer = steps.pop(0)
            searched = at + len(wanted.encode())
            os.write(terminal, answer.encode())
        left = deadline - time.monotonic()
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            break
        ready, _, _ = select.select([terminal], [], [], left)
        try:
            piece = os.read(terminal, 65536) if ready else b""
        except OSError:
            break
        if ready and not piece:
            break
        shown += piece
    _, status = os.waitpid(child, 0)
    answer = {
        "status": os.waitstatus_to_exitcode(status),
        "shown": shown.decode(errors="replace").replace("\r\n", "\n"),
        "unasked": [wanted for wanted, _ in steps],
    }
    json.dump(answer, sys.stdout)


main()
