// What a health report lists, each part to be opened, each entry leading to its note.

import { noteAddress } from './addresses.js';
import { el } from './dom.js';
import { counted, noteLink, noteLinks } from './pieces.js';

const SHOWN = 200;

export function lists(report, graph) {
    const parts = [
        part('orphans', 'Orphans', 'Notes without links to or from other notes.', report.orphans, (path) =>
            noteLink(path, path),
        ),
        part('dead-ends', 'Dead ends', 'Other notes link to these, but they link to none.', report.deadEnds, (path) =>
            noteLink(path, path),
        ),
        part(
            'dead-links',
            'Dead links',
            'Links to files that do not exist.',
            report.deadLinks,
            ({ path, line, target, reason }) => [
                noteLink(path, `${path}:${line}`),
                ` → ${target}`,
                reason ? soft(`, ${reason}`) : '',
            ],
        ),
        part(
            'contradictions',
            'Contradictions',
            'Two notes give different values for the same thing.',
            report.contradictions,
            contradiction,
        ),
        part(
            'duplicates',
            'Duplicates',
            'Notes with nearly the same text.',
            report.duplicates,
            ({ one, other, similarity }) => [
                noteLink(one, one),
                ' and ',
                noteLink(other, other),
                soft(`, ${Math.round(similarity * 100)} % similar`),
            ],
        ),
        part(
            'stale',
            'Stale',
            'Notes that may be out of date.',
            report.stale,
            ({ path, changed, reason }) => [noteLink(path, path), soft(`, last changed ${changed}: ${reason}`)],
        ),
        part(
            'suggested',
            'Suggested links',
            'A note mentions another without linking to it.',
            report.suggestedLinks,
            ({ from, line, mention, to, reason }) => [
                noteLink(from, `${from}:${line}`),
                ` says “${mention}” → `,
                noteLink(to, to),
                reason ? soft(`, ${reason}`) : '',
            ],
        ),
        part(
            'aliases',
            'Suggested aliases',
            'Other notes use a name for these that is not among their aliases.',
            report.suggestedAliases ?? [],
            ({ path, alias, usedBy, reason }) => [
                noteLink(path, path),
                ` → alias “${alias}”`,
                soft(`, used by ${counted(usedBy, 'note')}${reason ? `: ${reason}` : ''}`),
            ],
        ),
        part(
            'never',
            'Never used',
            'No research or conversation has used these yet.',
            report.neverDrawnOn.notes,
            (path) => noteLink(path, path),
            report.neverDrawnOn.count,
        ),
        part(
            'clusters',
            'Clusters',
            'Groups of notes connected by links.',
            report.clusters,
            ({ name, size, notes }) => [
                el('strong', name),
                soft(`, ${counted(size, 'note')}: `),
                ...noteLinks(notes.slice(0, 12)),
                size > 12 ? soft(' …') : '',
            ],
        ),
        part(
            'linked',
            'Most linked notes',
            'The graph as a list.',
            [...graph.nodes].sort((one, other) => other.links - one.links).slice(0, SHOWN),
            ({ path, links }) => [noteLink(path, path), soft(`, ${counted(links, 'link')}`)],
        ),
    ];
    return parts.filter(Boolean);
}

function part(id, title, about, entries, shown, count = entries.length) {
    if (!count) return null;
    const list = el('ul.entries');
    const node = el(
        'details.fold',
        { id: `health-${id}` },
        el('summary', title, el('span.chip', count.toLocaleString())),
        el('p.soft.small', about),
        list,
    );
    node.addEventListener('toggle', () => {
        if (!node.open || list.children.length) return;
        list.append(...entries.slice(0, SHOWN).map((entry) => el('li', el('div', ...[shown(entry)].flat()))));
        if (count > SHOWN) list.append(el('li.soft', `and ${(count - SHOWN).toLocaleString()} more`));
    });
    return node;
}

function contradiction({ what, values, one, other }) {
    const side = (place, value) =>
        el(
            'figure',
            el(
                'figcaption.small',
                el('a', { href: noteAddress(place.path) }, `${place.path}:${place.startLine}`),
                `: ${value}`,
            ),
            el('blockquote.quote', { dir: 'auto' }, place.quote),
        );
    return el('div.stack', el('strong', what), el('div.columns', side(one, values[0]), side(other, values[1])));
}

function soft(text) {
    return el('span.soft', text);
}
