"""A hive, and what it uses."""
from __future__ import annotations

import os
import os.path
import numpy as np
from . import bees
from ..store import Store, open_store as opened
from .inner import *

LIMIT: int = 10
shared = Store("shared")


def helper(a, b=1, *rest, key=None, **more):
    return a


class Base(bees.Thing, Generic[T], metaclass=Meta):
    kind = "hive"
    count: int

    def go(self):
        pass


class Hive(Base):
    def __init__(self, path: str, queen: Queen, store=None):
        super().__init__(path)
        self.path = path
        self.queen = queen
        self.store = Store(path)
        self.other: Optional[Base] = None
        self.log = bees.Logger()
        if store:
            self.extra = store
            self.store = store

    @property
    def size(self) -> int:
        return self.store.count() + self.queen.crown().weight

    @staticmethod
    def made(path):
        path.join()
        hive = Hive(path, Queen(), store=shared)
        hive.size.bit_length()
        hive.walk(LIMIT)
        return hive

    @classmethod
    def open(klass, path) -> "Hive":
        return klass.made(path)

    def walk(this, count: int | None = None, *, each=helper) -> Base:
        each(count)
        this.go()
        store = Store("a")
        store.open().close()
        either = Store("a")
        either = Comb()
        either.go()
        same = Store("a")
        if count:
            same = Store("b")
        same.close()
        later.call()
        later = bees.Later
        for bee in this.store:
            bee.fly()
        with opened("x") as file, other():
            file.read()
        try:
            os.path.join(helper(1), np.zeros(3))
        except ValueError as error:
            error.show()
        names = [name.upper() for name in this.names if name]
        fly = lambda bee, high: bee.fly(high)
        fly(1)
        a, (b, *c) = pair()
        a.go()

        def inner(x):
            this.go()
            return helper(x)

        inner(*names)
        global shared
        shared = Store("b")
        shared.close()
        import json
        json.dumps({"key": LIMIT}, indent=2)
        if (found := Store("c")) is not None:
            found.close()
        match count:
            case Point(x=1, y=high):
                high.go()
            case whole:
                whole.go()
        return Base()


@bees.register("hive")
@cached
async def main(hive: "Hive", other: typing.Optional[bees.Bee]) -> None:
    await hive.walk()
    other.fly()
    print(f"{hive.size} {helper(LIMIT)}", "text".upper())
    map(helper, [Hive.made])


if __name__ == "__main__":
    for hive in []:
        main(hive)
