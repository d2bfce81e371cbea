// A finding: what it says, sentence by sentence with its evidence, why it was looked for, and what to make of it.

import { agendaAddress, runAddress } from './addresses.js';
import { decision } from './decision.js';
import { el } from './dom.js';
import { chip, hostOf, isAddress, noteLink, noteLinks, outside, sentence, spoken } from './pieces.js';
import { reading } from './sentences.js';

/**
 * `read` shows its texts with their evidence. In a view that stands alone, `isAlone`, nothing leads to other parts of the page.
 * Where nobody can decide here, `decide` is null.
 */
export function findingView(finding, decide, { read = reading, isAlone = false } = {}) {
    const texts = [
        { text: finding.summary },
        finding.bearing && { title: 'How it relates to your notes', text: finding.bearing },
    ].filter(Boolean);
    return el(
        'article.finding',
        isAlone ? null : el('p.back', el('a', { href: '#/inbox' }, '← All findings')),
        el(
            'div.stack',
            el('h2', { dir: 'auto', tabindex: -1 }, finding.title),
            el(
                'div.row.small',
                outside(finding.url, hostOf(finding.url)),
                chip('', finding.source === 'arxiv' ? 'arXiv' : 'Web'),
                finding.status === 'new' ? null : chip(finding.status),
            ),
        ),
        read(finding, texts),
        finding.concepts.length
            ? el('div.row', ...finding.concepts.map((concept) => el('span.chip', { dir: 'auto' }, concept)))
            : null,
        facts(finding, isAlone),
        decide && decision(finding, decide),
    );
}

function facts(finding, isAlone) {
    const row = (name, ...value) => [el('dt.soft.small', name), el('dd', ...value)];
    const alike = `${Math.round(finding.similarity * 100)} % similar to `;
    const known = finding.similarity < 0.05 ? ['Nothing similar in your notes'] : [alike, ...like(finding.nearest)];
    return el(
        'dl.facts',
        ...row(
            'Query',
            '“',
            el('bdi', finding.query),
            '”: ',
            el('bdi', ...spoken(sentence(finding.motivation))),
        ),
        ...(finding.relatedNotes.length ? row('Related notes', ...noteLinks(finding.relatedNotes)) : []),
        ...row('Similarity', ...known),
        ...(isAlone
            ? []
            : row(
                  'Origin',
                  el('a', { href: agendaAddress(finding.agendaId) }, 'its agenda'),
                  ', ',
                  el('a', { href: runAddress(finding.runId) }, 'its run'),
              )),
    );
}

/** What it is most like: a note, or the page of an earlier finding. */
function like(nearest) {
    if (!nearest) return ['your notes'];
    return isAddress(nearest) ? ['an earlier finding, from ', outside(nearest, hostOf(nearest))] : [noteLink(nearest)];
}
