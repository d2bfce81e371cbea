"""Retry queue of the parcel client.

Failed requests wait here until they are tried again.
"""

import random
import time

MAX_ATTEMPTS = 6
BASE_DELAY_S = 0.5
MAX_DELAY_S = 60.0
JITTER = 0.2  # plus or minus 20 percent


class GaveUp(Exception):
    """Raised after the last attempt has failed."""


def delay_for(attempt: int) -> float:
    """Seconds to wait before the given attempt (the first is number 1)."""
    raw = min(BASE_DELAY_S * 2 ** (attempt - 1), MAX_DELAY_S)
    return raw * random.uniform(1 - JITTER, 1 + JITTER)


def send_with_retry(send, request):
    """Calls ``send(request)`` until it works.

    Timeouts are retried. A PermissionError is not: it is passed on at once.
    """
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return send(request)
        except TimeoutError:
            if attempt == MAX_ATTEMPTS:
                raise GaveUp(f"no answer after {attempt} attempts")
            time.sleep(delay_for(attempt))
