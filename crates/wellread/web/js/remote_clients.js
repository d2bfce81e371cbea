// The programs elsewhere that are connected, in the settings: what each may do, and how to sign it out.

import { get, post } from './api.js';
import { el } from './dom.js';
import { button, problem, wait, when } from './pieces.js';

export function remoteClients(signal) {
    const place = el('div.stack', wait('Looking…'));
    show(place, signal);
    return place;
}

async function show(place, signal) {
    try {
        const { address, clients } = await get('/api/remote-clients', { signal });
        const shown = [
            address
                ? el('p', 'MCP clients elsewhere connect to ', el('code', address), '. Each has what you have allowed it, for 30 days.')
                : el('p.soft', 'None: programs elsewhere can connect once ', el('code', 'server.public_url'), ' is set.'),
            clients.length ? el('ul.entries', clients.map((one) => entry(one, place, signal))) : null,
        ];
        place.replaceChildren(...shown.filter(Boolean));
    } catch (error) {
        if (error.name !== 'AbortError') place.replaceChildren(problem(error, { again: () => show(place, signal) }));
    }
}

function entry({ id, client, scopes, vaults, began, last_used: used }, place, signal) {
    const moment = (seconds) => when(new Date(seconds * 1000).toISOString());
    return el(
        'li',
        el(
            'div.row.spread',
            el(
                'div.stack.tight',
                el('strong', { dir: 'auto' }, client),
                el('span.small', `May ${scopes.join(', ')}, in ${vaults.join(', ')}`),
                el('span.soft.small', 'Connected ', moment(began), ', last used ', moment(used)),
            ),
            button('Sign out', () => end(id, place, signal), { 'aria-label': `Sign out ${client}, ${id}` }),
        ),
    );
}

async function end(id, place, signal) {
    try {
        await post(`/api/remote-clients/${encodeURIComponent(id)}/end`);
    } catch (error) {
        place.replaceChildren(problem(error, { again: () => show(place, signal) }));
        return;
    }
    await show(place, signal);
}
