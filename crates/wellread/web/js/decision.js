// What the user makes of a finding: accept it, as it is or in other words, or dismiss it. Words that were begun stay
// until they are accepted or given up.

import { el } from './dom.js';
import { kept } from './kept.js';
import { button, noteLink, problem } from './pieces.js';

/** A second click that was meant for the finding before does nothing. */
const SETTLES_MS = 600;

/** The user's own words for findings, by id: `{ title, summary }`. While there are some, the form is open. */
export const drafts = kept('draft');

export function decision(finding, decide) {
    return finding.status === 'new' ? open(finding, decide) : decided(finding, decide);
}

function open(finding, decide) {
    const place = el('div.decision');
    const choose = () => place.replaceChildren(choices());
    const choices = () =>
        el(
            'div.row.actions',
            button('Accept', () => decide.accept(), { kind: 'main', 'aria-keyshortcuts': 'a' }),
            button('Edit, then accept', edit),
            button('Dismiss', () => decide.dismiss(), { 'aria-keyshortcuts': 'd' }),
            button('Dismiss and stop proposing the topic', confirm, { kind: 'quiet' }),
        );
    const edit = () => {
        drafts.keep(finding.id, { title: finding.title, summary: finding.summary });
        decide.drafted();
        place.replaceChildren(form(finding, decide, giveUp));
        place.querySelector('input').focus();
        place.scrollIntoView({ block: 'nearest' });
    };
    const giveUp = () => {
        drafts.drop(finding.id);
        decide.drafted();
        choose();
        place.querySelectorAll('button')[1].focus();
    };
    const confirm = () => {
        const back = () => {
            choose();
            place.querySelector('.quiet').focus();
        };
        const keep = button('No, keep it', back);
        const bar = el(
            'div.row.actions',
            { role: 'group', 'aria-label': 'Stop proposing the topic?', onkeydown: (event) => event.key === 'Escape' && back() },
            el('span', 'No agenda will propose ', el('strong', { dir: 'auto' }, finding.query), ' again.'),
            settling(button('Yes, dismiss and stop', () => decide.drop(), { kind: 'danger' })),
            keep,
        );
        place.replaceChildren(bar);
        keep.focus();
    };
    if (drafts.of(finding.id)) place.append(form(finding, decide, giveUp));
    else choose();
    for (const one of place.querySelectorAll('.actions button')) settling(one);
    return place;
}

function form(finding, decide, giveUp) {
    const draft = drafts.of(finding.id);
    const title = el('input', { type: 'text', dir: 'auto', value: draft.title });
    const summary = el('textarea', { rows: 6, dir: 'auto', value: draft.summary });
    const trouble = el('div.stack', { hidden: true });
    const accept = async () => {
        const words = { title: title.value.trim(), summary: summary.value.trim() };
        const error = await decide.acceptAs(changed(finding, words));
        trouble.hidden = !error;
        if (!error) return;
        trouble.replaceChildren(problem(error), ...(error.status === 409 ? [wayOn(finding, decide)] : []));
        trouble.scrollIntoView({ block: 'nearest' });
    };
    return el(
        'div.stack.card.editor',
        { oninput: () => drafts.keep(finding.id, { title: title.value, summary: summary.value }) },
        el('label.field', 'Title of the note', title),
        el('label.field', 'Summary', summary),
        trouble,
        el('div.row', button('Accept as edited', accept, { kind: 'main' }), button('Cancel', giveUp)),
    );
}

/** Where somebody decided before: what became of it. */
function wayOn(finding, decide) {
    return el(
        'div.stack',
        el('p.small', 'Your words stay here. If it was accepted, undo that first, then accept these.'),
        el('div.row', button('See what happened to it', () => decide.look(finding))),
    );
}

/** Only what the user has really changed: the rest stays as it was checked. */
function changed(finding, edited) {
    return Object.fromEntries(Object.entries(edited).filter(([name, text]) => text && text !== finding[name].trim()));
}

function settling(one) {
    one.disabled = true;
    setTimeout(() => (one.disabled = false), SETTLES_MS);
    return one;
}

function decided(finding, decide) {
    if (finding.status !== 'accepted')
        return el(
            'div.stack.decision',
            begun(finding, 'It was dismissed while you were writing your own version. This is your draft:'),
            el('p.notice', 'You dismissed this; it can no longer be accepted.'),
        );
    return el(
        'div.stack.decision',
        begun(finding, 'You started to write your own version. Undo the acceptance to continue with it:'),
        el(
            'div.card.row.spread',
            el('p', 'Saved as ', noteLink(finding.notePath, finding.notePath), '.'),
            settling(button('Undo and remove the note', () => decide.undo(finding))),
        ),
    );
}

/** The words that were begun for what has been decided elsewhere. */
function begun(finding, about) {
    const draft = drafts.of(finding.id);
    if (!draft) return null;
    const throwAway = () => {
        drafts.drop(finding.id);
        part.remove();
    };
    const part = el(
        'div.card.stack',
        el('p', about),
        el('blockquote.quote', { dir: 'auto' }, `${draft.title}\n\n${draft.summary}`),
        el('div.row', button('Discard the draft', throwAway)),
    );
    return part;
}
