// "Research this": what would be written first, then, if the user wants it, written. Or an agenda proposed for the note.

import { agendaAddress, runAddress } from './addresses.js';
import { freshKey, post, stream } from './api.js';
import { el } from './dom.js';
import { button, covered, diff, problem, sourceFold, spoken } from './pieces.js';
import { go } from './router.js';
import { say, sayProblem } from './say.js';
import { steps } from './steps.js';

/** `written` is called after the note has changed. */
export function research(path, written, signal) {
    const place = el('div.stack');
    const deep = el('input', { type: 'radio', name: 'depth', value: 'deep' });
    const shallow = el('input', { type: 'radio', name: 'depth', value: 'shallow', checked: true });
    const depth = () => (deep.checked ? 'deep' : 'shallow');
    // What was shown is what is written: nothing is asked again.
    const write = (previewRun) => work({ previewRun });
    const work = (how) => carryOut({ path, ...how }, place, write, written, signal);
    return el(
        'section.card.stack',
        { 'aria-labelledby': 'research' },
        el('h2', { id: 'research' }, 'Research this note'),
        el(
            'fieldset.choices',
            el('legend.unseen', 'Depth'),
            el('label', shallow, 'Search results only'),
            el('label', deep, 'Read pages as well'),
        ),
        el(
            'div.stack',
            button('Preview', () => work({ depth: depth(), dryRun: true }), { kind: 'main' }),
            button('Propose an agenda', (event) => propose(path, event.currentTarget)),
        ),
        el('p.soft.small', 'Nothing is written until you have seen the changes.'),
        place,
    );
}

/** Has an agenda proposed, for a note or for the whole vault, and leads to it. */
export async function propose(path, pressed) {
    pressed.disabled = true;
    try {
        const agenda = await post('/api/research/trigger', path ? { sourceNoteId: path } : {}, { key: freshKey() });
        go(agendaAddress(agenda.id));
    } catch (error) {
        pressed.disabled = false;
        pressed.closest('section, div')?.append(problem(error));
    }
}

async function carryOut(request, place, write, written, signal) {
    const progress = steps();
    let run = null;
    const stop = button('Stop', () => run && post(`/api/runs/${run}/cancel`, {}).catch(sayProblem));
    place.replaceChildren(progress.node, el('div.row', stop));
    try {
        for await (const event of stream('/api/note/research', request, { signal })) {
            if (event.name === 'run') run = event.data.run_id;
            progress.tell(event);
            if (event.name === 'done') await done(event.data, place, write, written);
        }
    } catch (error) {
        if (error.name !== 'AbortError') place.replaceChildren(problem(error));
    }
}

async function done(found, place, write, written) {
    const notice = found.notice && el('p.notice.small', ...spoken(found.notice));
    const coverage = covered(found.coverage);
    const sources = sourceFold(found.sources);
    const how = el('a.small', { href: runAddress(found.run_id) }, 'How it was found');
    if (found.dry_run) {
        const dialog = el(
            'dialog',
            { 'aria-labelledby': 'difference' },
            el(
                'div.stack',
                el('h2', { id: 'difference' }, 'Preview of the changes'),
                coverage && el('p', coverage),
                notice,
                found.diff ? diff(found.diff) : el('p', 'Nothing would change.'),
                sources,
                el(
                    'div.row',
                    button('Write this', () => (dialog.close(), write(found.run_id)), { kind: 'main' }),
                    button('Close', () => dialog.close()),
                ),
            ),
        );
        dialog.addEventListener('close', () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
        place.replaceChildren(how);
        return;
    }
    await written();
    const undo = () => post('/api/undo', { operation: found.operation }).then(written, sayProblem);
    say(`Written to the note. ${coverage}`, found.operation ? { undo } : {});
    place.replaceChildren(...[notice, sources, how].filter(Boolean));
}
