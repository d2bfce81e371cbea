// An edit of a note, waiting or made: its difference, each sentence that it adds with the evidence beside it, and what to do with it.

import { el } from '../dom.js';
import { button, covered, diff, noteLink, problem, sentence, sourceFold, spoken, wait } from '../pieces.js';
import { placedSentences } from './claims.js';

/** `again` makes the edit that is shown; null where it can't be made from here. */
export function differenceView(edit, tools, again) {
    const place = el('div.stack');
    const waits = Boolean(edit.diff);
    const done = edit.operation ? 'Written.' : 'Nothing to change.';
    const view = el(
        'section.stack',
        el('h2', waits ? 'An edit that waits for you' : 'The edit'),
        edit.path ? el('p', noteLink(edit.path, edit.path)) : null,
        covered(edit.coverage) ? el('p', covered(edit.coverage)) : null,
        edit.notice && el('p.notice.small', ...spoken(edit.notice)),
        waits ? diff(edit.diff) : el('p', { dir: 'auto' }, ...spoken(sentence(edit.message ?? done))),
        place,
        sourceFold(edit.sources),
        waits ? decision(edit, tools, again) : takingBack(edit, tools),
    );
    judge(edit, tools, place);
    return tools.ready(view);
}

/** The lines that a unified difference adds. */
export function addedText(text) {
    const lines = text.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++'));
    return lines.map((line) => line.slice(1)).join('\n');
}

/** Puts the sentences that the edit adds into `place`, as the server judges them now. */
async function judge({ path, diff: difference, coverage }, tools, place) {
    const added = difference ? addedText(difference) : '';
    // An edit that was made says what it wrote only where it was researched: then the note is checked.
    if (!tools.canCall('check_claims') || !path || !(added.trim() || coverage)) return;
    place.replaceChildren(wait('Checking the sentences…'));
    try {
        const { sentences } = await tools.call('check_claims', added.trim() ? { text: added, path } : { path });
        const judged = sentences.filter(({ evidence, verdict }) => added || evidence.length || verdict !== 'uncited');
        const title = el('h3', added ? 'What it adds, with the evidence' : 'What the note cites, with the evidence');
        // Lines of what was added are no lines of the note.
        const placed = judged.map((one) => (added ? { ...one, line: null } : one));
        const parts = judged.length ? [title, placedSentences(placed)] : [];
        place.replaceChildren(...parts.map(tools.ready));
    } catch (error) {
        place.replaceChildren(problem(error));
    }
}

function decision(edit, tools, again) {
    const place = el('div.stack.decision');
    const act = async () => {
        place.replaceChildren(wait('Waiting for the edit. If this application asks you something, answer there…'));
        try {
            const made = await again();
            place.replaceChildren(
                el('p.notice', 'Done: ', ...spoken(made.message ?? 'it is written.')),
                ...[takingBack(made, tools)].filter(Boolean),
            );
        } catch (error) {
            place.replaceChildren(problem(error), choices());
        }
    };
    const leave = () => place.replaceChildren(el('p.notice', 'Left as it was: nothing was changed.'));
    const choices = () => el('div.row', button('Make this edit', act, { kind: 'main' }), button('Leave it', leave));
    place.append(again ? choices() : el('p.notice', 'It can’t be made from here: ask for it in the conversation.'));
    return place;
}

/** A way to take back an edit that was made. */
function takingBack({ operation }, tools) {
    if (!operation || !tools.canCall('undo')) return null;
    const place = el('div.row');
    const undo = async () => {
        place.replaceChildren(wait('Undoing…'));
        try {
            await tools.call('undo', { operation });
            place.replaceChildren(el('p.notice', 'Undone.'));
        } catch (error) {
            place.replaceChildren(problem(error), button('Undo', undo));
        }
    };
    place.append(button('Undo', undo));
    return place;
}
