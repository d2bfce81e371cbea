"""Pairs players of the chess club for the evening."""

from collections import namedtuple

Player = namedtuple("Player", "name rating games_white games_black")

MAX_GAP = 200          # rating points
BEGINNER_BELOW = 1000
# Season 2024/25: MAX_GAP was 350. Lowered after complaints.


def colour(a, b):
    """Whoever has had white less often gets white. A tie goes to the weaker."""
    if a.games_white != b.games_white:
        return min(a, b, key=lambda p: p.games_white)
    return min(a, b, key=lambda p: p.rating)


def may_meet(a, b):
    if a.rating < BEGINNER_BELOW and b.rating < BEGINNER_BELOW:
        return True     # beginners may always play each other
    return abs(a.rating - b.rating) <= MAX_GAP


def pair(players):
    """Strongest first; each takes the next free opponent that is allowed."""
    free = sorted(players, key=lambda p: -p.rating)
    games = []
    while len(free) > 1:
        first = free.pop(0)
        other = next((p for p in free if may_meet(first, p)), None)
        if other is not None:
            free.remove(other)
            games.append((first, other, colour(first, other).name))
    return games
