// Home: ask something, see what is new, see how much of the vault can be found.

import { agendaAddress, findingAddress, runAddress } from '../addresses.js';
import { get } from '../api.js';
import { ask } from '../ask.js';
import { el } from '../dom.js';
import { hear } from '../live.js';
import { chip, counted, empty, head, hostOf, problem, wait, when } from '../pieces.js';

const SHOWN = 5;

export async function home(at) {
    const fresh = el('div.stack', wait('Loading…'));
    const index = el('div', wait('Reading the index…'));
    const news = () => fill(fresh, () => whatIsNew(at.signal), at.signal);
    news();
    fill(index, () => indexState(at.signal), at.signal);
    hear('counts', news, at.signal);
    hear('back', news, at.signal);
    const nodes = [
        head('What would you like to know?'),
        el(
            'div.stack',
            el('section.card', { 'aria-label': 'Ask' }, ask(at.signal)),
            el(
                'div.columns',
                el('section.card.stack', { 'aria-labelledby': 'new' }, el('h2', { id: 'new' }, 'What is new'), fresh),
                el(
                    'section.card.stack',
                    { 'aria-labelledby': 'index' },
                    el('h2', { id: 'index' }, 'Your vault'),
                    index,
                ),
            ),
        ),
    ];
    return { title: 'Wellread', nodes };
}

async function fill(place, made, signal) {
    try {
        const nodes = await made();
        if (!signal.aborted) place.replaceChildren(...[nodes].flat());
    } catch (error) {
        if (!signal.aborted) place.replaceChildren(problem(error));
    }
}

async function whatIsNew(signal) {
    const [found, waiting, { runs }] = await Promise.all([
        get(`/api/research/findings?status=new&limit=${SHOWN}`, { signal }),
        get(`/api/research/agenda?limit=${SHOWN}`, { signal }),
        get(`/api/runs?limit=${SHOWN}`, { signal }),
    ]);
    const open = waiting.agendas.filter(({ status }) => ['pending', 'approved', 'running'].includes(status));
    const parts = [];
    if (found.findings.length) {
        parts.push(el('h3', el('a', { href: '#/inbox' }, counted(found.counts.new, 'new finding'))));
        parts.push(entries(found.findings.map(({ id, title, url }) => [findingAddress(id), title, hostOf(url)])));
    }
    if (open.length) {
        parts.push(el('h3', 'Agendas'));
        parts.push(
            entries(
                open.map((one) => [
                    agendaAddress(one.id),
                    one.sourceNoteId ?? 'The whole vault',
                    chip(one.status),
                    ' ',
                    when(one.created),
                ]),
            ),
        );
    }
    if (runs.length) {
        parts.push(el('h3', 'Recent runs'));
        parts.push(
            entries(
                runs.map((run) => [
                    runAddress(run.id),
                    run.title,
                    chip(run.ended ?? 'running', run.ended ? run.kind : `${run.kind}, running`),
                    ' ',
                    when(run.began),
                ]),
            ),
        );
    }
    if (!found.findings.length && !open.length) {
        const propose = el('a.button', { href: '#/agenda' }, 'Propose an agenda');
        parts.unshift(
            empty(
                'Nothing is waiting for you',
                'Wellread proposes research for the whole vault or for one note; nothing runs until you approve it.',
                propose,
            ),
        );
    }
    return parts;
}

function entries(rows) {
    return el(
        'ul.entries',
        ...rows.map(([href, title, ...more]) =>
            el('li', el('a', { href }, el('span.title', { dir: 'auto' }, title), el('span.soft.small', ...more))),
        ),
    );
}

/** Files that something is wrong with, each with the reason. */
function reasons(title, files) {
    const entry = ({ path, reason }) => el('li.small', path, el('span.soft', `: ${reason}`));
    return el('details.fold', el('summary', title), el('ul.entries', ...files.slice(0, 50).map(entry)));
}

async function indexState(signal) {
    const status = await get('/api/status', { signal });
    const tile = (number, what, href) =>
        el(href ? 'a.tile' : 'div.tile', href ? { href } : {}, el('b', number.toLocaleString()), el('span', what));
    const { vectors, skipped, warnings } = status;
    const says = [];
    if (!status.notes)
        says.push(
            el(
                'p.notice',
                'There are no notes in this folder yet. Create one, or choose another folder with ',
                el('code', 'vault.path'),
                ' in the ',
                el('a', { href: '#/settings' }, 'settings file'),
                '.',
            ),
        );
    if (status.pending)
        says.push(el('p', `${counted(status.pending, 'file')} changed and will be indexed before the next search.`));
    if (!status.model)
        says.push(
            el(
                'p.soft',
                'Search works by words only: ',
                el('a', { href: '#/settings' }, 'check the setup'),
                '.',
            ),
        );
    else if (vectors.pending)
        says.push(el('p.soft', `${counted(vectors.pending, 'passage')} not yet indexed for search by meaning.`));
    if (skipped.length) says.push(reasons(`${counted(skipped.length, 'file')} skipped`, skipped));
    if (warnings.length) says.push(reasons(`${counted(warnings.length, 'note')} read in part`, warnings));
    return el(
        'div.stack',
        el(
            'div.tiles',
            tile(status.notes, status.notes === 1 ? 'note' : 'notes', '#/health'),
            tile(status.chunks, status.chunks === 1 ? 'passage' : 'passages'),
            tile(status.repos.length, status.repos.length === 1 ? 'repository' : 'repositories'),
        ),
        el('p.soft.small', status.vault),
        ...says,
    );
}
