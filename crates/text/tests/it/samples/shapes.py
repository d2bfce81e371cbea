#!/usr/bin/env python3
"""Shapes and what they cover."""
import math
from dataclasses import dataclass

LIMIT = 10
default_name: str = "shape"
first, second = 1, 2


def cache(function):
    """Remembers what the function gave."""

    def remembered(*args):
        local = 1
        return function(*args)

    return remembered


# What is round.
@dataclass
class Circle(Shape):
    """A circle around the origin."""

    KIND = "round"
    radius: float

    @property
    @cache
    def area(self) -> float:
        """How much it covers."""
        return math.pi * self.radius**2

    async def draw(
        self,
        pen,
    ):
        pass

    class Style:
        pass


if LIMIT:

    def conditional(): ...


square = lambda side: side * side
type Number = int | float
