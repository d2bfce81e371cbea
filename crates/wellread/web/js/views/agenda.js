// The agendas: what is proposed for research, and how an approved one is getting on.

import { agendaAddress } from '../addresses.js';
import { get } from '../api.js';
import { el } from '../dom.js';
import { keysOf, moveIn } from '../keys.js';
import { hear } from '../live.js';
import { button, chip, counted, empty, head, problem, when } from '../pieces.js';
import { propose } from '../research.js';
import { oneAgenda } from './one_agenda.js';

export async function agenda(at) {
    return at.parts[0] ? oneAgenda(at, at.parts[0]) : all(at);
}

async function all(at) {
    const list = el('div.stack');
    const fill = async () => {
        const { agendas } = await get('/api/research/agenda?limit=100', { signal: at.signal });
        list.replaceChildren(agendas.length ? el('ul.entries.card', ...agendas.map(entry)) : none());
    };
    const again = () => fill().catch((error) => at.signal.aborted || list.replaceChildren(problem(error, { again })));
    await fill();
    hear('agenda', again, at.signal);
    hear('back', again, at.signal);
    keysOf({ j: () => moveIn(list, 1), k: () => moveIn(list, -1) }, at.signal);
    const trigger = button('Propose research for the whole vault', (event) => propose(null, event.currentTarget), {
        kind: 'main',
    });
    const about =
        'Each agenda is a handful of questions worth looking up, with the reason for each. Nothing runs, and nothing leaves this machine, until you approve it.';
    return { title: 'Agenda', nodes: [head('Agenda', about, el('div.row', trigger)), list] };
}

function none() {
    return empty(
        'No agenda yet',
        'Propose one for the whole vault above, or open a note and choose “Propose an agenda”.',
        el('a.button', { href: '#/search' }, 'Find a note'),
    );
}

function entry(one) {
    const title = one.sourceNoteId ? `Around ${one.sourceNoteId}` : 'The whole vault';
    const queries = one.tasks.map(({ query }) => query).join(' · ');
    return el(
        'li',
        el(
            'a',
            { href: agendaAddress(one.id), 'data-entry': true },
            el('span.row', el('span.title', { dir: 'auto' }, title), chip(one.status)),
            el('span.small', { dir: 'auto' }, queries),
            el(
                'span.soft.small',
                when(one.created),
                one.findings ? `, ${counted(one.findings, 'finding')}` : '',
                one.message ? `: ${one.message}` : '',
            ),
        ),
    );
}
