// Markdown within a line: code, emphasis, links. A link to a note leads to its view, one to the web leaves in a tab of its own.
//
// One pass from left to right. What a piece needs to know about the text after it comes from `Scan`, so that no text takes long.

import { placeAddress } from './addresses.js';
import { el } from './dom.js';
import { outside } from './pieces.js';
import { Scan, effort } from './scan.js';

const DEEPEST = 4;
const LONGEST_CODE = 2000;
const LONGEST_NAME = 400;
const LONGEST_LABEL = 600;
const LONGEST_ADDRESS = 2000;
const LONGEST_TITLE = 300;
/** Where a piece may begin. */
const BEGINS = /[`![h*_~=]/g;

/** A line as text and elements. */
export function inline(text, depth = 0) {
    if (depth > DEEPEST) return [text];
    const scan = new Scan(text);
    const within = (inner) => inline(inner, depth + 1);
    const found = [];
    let last = 0;
    let at = 0;
    for (;;) {
        BEGINS.lastIndex = at;
        const next = BEGINS.exec(text)?.index;
        effort.steps += (next ?? text.length) - at + 1;
        if (next === undefined) break;
        const piece = READERS[text[next]](scan, next, within);
        if (piece) {
            if (next > last) found.push(plain(text.slice(last, next)));
            found.push(piece.node);
            last = piece.end;
        }
        at = piece ? piece.end : next + 1;
    }
    if (last < text.length) found.push(plain(text.slice(last)));
    return found;
}

/** What begins with a character: `{ node, end }`, or nothing where it only looks like it. */
const READERS = {
    __proto__: null,
    '`': code,
    '!': (scan, at, within) => (scan.text[at + 1] === '[' ? bracket(scan, at + 1, within, true) : null),
    '[': (scan, at, within) => bracket(scan, at, within, false),
    h: address,
    '*': (scan, at, within) => strong(scan, at, within, '**') ?? slanted(scan, at, within, '*'),
    _: (scan, at, within) => strong(scan, at, within, '__') ?? slanted(scan, at, within, '_'),
    '~': (scan, at, within) => doubled(scan, at, within, '~', 's'),
    '=': (scan, at, within) => doubled(scan, at, within, '=', 'mark'),
};

function code(scan, at) {
    const { text } = scan;
    for (const ticks of ['```', '``', '`']) {
        if (!text.startsWith(ticks, at)) continue;
        const start = at + ticks.length;
        const end = scan.next('`', start);
        if (end > start && end - start <= LONGEST_CODE && text.startsWith(ticks, end))
            return { node: codeOrPlace(text.slice(start, end).trim()), end: end + ticks.length };
    }
    return null;
}

/** Code, or the place of a citation, which leads to its lines. */
function codeOrPlace(words) {
    const address = placeAddress(words);
    return address ? el('a.inner', { href: address }, el('code', words)) : el('code', words);
}

/** `[[a note]]`, or `[a label](an address)`; with `!` before it, it would be shown in place, and is only named. */
function bracket(scan, at, within, embedded) {
    const { text } = scan;
    const start = text[at + 1] === '[' ? at + 2 : at + 1;
    const end = scan.next(']', start);
    if (end === Infinity || scan.next('[', start) < end) return null;
    if (start === at + 2) {
        if (text[end + 1] !== ']' || end === start || end - start > LONGEST_NAME) return null;
        return { node: wikilink(text.slice(start, end), embedded), end: end + 2 };
    }
    if (text[end + 1] !== '(' || end - start > LONGEST_LABEL) return null;
    const target = destination(scan, end + 2);
    if (!target) return null;
    return { node: link(text.slice(start, end), target.address, embedded, within), end: target.end };
}

/** The address between the round brackets, and where they end: `<in angles>`, or without blanks and with balanced brackets. */
function destination(scan, start) {
    const { text } = scan;
    let at = start;
    if (text[start] === '<') {
        const end = scan.next('>', start + 1);
        if (end - start > LONGEST_ADDRESS || /[<\n]/.test(text.slice(start + 1, end))) return null;
        at = end + 1;
    } else {
        let isOpen = false;
        for (; at < text.length && at - start <= LONGEST_ADDRESS; at += 1) {
            const letter = text[at];
            if (letter === '(' && !isOpen) isOpen = true;
            else if (letter === ')' && isOpen) isOpen = false;
            else if (letter === '(' || letter === ')' || /\s/.test(letter)) break;
        }
        if (isOpen) return null;
    }
    effort.steps += at - start;
    if (at === start) return null;
    const address = text.slice(start, at).replace(/^<|>$/g, '');
    const title = /^\s{1,100}"[^"]{0,300}"/.exec(text.slice(at, at + LONGEST_TITLE + 102));
    at += title?.[0].length ?? 0;
    return address && text[at] === ')' ? { address, end: at + 1 } : null;
}

function address(scan, at) {
    const { text } = scan;
    if (!text.startsWith('http://', at) && !text.startsWith('https://', at)) return null;
    const start = text.indexOf('//', at) + 2;
    const written = /^[^\s<>"'`]*/.exec(text.slice(start, start + LONGEST_ADDRESS))[0];
    effort.steps += written.length;
    let length = written.length;
    while (length && '.,;:!?)]'.includes(written[length - 1])) length -= 1;
    if (length < 2) return null;
    return { node: outside(text.slice(at, start + length)), end: start + length };
}

/** `**bold**`: begins and ends at something visible, on one line. */
function strong(scan, at, within, mark) {
    const { text } = scan;
    const start = at + 2;
    if (!text.startsWith(mark, at) || !/\S/.test(text[start] ?? '')) return null;
    const end = scan.nextEnd(mark, start + 1);
    if (end === Infinity || scan.next('\n', start) < end) return null;
    return { node: el('strong', within(text.slice(start, end))), end: end + 2 };
}

/** `*italic*`: not within a word, and with none of its own marks inside. */
function slanted(scan, at, within, mark) {
    const { text } = scan;
    const [before, after] = [text[at - 1] ?? '', text[at + 1] ?? ''];
    if (/\w/.test(before) || (before === '*' && mark === '*') || after === mark || !/\S/.test(after)) return null;
    const end = scan.next(mark, at + 1);
    if (end === Infinity || scan.next('\n', at + 1) < end || /\w/.test(text[end + 1] ?? '')) return null;
    return { node: el('em', within(text.slice(at + 1, end))), end: end + 1 };
}

/** `~~struck~~` and `==marked==`. */
function doubled(scan, at, within, letter, tag) {
    const { text } = scan;
    const mark = letter + letter;
    const start = at + 2;
    if (!text.startsWith(mark, at) || !/\S/.test(text[start] ?? '')) return null;
    const end = scan.next(letter, start);
    if (end === start || scan.next('\n', start) < end || !text.startsWith(mark, end)) return null;
    return { node: el(tag, within(text.slice(start, end))), end: end + 2 };
}

function plain(text) {
    return text.replace(/\\([\\`*_{}[\]()#+\-.!|~=<>&])|&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, (written, escaped, named) =>
        escaped ?? character(named) ?? written,
    );
}

const NAMED = {
    __proto__: null,
    lt: '<',
    gt: '>',
    amp: '&',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    mdash: '—',
    ndash: '–',
    hellip: '…',
};

/** What an entity stands for; nothing where that is unknown. It becomes text, and never markup. */
function character(named) {
    if (!named.startsWith('#')) return NAMED[named];
    const number = /^#x/i.test(named) ? parseInt(named.slice(2), 16) : Number(named.slice(1));
    const letter = number <= 0x10ffff ? String.fromCodePoint(number) : '\0';
    // What nobody sees stays written out: it could turn the order of words around.
    return /\p{C}/u.test(letter) ? undefined : letter;
}

function wikilink(written, embedded) {
    const [target, alias] = written.split('|', 2);
    const [name] = target.split('#');
    const text = (alias ?? target).replace(/\\$/, '');
    const shown = embedded ? `Embedded: ${text}` : text;
    if (!name.trim()) return el('span', shown);
    if (embedded && isAttachment(name)) return attachment(name.trim(), alias ?? '');
    return el('a.inner', { href: `#/find/${encodeURIComponent(name.trim().replace(/\\$/, ''))}` }, shown);
}

function link(label, address, picture, within) {
    const text = label || address;
    if (/^https?:\/\//i.test(address)) return outside(address, picture ? `Picture: ${text}` : text);
    if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) return el('span', within(text));
    const [path] = address.split('#');
    if (picture && isAttachment(decoded(path))) return attachment(decoded(path), label);
    if (!path || picture) return el('span', picture ? `Picture: ${text}` : text);
    return el('a.inner', { href: `#/find/${encodeURIComponent(decoded(path))}` }, within(text));
}

/** A file that stands beside notes, by its ending. */
function isAttachment(name) {
    return /\.(avif|bmp|gif|jpe?g|png|svg|webp|flac|m4a|mov|mp3|mp4|ogg|pdf|wav|webm)$/i.test(name.trim());
}

/** The place of an embedded file, named. Only the view of a note puts the file there (`attachments.js`). */
function attachment(name, words) {
    return el('span.attachment', { 'data-name': name, 'data-words': words }, `Embedded: ${name.split('/').pop()}`);
}

function decoded(path) {
    try {
        return decodeURIComponent(path);
    } catch {
        return path;
    }
}
