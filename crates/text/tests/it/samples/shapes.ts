import { Base } from "./base";

/** What has an area. */
export interface Shape<T> {
  readonly sides: number;
  area(): T;
}

export type Name = string | number;
export enum Colour {
  Red,
  Green,
}

@Injectable()
export class Circle<T> extends Base implements Shape<T> {
  static readonly KIND = "round";
  private radius: number;

  constructor(private y: number) {
    super();
  }

  @logged()
  get area(): number {
    return 1;
  }

  handler = (x: number) => {
    return x;
  };

  async *walk() {}
}

export abstract class Angular {
  abstract corners(): number;
}

// Twice as much.
export const twice = async <T>(x: T): Promise<T> => {
  return x;
};
const LIMIT = 10;
let counter = 0;

function parse(text: string): void;
function parse(text: any) {
  const inner = () => 1;
  const local = 2;
}

namespace Geo.Flat {
  export function draw() {}
}

declare module "shapes" {
  function external(): void;
}
declare function ambient(x: number): void;
