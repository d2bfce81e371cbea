// Findings in a view that stands alone: each with the evidence beside its sentences, to be accepted or dismissed. Whether that
// is done is not said here: the server has the client ask the user, or refuses.

import { drafts } from '../decision.js';
import { el } from '../dom.js';
import { findingView } from '../finding.js';
import { chip, counted, hostOf, problem, wait } from '../pieces.js';
import { sideBySide } from '../sentences.js';

/** `call` calls a tool of the catalog, where `canCall` says that it is offered. `ready` is what every new part goes through. */
export function findingsView({ findings, counts }, tools) {
    const waiting = counts?.new ?? findings.filter(({ status }) => status === 'new').length;
    return el(
        'section.stack',
        el('h2', 'Findings'),
        el(
            'p.soft',
            findings.length ? `${counted(waiting, 'finding')} waiting. A finding becomes a note only when you accept it.` : 'No findings.',
        ),
        ...findings.map((finding, at) => folded(finding, tools, at === 0)),
    );
}

/** One of several: its title, and the rest when it is opened. */
function folded(finding, tools, isOpen) {
    const state = el('span');
    const place = el('div');
    const show = (now) => state.replaceChildren(...(now.status === 'new' ? [] : [chip(now.status)]));
    const part = el(
        'details.card.one',
        el('summary', el('strong', { dir: 'auto' }, finding.title), ' ', el('span.soft.small', hostOf(finding.url)), ' ', state),
        place,
    );
    part.addEventListener('toggle', () => {
        if (part.open && !place.children.length) place.append(oneFinding(finding, tools, show));
    });
    show(finding);
    part.open = isOpen;
    return part;
}

/** One finding. `decided` is called with it whenever the server has it in another state. */
export function oneFinding(finding, tools, decided = () => {}) {
    const place = el('div.stack');
    const trouble = el('div.stack');
    let isBusy = false;
    const draw = (now) => {
        const known = tools.canCall('accept_finding') && tools.canCall('dismiss_finding');
        const shown = findingView(now, known ? decide(now) : null, { read: sideBySide, isAlone: true });
        const elsewhere = known ? null : el('p.notice', 'Nothing can be decided here. Decide on the page of `wellread serve` or with `wellread inbox`.');
        place.replaceChildren(tools.ready(shown), ...[elsewhere, trouble].filter(Boolean));
    };
    /** Has the server do it, once the user has answered what the client asks; or says why not. */
    const act = async (tool, given, shows = true) => {
        if (isBusy) return null;
        isBusy = true;
        trouble.replaceChildren(wait('Waiting for your answer to the question that this application asks…'));
        try {
            const after = await tools.call(tool, { id: finding.id, ...given });
            drafts.drop(finding.id);
            trouble.replaceChildren();
            draw(after);
            decided(after);
            return null;
        } catch (error) {
            trouble.replaceChildren(...(shows ? [problem(error)] : []));
            return error;
        } finally {
            isBusy = false;
        }
    };
    const decide = (now) => ({
        drafted() {},
        look: () => act('show_finding', {}),
        accept: () => act('accept_finding', {}),
        // What is wrong stands in the form, beside the words that it is about.
        acceptAs: (words) => act('accept_finding', words, false),
        dismiss: () => act('dismiss_finding', {}),
        drop: () => act('dismiss_finding', { suppress_topic: true }),
        undo: () => act('undo_accept', { id: now.id }),
    });
    draw(finding);
    return place;
}
