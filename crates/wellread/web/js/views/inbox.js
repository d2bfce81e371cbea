// The inbox: what was found, what it rests on, and what the user makes of it.

import { findingAddress } from '../addresses.js';
import { freshKey, get, post } from '../api.js';
import { drafts } from '../decision.js';
import { el } from '../dom.js';
import { findingView } from '../finding.js';
import { hold, release, takeBack, waits } from '../held.js';
import { PAGE, TABS, inboxList } from '../inbox_list.js';
import { keysOf } from '../keys.js';
import { hear, recount } from '../live.js';
import { empty, head } from '../pieces.js';
import { go, note } from '../router.js';
import { say, sayProblem } from '../say.js';
import { suppressed } from '../suppressed.js';

const wide = matchMedia('(min-width: 50.01rem)');

export async function inbox(at) {
    let status = TABS.some(([name]) => name === at.query.get('status')) ? at.query.get('status') : 'new';
    let answer = { findings: [], counts: {} };
    let [findings, counts] = [[], {}];
    let limit = PAGE;
    let chosen = null;
    let drawn = null;
    let accepted = null;
    let isBusy = false;
    /** Dismissed here, while the server may not know it yet. */
    const leaving = new Set();
    const wanted = at.parts[0] ?? null;
    const list = el('nav', { 'aria-label': 'Findings' });
    const side = el('div.list.stack', list, suppressed(at.signal));
    const place = el('div.finding');
    const box = el('div.inbox', side, place);

    const load = async () => {
        answer = await get(`/api/research/findings?status=${status}&limit=${limit}`, { signal: at.signal });
        take();
    };
    const take = () => {
        findings = answer.findings.filter(({ id, status: now }) => now !== 'new' || !leaving.has(id));
        const gone = answer.findings.length - findings.length;
        counts = { ...answer.counts, new: answer.counts.new - gone, dismissed: answer.counts.dismissed + gone };
        recount(counts);
    };
    const address = () => location.hash.startsWith('#/inbox/');
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
    const more = async () => {
        const before = findings.length;
        limit += PAGE;
        try {
            await load();
            drawList();
            list.querySelectorAll('[data-entry]')[before]?.focus();
        } catch (error) {
            sayProblem(error);
        }
    };
    const drawList = () => {
        const scrolled = side.scrollTop;
        const hadFocus = list.contains(document.activeElement) && document.activeElement.matches('[data-entry]');
        list.replaceChildren(...inboxList({ findings, counts, status, chosen }, { pick, more }));
        side.scrollTop = scrolled;
        if (hadFocus) list.querySelector('[aria-current="true"]')?.focus();
        box.classList.toggle('one', Boolean(chosen && (wanted || address())));
        box.classList.toggle('all', Boolean(chosen) && !box.classList.contains('one'));
    };
    const draw = () => {
        drawList();
        // What is shown already is left alone: something may be written in it, or pointed at.
        const shown = chosen ? `${chosen.id} ${chosen.status}` : status;
        if (shown === drawn) return;
        const hadFocus = place.contains(document.activeElement);
        place.replaceChildren(chosen ? findingView(chosen, decide) : none(status));
        if (drawn !== null) scrollTo(0, 0);
        drawn = shown;
        if (hadFocus) place.querySelector('h2')?.focus({ preventScroll: true });
    };
    /** The one after it, or the one before where it was the last. */
    const following = (finding) => {
        const number = findings.findIndex(({ id }) => id === finding.id);
        return findings[number + 1] ?? findings[number - 1] ?? null;
    };
    const goOn = (next) => {
        const found = findings.find(({ id }) => id === next?.id) ?? findings[0] ?? null;
        const isOne = address();
        if (!found) note('#/inbox');
        choose(found, { address: isOne });
    };
    const isOpen = () => chosen?.status === 'new' && !isBusy;

    /** What the server made of a decision about the finding that is shown, or why it did not. */
    const carryOut = async (what, body) => {
        const finding = chosen;
        isBusy = true;
        try {
            await release();
            const after = await post(`/api/research/findings/${finding.id}/${what}`, body, { key: freshKey() });
            drafts.drop(finding.id);
            const next = following(finding);
            await load();
            goOn(next);
            return { after };
        } catch (error) {
            return { error };
        } finally {
            isBusy = false;
        }
    };
    const decide = {
        drafted: drawList,
        look: ({ id }) => go(findingAddress(id)),
        /** As it is; not while it is being written in other words. */
        accept: async () => {
            if (!isOpen() || drafts.of(chosen.id)) return;
            const error = await decide.acceptAs({});
            if (error) sayProblem(error);
        },
        acceptAs: async (words) => {
            if (!isOpen()) return null;
            const { after, error } = await carryOut('accept', words);
            if (error) return error;
            accepted = after;
            say(`Accepted: ${after.notePath}`, { undo: () => decide.undo(after) });
            return null;
        },
        dismiss: () => {
            if (!isOpen() || drafts.of(chosen.id)) return;
            const finding = chosen;
            const next = following(finding);
            const again = () => {
                leaving.delete(finding.id);
                take();
            };
            hold(finding.id, {
                back: () => (again(), choose(finding, { address: address() })),
                refused: () => at.signal.aborted || (again(), draw()),
            });
            accepted = null;
            leaving.add(finding.id);
            take();
            goOn(next);
        },
        drop: async () => {
            if (!isOpen()) return;
            accepted = null;
            const { error } = await carryOut('dismiss', { suppressTopic: true });
            if (error) sayProblem(error);
            else say('Dismissed, and the topic will not be proposed again.');
        },
        undo: async (finding) => {
            try {
                const back = await post(`/api/research/findings/${finding.id}/undo`, {});
                accepted = null;
                status = 'new';
                await load();
                choose(findings.find(({ id }) => id === back.id) ?? back);
                say(
                    back.message
                        ? `Undone: the finding is new again; ${back.message}.`
                        : 'Undone: the note was removed, and the finding is new again.',
                );
            } catch (error) {
                sayProblem(error);
            }
        },
    };
    const move = (by) => {
        const next = findings[Math.max(0, Math.min(findings.length - 1, findings.indexOf(chosen) + by))];
        if (next) choose(next, { focus: true });
    };

    await release();
    at.signal.addEventListener('abort', release);
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
            if (!at.signal.aborted) sayProblem(error);
        }
    };
    hear('finding', fresh, at.signal);
    hear('back', fresh, at.signal);
    keysOf(
        {
            j: () => move(1),
            k: () => move(-1),
            a: decide.accept,
            d: decide.dismiss,
            u: () => (waits() ? takeBack() : accepted && decide.undo(accepted)),
        },
        at.signal,
    );
    return { title: 'Inbox', nodes: [head('Inbox', 'A finding becomes a note only when you accept it.'), box] };
}

function none(status) {
    if (status !== 'new')
        return empty(
            `Nothing ${status} yet`,
            'Findings that you have decided on are listed here.',
            el('a.button', { href: '#/inbox' }, 'New findings'),
        );
    return empty(
        'No new findings',
        'Findings come from agendas that you approve. Propose one, switch off the tasks you do not want, and approve it.',
        el('a.button.main', { href: '#/agenda' }, 'Show the agendas'),
    );
}
