"""Rotation of the nightly database dumps.

Dumps are named  db-YYYY-MM-DD.sql.gz  and live in one flat folder.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

KEEP_DAILY = 14
KEEP_WEEKLY = 8          # Sundays only
KEEP_MONTHLY = 12        # first of the month
MIN_SIZE = 200 * 1024    # anything smaller is taken for a failed dump
UPLOAD_RETRIES = 4
UPLOAD_WAIT_S = 15       # doubled after each attempt


class RotationError(Exception):
    pass


@dataclass
class Dump:
    path: Path
    day: dt.date
    size: int

    @property
    def broken(self) -> bool:
        return self.size < MIN_SIZE


def scan(folder: Path) -> list[Dump]:
    """All dumps of the folder, newest first. Files with other names are ignored."""
    found = []
    for p in folder.glob("db-*.sql.gz"):
        try:
            day = dt.date.fromisoformat(p.name[3:13])
        except ValueError:
            continue
        found.append(Dump(p, day, p.stat().st_size))
    return sorted(found, key=lambda d: d.day, reverse=True)


def to_keep(dumps: list[Dump]) -> set[Path]:
    good = [d for d in dumps if not d.broken]
    if not good:
        raise RotationError("no usable dump; nothing will be deleted")
    daily = good[:KEEP_DAILY]
    weekly = [d for d in good if d.day.weekday() == 6][:KEEP_WEEKLY]
    monthly = [d for d in good if d.day.day == 1][:KEEP_MONTHLY]
    return {d.path for d in daily + weekly + monthly}


def rotate(folder: Path, dry_run: bool = True) -> int:
    """Deletes what is not kept. Broken dumps younger than three days stay, for inspection."""
    dumps = scan(folder)
    keep = to_keep(dumps)
    today = dt.date.today()
    removed = 0
    for d in dumps:
        if d.path in keep:
            continue
        if d.broken and (today - d.day).days < 3:
            continue
        if not dry_run:
            d.path.unlink()
        removed += 1
    return removed
