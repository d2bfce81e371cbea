// The graph as it is drawn and asked: who is beside whom, which color, which note is at a place.

import { COLORED } from './colors.js';

const CELL = 24;

export class Graph {
    constructor({ nodes, edges }) {
        this.nodes = nodes;
        this.edges = Uint32Array.from(edges.flat());
        this.places = null;
        this.byLinks = nodes
            .map((_, i) => i)
            .sort((one, other) => nodes[other].links - nodes[one].links || one - other);
        this.clusters = sizes(nodes);
        this.byColor = new Map();
        const rank = new Map(this.clusters.map(({ id }, place) => [id, Math.min(place, COLORED)]));
        nodes.forEach((node, i) => {
            const color = node.links ? (rank.get(node.cluster) ?? COLORED) : 'orphan';
            if (!this.byColor.has(color)) this.byColor.set(color, []);
            this.byColor.get(color).push(i);
        });
        this.beside = neighbors(nodes.length, this.edges);
        this.neighbors = (i) => this.beside.list.subarray(this.beside.from[i], this.beside.from[i + 1]);
    }

    /** The cluster of each note by a number, for the layout; those of none stay with whom they are linked. */
    groups() {
        const groups = Int32Array.from(this.nodes, ({ cluster }) => cluster ?? -1);
        let next = groups.reduce((most, group) => Math.max(most, group), -1) + 1;
        groups.forEach((group, start) => {
            if (group >= 0) return;
            const open = [start];
            groups[start] = next;
            while (open.length) {
                for (const other of this.neighbors(open.pop())) {
                    if (groups[other] >= 0) continue;
                    groups[other] = next;
                    open.push(other);
                }
            }
            next += 1;
        });
        return groups;
    }

    get orphans() {
        return this.byColor.get('orphan') ?? [];
    }

    /** New places, from the layout. */
    place(places) {
        this.places = places;
        this.cells = new Map();
        for (let i = 0; i < this.nodes.length; i += 1) {
            const key = cell(places[i * 2], places[i * 2 + 1]);
            const known = this.cells.get(key);
            if (known) known.push(i);
            else this.cells.set(key, [i]);
        }
    }

    /** The note nearest to a place, no farther than `reach`; -1 where there is none. */
    nearest(x, y, reach) {
        if (!this.places) return -1;
        let [best, found] = [reach * reach, -1];
        const look = (i) => {
            const distance = (this.places[i * 2] - x) ** 2 + (this.places[i * 2 + 1] - y) ** 2;
            if (distance < best) [best, found] = [distance, i];
        };
        const wide = Math.ceil(reach / CELL);
        // Far out, a finger covers more squares than there are notes.
        if ((2 * wide + 1) ** 2 > this.nodes.length) {
            this.nodes.forEach((_, i) => look(i));
            return found;
        }
        for (let dx = -wide; dx <= wide; dx += 1) {
            for (let dy = -wide; dy <= wide; dy += 1) this.cells.get(cell(x + dx * CELL, y + dy * CELL))?.forEach(look);
        }
        return found;
    }
}

function cell(x, y) {
    return `${Math.floor(x / CELL)},${Math.floor(y / CELL)}`;
}

/** The clusters, the largest first. */
function sizes(nodes) {
    const found = new Map();
    for (const { cluster, links } of nodes)
        if (links && cluster !== undefined) found.set(cluster, (found.get(cluster) ?? 0) + 1);
    return [...found]
        .map(([id, size]) => ({ id, size }))
        .sort((one, other) => other.size - one.size || one.id - other.id);
}

function neighbors(count, edges) {
    const from = new Uint32Array(count + 1);
    for (const end of edges) from[end + 1] += 1;
    for (let i = 0; i < count; i += 1) from[i + 1] += from[i];
    const next = from.slice();
    const list = new Uint32Array(edges.length);
    for (let e = 0; e < edges.length; e += 2) {
        list[next[edges[e]]++] = edges[e + 1];
        list[next[edges[e + 1]]++] = edges[e];
    }
    return { from, list };
}
