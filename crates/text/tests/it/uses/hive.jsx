// A hive without types.
const { open, close: shut } = require("./store");
const fs = require("fs");
const Store = require("./store").Store;
require("./effects");
import Thing, { other } from "./thing";

const shared = new Store("a");

class Hive extends Thing.Base {
  bees = new Bees();
  #secret = 1;

  constructor(path, queen) {
    super(path);
    this.path = path;
    this.store = new Store(path);
    this.queen = queen;
  }

  walk(each = other, ...rest) {
    each(1);
    this.store.open().then((store) => this.go(store));
    let either = new Store();
    either = new Thing();
    either.go();
    let same = new Store();
    same = new Store("b");
    same.go();
    shared.close();
    fs.readFileSync("a");
    return <Comb size={LIMIT} {...rest}><div>{open(each)}</div><Thing.Part /></Comb>;
  }
}

function Queen(name) {
  this.name = name;
}

Queen.prototype.crown = function (hive) {
  this.wear(hive);
};

exports.helper = (a, b) => shut(a, b);

const api = {
  get(path) {
    return this.fetch(path);
  },
  post: (path) => api.get(path),
};

export default function () {
  return new Hive("a").walk(Queen, api.post);
}
