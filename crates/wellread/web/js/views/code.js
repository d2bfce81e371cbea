// A file of a codebase with its lines: opened at a line from what was found or cited.

import { codeAddress } from '../addresses.js';
import { get } from '../api.js';
import { el } from '../dom.js';

export async function code(at) {
    const [repository, ...parts] = at.parts;
    const path = parts.join('/');
    const [first, last = first] = (at.query.get('line') ?? '').split('-').map(Number);
    const asked = new URLSearchParams({ repository: repository ?? '', path, line: first || 1 });
    const read = await get(`/api/code/file?${asked}`, { signal: at.signal });
    const lines = read.text.split('\n');
    const row = (text, offset) => {
        const number = read.start_line + offset;
        const isCited = number >= first && number <= last;
        const anchor = el('a', { href: codeAddress(repository, path, number), 'aria-label': `Line ${number}` }, String(number));
        return el(isCited ? 'tr.cited' : 'tr', { id: `line-${number}` }, el('td.number', anchor), el('td', el('code', text || ' ')));
    };
    if (first) requestAnimationFrame(() => document.getElementById(`line-${first}`)?.scrollIntoView({ block: 'center' }));
    const name = path.split('/').pop();
    const { start_line: start, end_line: end, lines_of_file: whole } = read;
    const part = (line, words) => el('a.button', { href: codeAddress(repository, path, line) }, words);
    return {
        title: name,
        nodes: [
            el('div.head', el('h1', { dir: 'auto' }, name), el('p.soft.small', { dir: 'auto' }, `${read.repository}: ${read.path}, ${whole.toLocaleString()} lines`)),
            start > 1 ? part(start, 'Earlier lines') : null,
            el(
                'div.code-file',
                { tabindex: 0, role: 'region', 'aria-label': `Lines of ${name}` },
                el('table', { role: 'presentation' }, el('tbody', lines.map(row))),
            ),
            end < whole ? part(end, 'Later lines') : null,
        ],
    };
}
