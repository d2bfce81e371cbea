// A task of an agenda: what would be looked up, where, why, and what came of it.

import { agendaAddress, runAddress } from './addresses.js';
import { el } from './dom.js';
import { chip, counted, noteLinks, sentence, spoken } from './pieces.js';
import { onDay } from './time.js';

/** `turn` is called when its switch is turned; without it there is none. `steps` are of a task under way; later, its run has them. */
export function taskCard(task, { isOn, turn, steps }) {
    const card = el(
        'article.card.task',
        el(
            'div.row.spread',
            el('h2', { dir: 'auto' }, task.query),
            el('span.row', chip('', task.source === 'arxiv' ? 'arXiv' : 'Web'), turn ? null : chip(task.status)),
        ),
        el('p', el('strong', 'Why: '), el('bdi', ...spoken(sentence(task.motivation)))),
        task.relatedNotes.length
            ? el('p.small', el('span.soft', 'Your related notes: '), ...noteLinks(task.relatedNotes))
            : null,
        task.earlier
            ? el(
                  'p.notice.small',
                  `You researched this on ${onDay(task.earlier.at)}: `,
                  el('a', { href: agendaAddress(task.earlier.agendaId), dir: 'auto' }, task.earlier.query),
              )
            : null,
        turn ? toggle(task, isOn, (on) => (card.classList.toggle('off', !on), turn(task, on))) : null,
        task.message ? el('p.small', ...spoken(sentence(task.message))) : null,
        task.counts && task.status !== 'running' ? el('p.small.soft', counts(task.counts)) : null,
        steps,
        task.runId ? el('p.small', el('a', { href: runAddress(task.runId) }, 'Show its run')) : null,
    );
    card.classList.toggle('off', !isOn || task.status === 'blocked');
    return card;
}

function toggle(task, isOn, turned) {
    const box = el('input', { type: 'checkbox', role: 'switch', checked: isOn, 'data-task': task.id });
    const word = el('span', isOn ? 'Will run' : 'Blocked');
    box.addEventListener('change', () => {
        word.textContent = box.checked ? 'Will run' : 'Blocked';
        turned(box.checked);
    });
    return el('label.switch', box, word, el('span.unseen', `: ${task.query}`));
}

function counts({ results, fetched, duplicates, findings, skipped }) {
    return [
        counted(results, 'result'),
        `${fetched} read`,
        duplicates && `${duplicates} already in your notes`,
        skipped && `${skipped} skipped`,
        counted(findings, 'finding'),
    ]
        .filter(Boolean)
        .join(', ');
}
