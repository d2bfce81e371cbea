// Markdown within a line: code, emphasis, links. A link to a note leads to its view, one to the web leaves in a tab of its own.

import { el } from './dom.js';
import { outside } from './pieces.js';

// In order: code, embed or wikilink, picture or link, address, bold, struck, marked, italic. Each is bounded, so that no
// line takes long.
const PIECE = new RegExp(
    [
        '(?<ticks>`{1,3})(?<code>[^`]{1,2000})\\k<ticks>',
        '(?<embed>!?)\\[\\[(?<wiki>[^\\[\\]]{1,400})\\]\\]',
        '(?<picture>!?)\\[(?<label>[^\\[\\]]{0,600})\\]\\((?<target><[^<>\\n]{1,2000}>|(?:[^()\\s]|\\([^()\\s]{0,300}\\)){1,2000})(?:\\s+"[^"]{0,300}")?\\)',
        '(?<address>https?:\\/\\/[^\\s<>"\'`]{1,2000}[^\\s<>"\'`.,;:!?)\\]])',
        '(?<strong>\\*\\*|__)(?=\\S)(?<bold>[^\\n]{1,1000}?\\S)\\k<strong>',
        '~~(?=\\S)(?<struck>[^~\\n]{1,1000})~~',
        '==(?=\\S)(?<marked>[^=\\n]{1,1000})==',
        '(?<![\\w*])\\*(?=[^\\s*])(?<italic>[^*\\n]{1,1000})\\*(?!\\w)',
        '(?<!\\w)_(?=[^\\s_])(?<slanted>[^_\\n]{1,1000})_(?!\\w)',
    ].join('|'),
    'g',
);
const DEEPEST = 4;

/** A line as text and elements. */
export function inline(text, depth = 0) {
    if (depth > DEEPEST) return [text];
    const found = [];
    let last = 0;
    for (const match of text.matchAll(PIECE)) {
        if (match.index > last) found.push(plain(text.slice(last, match.index)));
        found.push(element(match.groups, depth));
        last = match.index + match[0].length;
    }
    if (last < text.length) found.push(plain(text.slice(last)));
    return found;
}

function plain(text) {
    return text.replace(/\\([\\`*_{}[\]()#+\-.!|~=<>&])|&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, (written, escaped, named) =>
        escaped ?? character(named) ?? written,
    );
}

const NAMED = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0', mdash: '—', ndash: '–', hellip: '…' };

/** What an entity stands for; nothing where that is unknown. It becomes text, and never markup. */
function character(named) {
    if (!named.startsWith('#')) return NAMED[named];
    const number = /^#x/i.test(named) ? parseInt(named.slice(2), 16) : Number(named.slice(1));
    const letter = number <= 0x10ffff ? String.fromCodePoint(number) : '\0';
    // What nobody sees stays written out: it could turn the order of words around.
    return /\p{C}/u.test(letter) ? undefined : letter;
}

function element(group, depth) {
    const within = (text) => inline(text, depth + 1);
    if (group.code) return el('code', group.code.trim());
    if (group.wiki) return wikilink(group.wiki, group.embed);
    if (group.target) return link(group, within);
    if (group.address) return outside(group.address);
    if (group.bold) return el('strong', ...within(group.bold));
    if (group.struck) return el('s', ...within(group.struck));
    if (group.marked) return el('mark', ...within(group.marked));
    return el('em', ...within(group.italic ?? group.slanted));
}

function wikilink(written, embed) {
    const [target, alias] = written.split('|', 2);
    const [name] = target.split('#');
    const text = (alias ?? target).replace(/\\$/, '');
    const shown = embed ? `Embedded: ${text}` : text;
    if (!name.trim()) return el('span', shown);
    return el('a.inner', { href: `#/find/${encodeURIComponent(name.trim().replace(/\\$/, ''))}` }, shown);
}

function link({ label, target, picture }, within) {
    const address = target.replace(/^<|>$/g, '');
    const text = label || address;
    if (/^https?:\/\//i.test(address)) return outside(address, picture ? `Picture: ${text}` : text);
    if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) return el('span', ...within(text));
    const [path] = address.split('#');
    if (!path || picture) return el('span', picture ? `Picture: ${text}` : text);
    return el('a.inner', { href: `#/find/${encodeURIComponent(decoded(path))}` }, ...within(text));
}

function decoded(path) {
    try {
        return decodeURIComponent(path);
    } catch {
        return path;
    }
}
