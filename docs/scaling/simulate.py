#!/usr/bin/env python3
"""Simulates Wellread with PostgreSQL, from one user to ten thousand: processes, workers, indexer and database as queues.

  docs/scaling/simulate.py          the tables of docs/book/src/scaling.md
  docs/scaling/simulate.py --inputs the table of what they rest on
  docs/scaling/simulate.py --check  compares the queues with formulas that are known, and a run with its repetition

What each step costs is in figures.json: measured (`measure.py` says how), taken from docs/benchmarks.md, a limit of the program, or
assumed. Arrivals are random, and so are service times, exponentially around their mean; the numbers of chance are the same in
each run. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import collections
import heapq
import json
import math
import pathlib
import random
import sys
from typing import Callable, Generator

FIGURES = pathlib.Path(__file__).with_name("figures.json")
USERS = (1, 10, 100, 1_000, 10_000)
#: How many requests of people are simulated for each number of users, and how many of them before anything is counted.
REQUESTS, WARM_UP = 1_500, 150
#: A queue is kept below this share of its time, or there is more of what serves it.
BUSY_AT_MOST = 0.6
#: How long a thread has a processor before it is another's turn, in seconds.
SLICE = 0.01
GIGABYTE = 1e9


class Figures:
    def __init__(self) -> None:
        self.rows = json.loads(FIGURES.read_text(encoding="utf-8"))
        self.values = {row["name"]: row["value"] for row in self.rows}

    def __getattr__(self, name: str) -> float:
        return self.values[name]

    def table(self) -> str:
        lines = ["| what | figure | where it is from |", "| --- | ---: | --- |"]
        for row in self.rows:
            value = f"{row['value']:,}".removesuffix(".0")
            lines.append(f"| {row['what']} | {value}{' ' + row['unit'] if row['unit'] else ''} | {row['from']} |")
        return "\n".join(lines)


class Queue:
    """So many at a time are served; the others wait in line."""

    def __init__(self, clock: "Clock", places: int) -> None:
        self.clock, self.places, self.taken, self.peak = clock, places, 0, 0
        self.line: collections.deque = collections.deque()
        self.waits: list[float] = []
        self.worked, self.changed = 0.0, 0.0

    def count_time(self) -> None:
        self.worked += self.taken * (self.clock.now - self.changed)
        self.changed = self.clock.now

    def enter(self, visitor: Generator) -> None:
        if self.taken < self.places:
            self.count_time()
            self.taken += 1
            self.peak = max(self.peak, self.taken)
            self.waits.append(0.0)
            self.clock.resume(visitor)
        else:
            self.line.append((self.clock.now, visitor))

    def leave(self) -> None:
        if self.line:
            since, visitor = self.line.popleft()
            self.waits.append(self.clock.now - since)
            self.clock.resume(visitor)
        else:
            self.count_time()
            self.taken -= 1

    def busy(self, since: float) -> float:
        self.count_time()
        return self.worked / self.places / max(self.clock.now - since, 1e-9)


class Clock:
    """A visitor is a generator that yields a queue to wait in it, or a number of seconds to let pass."""

    def __init__(self) -> None:
        self.now, self.serial, self.events = 0.0, 0, []

    def resume(self, visitor: Generator, later: float = 0.0) -> None:
        self.serial += 1
        heapq.heappush(self.events, (self.now + later, self.serial, visitor))

    def run(self, until: Callable[[], bool]) -> None:
        while self.events and not until():
            self.now, _, visitor = heapq.heappop(self.events)
            step = next(visitor, None)
            if isinstance(step, Queue):
                step.enter(visitor)
            elif step is not None:
                self.resume(visitor, step)


class Kind:
    """A kind of request: how often an active user makes it, and what it costs, in seconds."""

    def __init__(self, figures: Figures, name: str, an_hour: float, database: float | None = None) -> None:
        self.name, self.an_hour = name, an_hour
        measured = lambda what: figures.values[f"{name}_{what}"]
        self.trips = measured("round_trips")
        self.database = (measured("database_ms") if database is None else database) / 1000
        self.process = measured("process_ms") / 1000
        self.commits = figures.values.get(f"{name}_commits", 0)
        self.locks = figures.values.get(f"{name}_locks", 0)

    def held(self, figures: Figures) -> float:
        """How long a connection is held."""
        return self.database + (self.trips * figures.network_ms + self.commits * figures.sync_ms) / 1000


class Site:
    """What there is for so many users, and what it costs them."""

    def __init__(self, figures: Figures, users: int, partitions: bool = False) -> None:
        self.figures, self.users = figures, users
        self.active = max(1, round(users * figures.active_share))
        self.spaces = max(1, math.ceil(users / figures.users_per_vault))
        self.notes = users * figures.notes_per_user
        self.passages = self.notes * figures.passages_per_note
        self.vectors_per_space = self.passages / self.spaces
        self.partitions = partitions
        meaning = figures.search_both_base_ms + self.meaning_ms()
        self.kinds = [
            Kind(figures, "search_both", figures.searches_an_hour, meaning),
            Kind(figures, "read_note", figures.notes_read_an_hour),
            Kind(figures, "edit", figures.edits_an_hour),
            Kind(figures, "ask", figures.questions_an_hour, figures.ask_base_ms + self.meaning_ms()),
            Kind(figures, "chat", figures.turns_an_hour, figures.chat_base_ms + self.meaning_ms()),
        ]
        self.poll = Kind(figures, "poll", 3600 / figures.poll_seconds)
        self.requests_a_second = self.active * sum(kind.an_hour for kind in self.kinds) / 3600
        self.tasks_an_hour = users * figures.agendas_a_week * figures.tasks_per_agenda / figures.hours_a_week
        self.choose()

    def meaning_ms(self) -> float:
        """To compare the vectors of a space one by one; or, where there are more, by the graph, in which all spaces are."""
        f, others = self.figures, 0 if self.partitions else self.spaces - 1
        one_by_one = f.compare_us_per_vector * self.vectors_per_space / 1000
        if self.vectors_per_space <= f.compared_at_most:
            return one_by_one
        return min(f.graph_ms + others * f.graph_ms_per_other_space, one_by_one)

    def loads(self, kinds: list[Kind]) -> tuple[float, float, float]:
        """How many connections, cores of the database and processors of `api` these requests of all users use on average."""
        every = [(kind, self.active * kind.an_hour / 3600) for kind in kinds]
        held = sum(kind.held(self.figures) * rate for kind, rate in every)
        return held, sum(kind.database * rate for kind, rate in every), sum(kind.process * rate for kind, rate in every)

    def choose(self) -> None:
        """As many of each as keep every queue below the limit. Vaults are divided into groups, each with processes of its own."""
        f = self.figures
        need = lambda load, each: max(1, math.ceil(load / each / BUSY_AT_MOST))
        self.groups = math.ceil(self.spaces / f.vaults_per_group)
        self.vaults = math.ceil(self.spaces / self.groups)
        held, cores, processors = (load / self.groups for load in self.loads([*self.kinds, self.poll]))
        self.processes = self.groups * max(need(self.active / self.groups, f.http_connections), need(held, f.pool * self.vaults), need(processors, 1))
        self.workers = self.groups * need(self.tasks_an_hour / self.spaces / 3600 * f.task_seconds, f.lanes)
        self.index_seconds = f.index_change_database_ms / 1000 + f.passages_per_edit / f.passages_embedded_a_second
        self.edits_a_second = self.active * f.outside_edits_an_hour / 3600
        self.indexers = self.groups * need(self.edits_a_second * self.index_seconds / self.groups, 1)
        # What goes on besides requests: accounts, workers that look, tasks, and edits that are indexed.
        watch = self.processes * f.watch_ms_per_account * self.users / f.watch_seconds
        work = self.workers * self.vaults * f.idle_worker_database_ms + self.tasks_an_hour / 3600 * f.task_database_ms
        self.background = (watch + work + self.edits_a_second * f.index_change_database_ms) / 1000
        self.database_load = cores * self.groups + self.background
        self.cores = max(2, need(self.database_load, 1))
        each = (f.pool + 2) * self.vaults
        self.most_connections = int(self.processes * (each + f.pool) + (self.workers + self.indexers) * each)


class Run:
    """The requests of a busy time, simulated."""

    def __init__(self, site: Site, seed: int = 1) -> None:
        self.site, self.clock, self.random = site, Clock(), random.Random(seed)
        make = lambda places: Queue(self.clock, int(places))
        f = site.figures
        self.cores = make(site.cores)
        self.threads = [make(f.threads) for _ in range(site.processes)]
        # Of each process one for each of its vaults, and one for the accounts.
        self.pools = {(number, vault): make(f.pool) for number in range(site.processes) for vault in range(site.vaults)}
        self.accounts = [make(f.pool) for _ in range(site.processes)]
        self.processors = [make(1) for _ in range(site.processes)]
        # Changes of the accounts' log wait for each other, whatever vault they are about.
        self.lock = make(1)
        self.served: dict[str, list[float]] = collections.defaultdict(list)
        self.done = 0
        for kind in site.kinds:
            self.clock.resume(self.arrivals(kind, site.active * kind.an_hour / 3600, True))
        self.clock.resume(self.arrivals(site.poll, site.active / f.poll_seconds, False))
        self.clock.resume(self.background(site.background))

    def chance(self, mean: float) -> float:
        return -mean * math.log(1.0 - self.random.random()) if mean else 0.0

    def arrivals(self, kind: Kind, a_second: float, counts: bool) -> Generator:
        while True:
            yield self.chance(1 / a_second)
            self.clock.resume(self.request(kind, counts))

    def background(self, cores: float, each: float = 0.002) -> Generator:
        """What the database does for workers, indexers and accounts, in small pieces."""
        while True:
            yield self.chance(each / max(cores, 1e-9))
            self.clock.resume(self.piece(each))

    def piece(self, mean: float) -> Generator:
        yield self.cores
        yield self.chance(mean)
        self.cores.leave()

    def request(self, kind: Kind, counts: bool) -> Generator:
        begun, f = self.clock.now, self.site.figures
        number = int(self.random.random() * self.site.processes)
        pool = self.pools[number, int(self.random.random() * self.site.vaults)]
        thread, accounts, processor = self.threads[number], self.accounts[number], self.processors[number]
        yield thread
        if counts:
            yield accounts
            yield f.network_ms / 1000
            accounts.leave()
        left = self.chance(kind.process)
        while left > 0:
            # In slices, as the system divides a processor among threads.
            yield processor
            yield min(left, SLICE)
            processor.leave()
            left -= SLICE
        yield pool
        if kind.locks:
            yield self.lock
        yield self.cores
        yield self.chance(kind.database)
        self.cores.leave()
        yield (kind.trips * f.network_ms + kind.commits * f.sync_ms) / 1000
        if kind.locks:
            self.lock.leave()
        pool.leave()
        thread.leave()
        if counts:
            self.done += 1
            if self.done > WARM_UP:
                self.served[kind.name].append(self.clock.now - begun)

    def open_connections(self) -> int:
        """A pool opens one more where none is idle, and keeps it. A vault has two more, one for its locks and one that
        listens; a worker has one for each task besides, an indexer one."""
        f, site = self.site.figures, self.site
        served = sum(pool.peak for pool in [*self.pools.values(), *self.accounts]) + 2 * len(self.pools)
        return int(served + site.workers * site.vaults * (f.lanes + 2) + site.indexers * site.vaults * 3)

    def finish(self) -> "Run":
        self.clock.run(lambda: self.done >= REQUESTS)
        return self


def share(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def simulate_line(a_second: float, places: int, service: float, look: float = 0.0, visitors: int = 6_000, seed: int = 2) -> tuple[float, list[float]]:
    """One queue alone: how busy it is, and how long visitors wait. `look` is how often those who serve look for somebody."""
    clock, chance, done = Clock(), random.Random(seed), [0]
    queue = Queue(clock, places)
    random_time = lambda mean: -mean * math.log(1.0 - chance.random())

    def visitor() -> Generator:
        yield queue
        yield random_time(service)
        queue.leave()
        done[0] += 1

    def arrivals() -> Generator:
        while True:
            yield random_time(1 / a_second)
            clock.resume(visitor())

    clock.resume(arrivals())
    clock.run(lambda: done[0] >= visitors)
    # Whoever finds a free place is seen at the next look.
    waits = [wait if wait else chance.random() * look for wait in queue.waits[visitors // 10 :]]
    return queue.busy(0.0), waits


def percent(value: float) -> str:
    return "< 1 %" if value < 0.005 else f"{value:.0%}".replace("%", " %")


def milliseconds(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"


def gigabytes(value: float) -> str:
    size = value / GIGABYTE
    return f"{size:.2f}" if size < 0.995 else f"{size:.1f}" if size < 9.95 else f"{size:,.0f}"


def year_bytes(site: Site) -> tuple[float, float, float]:
    """Of the index, of runs with conversations, and of agendas with findings, after a year."""
    f = site.figures
    index = site.passages * (f.word_bytes_per_passage + f.vector_bytes_per_passage)
    days = f.days_a_year * f.busy_hours_a_day
    each = f.questions_an_hour * f.ask_bytes + f.turns_an_hour * f.chat_bytes + f.edits_an_hour * f.audit_bytes
    runs = site.active * days * each
    tasks = site.users * f.agendas_a_week * f.tasks_per_agenda * f.weeks_a_year
    return index, runs, tasks * f.task_bytes


def scenarios(figures: Figures) -> list[tuple[str, Site]]:
    rows = [(f"{users:,}", Site(figures, users)) for users in USERS]
    return [*rows, (f"{USERS[-1]:,}, vectors in partitions", Site(figures, USERS[-1], partitions=True))]


def tables(figures: Figures) -> str:
    need = ["| users | at work | vaults | passages | `api` | `worker` | `indexer` | connections, at most | cores of the database |", "| --- |" + " ---: |" * 8]
    busy = ["| users | database | connections of an `api` | processor of an `api` | log of decisions | workers | indexer |", "| --- |" + " ---: |" * 6]
    wait = ["| users | a search | a note | an edit | a question | for a core of the database, 95 % | a task begins | first index |", "| --- |" + " ---: |" * 7]
    size = ["| users | index | runs and conversations | agendas and findings | in all |", "| --- |" + " ---: |" * 4]
    for name, site in scenarios(figures):
        f, run = figures, Run(site).finish()
        # A vault's tasks are done by the workers of its group, and its edits are indexed by the group's indexers.
        lanes = int(site.workers / site.groups * f.lanes)
        working, waits = simulate_line(site.tasks_an_hour / site.spaces / 3600, lanes, f.task_seconds, f.look_seconds)
        indexing, _ = simulate_line(site.edits_a_second / site.groups, site.indexers // site.groups, site.index_seconds)
        need.append(
            f"| {name} | {site.active:,} | {site.spaces:,} | {site.passages:,.0f} | {site.processes:,} | {site.workers:,} | {site.indexers:,} "
            f"| {run.open_connections():,}, {site.most_connections:,} | {site.cores:,} |"
        )
        pools = sum(pool.busy(0.0) for pool in run.pools.values()) / len(run.pools)
        processors = sum(one.busy(0.0) for one in run.processors) / site.processes
        busy.append(
            f"| {name} | {percent(run.cores.busy(0.0))} | {percent(pools)} | {percent(processors)} | {percent(run.lock.busy(0.0))} "
            f"| {percent(working)} | {percent(indexing)} |"
        )
        # One passage after the other is embedded by each indexer, while the database puts vectors into its graph.
        first = site.passages * max(1 / f.passages_embedded_a_second / site.indexers, f.vector_database_ms / 1000 / site.cores)
        times = [f"{milliseconds(share(run.served[kind], 0.5))}, {milliseconds(share(run.served[kind], 0.95))} ms" for kind in ("search_both", "read_note", "edit", "ask")]
        wait.append(
            f"| {name} | {' | '.join(times)} | {milliseconds(share(run.cores.waits, 0.95))} ms "
            f"| {duration(share(waits, 0.5))}, {duration(share(waits, 0.95))} | {duration(first)} |"
        )
        if not site.partitions:
            parts = year_bytes(site)
            size.append(f"| {name} | " + " | ".join(gigabytes(part) for part in (*parts, sum(parts))) + " |")
    heads = ("What is needed:", "How busy it is:", "How long it takes; of two figures, half and 95 % are within:", "How large the database is after a year, in GB:")
    return "\n\n".join(f"{head}\n\n" + "\n".join(rows) for head, rows in zip(heads, (need, busy, wait, size)))


def check(figures: Figures) -> None:
    """The queues against what is known of them: with random arrivals and service times, by Erlang's formula."""
    for places, load in ((1, 0.5), (1, 0.8), (4, 0.7)):
        busy, waits = simulate_line(load * places, places, 1.0, visitors=60_000)
        offered, total = load * places, 0.0
        for count in range(places):
            total += offered**count / math.factorial(count)
        last = offered**places / math.factorial(places) / (1 - load)
        expected = last / (total + last) / (places - offered)
        mean = sum(waits) / len(waits)
        if abs(busy - load) > 0.02 or abs(mean - expected) > 0.12 * expected:
            sys.exit(f"{places} places at {load}: busy {busy:.3f}, mean wait {mean:.3f}, expected {expected:.3f}")
    site = Site(figures, 1_000)
    simulated, expected = Run(site).finish(), site.database_load / site.cores
    if abs(simulated.cores.busy(0.0) - expected) > 0.1 * expected:
        sys.exit(f"the database is busy {simulated.cores.busy(0.0):.3f}, and its load says {expected:.3f}")
    if Run(site).finish().served != simulated.served:
        sys.exit("two runs differ")
    print("ok")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", action="store_true", help="print what the tables rest on")
    parser.add_argument("--check", action="store_true", help="compare the queues with known formulas")
    args, figures = parser.parse_args(), Figures()
    if args.check:
        check(figures)
    else:
        print(figures.table() if args.inputs else tables(figures))


if __name__ == "__main__":
    main()
