// The inbox: what was found, what it rests on, and what the user makes of it.

import { findingAddress } from '../addresses.js';
import { freshKey, get, post } from '../api.js';
import { el } from '../dom.js';
import { findingView } from '../finding.js';
import { keysOf } from '../keys.js';
import { hear } from '../live.js';
import { button, counted, empty, head, hostOf, problem, when } from '../pieces.js';
import { note } from '../router.js';
import { say, sayProblem } from '../say.js';

const wide = matchMedia('(min-width: 50.01rem)');
const TABS = [
    ['new', 'New'],
    ['accepted', 'Accepted'],
    ['dismissed', 'Dismissed'],
];

export async function inbox(at) {
    let status = TABS.some(([name]) => name === at.query.get('status')) ? at.query.get('status') : 'new';
    let findings = [];
    let counts = {};
    let chosen = null;
    let accepted = null;
    let isBusy = false;
    const wanted = at.parts[0] ?? null;
    const list = el('nav.list', { 'aria-label': 'Findings' });
    const place = el('div.finding');
    const box = el('div.inbox', list, place);

    const load = async () => {
        ({ findings, counts } = await get(`/api/research/findings?status=${status}&limit=200`, { signal: at.signal }));
    };
    const choose = (finding, { focus = false, address = true } = {}) => {
        chosen = finding;
        if (address && finding) note(findingAddress(finding.id));
        draw();
        if (focus) list.querySelector('[aria-current="true"]')?.focus();
    };
    /** Beside the list, another finding is shown without leaving it. */
    const pick = (event, finding) => {
        if (!wide.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        choose(finding, { focus: true });
    };
    const draw = () => {
        const entry = (one) =>
            el(
                'li',
                el(
                    'a',
                    {
                        href: findingAddress(one.id),
                        onclick: (event) => pick(event, one),
                        'data-entry': true,
                        'aria-current': one.id === chosen?.id ? 'true' : null,
                    },
                    el('span.title', one.title),
                    el('span.soft.small', hostOf(one.url), ', ', when(one.created)),
                ),
            );
        const tab = ([name, text]) =>
            el(
                'a.button.quiet',
                {
                    href: name === 'new' ? '#/inbox' : `#/inbox?status=${name}`,
                    'aria-current': name === status ? 'page' : null,
                },
                `${text} ${counts[name] ?? 0}`,
            );
        const scrolled = list.scrollTop;
        const hadFocus = list.contains(document.activeElement) && document.activeElement.matches('[data-entry]');
        list.replaceChildren(
            ...[
                el('div.tabs', ...TABS.map(tab)),
                findings.length ? el('ul.entries', ...findings.map(entry)) : null,
            ].filter(Boolean),
        );
        list.scrollTop = scrolled;
        if (hadFocus) list.querySelector('[aria-current="true"]')?.focus();
        box.classList.toggle('one', Boolean(chosen && (wanted || address())));
        box.classList.toggle('all', !box.classList.contains('one'));
        place.replaceChildren(chosen ? findingView(chosen, decide) : none(status));
        if (!chosen) box.classList.remove('all');
    };
    const address = () => location.hash.startsWith('#/inbox/');

    const decide = {
        accept: (body) =>
            carryOut('accept', body, (after) => {
                accepted = after;
                say(`Accepted: ${after.notePath}`, { undo: () => decide.undo(after) });
            }),
        dismiss: (suppressTopic) =>
            carryOut('dismiss', { suppressTopic }, () =>
                say(suppressTopic ? 'Dismissed, and the topic will not be proposed again.' : 'Dismissed.'),
            ),
        undo: async (finding) => {
            try {
                const back = await post(`/api/research/findings/${finding.id}/undo`, {});
                accepted = null;
                status = 'new';
                await load();
                choose(findings.find(({ id }) => id === back.id) ?? back);
                say(
                    back.message
                        ? `Taken back: the finding is new again; ${back.message}.`
                        : 'Taken back: the note is gone, and the finding is new again.',
                );
            } catch (error) {
                sayProblem(error);
            }
        },
    };
    const carryOut = async (what, body, said) => {
        const finding = chosen;
        if (!finding || finding.status !== 'new' || isBusy) return;
        isBusy = true;
        try {
            const after = await post(`/api/research/findings/${finding.id}/${what}`, body, { key: freshKey() });
            const next = findings[findings.indexOf(finding) + 1] ?? findings[findings.indexOf(finding) - 1] ?? null;
            await load();
            const following = findings.find(({ id }) => id === next?.id) ?? findings[0] ?? null;
            if (!following) note('#/inbox');
            choose(following, { address: address() });
            said(after);
        } catch (error) {
            sayProblem(error);
        }
        isBusy = false;
    };
    const move = (by) => {
        const next = findings[Math.max(0, Math.min(findings.length - 1, findings.indexOf(chosen) + by))];
        if (next) choose(next, { focus: true });
    };

    await load();
    let first = findings.find(({ id }) => id === wanted) ?? null;
    if (wanted && !first) {
        first = await get(`/api/research/findings/${encodeURIComponent(wanted)}`, { signal: at.signal });
        if (first.status !== status) {
            status = first.status;
            await load();
            first = findings.find(({ id }) => id === wanted) ?? first;
        }
    }
    choose(first ?? findings[0] ?? null, { address: false });
    const fresh = async () => {
        if (status !== 'new') return;
        try {
            await load();
            chosen = findings.find(({ id }) => id === chosen?.id) ?? chosen ?? findings[0] ?? null;
            draw();
        } catch (error) {
            if (!at.signal.aborted) place.replaceChildren(problem(error));
        }
    };
    hear('finding', fresh, at.signal);
    hear('back', fresh, at.signal);
    keysOf(
        {
            j: () => move(1),
            k: () => move(-1),
            a: () => decide.accept({}),
            d: () => decide.dismiss(false),
            u: () => accepted && decide.undo(accepted),
        },
        at.signal,
    );
    return {
        title: 'Inbox',
        nodes: [head('Inbox', 'A finding becomes a note only when you accept it.'), box, suppressed(at.signal)],
    };
}

function none(status) {
    if (status !== 'new')
        return empty(
            `Nothing was ${status} yet`,
            'What you decide about new findings is listed here.',
            el('a.button', { href: '#/inbox' }, 'New findings'),
        );
    return empty(
        'No new findings',
        'Findings come from agendas that you approve. Have one proposed, switch off what you do not want, and approve it.',
        el('a.button.main', { href: '#/agenda' }, 'To the agendas'),
    );
}

/** The topics that the user does not want proposed again. */
function suppressed(signal) {
    const part = el('details.fold', { hidden: true });
    const draw = ({ topics }) => {
        part.hidden = !topics.length;
        const forget = (topic) => post('/api/research/suppressed/forget', { topic }).then(draw, sayProblem);
        const entry = ({ topic, at }) =>
            el(
                'li',
                el(
                    'div.row.spread',
                    el('span', topic, ' ', el('span.soft.small', when(at))),
                    button('Allow again', () => forget(topic)),
                ),
            );
        part.replaceChildren(
            el('summary', `${counted(topics.length, 'topic')} that will not be proposed`),
            el('ul.entries', ...topics.map(entry)),
        );
    };
    const load = () =>
        get('/api/research/suppressed', { signal }).then(draw, (error) => signal.aborted || sayProblem(error));
    load();
    hear('counts', load, signal);
    return part;
}
