"""Removes readings that cannot be true.

The rules are careful on purpose: a swarm is a sudden loss too, and it must
reach the detector on the Rust side. A spike goes up or down and comes back at
once; a swarm stays gone.
"""

from dataclasses import dataclass

MIN_WEIGHT_KG = 8.0
MAX_WEIGHT_KG = 150.0
MIN_TEMP_C = -30.0
MAX_TEMP_C = 50.0
SPIKE_KG = 5.0


@dataclass(frozen=True)
class Row:
    """A reading on its way to the CSV file."""

    timestamp: str
    hive: str
    weight_kg: float
    temp_c: float
    sequence: int


def is_possible(row: Row) -> bool:
    """Whether weight and temperature lie within what a hive can have."""
    weight_ok = MIN_WEIGHT_KG <= row.weight_kg <= MAX_WEIGHT_KG
    return weight_ok and MIN_TEMP_C <= row.temp_c <= MAX_TEMP_C


def drop_duplicates(rows: list[Row]) -> list[Row]:
    """Keeps the first of the rows that share a hive, a time and a counter.

    Two gateways often hear the same frame.
    """
    seen = set()
    kept = []
    for row in rows:
        key = (row.hive, row.timestamp, row.sequence)
        if key not in seen:
            seen.add(key)
            kept.append(row)
    return kept


def is_spike(before: Row, row: Row, after: Row) -> bool:
    """Whether a row leaves both of its neighbours on the same side."""
    from_before = row.weight_kg - before.weight_kg
    from_after = row.weight_kg - after.weight_kg
    far = min(abs(from_before), abs(from_after)) > SPIKE_KG
    return far and (from_before > 0) == (from_after > 0)


def drop_spikes(rows: list[Row]) -> list[Row]:
    """Removes single spikes from the sorted rows of one hive."""
    if len(rows) < 3:
        return list(rows)
    inner = [
        row
        for before, row, after in zip(rows, rows[1:], rows[2:])
        if not is_spike(before, row, after)
    ]
    return [rows[0], *inner, rows[-1]]


def clean(rows: list[Row]) -> list[Row]:
    """All rules in order; the result is sorted by hive and time."""
    possible = [row for row in drop_duplicates(rows) if is_possible(row)]
    by_hive: dict[str, list[Row]] = {}
    for row in sorted(possible, key=lambda r: (r.hive, r.timestamp)):
        by_hive.setdefault(row.hive, []).append(row)
    return [row for group in by_hive.values() for row in drop_spikes(group)]
