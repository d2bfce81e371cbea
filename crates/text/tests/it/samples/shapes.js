#!/usr/bin/env node
"use strict";
const math = require("math");
const LIMIT = 10, UNIT = "cm";

/**
 * A circle.
 */
class Circle extends Shape {
  static count = 0;
  #radius;

  constructor(radius) {
    super();
    this.#radius = radius;
  }

  get area() {
    return LIMIT;
  }

  onClick = (event) => {
    return event;
  };

  "quoted name"() {}
}

function* walk(shapes) {
  yield* shapes;
}

// Draws it.
const draw = async (shape) => {
  await shape;
};

const tools = {
  pen: 1,
  erase() {
    return 0;
  },
  fill: function () {},
  line: () => 1,
};

exports.rotate = function (angle) {
  return angle;
};

Circle.prototype.scale = function (factor) {};

module.exports = { draw, tools };
export default class {
  run() {}
}
