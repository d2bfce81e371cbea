// One agenda: its tasks with their reasons and a switch each; approved, what each is doing.

import { findingAddress } from '../addresses.js';
import { freshKey, get, post } from '../api.js';
import { el } from '../dom.js';
import { kept } from '../kept.js';
import { hear } from '../live.js';
import { button, chip, counted, noteLink, problem, sentence, spoken, when } from '../pieces.js';
import { say, sayProblem } from '../say.js';
import { steps } from '../steps.js';
import { leavesTo } from '../leaves_to.js';
import { taskCard } from '../task.js';

/** The tasks that were switched off in agendas which still wait, by the agenda's id. */
const switchedOff = kept('blocked');

export async function oneAgenda(at, id) {
    const address = `/api/research/agenda/${encodeURIComponent(id)}`;
    const told = new Map();
    const found = el('ul.entries');
    const [first, services] = await Promise.all([get(address, { signal: at.signal }), leavesTo(at.signal)]);
    const blocked = new Set(switchedOff.of(first.id) ?? []);
    const page = el('div.stack');
    const stepsOf = (task) => {
        if (!told.has(task)) told.set(task, steps());
        return told.get(task);
    };

    const draw = (agenda) => {
        const isPending = agenda.status === 'pending';
        const waits = isPending || agenda.status === 'approved' || agenda.status === 'running';
        const approve = button('', () => decide('approve', { blockedTaskIds: [...blocked] }, approve), {
            kind: 'main',
        });
        const goes = el('p.soft.small');
        const count = () => {
            const open = agenda.tasks.filter((task) => !blocked.has(task.id));
            approve.textContent =
                open.length === agenda.tasks.length
                    ? `Approve ${counted(open.length, 'task')}`
                    : `Approve ${open.length} of ${counted(agenda.tasks.length, 'task')}`;
            approve.disabled = !open.length;
            goes.replaceChildren(
                ...(open.length
                    ? services.says(open)
                    : ['Every task is switched off: switch one on, or cancel the agenda.']),
            );
        };
        const turn = (task, isOn) => {
            if (isOn) blocked.delete(task.id);
            else blocked.add(task.id);
            switchedOff.keep(first.id, [...blocked]);
            count();
        };
        count();
        page.replaceChildren(
            ...[
                el('div.row', chip(agenda.status), el('span.soft.small', 'proposed ', when(agenda.created))),
                agenda.message && el('p.notice', ...spoken(sentence(agenda.message))),
                ...agenda.tasks.map((task) =>
                    taskCard(task, {
                        isOn: !isPending || !blocked.has(task.id),
                        turn: isPending ? turn : null,
                        steps: waits && !isPending ? stepsOf(task.id).node : null,
                    }),
                ),
                isPending && el('div.stack.card', goes, el('div.row', approve, cancel())),
                !isPending && waits && el('div.row', cancel()),
                el(
                    'section.stack',
                    { 'aria-label': 'Findings', hidden: !agenda.findings && !found.children.length },
                    el('h2', 'Findings'),
                    found,
                    el('div.row', el('a.button.main', { href: '#/inbox' }, 'Read them in the inbox')),
                ),
                agenda.status === 'done' &&
                    !agenda.findings &&
                    el('p', el('a.button', { href: '#/agenda' }, 'Back to the agendas')),
            ].filter(Boolean),
        );
    };
    const cancel = () =>
        button('Cancel the agenda', (event) => decide('cancel', {}, event.currentTarget), { kind: 'danger' });
    const decide = async (what, body, pressed) => {
        pressed.disabled = true;
        try {
            draw(await post(`${address}/${what}`, body, { key: freshKey() }));
            switchedOff.drop(first.id);
            say(what === 'approve' ? 'Approved. It runs in the background; you can leave this page.' : 'Cancelled.');
        } catch (error) {
            pressed.disabled = false;
            sayProblem(error);
        }
    };
    const again = async () => {
        try {
            draw(await get(address, { signal: at.signal }));
        } catch (error) {
            if (!at.signal.aborted) page.replaceChildren(problem(error, { again }));
        }
    };
    const ours = (act) => (event) => (event.agendaId ?? event.id) === first.id && act(event);
    hear('agenda', ours(again), at.signal);
    hear('task', ours(again), at.signal);
    hear('back', again, at.signal);
    hear(
        'progress',
        ours((event) => stepsOf(event.taskId).progress(event)),
        at.signal,
    );
    hear(
        'finding',
        ours((event) => {
            found.append(entry(event));
            again();
        }),
        at.signal,
    );
    const before = await get(`/api/research/findings?agenda=${encodeURIComponent(first.id)}`, { signal: at.signal });
    found.append(...before.findings.map(entry));
    draw(first);
    const title = first.sourceNoteId
        ? el('h1', 'Research around ', noteLink(first.sourceNoteId))
        : el('h1', 'Research for the whole vault');
    return {
        title: 'Agenda',
        nodes: [el('div.head', el('p', el('a', { href: '#/agenda' }, '← All agendas')), title), page],
    };
}

function entry({ id, title, url }) {
    return el(
        'li',
        el('a', { href: findingAddress(id) }, el('span.title', { dir: 'auto' }, title), el('span.soft.small', url)),
    );
}
