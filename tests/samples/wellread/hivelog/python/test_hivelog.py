"""Tests of the Python side; run them with ``python3 -m unittest``."""

import io
import unittest
from pathlib import Path

from calibrate import CalibrationError, compensate, fit_coefficient, from_two_points, weigh
from clean import Row, clean
from export import read_log, write_csv
from payload import PAYLOAD_BYTES, Packet, PayloadError, crc8, decode, decode_hex, encode

DATA = Path(__file__).resolve().parent.parent / "data"
PACKET = Packet(hive=2, raw_kg=40.12, temp_c=-3.25, battery_v=3.92, sequence=513)


def row(time: str, kg: float, sequence: int = 0) -> Row:
    return Row(f"2025-05-14T{time}", "linden", kg, 15.0, sequence)


class PayloadTest(unittest.TestCase):
    def test_a_packet_survives_the_round_trip(self):
        frame = encode(PACKET)
        self.assertEqual(len(frame), PAYLOAD_BYTES)
        self.assertEqual(decode(frame), PACKET)
        self.assertEqual(decode_hex(frame.hex()), PACKET)

    def test_the_checksum_has_the_published_check_value(self):
        self.assertEqual(crc8(b"123456789"), 0xF4)

    def test_every_flipped_bit_is_noticed(self):
        frame = encode(PACKET)
        for bit in range(8 * PAYLOAD_BYTES):
            broken = bytearray(frame)
            broken[bit // 8] ^= 1 << (bit % 8)
            with self.assertRaises(PayloadError):
                decode(bytes(broken))

    def test_odd_input_is_refused(self):
        for text in ("", "xyz", "0102", encode(PACKET).hex() + "00"):
            with self.assertRaises(PayloadError):
                decode_hex(text)
        with self.assertRaises(PayloadError):
            encode(Packet(hive=1, raw_kg=700.0, temp_c=0, battery_v=3, sequence=1))


class CalibrateTest(unittest.TestCase):
    def test_two_weighings_make_a_line(self):
        line = from_two_points(raw_low=0.5, kg_low=0.0, raw_high=25.5, kg_high=25.0)
        self.assertAlmostEqual(line.apply(10.5), 10.0)
        with self.assertRaises(CalibrationError):
            from_two_points(1.0, 0.0, 1.0, 25.0)

    def test_warm_cells_read_too_much(self):
        self.assertAlmostEqual(compensate(40.0, 30.0), 39.88)
        self.assertAlmostEqual(compensate(40.0, 20.0), 40.0)
        self.assertEqual(weigh(PACKET, {}), 40.4)

    def test_a_constant_load_shows_the_drift(self):
        slab = [(temp, 30.0 + 0.012 * temp) for temp in (2.0, 9.0, 15.0, 24.0)]
        self.assertAlmostEqual(fit_coefficient(slab), 0.012)
        with self.assertRaises(CalibrationError):
            fit_coefficient([(10.0, 30.0), (10.0, 30.1)])


class CleanTest(unittest.TestCase):
    def test_a_spike_goes_and_a_swarm_stays(self):
        spike = [row("10:00", 40.0), row("11:00", 62.0), row("12:00", 40.1)]
        self.assertEqual([r.weight_kg for r in clean(spike)], [40.0, 40.1])
        swarm = [row("10:00", 40.0), row("11:00", 33.0), row("12:00", 33.1)]
        self.assertEqual(clean(swarm), swarm)

    def test_doubles_and_impossible_rows_go(self):
        rows = [row("10:00", 40.0), row("10:00", 40.0), row("11:00", 400.0)]
        self.assertEqual(clean(rows), [row("10:00", 40.0)])


class ExportTest(unittest.TestCase):
    def test_the_sample_log_becomes_csv(self):
        with (DATA / "frames.log").open(encoding="utf-8") as lines:
            rows, problems = read_log(lines)
        self.assertEqual(problems, ["line 9: the checksum does not match"])
        out = io.StringIO()
        self.assertEqual(write_csv(clean(rows), out), 6)
        first, second = out.getvalue().splitlines()[:2]
        self.assertEqual(first, "timestamp,hive,weight_kg,temp_c")
        self.assertEqual(second, "2025-05-14T10:00,hawthorn,38.21,16.5")


if __name__ == "__main__":
    unittest.main()
