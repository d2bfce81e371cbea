package example.hive

import example.bees.Bee
import example.wax.*
import example.store.Store as Shelf

class Hive(private val path: String, val queen: Queen) : Base(path), Keeper {
    private val store = Shelf(path)

    fun walk(count: Int, each: (Bee) -> Unit): Hive {
        each(Bee())
        val made = Hive("a", queen)
        made.walk(count) { bee -> bee.fly() }
        val local: Shelf = open("b")
        local.close()
        this.store.close()
        for (bee in bees) bee.fly()
        super.go()
        return made
    }
}
