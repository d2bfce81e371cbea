// One run: how it ended, what it used, what left the machine, each step, its evidence and its report.

import { placeAddress } from '../addresses.js';
import { get, post, text } from '../api.js';
import { el } from '../dom.js';
import { markdown } from '../markdown.js';
import { button, chip, counted, covered, noteLink, outside, problem, wait, when } from '../pieces.js';
import { go } from '../router.js';
import { say, sayProblem } from '../say.js';
import { lasted } from '../time.js';

export async function oneRun(at, id) {
    const address = `/api/runs/${encodeURIComponent(id)}`;
    const run = await get(address, { signal: at.signal });
    const { spent } = run;
    const tile = (value, what) => el('div.tile', el('b', value), el('span', what));
    const state = run.outcome ? (run.outcome.kind ?? run.outcome.outcome ?? run.outcome) : 'not finished';
    const stop = button('Stop', async () => {
        try {
            await post(`${address}/cancel`, {});
            go(location.hash);
            say('Stopping the run.');
        } catch (error) {
            sayProblem(error);
        }
    });
    const left = run.left_the_machine;
    const nodes = [
        el(
            'div.head',
            el('p', el('a', { href: '#/runs' }, '← All runs')),
            el('h1', { dir: 'auto' }, run.title || 'Run'),
            el(
                'div.row.small.soft',
                chip(run.outcome ? String(state) : 'running', String(state).replaceAll('_', ' ')),
                el('span', run.kind),
                run.began && when(run.began),
                el('code', run.run_id),
            ),
            run.outcome ? null : el('div.row', stop),
        ),
        el(
            'div.stack',
            el(
                'div.tiles',
                tile(lasted(spent.seconds * 1000), 'duration'),
                tile(spent.steps.toLocaleString(), spent.steps === 1 ? 'step' : 'steps'),
                tile((spent.tokens_read + spent.tokens_written).toLocaleString(), 'tokens'),
                tile(run.evidence.found.toLocaleString(), 'pieces of evidence'),
                tile(String(left.filter(({ stays }) => !stays).length), 'left this machine'),
            ),
            run.coverage?.sentences ? el('p', covered(run.coverage)) : null,
            run.wrote.length
                ? el('p', 'Wrote: ', ...run.wrote.flatMap(({ path }, index) => [index ? ', ' : '', noteLink(path)]))
                : null,
            fold(
                'Report',
                () => text(`${address}/report.md`, { signal: at.signal }).then((report) => markdown(report)),
                true,
            ),
            fold(`What left this machine (${left.length})`, async () => departures(left)),
            fold('Steps', () => get(`${address}/trace.json`, { signal: at.signal }).then(trace)),
            fold(`Evidence (${run.evidence.found})`, () =>
                get(`${address}/evidence.json`, { signal: at.signal }).then(evidence),
            ),
        ),
    ];
    return { title: run.title || 'Run', nodes };
}

/** A part that is read when it is opened. */
function fold(title, read, open = false) {
    const place = el('div.stack');
    const part = el('details.fold', el('summary', title), place);
    part.addEventListener('toggle', async () => {
        if (!part.open || place.children.length) return;
        place.replaceChildren(wait('Reading…'));
        try {
            place.replaceChildren(await read());
        } catch (error) {
            if (error.name !== 'AbortError') place.replaceChildren(problem(error));
        }
    });
    part.open = open;
    return part;
}

function departures(left) {
    if (!left.length) return el('p', 'Nothing.');
    const row = ({ what, to, about, bytes, stays }) =>
        el(
            'tr',
            el('td', what),
            el('td', to, stays ? el('span.soft', ' (this machine)') : null),
            el('td', about),
            el('td.numbers', `${bytes} B`),
        );
    return el(
        'div.wide',
        { tabindex: 0 },
        el(
            'table',
            el('thead', el('tr', el('th', 'What'), el('th', 'To'), el('th', 'About'), el('th', 'Size'))),
            el('tbody', ...left.map(row)),
        ),
    );
}

function trace({ steps, events }) {
    if (!steps.length)
        return el('p', `No model or tool was called; ${counted(events.length, 'event')} recorded.`);
    const step = ({ step: kind, name, failed, took_ms: took, arguments: given, number }) =>
        el(
            'details.fold',
            el(
                'summary',
                chip(failed ? 'failed' : 'done', failed ? 'failed' : kind),
                el('span', name),
                el('span.soft.small', lasted(took)),
            ),
            el(
                'pre',
                { tabindex: 0 },
                el('code', JSON.stringify(given ?? events.find((event) => event.number === number) ?? {}, null, 2)),
            ),
        );
    return el('div.stack', ...steps.map(step));
}

function codePlace(words) {
    const address = placeAddress(words);
    return address ? el('a', { href: address }, el('code', words)) : el('code', words);
}

function evidence({ evidence: pieces }) {
    if (!pieces.length) return el('p', 'No evidence.');
    const place = (one) => {
        if (one.url) return outside(one.url, one.title ?? one.url);
        const lines = `${one.file_path}:${one.start_line}-${one.end_line}`;
        return one.kind === 'note' ? noteLink(one.file_path, lines, one.start_line) : codePlace(`${one.repository}:${lines}`);
    };
    const piece = (one) =>
        el(
            'figure.stack',
            el(
                'figcaption.small',
                el('code', one.id),
                ' ',
                place(one),
                one.shown ? null : el('span.soft', ' (not used)'),
            ),
            el('blockquote.quote', { dir: 'auto' }, one.content),
        );
    return el('div.stack', ...pieces.map(piece));
}
