// A word in passing, heard by screen readers too: what was done, and where it can be, how to undo it. It goes by itself
// and with the view, but not while somebody points at it.

import { el } from './dom.js';
import { remedy, spoken } from './pieces.js';

const STAYS_MS = 6000;
const PROBLEM_STAYS_MS = 12000;
const LOOK_AGAIN_MS = 1000;
let shown = null;

/** `over` is called when the word has gone and was not undone. */
export function say(words, { undo, label = 'Undo', stays = STAYS_MS, over } = {}) {
    // One at a time is enough to read.
    shown?.end();
    let timer = 0;
    const line = el(
        'p',
        el('span', { dir: 'auto' }, ...(Array.isArray(words) ? words : spoken(words))),
        undo ? el('button', { type: 'button', onclick: () => word.undo() }, label) : null,
    );
    const word = {
        isLookedAt: () => line.matches(':hover, :focus-within'),
        end() {
            clearTimeout(timer);
            line.remove();
            if (shown === word) shown = null;
            const last = over;
            over = null;
            last?.();
        },
        undo() {
            over = null;
            word.end();
            undo();
        },
    };
    const wait = (ms) => {
        timer = setTimeout(() => (word.isLookedAt() ? wait(LOOK_AGAIN_MS) : word.end()), ms);
    };
    shown = word;
    document.getElementById('said').replaceChildren(line);
    wait(stays);
    return word;
}

export function sayProblem(error) {
    const said = [error.title, error.detail].filter(Boolean).join(': ');
    say([...spoken(`${said}. `), ...remedy(error)], { stays: PROBLEM_STAYS_MS });
}

addEventListener('hashchange', () => shown?.isLookedAt() || shown?.end());
