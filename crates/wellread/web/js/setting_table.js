// The settings, in groups that open: what each is, where it came from, and a form to change it where a browser may.

import { el } from './dom.js';
import { button, chip, counted, spoken } from './pieces.js';
import { say } from './say.js';
import { said, settingForm } from './setting_form.js';

/** The table of all settings: `{ node, edit }`, where `edit` opens the form of one. `answer` is what the server says. */
export function settingTable(answer) {
    const rows = new Map();
    const waiting = el('p.notice', { role: 'status' });
    const state = { all: answer.settings, file: answer.file };
    const show = (fresh) => {
        state.all = fresh.settings;
        const changes = Object.values(state.all).filter(({ next }) => next).length;
        waiting.hidden = !changes && !fresh.file_problem;
        waiting.replaceChildren(
            ...(fresh.file_problem
                ? spoken(`The settings file can't be used as it is: ${fresh.file_problem}`)
                : [`${counted(changes, 'change')} ${changes === 1 ? 'takes' : 'take'} effect when the server starts again.`]),
        );
        for (const [key, row] of rows) row.show(state.all[key]);
    };
    for (const key of Object.keys(state.all)) rows.set(key, settingRow(key, state, show));
    const groups = [...byGroup(rows)].map(([name, keys]) => group(name, keys, rows));
    const none = el('p.soft', { hidden: true }, 'No matching settings.');
    const field = el('input', {
        type: 'search',
        'aria-label': 'Filter the settings',
        placeholder: 'Filter',
        autocomplete: 'off',
    });
    const filter = (wanted) => {
        const shown = groups.map((one) => one.filter(wanted));
        none.hidden = shown.some(Boolean);
    };
    field.addEventListener('input', () => filter(field.value.trim().toLowerCase()));
    show(answer);
    const edit = (key) => {
        if (!rows.has(key)) return;
        field.value = '';
        filter('');
        groups.find(({ keys }) => keys.includes(key)).node.open = true;
        rows.get(key).edit();
    };
    return { node: el('div.stack', waiting, field, ...groups.map(({ node }) => node), none), edit };
}

function byGroup(rows) {
    const found = new Map();
    for (const key of rows.keys()) {
        const name = key.split('.')[0];
        found.set(name, [...(found.get(name) ?? []), key]);
    }
    return found;
}

function group(name, keys, rows) {
    const count = el('span.soft.small', String(keys.length));
    const node = el(
        'details.fold',
        el('summary', name, count),
        el(
            'table.settings',
            el('thead', el('tr', el('th', 'Setting'), el('th', 'Value'), el('th', 'From'), el('th', 'Change'))),
            ...keys.map((key) => rows.get(key).node),
        ),
    );
    /** Shows what has these words; says whether that is any. */
    const filter = (wanted) => {
        const shown = keys.filter((key) => rows.get(key).matches(wanted));
        for (const key of keys) rows.get(key).node.hidden = !shown.includes(key);
        count.textContent = String(shown.length);
        node.hidden = !shown.length;
        node.open = wanted ? true : keys.some((key) => rows.get(key).isOpen());
        return shown.length > 0;
    };
    return { node, keys, filter };
}

/** A setting and its form, in a body of its own: filtering and saving leave the forms of the others alone. */
function settingRow(key, state, show) {
    const node = el('tbody');
    let form = null;
    const open = button('Edit', () => (form ? close() : edit()), { 'aria-label': `Edit ${key}`, 'aria-expanded': 'false' });
    const draw = (entry) => node.replaceChildren(cells(key, entry, open), ...(form ? [formRow(form)] : []));
    const close = () => {
        form = null;
        open.setAttribute('aria-expanded', 'false');
        draw(state.all[key]);
        open.focus();
    };
    const changed = (answer) => {
        form = null;
        open.setAttribute('aria-expanded', 'false');
        show(answer);
        open.focus();
        const notes = answer.notes.map((note) => ` Note: ${note}.`).join('');
        const effect = state.all[key].next ? ' It takes effect when the server starts again.' : '';
        say(`Saved \`${key}\`.${effect}${notes}`);
    };
    const edit = () => {
        if (state.all[key].locked) return node.scrollIntoView({ block: 'center' });
        if (!form) {
            form = settingForm(key, state.all[key], { file: state.file, changed, close });
            open.setAttribute('aria-expanded', 'true');
            node.append(formRow(form));
        }
        form.focus();
        node.scrollIntoView({ block: 'nearest' });
    };
    const matches = (wanted) => {
        const { about } = state.all[key];
        return !wanted || key.includes(wanted) || about.toLowerCase().includes(wanted);
    };
    return { node, show: draw, edit, matches, isOpen: () => Boolean(form) };
}

function formRow(form) {
    return el('tr.editing', el('td', { colspan: 4 }, form.node));
}

/** A value in its cell; that there is none is said in words, which are no value. */
function shown(value) {
    const isEmpty = value === '' || (typeof value === 'object' && !Object.keys(value ?? {}).length);
    return el(isEmpty ? 'span.soft.small' : 'code', said(value));
}

/** Where a value came from: the path of the file is told where it is pointed at. */
function origin(from) {
    if (from === 'default') return [el('span.soft', from)];
    if (from.startsWith('/')) return [el('strong', { title: from }, 'settings file')];
    return [el('strong', from), ' ', chip('', 'overrides the file')];
}

function cells(key, { value, from, about, next, locked }, open) {
    return el(
        'tr',
        el('td', el('code', key), el('div.soft.small', ...spoken(about))),
        el('td', shown(value), next ? el('div.next.small', chip('pending', 'after a restart'), ' ', shown(next.value)) : null),
        el('td.small', ...origin(from)),
        el('td', locked ? el('span.lock.small', `Not in a browser: ${locked}.`) : open),
    );
}
