// Markdown as elements: what notes, answers and reports need of it. No HTML is read and no picture is loaded by it, so what
// somebody else wrote can say something and do nothing. Each line is looked at a fixed number of times, so that no text takes long.

import { el } from './dom.js';
import { inline } from './inline.js';
import { effort } from './scan.js';

const MARKER = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
/** How deep quotations and lists may stand in each other. */
const DEEPEST = 12;

/** A text as a block of elements. Its highest headings have the level `from`. */
export function markdown(text, { from = 2 } = {}) {
    const lines = withoutComments(withoutFront(text)).split(/\r?\n/);
    const highest = lines.reduce((least, line) => Math.min(least, /^(#{1,6})\s/.exec(line)?.[1].length ?? 6), 6);
    return el('div.text', blocks(lines, from - highest, 0));
}

function withoutFront(text) {
    const front = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n(---|\.\.\.)[ \t]*(\r?\n|$)/.exec(text);
    return front ? text.slice(front[0].length) : text;
}

/** The text without what is commented out. A comment that does not end is none. */
function withoutComments(text) {
    const parts = [];
    let last = 0;
    for (;;) {
        const start = text.indexOf('<!--', last);
        const end = start < 0 ? -1 : text.indexOf('-->', start + 4);
        if (end < 0) break;
        parts.push(text.slice(last, start));
        last = end + 3;
    }
    effort.steps += text.length;
    return parts.join('') + text.slice(last);
}

/** The outermost block decides whether it runs from the left or from the right. */
function blocks(lines, shift, depth) {
    const dir = depth ? null : 'auto';
    const found = [];
    let at = 0;
    while (at < lines.length) {
        const line = lines[at];
        const fence = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line);
        const title = /^(#{1,6})\s+/.exec(line);
        if (!line.trim()) {
            at += 1;
        } else if (fence) {
            const end = until(lines, at + 1, (other) => other.trimStart().startsWith(fence[1]));
            found.push(el('pre', { tabindex: 0 }, el('code', lines.slice(at + 1, end).join('\n'))));
            at = end + 1;
        } else if (title) {
            const words = withoutClosing(line.slice(title[0].length));
            found.push(el(`h${Math.min(6, title[1].length + shift)}`, { dir }, inline(words)));
            at += 1;
        } else if (isRule(line)) {
            found.push(el('hr'));
            at += 1;
        } else if (/^\s*>/.test(line) && depth < DEEPEST) {
            const end = until(lines, at, (other) => !/^\s*>/.test(other));
            const quoted = lines.slice(at, end).map((other) => other.replace(/^\s*>\s?/, ''));
            const callout = /^\[!(\w+)\][+-]?\s*(.*)$/.exec(quoted[0]);
            if (callout) quoted.splice(0, 1, `**${callout[2] || callout[1]}**`, '');
            found.push(el('blockquote', { dir }, blocks(quoted, shift, depth + 1)));
            at = end;
        } else if (MARKER.test(line) && depth < DEEPEST) {
            const end = until(lines, at + 1, (other) => other.trim() && !MARKER.test(other) && !/^\s{2,}/.test(other));
            found.push(list(lines.slice(at, end), shift, depth));
            at = end;
        } else if (line.includes('|') && isTableRule(lines[at + 1] ?? '')) {
            const end = until(lines, at, (other) => !other.includes('|'));
            found.push(table(lines.slice(at, end)));
            at = end;
        } else {
            const end = until(
                lines,
                at + 1,
                (other) => !other.trim() || /^(#{1,6}\s|\s*>|\s*(`{3,}|~{3,}))/.test(other) || MARKER.test(other),
            );
            found.push(el('p', { dir }, inline(lines.slice(at, end).join('\n'))));
            at = end;
        }
    }
    return found;
}

function until(lines, from, ends) {
    let at = from;
    while (at < lines.length && !ends(lines[at])) at += 1;
    effort.steps += at - from + 1;
    return at;
}

/** A heading's words without the signs that may close it: `## Wax ##`. */
function withoutClosing(written) {
    let end = written.trimEnd().length;
    while (end && written[end - 1] === '#') end -= 1;
    return written.slice(0, end).trimEnd();
}

/** `---`, `* * *`: three or more of one sign, and nothing else. */
function isRule(line) {
    const signs = line.replace(/\s/g, '');
    return signs.length >= 3 && /^(?:-+|\*+|_+)$/.test(signs);
}

/** The line below a table's head: `| --- | :-: |`. */
function isTableRule(line) {
    const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
    return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

function list(lines, shift, depth) {
    const [, indent, marker] = MARKER.exec(lines[0]);
    const node = el(/\d/.test(marker) ? 'ol' : 'ul', { dir: depth ? null : 'auto' });
    const start = Number.parseInt(marker, 10);
    if (start > 1) node.setAttribute('start', start);
    let item = [];
    const close = () => {
        if (!item.length) return;
        const task = /^\[([ xX])\]\s+/.exec(item[0]);
        if (task) item[0] = (task[1] === ' ' ? '☐ ' : '☑ ') + item[0].slice(task[0].length);
        const parts = blocks(item, shift, depth + 1);
        // A tight entry is words, not a paragraph.
        if (parts[0]?.tagName === 'P') parts[0] = [...parts[0].childNodes];
        node.append(el(task ? 'li.todo' : 'li', parts));
        item = [];
    };
    for (const line of lines) {
        const found = MARKER.exec(line);
        if (found && found[1].length <= indent.length) {
            close();
            item.push(found[3]);
        } else {
            item.push(line.slice(Math.min(indent.length + 2, line.search(/\S|$/))));
        }
    }
    close();
    return node;
}

function table(lines) {
    const cells = (line) =>
        line
            .trim()
            .replace(/^\||\|$/g, '')
            // A sign of its own for what is escaped; older phones do not know how to look behind.
            .replaceAll('\\|', '\uE000')
            .split('|')
            .map((cell) => inline(cell.trim().replaceAll('\uE000', '|')));
    const row = (line, tag) => el('tr', cells(line).map((cell) => el(tag, { dir: 'auto' }, cell)));
    return el(
        'div.wide',
        { tabindex: 0 },
        el('table', el('thead', row(lines[0], 'th')), el('tbody', lines.slice(2).map((line) => row(line, 'td')))),
    );
}
