// A note: its text, what links to it, and "research this".

import { noteAddress } from '../addresses.js';
import { get, post, within } from '../api.js';
import { showAttachments } from '../attachments.js';
import { el } from '../dom.js';
import { markdown } from '../markdown.js';
import { noteLink, problem, spoken, when } from '../pieces.js';
import { research } from '../research.js';

export async function note(at) {
    const path = at.parts.join('/');
    const read = await get(`/api/notes/${within(path)}`, { signal: at.signal });
    const text = el('div.note-text', body(read));
    showAttachments(text, read.path, at.signal);
    const again = async () => {
        const fresh = await get(`/api/notes/${within(read.path)}`, { signal: at.signal });
        text.replaceChildren(body(fresh));
        showAttachments(text, read.path, at.signal);
    };
    const line = Number(at.query.get('line'));
    if (line) requestAnimationFrame(() => showLine(text, read, line));
    const title = read.path.split('/').pop().replace(/\.md$/, '');
    const folder = read.path.includes('/') ? read.path.slice(0, read.path.lastIndexOf('/')) : null;
    const about = el(
        'div.row.small.soft',
        folder && el('a', { href: `#/notes?${new URLSearchParams({ folder })}`, dir: 'auto' }, folder),
        el('span', 'modified ', when(read.modified)),
        inObsidian(read.path, at.signal),
        ...read.tags.map((tag) => el('span.chip', { dir: 'auto' }, `#${tag.replace(/^#/, '')}`)),
    );
    const nodes = [
        el('div.head', el('h1', { dir: 'auto' }, title), about, read.warning && el('p.notice', ...spoken(read.warning))),
        el(
            'div.note-page',
            text,
            el(
                'aside.stack',
                { 'aria-label': 'About this note' },
                research(read.path, again, at.signal),
                linked(read.path, at.signal),
                outline(read),
            ),
        ),
    ];
    return { title, nodes };
}

/** A link that opens the note in Obsidian, as soon as it is known where the vault is. */
function inObsidian(path, signal) {
    const link = el('a', { hidden: true }, 'Open in Obsidian');
    get('/api/status', { signal })
        .then(({ vault }) => {
            link.href = `obsidian://open?path=${encodeURIComponent(`${vault}/${path}`)}`;
            link.hidden = false;
        })
        .catch(() => {
            // The note can be read all the same.
        });
    return link;
}

/** Scrolls to the block with a line of the note, or else to the heading above it. */
function showLine(text, read, line) {
    const words = (node) => node.textContent.replace(/\s+/g, ' ').trim();
    const wanted = (read.text.split('\n')[line - 1] ?? '').replace(/^[\s>#+*-]+/, '').replace(/[[\]`*_]/g, '');
    const start = wanted.replace(/\s+/g, ' ').trim().slice(0, 40);
    const blocks = [...text.querySelectorAll('p, li, td, pre, h2, h3, h4, h5, h6')];
    const heading = read.headings.findLast((one) => one.line <= line)?.text.trim();
    const found =
        (start && blocks.findLast((node) => words(node).includes(start))) ||
        blocks.find((node) => /^H\d$/.test(node.tagName) && words(node) === heading);
    if (!found) return;
    found.classList.add('cited');
    found.scrollIntoView({ block: 'center' });
}

function body(read) {
    // The title stands above already where the note repeats it.
    const title = read.path.split('/').pop().replace(/\.md$/, '');
    const text = read.text.replace(
        /^(\uFEFF?(?:---\r?\n[\s\S]*?\r?\n---\r?\n)?\s*)# +([^\r\n]*)\r?\n/,
        (all, front, heading) => (heading.trim() === title ? front : all),
    );
    const shown = markdown(text);
    return shown.childNodes.length ? shown : el('p.soft', 'This note is empty.');
}

function linked(path, signal) {
    const list = el('ul.plain.stack.tight');
    const part = el('section.card.stack', { hidden: true }, el('h2', 'Linked from'), list);
    post('/api/tools/find_backlinks', { note_name: path, limit: 30 }, { signal })
        .then(({ results }) => {
            list.replaceChildren(...results.map((from) => el('li', noteLink(from))));
            part.hidden = !results.length;
        })
        .catch((error) => {
            if (error.name === 'AbortError') return;
            part.hidden = false;
            part.append(problem(error));
        });
    return part;
}

function outline({ headings, path }) {
    const shown = headings.filter(({ level }) => level > 1 && level < 4).slice(0, 40);
    if (shown.length < 2) return null;
    const jump = (text) => (event) => {
        event.preventDefault();
        const found = [...document.querySelectorAll('.note-text h2, .note-text h3, .note-text h4, .note-text h5')].find(
            (node) => node.textContent.trim() === text.trim(),
        );
        found?.scrollIntoView({ block: 'start' });
    };
    const entry = ({ text }) => el('li', el('a', { href: noteAddress(path), onclick: jump(text), dir: 'auto' }, text));
    return el('section.card.stack', el('h2', 'In this note'), el('ul.plain.small', ...shown.map(entry)));
}
