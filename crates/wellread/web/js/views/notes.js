// All notes as a tree: folders that open, with what is in them.

import { noteAddress } from '../addresses.js';
import { post } from '../api.js';
import { el } from '../dom.js';
import { counted, empty, head, spoken } from '../pieces.js';

const MOST = 100_000;

export async function notes(at) {
    const { results, total, notice } = await post(
        '/api/tools/search_by_folder',
        { folder: '', recursive: true, limit: MOST },
        { signal: at.signal },
    );
    const all = results.filter((path) => path.endsWith('.md'));
    const about = total > results.length ? `the first ${counted(results.length, 'file')} of ${total.toLocaleString()}` : counted(all.length, 'note');
    return {
        title: 'Notes',
        nodes: [
            head('Notes', about),
            notice ? el('p.notice', ...spoken(notice)) : null,
            all.length ? el('div.card', level(all, '', at.query.get('folder') ?? '')) : empty('No notes yet', 'The vault has no notes.'),
        ],
    };
}

/** The folders and notes right below a folder. A folder is filled when it is opened first, and those above `wanted` at once. */
function level(paths, above, wanted) {
    const folders = new Map();
    const here = [];
    for (const path of paths) {
        const [first, ...rest] = path.slice(above.length).split('/');
        if (!rest.length) here.push(path);
        else if (folders.has(first)) folders.get(first).push(path);
        else folders.set(first, [path]);
    }
    return el(
        'ul.tree',
        ...[...folders].map(([name, inside]) => folder(name, inside, above, wanted)),
        ...here.map((path) => el('li', el('a', { href: noteAddress(path), dir: 'auto' }, path.slice(above.length).replace(/\.md$/, '')))),
    );
}

function folder(name, inside, above, wanted) {
    const path = `${above}${name}/`;
    const isWanted = `${wanted}/`.startsWith(path);
    const node = el('details', { open: isWanted }, el('summary', el('span', { dir: 'auto' }, name), ' ', el('span.soft.small', String(inside.length))));
    const fill = () => node.childElementCount === 1 && node.append(level(inside, path, wanted));
    node.addEventListener('toggle', () => node.open && fill());
    if (isWanted) fill();
    return el('li', node);
}
