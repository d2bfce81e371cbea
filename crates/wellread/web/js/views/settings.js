// Settings and doctor: what is set and where that came from, what works and what is missing, and forms to change what a browser may.

import { get } from '../api.js';
import { el } from '../dom.js';
import { button, chip, head, problem, spoken, wait } from '../pieces.js';
import { repositories } from '../repos.js';
import { settingTable } from '../setting_table.js';
import { remoteClients } from '../remote_clients.js';
import { signIns } from '../sign_ins.js';

export async function settings(at) {
    const answer = await get('/api/settings', { signal: at.signal });
    const table = settingTable(answer);
    const checks = el('div', wait('Checking…'));
    examine(checks, { at, answer, table });
    const about = el(
        'p',
        'What you change here is written to ',
        answer.file ? el('code', answer.file) : 'the settings file',
        ' and takes effect when the server starts again. Variables of the environment override it. Settings that run programs or open ' +
            'doors can’t be changed from a browser, only in that file.',
    );
    const wanted = at.query.get('edit');
    if (wanted) requestAnimationFrame(() => table.edit(wanted));
    return {
        title: 'Settings',
        nodes: [
            head('Settings and doctor'),
            el(
                'div.stack',
                section('doctor', 'Doctor', 'card', checks),
                section('sign-ins', 'Signed-in browsers', 'card', signIns(at.signal)),
                section('remote-clients', 'Remote clients', 'card', remoteClients(at.signal)),
                section('repos', 'Repositories', 'card', repositories(at.signal)),
                section('set', 'Settings', '', about, table.node),
            ),
        ],
    };
}

function section(id, title, kind, ...nodes) {
    return el(`section${kind && `.${kind}`}.stack`, { 'aria-labelledby': id }, el('h2', { id }, title), ...nodes);
}

async function examine(place, shown) {
    const { signal } = shown.at;
    try {
        const { checks } = await get('/api/doctor', { signal });
        place.replaceChildren(...checks.map((one) => check(one, shown)));
    } catch (error) {
        if (error.name !== 'AbortError') place.replaceChildren(problem(error, { again: () => examine(place, shown) }));
    }
}

function check({ name, ok, detail, remedy }, shown) {
    return el(
        'div.check',
        chip(ok ? 'done' : 'failed', ok ? 'OK' : 'problem'),
        el('strong', name),
        el('span', ...spoken(detail)),
        remedy ? el('span.remedy', el('strong', 'What to do: '), ...spoken(remedy), ...edits(remedy, shown)) : null,
    );
}

/** Where a remedy names settings that can be changed here: a way to do that without a shell. */
function edits(remedy, { answer, table }) {
    const named = remedy.match(/[a-z]+(?:\.[a-z_]+)+/g) ?? [];
    const here = [...new Set(named)].filter((key) => Object.hasOwn(answer.settings, key) && !answer.settings[key].locked);
    return here.map((key) => button(`Edit ${key}`, () => table.edit(key), { kind: 'quiet' }));
}
