// Where each note stands in the picture: notes that link to each other near each other, clusters apart, orphans in rows
// below it all. The same graph gives the same picture.

import { Tree } from './tree.js';

const TURNS = 140;
const LENGTH = 26;
const PUSH = 28;
const TO_CLUSTER = 0.006;
const TO_MIDDLE = 0.03;
const KEPT_SPEED = 0.62;
/** How far apart points are laid out at first, and orphans for good. */
const APART = 9;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** Calls `told` with the places (x and y in turn) every so often, and at the end with `true`. */
export function layOut({ count, edges, clusters }, told, every = 8) {
    const degree = new Uint32Array(count);
    for (const end of edges) degree[end] += 1;
    const linked = [];
    const alone = [];
    for (let i = 0; i < count; i += 1) (degree[i] ? linked : alone).push(i);
    const state = begin(linked, degree, clusters);
    const at = new Int32Array(count).fill(-1);
    linked.forEach((node, index) => (at[node] = index));
    const ends = edges.map((end) => at[end]);
    for (let turn = 0; turn < TURNS; turn += 1) {
        step(state, ends, 1 - turn / TURNS);
        if (turn % every === every - 1 && turn + 1 < TURNS) told(places(state, linked, alone, count), false);
    }
    told(places(state, linked, alone, count), true);
}

/** Clusters on a spiral from the largest on, each with its notes on a spiral of its own. */
function begin(linked, degree, clusters) {
    const members = new Map();
    linked.forEach((node, index) => {
        const known = members.get(clusters[node]);
        if (known) known.push(index);
        else members.set(clusters[node], [index]);
    });
    const count = linked.length;
    const state = {
        count,
        x: new Float64Array(count),
        y: new Float64Array(count),
        speedX: new Float64Array(count),
        speedY: new Float64Array(count),
        degree: Float64Array.from(linked, (node) => degree[node]),
        home: new Int32Array(count),
        homes: 0,
        tree: new Tree(count),
    };
    let before = 0;
    const bySize = [...members.values()].sort((one, other) => other.length - one.length);
    state.homes = bySize.length;
    bySize.forEach((cluster, number) => {
        const radius = number ? APART * 1.6 * Math.sqrt(before + cluster.length / 2) : 0;
        const [cx, cy] = [radius * Math.cos(number * GOLDEN), radius * Math.sin(number * GOLDEN)];
        cluster.sort((one, other) => state.degree[other] - state.degree[one] || one - other);
        cluster.forEach((index, place) => {
            const away = APART * Math.sqrt(place + 0.5);
            state.x[index] = cx + away * Math.cos(place * GOLDEN);
            state.y[index] = cy + away * Math.sin(place * GOLDEN);
            state.home[index] = number;
        });
        before += cluster.length;
    });
    return state;
}

function step(state, ends, heat) {
    const { count, x, y, speedX, speedY, degree, tree, home, homes } = state;
    tree.build(x, y, count);
    for (let i = 0; i < count; i += 1) tree.push(i, x, y, PUSH * heat, speedX, speedY);
    // A link pulls; the end that has more of them gives less.
    for (let e = 0; e < ends.length; e += 2) {
        const [a, b] = [ends[e], ends[e + 1]];
        const [dx, dy] = [x[b] - x[a], y[b] - y[a]];
        const length = Math.hypot(dx, dy) || 1;
        const pull =
            (((length - LENGTH) / length) * heat * (home[a] === home[b] ? 0.7 : 0.25)) / Math.min(degree[a], degree[b]);
        const share = degree[a] / (degree[a] + degree[b]);
        speedX[a] += dx * pull * (1 - share);
        speedY[a] += dy * pull * (1 - share);
        speedX[b] -= dx * pull * share;
        speedY[b] -= dy * pull * share;
    }
    const [sumX, sumY, size] = [new Float64Array(homes), new Float64Array(homes), new Float64Array(homes)];
    for (let i = 0; i < count; i += 1) {
        sumX[home[i]] += x[i];
        sumY[home[i]] += y[i];
        size[home[i]] += 1;
    }
    for (let i = 0; i < count; i += 1) {
        const own = home[i];
        speedX[i] += (sumX[own] / size[own] - x[i]) * TO_CLUSTER * heat - x[i] * TO_MIDDLE * heat;
        speedY[i] += (sumY[own] / size[own] - y[i]) * TO_CLUSTER * heat - y[i] * TO_MIDDLE * heat;
        speedX[i] *= KEPT_SPEED;
        speedY[i] *= KEPT_SPEED;
        x[i] += speedX[i];
        y[i] += speedY[i];
    }
}

function places({ x, y }, linked, alone, count) {
    const found = new Float32Array(count * 2);
    let [left, right, bottom] = [0, 0, 0];
    linked.forEach((node, index) => {
        found[node * 2] = x[index];
        found[node * 2 + 1] = y[index];
        left = Math.min(left, x[index]);
        right = Math.max(right, x[index]);
        bottom = Math.max(bottom, y[index]);
    });
    // Orphans: rows below the rest, as wide as it is; or where there is no rest, a square.
    const wide = linked.length ? right - left : 0;
    const apart = Math.max(1.7 * APART, wide * 0.012);
    const across = Math.max(4, Math.ceil(wide ? wide / apart : Math.sqrt(alone.length * 1.6)));
    alone.forEach((node, index) => {
        const row = Math.floor(index / across);
        const here = Math.min(across, alone.length - row * across);
        found[node * 2] = (left + right) / 2 + ((index % across) - (here - 1) / 2) * apart;
        found[node * 2 + 1] = bottom + (3 + row) * apart;
    });
    return found;
}
