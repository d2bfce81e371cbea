"""Turns the log of the gateway into the CSV file that hivelog reads.

A line of the log holds a timestamp and a frame in hexadecimal digits::

    2025-05-14T10:15 0101...

Run it as ``python3 export.py frames.log readings.csv``.
"""

import csv
import sys
from pathlib import Path
from typing import Iterable, TextIO

from calibrate import Calibration, weigh
from clean import Row, clean
from payload import PayloadError, decode_hex

HEADER = ("timestamp", "hive", "weight_kg", "temp_c")
HIVES = {1: "linden", 2: "hawthorn", 3: "bramble"}
CALIBRATIONS = {
    1: Calibration(offset_kg=-0.35, factor=1.002),
    2: Calibration(offset_kg=0.12, factor=0.998),
}


def hive_name(number: int) -> str:
    """The name of a hive, or a made-up one for a scale nobody has named."""
    return HIVES.get(number, f"hive-{number}")


def parse_log_line(line: str) -> Row:
    """One line of the gateway log as a row, or :class:`PayloadError`."""
    timestamp, _, frame = line.strip().partition(" ")
    packet = decode_hex(frame)
    return Row(
        timestamp=timestamp,
        hive=hive_name(packet.hive),
        weight_kg=weigh(packet, CALIBRATIONS),
        temp_c=packet.temp_c,
        sequence=packet.sequence,
    )


def read_log(lines: Iterable[str]) -> tuple[list[Row], list[str]]:
    """The rows of a log, and a message for each line that is not one."""
    rows, problems = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            rows.append(parse_log_line(line))
        except PayloadError as error:
            problems.append(f"line {number}: {error}")
    return rows, problems


def write_csv(rows: Iterable[Row], out: TextIO) -> int:
    """Writes the header and the rows; returns how many rows there were."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    count = 0
    for row in rows:
        weight, temp = f"{row.weight_kg:.2f}", f"{row.temp_c:.1f}"
        writer.writerow((row.timestamp, row.hive, weight, temp))
        count += 1
    return count


def main(args: list[str]) -> int:
    """The script: reads a log, cleans it, writes the CSV file."""
    if len(args) != 2:
        print("usage: export.py FRAMES.log READINGS.csv", file=sys.stderr)
        return 2
    source, target = Path(args[0]), Path(args[1])
    with source.open(encoding="utf-8") as lines:
        rows, problems = read_log(lines)
    with target.open("w", encoding="utf-8", newline="") as out:
        count = write_csv(clean(rows), out)
    for problem in problems:
        print(f"{source}: {problem}", file=sys.stderr)
    print(f"{count} readings written, {len(problems)} lines skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
