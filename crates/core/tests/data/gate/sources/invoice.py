"""Invoices of the pottery studio."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

VAT_STANDARD = Decimal("0.20")
VAT_REDUCED = Decimal("0.10")   # books and workshops for children
PAYMENT_DAYS = 14
# Until 2023 the reminder went out after 7 days.
REMINDER_DAYS = 21
REMINDER_FEE = Decimal("5.00")  # from the second reminder on


@dataclass
class Line:
    text: str
    net: Decimal
    reduced: bool = False

    def gross(self) -> Decimal:
        rate = VAT_REDUCED if self.reduced else VAT_STANDARD
        return (self.net * (1 + rate)).quantize(Decimal("0.01"))


@dataclass
class Invoice:
    number: str
    issued: date
    lines: list[Line] = field(default_factory=list)

    def due(self) -> date:
        return self.issued + timedelta(days=PAYMENT_DAYS)

    def total(self) -> Decimal:
        return sum((line.gross() for line in self.lines), Decimal("0"))

    def fee(self, reminders: int) -> Decimal:
        return REMINDER_FEE if reminders >= 2 else Decimal("0")
