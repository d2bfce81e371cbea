// A finding: what it says, sentence by sentence with its evidence, why it was looked for, and the decision.

import { agendaAddress, runAddress } from './addresses.js';
import { el } from './dom.js';
import { button, chip, hostOf, noteLink, noteLinks, outside, sentence, spoken } from './pieces.js';
import { reading } from './sentences.js';

export function findingView(finding, decide) {
    const texts = [
        { text: finding.summary },
        finding.bearing && { title: 'How it bears on your notes', text: finding.bearing },
    ].filter(Boolean);
    return el(
        'article.finding',
        el('p.back', el('a', { href: '#/inbox' }, '← All findings')),
        el(
            'div.stack',
            el('h2', finding.title),
            el(
                'div.row.small',
                outside(finding.url, hostOf(finding.url)),
                chip('', finding.source === 'arxiv' ? 'arXiv' : 'Web'),
                finding.status === 'new' ? null : chip(finding.status),
            ),
        ),
        reading(finding, texts),
        finding.concepts.length ? el('div.row', ...finding.concepts.map((concept) => el('span.chip', concept))) : null,
        facts(finding),
        finding.status === 'new' ? actions(finding, decide) : decided(finding, decide),
    );
}

function facts(finding) {
    const row = (name, ...value) => [el('dt.soft.small', name), el('dd', ...value)];
    const alike = `${Math.round(finding.similarity * 100)} % like `;
    const near = finding.nearest ? [alike, noteLink(finding.nearest)] : [`${alike}what you have`];
    const known = finding.similarity < 0.05 ? ['Nothing in your notes is like it'] : near;
    return el(
        'dl.facts',
        ...row('Looked for', `“${finding.query}”`, ': ', ...spoken(sentence(finding.motivation))),
        ...(finding.relatedNotes.length ? row('Connects to', ...noteLinks(finding.relatedNotes)) : []),
        ...row('New to you', ...known),
        ...row(
            'Comes from',
            el('a', { href: agendaAddress(finding.agendaId) }, 'its agenda'),
            ', ',
            el('a', { href: runAddress(finding.runId) }, 'its run'),
        ),
    );
}

function actions(finding, decide) {
    const edit = el('div.stack.card', { hidden: true });
    const open = button(
        'Edit, then accept',
        () => {
            edit.hidden = !edit.hidden;
            part.classList.toggle('editing', !edit.hidden);
            open.setAttribute('aria-expanded', String(!edit.hidden));
            if (!edit.hidden) edit.querySelector('input').focus();
        },
        { 'aria-expanded': 'false' },
    );
    const title = el('input', { type: 'text', value: finding.title });
    const summary = el('textarea', { rows: 6, value: finding.summary });
    edit.append(
        el('label.field', 'Title of the note', title),
        el('label.field', 'Summary', summary),
        el(
            'div.row',
            button(
                'Accept as edited',
                () => decide.accept(changed(finding, { title: title.value.trim(), summary: summary.value.trim() })),
                { kind: 'main' },
            ),
        ),
    );
    const part = el(
        'div.stack',
        edit,
        el(
            'div.row.actions',
            button('Accept', () => decide.accept({}), { kind: 'main', 'aria-keyshortcuts': 'a' }),
            open,
            button('Dismiss', () => decide.dismiss(false), { 'aria-keyshortcuts': 'd' }),
            button('Dismiss and drop the topic', () => decide.dismiss(true), { kind: 'quiet' }),
        ),
    );
    return part;
}

/** Only what the user has really changed: the rest stays as it was checked. */
function changed(finding, edited) {
    return Object.fromEntries(Object.entries(edited).filter(([name, text]) => text && text !== finding[name].trim()));
}

function decided(finding, decide) {
    if (finding.status === 'accepted') {
        return el(
            'div.card.row.spread',
            el('p', 'Kept as ', noteLink(finding.notePath, finding.notePath), '.'),
            button('Undo: take the note back', () => decide.undo(finding)),
        );
    }
    return el('p.notice', 'You dismissed this; it can’t be accepted any more.');
}
