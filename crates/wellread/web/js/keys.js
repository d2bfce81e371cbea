// Keys. None of them counts while something is being typed, and all can be switched off.

import { el } from './dom.js';
import { addressOf } from './nav.js';
import { go } from './router.js';

const KEY = 'wellread-keys';
const SECOND_KEY_MS = 1500;
/** Keys that may be held down; any other acts once, so that one finding is decided and not a row of them. */
const MOVES = new Set(['j', 'k']);
let own = new Map();
let goes = 0;
let views = [];

/** The keys of a view, until `signal` ends them: `{ j: act }`. */
export function keysOf(keys, signal) {
    own = new Map(Object.entries(keys));
    const mine = own;
    signal.addEventListener('abort', () => {
        if (own === mine) own = new Map();
    });
}

/** Listens for keys; those of `shown` that stand in the bar are reached with `g` and their own. */
export function listen(shown) {
    views = shown.filter(({ key }) => key);
    document.getElementById('keys').addEventListener('click', help);
    addEventListener('keydown', (event) => {
        if (
            event.ctrlKey ||
            event.metaKey ||
            event.altKey ||
            (event.repeat && !MOVES.has(event.key)) ||
            isTyping(event.target) ||
            document.querySelector('dialog[open]')
        )
            return;
        if (event.key === '?') return act(event, help);
        if (areOff()) return;
        if (goes > Date.now()) {
            goes = 0;
            const view = views.find(({ key }) => key === event.key);
            if (view) return act(event, () => go(addressOf(view.name)));
        }
        if (event.key === 'g') return act(event, () => (goes = Date.now() + SECOND_KEY_MS));
        if (event.key === '/') return act(event, toSearch);
        if (own.has(event.key)) return act(event, own.get(event.key));
    });
}

/** Moves the focus among links of a list: `j` and `k`. */
export function moveIn(list, by) {
    const links = [...list.querySelectorAll('[data-entry]')];
    const at = links.indexOf(document.activeElement.closest?.('[data-entry]'));
    const next = links[Math.max(0, Math.min(links.length - 1, at + by))];
    next?.focus();
    return next;
}

function act(event, does) {
    event.preventDefault();
    does();
}

function toSearch() {
    const field = document.querySelector('main input[type="search"]');
    if (field) field.focus();
    else go('#/search');
}

function isTyping(node) {
    return (
        node.matches?.('input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable]') ?? false
    );
}

function areOff() {
    try {
        return localStorage.getItem(KEY) === 'off';
    } catch {
        return false;
    }
}

function help() {
    const entry = (keys, text) => [
        el('dt', ...keys.flatMap((key, at) => (at ? [' ', el('kbd', key)] : [el('kbd', key)]))),
        el('dd', text),
    ];
    const off = el('input', { type: 'checkbox', checked: !areOff() });
    off.addEventListener('change', () => {
        try {
            localStorage.setItem(KEY, off.checked ? 'on' : 'off');
        } catch {
            // They stay as they are.
        }
    });
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'keys-title' },
        el(
            'div.stack',
            el('h2', { id: 'keys-title' }, 'Keyboard shortcuts'),
            el(
                'dl.keys-list',
                ...entry(['/'], 'Search'),
                ...views.flatMap(({ key, text }) => entry(['g', key], text)),
                ...entry(['j', 'k'], 'Next and previous in a list'),
                ...entry(['a'], 'Accept the finding'),
                ...entry(['d'], 'Dismiss the finding'),
                ...entry(['u'], 'Undo what was just accepted or dismissed'),
                ...entry(['+', '−', '0'], 'Zoom the graph; show all of it'),
                ...entry(['?'], 'Show this help'),
            ),
            el('label.row', off, 'Enable single-key shortcuts'),
            el('div.row', el('button.button', { type: 'button', onclick: () => dialog.close() }, 'Close')),
        ),
    );
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}
