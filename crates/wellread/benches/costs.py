"""What commands and tools cost, from outside: costs.py NAME=BINARY... [--sizes 1000,6600,10000,50000] [--code FOLDER] [--work FOLDER]

Needs Python and Linux alone. Each binary is a release build; several are measured on the same files, one after the other. The notes are
generated, with words as frequent as those of a language, links, tags and fields; there is no model, no vector and no network. Prints a
table of Markdown for each binary: processor time in milliseconds, of a process the smallest of some runs, of a running `wellread mcp` the mean of many
calls and, where there are two figures, half and 95 % of the calls within, by the clock. Nothing is asserted."""

import argparse, json, os, pathlib, random, shutil, statistics, subprocess, sys, time

TICKS = os.sysconf("SC_CLK_TCK")
LANGUAGES = {
    "C++": ("a.cpp", "int add(int a, int b) { return a + b; }\n"),
    "TypeScript": ("a.ts", "export function add(a: number, b: number) { return a + b }\n"),
    "Ruby": ("a.rb", "def add(a, b) a + b end\n"),
    "C#": ("a.cs", "class A { int Add(int a, int b) { return a + b; } }\n"),
    "Kotlin": ("a.kt", "fun add(a: Int, b: Int) = a + b\n"),
    "Python": ("a.py", "def add(a, b): return a + b\n"),
    "Rust": ("a.rs", "fn add(a: i32, b: i32) -> i32 { a + b }\n"),
}


def make_words(count):
    syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in "aeiou"]
    chance = random.Random(7)
    words, seen = [], set()
    while len(words) < count:
        word = "".join(chance.choice(syllables) for _ in range(chance.randint(2, 4)))
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


WORDS = make_words(30_000)
FREQUENT, RARE = WORDS[:10], WORDS[6_000:6_400]


def note_name(at):
    return f"F{at // 200}/Note {at}"


def make_vault(root, notes):
    """The same notes for the same number, whichever binary reads them."""
    if (root / "Home.md").exists():
        return
    chance = random.Random(notes)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    pool = chance.choices(WORDS, weights, k=2_000_000)
    place = 0
    for at in range(notes):
        lines = ["---", f"kind: {'abc'[at % 3]}", f"tags: [t{at % 40}]", "---", f"# Note {at}"]
        for section in range(chance.randint(2, 6)):
            lines.append(f"\n## {WORDS[chance.randrange(400)].title()} {section}\n")
            for _ in range(3):
                place = (place + 41) % (len(pool) - 40)
                lines.append(" ".join(pool[place : place + chance.randint(12, 25)]).capitalize() + ".")
            if chance.random() < 0.5:
                lines.append(f"See [[Note {int(notes * chance.random() ** 2)}]].")
        path = root / f"{note_name(at)}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
    (root / "Home.md").write_text("# Home\n")


class Program:
    def __init__(self, binary, home, *options):
        self.binary, self.options = binary, options
        config = home / ".config/wellread"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.toml").write_text('[embedding]\nprovider = "none"\n')
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def run(self, *arguments, runs=1):
        """Processor time, time on the clock, most memory in MB: the smallest of some runs."""
        costs = []
        for _ in range(runs):
            begun = time.perf_counter()
            process = subprocess.Popen(
                [self.binary, *self.options, *arguments],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, 3):
                raise SystemExit(f"{arguments}: status {process.returncode}")
            costs.append(((used.ru_utime + used.ru_stime) * 1e3, (time.perf_counter() - begun) * 1e3, used.ru_maxrss / 1024))
        return min(costs)

    def serve(self):
        return Server(self)


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program.binary, *program.options, "mcp", "--tools", "all"],
            env=program.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.count = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "costs", "version": "1"}}
        self.request("initialize", client)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.settle()

    def settle(self):
        """Until what it does by itself at its start is done."""
        last, still = -1.0, 0
        while still < 4:
            used = self.used()
            still = still + 1 if used - last <= 20 else 0
            last = used
            time.sleep(0.5)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self.count and "method" not in message:
                return message
            if "method" in message and "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"action": "accept", "content": {}}})
        raise SystemExit("the server ended")

    def call(self, tool, **arguments):
        reply = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in reply or reply["result"].get("isError"):
            raise SystemExit(f"{tool} {arguments}: {json.dumps(reply)[:400]}")
        return reply["result"]["content"][0]["text"]

    def used(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1e3 / TICKS

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def measure(self, calls):
        """Mean processor time of the calls, half and 95 % within."""
        before, times = self.used(), []
        for tool, arguments in calls:
            begun = time.perf_counter()
            self.call(tool, **arguments)
            times.append((time.perf_counter() - begun) * 1e3)
        times.sort()
        return (self.used() - before) / len(times), statistics.median(times), times[int(len(times) * 0.95)]

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def show(value):
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def measure_vault(binary, work, notes):
    source = work / f"notes-{notes}"
    make_vault(source, notes)
    vault, home = work / "vault", work / "home"
    for folder in (vault, home):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, vault)
    home.mkdir()
    program = Program(binary, home, "--vault", str(vault))
    rows = {}
    used, clock, memory = program.run("index", "--no-vectors")
    rows["`wellread index --no-vectors`"] = show(used)
    rows["the index: by the clock"] = show(clock)
    rows["the index: peak memory, MB"] = show(memory)
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    rows["data on disk, MB"] = show(size / 1e6)
    rows["`wellread index --no-vectors`, nothing changed"] = show(program.run("index", "--no-vectors", runs=3)[0])
    two, rare = f"{FREQUENT[2]} {FREQUENT[5]}", RARE[3]
    search = lambda query: show(program.run("search", "--mode", "keyword", query, runs=7)[0])
    rows["`wellread search --mode keyword`, two frequent words, a fresh process"] = search(two)
    server = program.serve()
    chance = random.Random(1)
    pick = lambda words: chance.choice(words)
    queries = {
        "one frequent word": lambda: pick(FREQUENT),
        "two frequent words": lambda: f"{pick(FREQUENT)} {pick(FREQUENT)}",
        "a frequent and a rarer word": lambda: f"{pick(FREQUENT)} {WORDS[chance.randint(200, 2000)]}",
        "a rare word": lambda: pick(RARE),
        "a mistyped word": lambda: (lambda word: word[0] + word[2] + word[1] + word[3:])(WORDS[chance.randint(200, 2000)]),
    }
    for name, make in queries.items():
        calls = [("search_vault", {"query": make(), "mode": "keyword"}) for _ in range(200)]
        used, half, most = server.measure(calls)
        rows[f"search for {name}, running server"] = show(used)
        rows[f"the same ({name}): half, 95 % within"] = f"{half:.1f}, {most:.1f}"
    rows["memory of the server after that, MB"] = show(server.memory())
    some = [chance.randrange(notes) for _ in range(60)]
    reads = {
        "`find_backlinks`": [("find_backlinks", {"path": note_name(at)}) for at in some],
        "`list_files_by_frontmatter`, a third of all notes": [("list_files_by_frontmatter", {"field": "kind", "value": "abc"[at % 3]}) for at in some],
        "`search_by_folder`": [("search_by_folder", {"folder": f"F{at // 200}"}) for at in some],
    }
    for name, calls in reads.items():
        used, half, _ = server.measure(calls)
        rows[name + ": mean, the first included; half within, by the clock"] = f"{show(used)}; {half:.1f}"
    rows["`append_to_file`"] = show(server.measure([("append_to_file", {"path": note_name(at), "content": f"New {at}."}) for at in some[:20]])[0])
    rows["`undo` of one edit"] = show(server.measure([("undo", {}) for _ in range(10)])[0])
    moves = [("move_file", {"path": note_name(at), "destination": f"{note_name(at)} moved"}) for at in sorted(set(some))[:20]]
    rows["`move_file`"] = show(server.measure(moves)[0])
    rows["`undo` of a move"] = show(server.measure([("undo", {}) for _ in range(10)])[0])
    server.close()
    rows["the same search after these edits"] = search(two)
    rows["the same, one rare word"] = search(rare)
    used, _, memory = program.run("health", "--json", runs=2)
    rows["`wellread health --json`: processor time"] = show(used)
    rows["`wellread health --json`: peak memory, MB"] = show(memory)
    return rows


def measure_starts(binary, work):
    home = work / "home"
    shutil.rmtree(home, ignore_errors=True)
    program = Program(binary, home)
    used, clock, _ = program.run("--version", runs=40)
    rows = {"`wellread --version`: processor time": f"{used:.1f}", "the same: by the clock": f"{clock:.1f}"}
    folder = work / "one"
    folder.mkdir(exist_ok=True)
    for language, (name, text) in LANGUAGES.items():
        (folder / name).write_text(text)
        rows[f"`wellread outline {name}` ({language})"] = f"{program.run('outline', str(folder / name), runs=9)[0]:.1f}"
    return rows


def measure_code(binary, work, source):
    home, vault = work / "home", work / "empty"
    shutil.rmtree(home, ignore_errors=True)
    vault.mkdir(exist_ok=True)
    (vault / "Home.md").write_text("# Home\n")
    program = Program(binary, home, "--vault", str(vault))
    lines = sum(path.read_bytes().count(b"\n") for path in source.rglob("*.rs"))
    program.run("repo", "add", str(source), "--name", "code")
    used, _, memory = program.run("index", "--no-vectors")
    rows = {"lines of Rust": f"{lines:,}", "index, for 100,000 lines": show(used * 1e5 / lines), "the same: peak memory, MB": show(memory)}
    chance, names = random.Random(3), []
    for path in chance.sample(sorted(source.rglob("*.rs")), 400):
        for line in path.read_text(errors="replace").splitlines():
            word = line.strip().removeprefix("pub ").split("(")[0].split()
            if len(word) == 2 and word[0] == "fn" and word[1].isidentifier() and len(word[1]) > 6 and word[1] not in names:
                names.append(word[1])
                break
    server = program.serve()
    asked = []
    for name in names:
        reply = server.request("tools/call", {"name": "graph_expand", "arguments": {"symbol": name, "depth": 1, "repository": "code"}})
        if not reply.get("error") and not reply["result"].get("isError"):
            asked.append(name)
        if len(asked) == 100:
            break
    server.close()
    server = program.serve()
    calls = [("graph_expand", {"symbol": name, "depth": 1, "repository": "code"}) for name in asked]
    for label in ("first time", "repeated"):
        used, half, most = server.measure(calls)
        rows[f"`graph_expand`, one step, {len(calls)} symbols, {label}: processor time; half, 95 % within"] = f"{show(used)}; {half:.1f}, {most:.1f}"
    rows["memory of the server after that, MB"] = show(server.memory())
    server.close()
    used, clock, memory = program.run("code", "how does a request get its timeout", "--repo", "code", runs=2)
    rows["`wellread code`, no model: processor time; by the clock; peak memory, MB"] = f"{show(used)}; {show(clock)}; {show(memory)}"
    return rows


def table(heads, columns):
    print("| what |", " | ".join(heads), "|\n| --- |" + " ---: |" * len(heads))
    for row in columns[0]:
        print(f"| {row} |", " | ".join(column.get(row, "") for column in columns), "|", flush=True)
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="+", metavar="NAME=BINARY")
    parser.add_argument("--sizes", default="1000,6600,10000,50000")
    parser.add_argument("--code", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("target/costs"))
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    binaries = [one.split("=", 1) for one in given.binaries]
    heads = [name for name, _ in binaries]
    table(heads, [measure_starts(binary, given.work) for _, binary in binaries])
    for size in filter(None, given.sizes.split(",")):
        print(f"{int(size):,} notes\n")
        table(heads, [measure_vault(binary, given.work, int(size)) for _, binary in binaries])
    if given.code:
        table(heads, [measure_code(binary, given.work, given.code) for _, binary in binaries])


if __name__ == "__main__":
    sys.exit(main())
