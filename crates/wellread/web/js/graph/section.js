// The graph with what belongs to it: buttons, a field to find a note in it, and a legend of its clusters to click on.

import { noteAddress } from '../addresses.js';
import { el, dot } from '../dom.js';
import { button, counted, nameOf } from '../pieces.js';
import { go } from '../router.js';
import { COLORED, colors } from './colors.js';
import { Graph } from './model.js';
import { picture } from './picture.js';

/** `names` are the clusters' names by id. */
export function graphSection(answer, names, signal) {
    const graph = new Graph(answer);
    const shown = picture(graph, { open: (path) => go(noteAddress(path)), signal });
    const settling = el('span.chip.busy.graph-settling', 'Arranging');
    lay(graph, shown, settling, signal);
    const small = (text, title, act) => button(text, act, { 'aria-label': title, title });
    const buttons = el(
        'div.graph-buttons',
        small('+', 'Zoom in', () => shown.zoom(1.4)),
        small('−', 'Zoom out', () => shown.zoom(1 / 1.4)),
        small('⤢', 'Show everything', () => shown.show(null)),
    );
    return el(
        'div.graph',
        el(
            'div.row.spread',
            el(
                'p.soft.small',
                `${counted(graph.nodes.length, 'note')}, ${counted(graph.edges.length / 2, 'linked pair')}. Drag to move, scroll or pinch to zoom, click a note to open it.`,
            ),
            finder(graph, shown),
        ),
        el('div.graph-picture', shown.canvas, buttons, settling, shown.label),
        legend(graph, shown, names, signal),
    );
}

function lay(graph, shown, settling, signal) {
    const worker = new Worker('/page/js/graph/worker.js', { type: 'module' });
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    signal.addEventListener('abort', () => worker.terminate());
    worker.addEventListener('message', ({ data }) => {
        if (still && !data.isLast) return;
        shown.settle(data.places, data.isLast, true);
        if (data.isLast) {
            settling.remove();
            worker.terminate();
        }
    });
    worker.addEventListener('error', () =>
        settling.replaceChildren('The graph could not be drawn; the lists below show the same notes'),
    );
    worker.postMessage({ count: graph.nodes.length, edges: graph.edges, clusters: graph.groups() });
}

function finder(graph, shown) {
    const field = el('input', {
        type: 'search',
        dir: 'auto',
        list: 'graph-notes',
        'aria-label': 'Find a note in the graph',
        placeholder: 'Find a note',
        autocomplete: 'off',
    });
    const options = el('datalist', { id: 'graph-notes' });
    field.addEventListener('input', () => {
        const wanted = field.value.toLowerCase();
        const fitting = wanted
            ? graph.byLinks.filter((i) => graph.nodes[i].path.toLowerCase().includes(wanted)).slice(0, 12)
            : [];
        options.replaceChildren(...fitting.map((i) => el('option', { value: graph.nodes[i].path })));
        const exact = fitting.find(
            (i) => graph.nodes[i].path.toLowerCase() === wanted || nameOf(graph.nodes[i].path).toLowerCase() === wanted,
        );
        if (exact !== undefined) shown.find(graph.nodes[exact].path);
    });
    field.addEventListener('change', () => {
        const wanted = field.value.toLowerCase();
        const best = graph.byLinks.find((i) => graph.nodes[i].path.toLowerCase().includes(wanted));
        if (wanted && best !== undefined) shown.find(graph.nodes[best].path);
    });
    return el('div', field, options);
}

function legend(graph, shown, names, signal) {
    const list = el('ul.legend', { 'aria-label': 'Clusters' });
    let picked = null;
    const draw = () => {
        const palette = colors();
        const entry = (which, mark, text) => {
            const pick = () => {
                picked = picked === which ? null : which;
                shown.show(picked);
                draw();
                list.querySelector('[aria-pressed="true"]')?.focus();
            };
            return el('li', button([mark, text], pick, { kind: 'quiet', 'aria-pressed': String(picked === which) }));
        };
        const named = ({ id, size }, place) =>
            entry(id, dot(palette.cluster(place)), `${names.get(id) ?? `Cluster ${place + 1}`} (${size})`);
        const orphans = graph.orphans.length
            ? entry('orphan', dot(palette.orphan, true), `Orphans (${graph.orphans.length})`)
            : null;
        list.replaceChildren(...[...graph.clusters.slice(0, COLORED).map(named), orphans].filter(Boolean));
    };
    draw();
    document.addEventListener('theme', draw, { signal });
    return list;
}
