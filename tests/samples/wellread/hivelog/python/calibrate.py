"""From raw scale values to kilograms that can be compared.

Two corrections are made. The first is a straight line through two known
weights, taken once when the scale is built. The second removes most of the
drift with temperature: the load cells read a little more when they are warm.
"""

from dataclasses import dataclass

from payload import Packet

REFERENCE_C = 20.0
TEMP_COEFFICIENT_KG_PER_C = 0.012


class CalibrationError(ValueError):
    """The two known weights do not define a line."""


@dataclass(frozen=True)
class Calibration:
    """A straight line: ``kg = offset_kg + factor * raw_kg``."""

    offset_kg: float = 0.0
    factor: float = 1.0

    def apply(self, raw_kg: float) -> float:
        """The weight in kilograms, before the temperature is considered."""
        return self.offset_kg + self.factor * raw_kg


def from_two_points(
    raw_low: float, kg_low: float, raw_high: float, kg_high: float
) -> Calibration:
    """The line through two weighings, for example an empty scale and 25 kg."""
    if raw_high == raw_low or kg_high == kg_low:
        raise CalibrationError("the two weighings must differ")
    factor = (kg_high - kg_low) / (raw_high - raw_low)
    return Calibration(offset_kg=kg_low - factor * raw_low, factor=factor)


def compensate(weight_kg: float, temp_c: float) -> float:
    """Removes the drift against the reference temperature."""
    return weight_kg - TEMP_COEFFICIENT_KG_PER_C * (temp_c - REFERENCE_C)


def fit_coefficient(samples: list[tuple[float, float]]) -> float:
    """The drift in kg per degree of a constant load, by least squares.

    ``samples`` are pairs of temperature and weight. A stone slab left on the
    scale for a week gave ``TEMP_COEFFICIENT_KG_PER_C``.
    """
    if len(samples) < 2:
        raise CalibrationError("at least two samples are needed")
    mean_temp = sum(temp for temp, _ in samples) / len(samples)
    mean_kg = sum(kg for _, kg in samples) / len(samples)
    spread = sum((temp - mean_temp) ** 2 for temp, _ in samples)
    if spread == 0:
        raise CalibrationError("the temperature never changed")
    return sum((temp - mean_temp) * (kg - mean_kg) for temp, kg in samples) / spread


def weigh(packet: Packet, calibrations: dict[int, Calibration]) -> float:
    """The corrected weight of a packet in kilograms, to 10 g.

    A hive without a calibration of its own gets the neutral one.
    """
    calibration = calibrations.get(packet.hive, Calibration())
    return round(compensate(calibration.apply(packet.raw_kg), packet.temp_c), 2)
