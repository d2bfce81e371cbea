"""Which system a program runs on, read from the program, and what each registry calls that system."""

from __future__ import annotations

import pathlib
import re
import struct
from dataclasses import dataclass

#: The oldest glibc that packages are tagged for; static programs need none.
OLDEST_GLIBC = 17


class Unknown(Exception):
    """The file is no program of a system that we make packages for."""


@dataclass(frozen=True)
class Target:
    """A system, by the name that rustc has for it."""

    triple: str
    #: The second number of the glibc version that the program needs; None if it needs no C library.
    glibc: int | None = None

    @property
    def cpu(self) -> str:
        return {"x86_64": "x64", "aarch64": "arm64"}[self.triple.split("-")[0]]

    @property
    def os(self) -> str:
        for part, name in [("linux", "linux"), ("darwin", "darwin"), ("windows", "win32")]:
            if part in self.triple:
                return name
        raise Unknown(f"no packages are made for {self.triple}")

    @property
    def executable(self) -> str:
        return "wellread.exe" if self.os == "win32" else "wellread"

    @property
    def deb(self) -> str:
        if self.os != "linux":
            raise Unknown(f"a Debian package is for Linux, and the program is for {self.triple}")
        return {"x64": "amd64", "arm64": "arm64"}[self.cpu]

    @property
    def wheel(self) -> str:
        """Platform tags of a wheel. What needs no C library runs with every one."""
        machine = {"x64": "x86_64", "arm64": "aarch64"}[self.cpu]
        if self.os == "darwin":
            return "macosx_10_12_x86_64" if self.cpu == "x64" else "macosx_11_0_arm64"
        if self.os == "win32":
            return "win_amd64" if self.cpu == "x64" else "win_arm64"
        if self.glibc is None:
            return f"manylinux_2_{OLDEST_GLIBC}_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
        return f"manylinux_2_{max(self.glibc, OLDEST_GLIBC)}_{machine}"

    @property
    def npm(self) -> str:
        return f"{self.os}-{self.cpu}"


def named(triple: str) -> Target:
    """A target that was given by name, for a file that does not say it itself."""
    target = Target(triple, OLDEST_GLIBC if triple.endswith("-gnu") and "linux" in triple else None)
    if triple.split("-")[0] not in ("x86_64", "aarch64"):
        raise Unknown(f"no packages are made for {triple}")
    assert target.os
    return target


def detect(program: pathlib.Path) -> Target:
    """What the head of the file says."""
    try:
        return _detect(program)
    except (struct.error, ValueError, IndexError):
        raise Unknown(f"{program} is damaged or cut off") from None


def _detect(program: pathlib.Path) -> Target:
    with program.open("rb") as file:
        head = file.read(4096)
        if head[:5] == b"\x7fELF\x02":
            return _elf(file, head)
    if head[:4] == b"\xcf\xfa\xed\xfe":
        machine = {0x0100000C: "aarch64", 0x01000007: "x86_64"}.get(struct.unpack_from("<I", head, 4)[0])
        if machine:
            return Target(f"{machine}-apple-darwin")
    if head[:2] == b"MZ":
        at = struct.unpack_from("<I", head, 0x3C)[0]
        machine = {0x8664: "x86_64", 0xAA64: "aarch64"}.get(struct.unpack_from("<H", head, at + 4)[0])
        if machine:
            return Target(f"{machine}-pc-windows-msvc")
    raise Unknown(f"{program} is no program for a system that packages are made for; --target names the system")


def _elf(file, head: bytes) -> Target:
    machine = {62: "x86_64", 183: "aarch64"}.get(struct.unpack_from("<H", head, 18)[0])
    if machine is None:
        raise Unknown(f"{file.name} is for a processor that no packages are made for")
    segments, size, count = _table(head, 32, 54)
    file.seek(segments)
    table = file.read(size * count)
    # 3 is the program interpreter: whoever has one is linked dynamically.
    if not any(struct.unpack_from("<I", table, at)[0] == 3 for at in range(0, len(table), size)):
        return Target(f"{machine}-unknown-linux-musl")
    needed = [int(number) for number in re.findall(rb"GLIBC_2\.(\d+)", _dynamic_strings(file, head))]
    if not needed:
        raise Unknown(f"{file.name} is linked dynamically, but not with glibc")
    return Target(f"{machine}-unknown-linux-gnu", max(needed))


def _table(head: bytes, offset_at: int, size_at: int) -> tuple[int, int, int]:
    return struct.unpack_from("<Q", head, offset_at)[0], *struct.unpack_from("<HH", head, size_at)


def _dynamic_strings(file, head: bytes) -> bytes:
    """The names and versions of what the program takes from libraries."""
    sections, size, count = _table(head, 40, 58)
    file.seek(sections)
    table = file.read(size * count)
    rows = [struct.unpack_from("<IIQQQQIIQQ", table, at) for at in range(0, len(table), size)]
    # 11 are the symbols of the dynamic linker, and their link is the table of their names.
    for row in rows:
        if row[1] == 11:
            strings = rows[row[6]]
            file.seek(strings[4])
            return file.read(strings[5])
    return b""
