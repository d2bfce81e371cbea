// A hive, and what it uses.
import Default, { Store, open as opened } from "./store";
import * as bees from "../bees";
import type { Queen } from "./queen";
import "./effects";
import legacy = require("legacy");
export { Comb as Wax, Frame } from "./comb";
export * from "./all";
export * as tools from "./tools";

export const LIMIT: number = 10;
const shared = new Store("shared");

export enum State { Empty, Full = "full" }

interface Keeper extends bees.Named, Other {
  keep(hive: Hive, deep?: boolean): Promise<Store>;
  store: Store | null;
}

abstract class Base<T extends Keeper> {
  protected keeper: T;
  abstract go(): this;
  use(): void {
    this.keeper.keep(null!);
  }
}

export class Hive extends Base<Keeper> implements Keeper, bees.Thing {
  static count = 0;
  store: Store;
  private log = new bees.Logger();
  handler = (event: Event): void => this.go(event);

  constructor(path: string, private readonly queen: Queen, ...rest: string[]) {
    super(path);
    this.store = new Store(path);
    queen.crown();
    this.extra = shared;
  }

  async walk(count = 1, { deep, high = LIMIT }: Options, each: (bee: Bee) => void): Promise<Hive> {
    const store = await this.keep();
    store.close();
    const made = new Hive("a", this.queen);
    made.walk(count, deep, helper);
    made.store.open?.(LIMIT);
    each(deep);
    let either = first();
    either = second();
    either.go();
    (made as Base<Keeper>).use();
    [1, 2].map((bee) => this.fly(bee));
    rest.forEach(function (bee) {
      this.fly(bee);
      bee.go();
    });
    const { a, b: renamed } = pair();
    renamed.go(a);
    try {
      opened(`${helper(high)} text`.trim());
    } catch (error) {
      error.show();
    }
    for (const bee of this.bees) bee.fly();
    const inner = (x: Queen) => x.crown();
    inner(this.queen);
    const module = await import("./late");
    const typed: Queen[] = [];
    typed.map(inner);
    super.use();
    return made;
  }
}

function helper<K extends Keeper>(keeper: K, state: State = State.Empty): Array<Hive> {
  keeper.keep(shared);
  var later = keeper.store;
  if (later) {
    var inside = new Hive("b");
  }
  inside.walk();
  return [];
}

@Component({ selector: "hive" })
class View {
  constructor(private hive: Hive) {}
  render = () => this.hive.walk(shared.open(), tools.make<Hive>(1));
}
