// The runs: what was done, newest first; one of them with its trace.

import { runAddress } from '../addresses.js';
import { get } from '../api.js';
import { el } from '../dom.js';
import { keysOf, moveIn } from '../keys.js';
import { chip, counted, empty, head, when } from '../pieces.js';
import { oneRun } from './one_run.js';

const KINDS = [
    ['', 'All'],
    ['ask', 'Questions'],
    ['note', 'Notes'],
    ['summary', 'Summaries'],
    ['code', 'Code'],
    ['agenda', 'Agendas'],
    ['chat', 'Chat'],
];

export async function runs(at) {
    return at.parts[0] ? oneRun(at, at.parts[0]) : all(at);
}

async function all(at) {
    const kind = at.query.get('kind') ?? '';
    const { runs: found } = await get(`/api/runs?limit=100${kind ? `&kind=${encodeURIComponent(kind)}` : ''}`, {
        signal: at.signal,
    });
    const tab = ([name, text]) =>
        el(
            'a.button.quiet',
            { href: name ? `#/runs?kind=${name}` : '#/runs', 'aria-current': name === kind ? 'page' : null },
            text,
        );
    const list = found.length
        ? el('ul.entries.card', ...found.map(entry))
        : empty(
              'No runs yet',
              'Each question, researched note and agenda task is recorded as a run that you can inspect.',
              el('a.button.main', { href: '#/' }, 'Ask a question'),
          );
    keysOf({ j: () => moveIn(list, 1), k: () => moveIn(list, -1) }, at.signal);
    return {
        title: 'Runs',
        nodes: [
            head('Runs', 'What was done, what was found, and what left this machine.'),
            el('nav.tabs', { 'aria-label': 'Kinds of runs' }, ...KINDS.map(tab)),
            list,
        ],
    };
}

function entry(run) {
    return el(
        'li',
        el(
            'a',
            { href: runAddress(run.id), 'data-entry': true },
            el('span.title', { dir: 'auto' }, run.title || run.id),
            el(
                'span.row.small.soft',
                chip(run.ended ?? 'running', run.ended?.replaceAll('_', ' ') ?? 'not finished'),
                el('span', run.kind),
                when(run.began),
                el('span', counted(run.events, 'event')),
            ),
        ),
    );
}
