// Settings and doctor: what is set and where that came from, what works and what is missing. Changed elsewhere, and it says where.

import { get } from '../api.js';
import { el } from '../dom.js';
import { chip, head, problem, spoken, wait } from '../pieces.js';
import { signIns } from '../sign_ins.js';

export async function settings(at) {
    const { settings: all, file } = await get('/api/settings', { signal: at.signal });
    const checks = el('div', wait('Checking…'));
    examine(checks, at.signal);
    const field = el('input', {
        type: 'search',
        'aria-label': 'Filter the settings',
        placeholder: 'Filter',
        autocomplete: 'off',
    });
    const place = el('div.stack', ...groups(all, ''));
    field.addEventListener('input', () => place.replaceChildren(...groups(all, field.value.trim().toLowerCase())));
    const about = el(
        'p',
        'Change them with ',
        el('code', 'wellread config set KEY VALUE'),
        file ? [' or in ', el('code', file)] : '',
        '; the server reads them when it starts. Environment variables override the file.',
    );
    return {
        title: 'Settings',
        nodes: [
            head('Settings and doctor'),
            el(
                'div.stack',
                el('section.card.stack', { 'aria-labelledby': 'doctor' }, el('h2', { id: 'doctor' }, 'Doctor'), checks),
                el(
                    'section.card.stack',
                    { 'aria-labelledby': 'sign-ins' },
                    el('h2', { id: 'sign-ins' }, 'Signed-in browsers'),
                    signIns(at.signal),
                ),
                el(
                    'section.stack',
                    { 'aria-labelledby': 'set' },
                    el('h2', { id: 'set' }, 'Settings'),
                    about,
                    field,
                    place,
                ),
            ),
        ],
    };
}

async function examine(place, signal) {
    try {
        const { checks } = await get('/api/doctor', { signal });
        place.replaceChildren(...checks.map(check));
    } catch (error) {
        if (error.name !== 'AbortError') place.replaceChildren(problem(error, { again: () => examine(place, signal) }));
    }
}

function check({ name, ok, detail, remedy }) {
    return el(
        'div.check',
        chip(ok ? 'done' : 'failed', ok ? 'OK' : 'problem'),
        el('strong', name),
        el('span', ...spoken(detail)),
        remedy ? el('span.remedy', el('strong', 'What to do: '), ...spoken(remedy)) : null,
    );
}

function groups(all, wanted) {
    const shown = Object.entries(all).filter(
        ([key, { about }]) => !wanted || key.includes(wanted) || about?.toLowerCase().includes(wanted),
    );
    if (!shown.length) return [el('p.soft', 'No matching settings.')];
    const byGroup = Map.groupBy ? Map.groupBy(shown, ([key]) => key.split('.')[0]) : grouped(shown);
    return [...byGroup].map(([group, rows]) =>
        el(
            'details.fold',
            { open: Boolean(wanted) },
            el('summary', group, el('span.soft.small', `${rows.length}`)),
            el(
                'table.settings',
                el('thead', el('tr', el('th', 'Setting'), el('th', 'Value'), el('th', 'From'))),
                el('tbody', ...rows.map(row)),
            ),
        ),
    );
}

function grouped(rows) {
    const found = new Map();
    for (const row of rows) {
        const group = row[0].split('.')[0];
        found.set(group, [...(found.get(group) ?? []), row]);
    }
    return found;
}

function row([key, { value, from, about }]) {
    const isSet = from !== 'default' && from !== 'defaults';
    return el(
        'tr',
        el('td', el('code', key), about ? el('div.soft.small', ...spoken(about)) : null),
        el('td', el('code', shown(value))),
        el('td.small', isSet ? el('strong', from) : el('span.soft', from)),
    );
}

function shown(value) {
    if (value === '' || value === null) return '–';
    if (Array.isArray(value) && !value.length) return 'none';
    return typeof value === 'string' ? value : JSON.stringify(value);
}
