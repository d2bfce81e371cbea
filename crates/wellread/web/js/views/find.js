// A note by its name, as links between notes have it: leads to the note, or says that there is none yet.

import { noteAddress, searchAddress } from '../addresses.js';
import { get } from '../api.js';
import { el } from '../dom.js';
import { empty, head, nameOf, noteLink } from '../pieces.js';

export async function find(at) {
    const wanted = at.parts.join('/');
    const { nodes } = await get('/api/kb/graph', { signal: at.signal });
    const fitting = candidates(
        nodes.map(({ path }) => path),
        wanted,
    );
    if (fitting.length === 1) {
        location.replace(noteAddress(fitting[0]));
        return { title: nameOf(wanted), nodes: [] };
    }
    if (fitting.length) {
        const list = el('ul.entries', ...fitting.map((path) => el('li', noteLink(path, path))));
        return { title: wanted, nodes: [head(wanted, 'Several notes have this name.'), list] };
    }
    const look = el('a.button.main', { href: searchAddress(wanted) }, 'Search for it');
    return {
        title: wanted,
        nodes: [
            empty(
                `There is no note “${wanted}” yet`,
                'A link points to it, but it does not exist. Create it in your vault, or search for what you have on it.',
                look,
            ),
        ],
    };
}

function candidates(paths, wanted) {
    const plain = (path) => path.replace(/\.md$/i, '').toLowerCase();
    const name = plain(wanted);
    const exact = paths.filter((path) => plain(path) === name);
    return exact.length ? exact : paths.filter((path) => plain(path).endsWith(`/${name}`));
}
