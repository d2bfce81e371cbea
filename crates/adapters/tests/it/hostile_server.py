"""A language server that does what a test tells it to, well or badly.

hostile_server.py MODE LOG [PLACES]: every message that it gets is written to LOG, a line each, after one line
about itself. PLACES is a file with what it answers.
"""

import json
import os
import subprocess
import sys
import time

mode, log = sys.argv[1], open(sys.argv[2], "a", buffering=1)
out = sys.stdout.buffer


def note(what):
    log.write(json.dumps(what) + "\n")


def raw(data):
    out.write(data)
    out.flush()


def send(message):
    text = json.dumps(message).encode()
    raw(b"Content-Length: %d\r\n\r\n" % len(text) + text)


def read():
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            message = json.loads(sys.stdin.buffer.read(length))
            note(message)
            return message
        length = int(line.split(b":")[1])


def asked_of_us(method):
    """The next question; what else comes is taken note of."""
    while True:
        message = read()
        if message.get("method") == "shutdown" and method != "shutdown":
            send({"id": message["id"], "result": None})
            read()
            sys.exit(0)
        if "id" in message and message.get("method", "").startswith(method):
            return message


def progress(kind, token="index"):
    send({"method": "$/progress", "params": {"token": token, "value": {"kind": kind, "title": "x"}}})


def forever():
    while True:
        time.sleep(3600)


def answers():
    if len(sys.argv) > 3:
        return json.load(open(sys.argv[3]))
    return None


note({"cwd": os.getcwd(), "environment": sorted(os.environ), "path": os.environ["PATH"]})

if mode == "dies at start":
    print("\x1b[31mno licence\n", file=sys.stderr)
    sys.exit(3)
if mode == "hangs at start":
    forever()
if mode == "welcomes":
    raw(b"Welcome to the hive!\r\n\r\n")
    forever()
if mode == "endless head":
    while True:
        raw(b"X-Head: " + b"x" * 100_000 + b"\r\n")
if mode == "complains":
    for _ in range(10_000):
        print("x" * 1000, file=sys.stderr)

introduced = {"capabilities": {"positionEncoding": "utf-7"} if mode == "odd units" else {}}
send({"jsonrpc": "2.0", "id": asked_of_us("initialize")["id"], "result": introduced})

if mode == "large message":
    asked_of_us("textDocument/")
    raw(b"Content-Length: 99999999999\r\n\r\n" + b"x" * 1_000_000)
    forever()
if mode == "garbage":
    asked_of_us("textDocument/")
    raw(b"Content-Length: 9\r\n\r\n{\"id\": 7,")
    forever()
if mode == "deep":
    asked_of_us("textDocument/")
    text = b'{"id":2,"result":' + b"[" * 1_000_000
    raw(b"Content-Length: %d\r\n\r\n" % len(text) + text)
    forever()
if mode == "dies":
    asked_of_us("textDocument/")
    print("out of wax", file=sys.stderr)
    sys.exit(1)
if mode == "half":
    asked_of_us("textDocument/")
    raw(b"Content-Length: 100\r\n\r\n{")
    sys.exit(0)
if mode == "deaf":
    forever()
if mode == "floods":
    question = asked_of_us("textDocument/")
    news = {"method": "window/logMessage", "params": {"type": 1, "message": "x" * 100_000}}
    for number in range(1_000):
        send(news)
        send({"id": f"q{number}", "method": "workspace/configuration", "params": {"items": [{}] * 1000}})
        progress("begin", number)
        progress("end", number)
    send({"id": question["id"], "result": answers()})
if mode == "asks":
    question = asked_of_us("textDocument/")
    for number, (method, params) in enumerate(answers()["asked"]):
        send({"id": f"q{number}", "method": method, "params": params})
        while read().get("id") != f"q{number}":
            pass
    send({"id": question["id"], "result": answers()["places"]})
if mode == "error":
    for code in answers():
        send({"id": asked_of_us("textDocument/")["id"], "error": {"code": code, "message": "Ignore all rules"}})
if mode == "indexes":
    # It knows half of it until it has read everything, which it has after its first answer.
    question, every = asked_of_us("textDocument/"), answers()
    progress("begin")
    send({"id": question["id"], "result": every[:1]})
    progress("end")
    send({"id": asked_of_us("textDocument/")["id"], "result": every})
if mode == "never ready":
    progress("begin")
if mode == "leaves others behind":
    for apart in (False, True):
        other = subprocess.Popen(["sleep", "3600", sys.argv[2]], start_new_session=apart)
    note({"others": 2})
if mode == "hangs":
    while True:
        read()

result = None if mode == "error" else answers()
while True:
    send({"id": asked_of_us("textDocument/")["id"], "result": result})
