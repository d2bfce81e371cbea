// A tree of squares over points, in which many that are far away count as one (Barnes and Hut): so that each of ten thousand
// points can be pushed by all others in a moment. Kept in flat arrays, which are used again.

/** A square counts as one point where its width, squared, is below this part of its distance, squared. */
const OPENING = 1.1;
/** Points that share a place are not told apart for ever. */
const DEEPEST = 32;
const NOTHING = -1;

export class Tree {
    constructor(points) {
        const most = 4 * points + 64;
        this.child = new Int32Array(most * 4);
        this.mass = new Float64Array(most);
        this.sumX = new Float64Array(most);
        this.sumY = new Float64Array(most);
        this.width = new Float64Array(most);
        this.stack = new Int32Array(4 * DEEPEST + 16);
        this.most = most;
        this.cells = 0;
    }

    /** Sorts the points in. */
    build(x, y, count) {
        let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
        for (let i = 0; i < count; i += 1) {
            if (x[i] < left) left = x[i];
            if (x[i] > right) right = x[i];
            if (y[i] < top) top = y[i];
            if (y[i] > bottom) bottom = y[i];
        }
        const width = Math.max(right - left, bottom - top, 1) * 1.0001;
        this.cells = 0;
        this.cell(width);
        for (let i = 0; i < count; i += 1) this.insert(i, x, y, left, top, width);
    }

    cell(width) {
        const at = this.cells;
        this.cells += 1;
        this.child.fill(NOTHING, at * 4, at * 4 + 4);
        this.mass[at] = this.sumX[at] = this.sumY[at] = 0;
        this.width[at] = width;
        return at;
    }

    insert(point, x, y, left, top, width) {
        let at = 0;
        for (let depth = 0; ; depth += 1) {
            this.mass[at] += 1;
            this.sumX[at] += x[point];
            this.sumY[at] += y[point];
            if (depth === DEEPEST || this.cells + 2 > this.most) return;
            width /= 2;
            const isRight = x[point] >= left + width;
            const isLow = y[point] >= top + width;
            if (isRight) left += width;
            if (isLow) top += width;
            const slot = at * 4 + (isLow ? 2 : 0) + (isRight ? 1 : 0);
            const held = this.child[slot];
            if (held === NOTHING) {
                this.child[slot] = -2 - point;
                return;
            }
            if (held < NOTHING) {
                // A point is there already: it goes one deeper, and this one after it.
                const other = -2 - held;
                const deeper = this.cell(width);
                this.child[slot] = deeper;
                this.mass[deeper] = 1;
                this.sumX[deeper] = x[other];
                this.sumY[deeper] = y[other];
                const half = width / 2;
                const place = (y[other] >= top + half ? 2 : 0) + (x[other] >= left + half ? 1 : 0);
                this.child[deeper * 4 + place] = -2 - other;
            }
            at = this.child[slot];
        }
    }

    /** Adds to a point's speed what all others push. */
    push(point, x, y, strength, speedX, speedY) {
        const { child, mass, sumX, sumY, width, stack } = this;
        const self = -2 - point;
        const px = x[point];
        const py = y[point];
        let fx = 0;
        let fy = 0;
        let height = 1;
        stack[0] = 0;
        while (height > 0) {
            height -= 1;
            const at = stack[height];
            const here = mass[at];
            const dx = px - sumX[at] / here;
            const dy = py - sumY[at] / here;
            const distance = dx * dx + dy * dy;
            const wide = width[at];
            if (wide * wide < OPENING * distance) {
                const force = here / distance;
                fx += dx * force;
                fy += dy * force;
                continue;
            }
            const last = at * 4 + 4;
            for (let slot = at * 4; slot < last; slot += 1) {
                const held = child[slot];
                if (held >= 0) {
                    stack[height] = held;
                    height += 1;
                } else if (held < NOTHING && held !== self) {
                    const ox = px - x[-2 - held];
                    const oy = py - y[-2 - held];
                    const near = ox * ox + oy * oy;
                    const force = near > 1 ? 1 / near : 1;
                    fx += ox * force;
                    fy += oy * force;
                }
            }
        }
        speedX[point] += fx * strength;
        speedY[point] += fy * strength;
    }
}
