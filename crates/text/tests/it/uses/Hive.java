package org.example.hive;

import java.util.List;
import java.util.*;
import static org.example.Util.helper;
import static org.example.Const.*;

/** A hive, and what it uses. */
@Service("hive")
public class Hive<T extends Keeper> extends Base<T> implements Keeper, bees.Thing {
    public static final int LIMIT = 10;
    private final Store store;
    private Queen first, second = new Queen();
    List<Bee> bees = new ArrayList<>();

    enum State implements Named {
        EMPTY, FULL(1);
        State(int... sizes) {}
    }

    record Comb(int size, Wax wax) implements Named {}

    interface Walker extends Keeper, Other<Bee> {
        Store walk(Hive hive);
    }

    public Hive(String path, Queen queen) throws HiveException {
        super(path);
        this.store = new Store(path);
        this.first = queen;
        queen.crown();
        store.open(LIMIT);
        count();
    }

    @Override
    public Optional<Hive> walk(int count, Function<Bee, Queen> each, String... names) {
        each.apply(null).crown();
        var made = new Hive<Keeper>("a", first);
        made.count();
        final Store local = made.store;
        local.close();
        for (Bee bee : bees) {
            bee.fly();
        }
        try (Store opened = Store.open("x")) {
            opened.close();
        } catch (IOException | HiveException error) {
            error.show();
        }
        Runnable run = () -> this.count();
        bees.stream().map(bee -> bee.fly()).forEach(Hive::show);
        names[0].trim();
        "text".trim();
        ((Hive) other).count();
        if (other instanceof Queen queen) {
            queen.crown();
        }
        new Thread(new Runnable() {
            public void run() {
                this.stop();
                helper(State.EMPTY);
            }
        });
        walk(1, null).orElseThrow().count();
        return Optional.of(org.example.Other.make(Hive.class));
    }

    static <K extends Keeper> K loud(K keeper) {
        keeper.keep();
        super.go();
        return keeper;
    }

    int count() { return bees.size() + store.count; }
}
