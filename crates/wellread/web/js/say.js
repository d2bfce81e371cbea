// A word in passing, heard by screen readers too: what was done, and where it can be, how to undo it.

import { el } from './dom.js';

const STAYS_MS = 9000;

export function say(text, { undo, label = 'Undo' } = {}) {
    const line = el(
        'p',
        el('span', text),
        undo ? el('button', { type: 'button', onclick: () => (line.remove(), undo()) }, label) : null,
    );
    const said = document.getElementById('said');
    // One at a time is enough to read.
    said.replaceChildren(line);
    setTimeout(() => line.remove(), STAYS_MS);
}

export function sayProblem(error) {
    say([error.title, error.detail, error.hint].filter(Boolean).join('. '));
}
