// The small pieces that views are made of.

import { noteAddress } from './addresses.js';
import { el } from './dom.js';
import { ago, exactly } from './time.js';
import { wayOut, waysFor } from './ways.js';

export function head(title, about, ...more) {
    return el('div.head', el('h1', { dir: 'auto' }, title), about && el('p', about), ...more);
}

/** What to say where there is nothing: what it is, and what to do next. */
export function empty(title, about, ...next) {
    return el(
        'div.empty',
        el('h2', { dir: 'auto' }, title),
        el('p', about),
        next.length ? el('div.row', ...next) : null,
    );
}

export function wait(what) {
    return el('p.wait', { role: 'status' }, what);
}

/** What happened, and what to do. */
export function problem(error, { heading = 'strong', again } = {}) {
    return el(
        'div.problem',
        { role: 'alert' },
        el(heading, error.title ?? 'Something went wrong'),
        el('p', { dir: 'auto' }, ...spoken(sentence(error.detail || error.message))),
        error.hint ? el('p', ...remedy(error)) : null,
        again ? el('div.row', el('button.button', { type: 'button', onclick: again }, 'Try again')) : null,
    );
}

/** What to do about an error: a link where the page has the place for it, and words otherwise. */
export function remedy({ hint, code, status, isOutside }) {
    if (!hint) return [];
    // Outside of the page there are no places of it.
    if (isOutside) return ['What to do: ', ...spoken(sentence(hint))];
    if (status === 401) return [el('a', { href: '/open' }, 'Sign in'), `: ${hint}`];
    const way = wayOut(code);
    if (way) return [el('a', { href: way.address }, way.words)];
    const here = waysFor(hint).flatMap(({ words, address }, at) => [at ? ', ' : '', el('a', { href: address }, words)]);
    return here.length ? ['What to do: ', ...here, '. ', el('span.soft', ...spoken(sentence(hint)))] : ['What to do: ', ...spoken(hint)];
}

/** What is wrong with a field, in words to stand beside it. A hint that leads elsewhere is none for somebody who fills in a form. */
export function fieldProblem({ detail, message, hint, code }) {
    const said = spoken(sentence(detail || message));
    return hint && !code ? [...said, ' ', ...spoken(sentence(hint))] : said;
}

/** A link to a note or a line of it, by its name; its folder is said where there is one. What is an address of the web is no note. */
export function noteLink(path, text, line) {
    if (isAddress(path)) return outside(path, text ?? hostOf(path));
    return el('a', { href: noteAddress(path, line), title: path, dir: 'auto' }, text ?? nameOf(path));
}

export function isAddress(text) {
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

export function noteLinks(paths) {
    return paths.flatMap((path, at) => (at ? [', ', noteLink(path)] : [noteLink(path)]));
}

/** A link that leaves: only the web's own schemes, and nothing of us goes along. */
export function outside(url, text) {
    if (!/^https?:\/\//i.test(url)) return el('span', text ?? url);
    return el('a', { href: url, rel: 'noopener noreferrer', target: '_blank', dir: 'auto' }, text ?? url);
}

export function when(moment) {
    return el('time', { datetime: moment, title: exactly(moment) }, ago(moment));
}

export function button(text, act, { kind = '', ...fields } = {}) {
    return el(`button.button${kind ? `.${kind}` : ''}`, { type: 'button', onclick: act, ...fields }, text);
}

const TONES = {
    __proto__: null,
    quoted: 'good',
    supported: 'good',
    done: 'good',
    accepted: 'good',
    answered: 'good',
    unknown: 'doubt',
    uncited: 'doubt',
    pending: 'doubt',
    proposed: 'doubt',
    unsure: 'doubt',
    partial: 'doubt',
    contradicted: 'bad',
    failed: 'bad',
    running: 'busy',
    queued: 'busy',
    approved: 'busy',
};
const WORDS = {
    __proto__: null,
    pending: 'waiting for you',
    approved: 'approved',
    running: 'running',
    uncited: 'not checked',
    unknown: 'not confirmed',
};

/** A state in a word, with a color besides. */
export function chip(state, text) {
    return el(`span.chip${TONES[state] ? `.${TONES[state]}` : ''}`, text ?? WORDS[state] ?? state);
}

export function nameOf(path) {
    return path.split('/').pop().replace(/\.md$/, '');
}

export function hostOf(url) {
    try {
        return new URL(url).host;
    } catch {
        return url;
    }
}

/** Words with `commands` in them. */
export function spoken(text) {
    return text.split('`').map((part, at) => (at % 2 ? el('code', part) : part));
}

export function sentence(text = '') {
    const whole = text.charAt(0).toUpperCase() + text.slice(1);
    return /[.!?…]["”’)]*$/.test(whole) || !whole ? whole : `${whole}.`;
}

export function counted(number, one, many = `${one}s`) {
    return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

/** How many sentences stand word for word in what they cite, or agree with it. */
export function borneOut(coverage) {
    return (coverage.quoted ?? 0) + coverage.supported;
}

/** The same in words; nothing where no sentence was judged. */
export function covered(coverage) {
    return coverage?.sentences
        ? `${borneOut(coverage)} of ${counted(coverage.sentences, 'sentence')} supported by what they cite.`
        : '';
}

/** What a text cites, folded; nothing where it cites nothing. */
export function sourceFold(sources) {
    if (!sources?.length) return null;
    const link = ({ url, path, title }) => (url ? outside(url, title ?? url) : noteLink(path, title ?? path));
    return el(
        'details.fold',
        el('summary', counted(sources.length, 'source')),
        el('ul.plain.stack.small', ...sources.map((source) => el('li', link(source)))),
    );
}

/** What nobody sees, or what turns the order of words around. */
const HIDDEN = /(?!\t|\r$)[\p{C}\u2028\u2029\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** A line with everything in it written out: whoever agrees to it has to see all of it. */
function revealed(line) {
    return line.replace(HIDDEN, (letter) => `⟨U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** A unified difference, its lines colored. The signs say the same without colors. Any other text is shown as it is. */
export function diff(text) {
    const isDifference = /^(---|@@)/m.test(text);
    const line = (one) => {
        if (!isDifference) return `${one}\n`;
        const isHead = one.startsWith('+++') || one.startsWith('---');
        const kind = isHead ? '' : ({ '+': '.added', '-': '.taken' }[one[0]] ?? '');
        return el(`span${kind}`, `${revealed(one)}\n`);
    };
    return el('pre.diff', { tabindex: 0, 'aria-label': 'Difference' }, el('code', text.split('\n').map(line)));
}
