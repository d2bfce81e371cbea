// Where the queries of an agenda would go, as far as the settings say.

import { get } from './api.js';
import { el } from './dom.js';
import { LABELS } from './engine_labels.js';

const UNNAMED =
    'The queries above go to the search services of this server; the pages found are fetched from their sites. Your notes stay on this machine. ';

export async function leavesTo(signal) {
    let settings;
    try {
        ({ settings } = await get('/api/settings', { signal }));
    } catch (error) {
        // Who may not see the settings is told what leaves, and not to whom.
        if (error.status !== 403) throw error;
        return { says: () => [UNNAMED] };
    }
    const set = settings['search.services']?.value ?? [];
    const web = set.filter((name) => name !== 'arxiv').map((name) => LABELS[name] ?? name);
    return {
        /** What these tasks would send, and to whom, as text and links. */
        says(tasks) {
            const wanted = new Set(tasks.map(({ source }) => source));
            const to = [...(wanted.has('web') ? web : []), ...(wanted.has('arxiv') ? [LABELS.arxiv] : [])];
            const parts = [];
            if (to.length)
                parts.push(
                    `The queries above go to ${to.join(', then ')}; the pages found are fetched from their sites. Your notes stay on this machine. `,
                );
            if (wanted.has('web') && !web.length)
                parts.push(
                    'No search service is configured, so web tasks will fail. ',
                    el('a', { href: '#/settings?edit=search.services' }, 'Choose one in the settings'),
                    '.',
                );
            return parts;
        },
    };
}
