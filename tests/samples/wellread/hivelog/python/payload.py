"""The radio payload of the hive scale.

The scale sends ten bytes, big-endian:

====== ===== ==============================================
offset bytes meaning
====== ===== ==============================================
0      1     version of the layout, always 1
1      1     number of the hive
2      2     weight in steps of 10 g, unsigned
4      2     temperature in steps of 0.01 degrees C, signed
6      1     battery voltage in steps of 20 mV
7      2     sequence counter, wraps at 65536
9      1     CRC-8 over the nine bytes before it
====== ===== ==============================================
"""

import struct
from dataclasses import dataclass

PAYLOAD_BYTES = 10
VERSION = 1
WEIGHT_STEP_KG = 0.01
TEMP_STEP_C = 0.01
BATTERY_STEP_V = 0.02
CRC_POLYNOMIAL = 0x07

_LAYOUT = struct.Struct(">BBHhBH")


class PayloadError(ValueError):
    """The bytes are not a payload of the hive scale."""


@dataclass(frozen=True)
class Packet:
    """One decoded payload. The weight is raw: see ``calibrate.py``."""

    hive: int
    raw_kg: float
    temp_c: float
    battery_v: float
    sequence: int


def crc8(data: bytes) -> int:
    """CRC-8 with the polynomial x^8 + x^2 + x + 1, starting from zero."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc <<= 1
            if crc & 0x100:
                crc ^= 0x100 | CRC_POLYNOMIAL
    return crc


def decode(frame: bytes) -> Packet:
    """Decodes one frame, or raises :class:`PayloadError`."""
    if len(frame) != PAYLOAD_BYTES:
        raise PayloadError(f"expected {PAYLOAD_BYTES} bytes, got {len(frame)}")
    body, checksum = frame[:-1], frame[-1]
    if crc8(body) != checksum:
        raise PayloadError("the checksum does not match")
    version, hive, weight, temp, battery, sequence = _LAYOUT.unpack(body)
    if version != VERSION:
        raise PayloadError(f"unknown version {version}")
    return Packet(
        hive=hive,
        raw_kg=round(weight * WEIGHT_STEP_KG, 2),
        temp_c=round(temp * TEMP_STEP_C, 2),
        battery_v=round(battery * BATTERY_STEP_V, 2),
        sequence=sequence,
    )


def decode_hex(text: str) -> Packet:
    """Decodes a frame written as hexadecimal digits."""
    try:
        frame = bytes.fromhex(text)
    except ValueError as error:
        raise PayloadError("the frame is not hexadecimal") from error
    return decode(frame)


def encode(packet: Packet) -> bytes:
    """The reverse of :func:`decode`; the simulator and the tests use it."""
    try:
        body = _LAYOUT.pack(
            VERSION,
            packet.hive,
            round(packet.raw_kg / WEIGHT_STEP_KG),
            round(packet.temp_c / TEMP_STEP_C),
            round(packet.battery_v / BATTERY_STEP_V),
            packet.sequence,
        )
    except struct.error as error:
        raise PayloadError(f"a value is out of range: {error}") from error
    return body + bytes([crc8(body)])
