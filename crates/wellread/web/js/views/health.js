// How the vault is as a whole: numbers, the link graph, and lists of what could be better, each entry leading to its note.

import { get } from '../api.js';
import { el } from '../dom.js';
import { graphSection } from '../graph/section.js';
import { lists } from '../health_lists.js';
import { button, counted, empty, head, problem, spoken, wait, when } from '../pieces.js';
import { lasted } from '../time.js';
import { propose } from '../research.js';

export async function health(at) {
    const place = el('div.stack', wait('Reading every note…'));
    const load = async () => {
        try {
            const [report, graph] = await Promise.all([
                get('/api/kb/health', { signal: at.signal }),
                get('/api/kb/graph', { signal: at.signal }),
            ]);
            place.replaceChildren(...page(report, graph, at.signal));
        } catch (error) {
            if (!at.signal.aborted) place.replaceChildren(problem(error, { again: load }));
        }
    };
    load();
    return { title: 'Health', nodes: [head('Health of your vault'), place] };
}

function page(report, graph, signal) {
    if (!report.notes)
        return [
            empty(
                'No notes yet',
                'Once you have notes that link to each other, this page shows their graph and what could be improved.',
            ),
        ];
    const tile = (number, what, to) =>
        el(
            to ? 'a.tile' : 'div.tile',
            to ? { href: '#/health', onclick: (event) => reveal(event, to) } : {},
            el('b', number.toLocaleString()),
            el('span', what),
        );
    const names = new Map(report.clusters.map(({ id, name }) => [id, name]));
    return [
        el(
            'div.row.spread',
            el('p.soft.small', 'Checked ', when(report.at), `, in ${lasted(report.tookMs)}`),
            button('Propose research from this', (event) => propose(null, event.currentTarget), { kind: 'main' }),
        ),
        report.notice ? el('p.notice', ...spoken(report.notice)) : null,
        el(
            'div.tiles',
            tile(report.notes, report.notes === 1 ? 'note' : 'notes'),
            tile(report.links, 'links'),
            tile(report.words, 'words'),
            tile(report.clusters.length, report.clusters.length === 1 ? 'cluster' : 'clusters', 'clusters'),
            tile(report.orphans.length, 'orphans', 'orphans'),
            tile(report.deadLinks.length, 'dead links', 'dead-links'),
            tile(report.duplicates.length, 'duplicates', 'duplicates'),
            tile(report.contradictions.length, 'contradictions', 'contradictions'),
        ),
        el(
            'section.stack',
            { 'aria-labelledby': 'graph' },
            el('h2', { id: 'graph' }, 'Links between your notes'),
            graphSection(graph, names, signal),
        ),
        el(
            'section.stack',
            { 'aria-labelledby': 'lists' },
            el('h2', { id: 'lists' }, 'What could be improved'),
            ...lists(report, graph),
        ),
        report.skipped.length
            ? el('p.soft.small', `${counted(report.skipped.length, 'file')} could not be read.`)
            : null,
    ].filter(Boolean);
}

function reveal(event, id) {
    event.preventDefault();
    const part = document.getElementById(`health-${id}`);
    if (!part) return;
    part.open = true;
    part.querySelector('summary').focus();
    part.scrollIntoView({ block: 'start' });
}
