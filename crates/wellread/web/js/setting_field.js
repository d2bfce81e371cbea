// The field of a setting's form: one that fits what the setting may be.

import { el } from './dom.js';
import { LABELS } from './engine_labels.js';

/** `{ node, read, focus }` for a setting: what is shown, what it says now, and where typing begins. */
export function settingField({ shape, value }, id) {
    return (FIELDS[shape.kind] ?? text)({ shape, value, id });
}

function text({ value, id }) {
    return single(el('input', { ...fields(id), type: 'text', value: value ?? '', spellcheck: 'false' }));
}

function number({ shape, value, id }) {
    return single(el('input', { ...fields(id), type: 'number', min: 0, max: shape.most, step: 1, value: String(value) }));
}

function decimal({ value, id }) {
    return single(el('input', { ...fields(id), type: 'text', inputmode: 'decimal', value: value ?? '' }));
}

function oneOf({ shape, value, id }) {
    const option = (word) => el('option', { value: word }, word);
    const field = el('select', fields(id), ...shape.options.map(option));
    field.value = value;
    return single(field);
}

function toggle({ value, id }) {
    const field = el('input', { ...fields(id), type: 'checkbox', role: 'switch', checked: value === 'on' });
    return { node: el('label.switch', field, 'On'), read: () => field.checked, focus: () => field.focus() };
}

function list({ value, id }) {
    const field = el('textarea', { ...fields(id), rows: 4, value: (value ?? []).join('\n'), spellcheck: 'false' });
    const lines = () => field.value.split('\n').map((line) => line.trim());
    return { node: labeled(field, 'One per line'), read: () => lines().filter(Boolean), focus: () => field.focus() };
}

/** A key can be written and never read: the field begins empty. */
function secret({ id }) {
    const field = el('input', { ...fields(id), type: 'password', autocomplete: 'off', spellcheck: 'false' });
    return { node: labeled(field, 'The new key'), read: () => field.value, focus: () => field.focus() };
}

/** Some of a number of words, in the order in which they were chosen. */
function choices({ shape, value, id }) {
    let chosen = [...(value ?? [])];
    const order = el('p.small.soft', { 'aria-live': 'polite' });
    const tell = () => {
        order.textContent = chosen.length ? `In this order: ${chosen.map(label).join(', ')}` : 'None is chosen.';
    };
    const option = (word) => {
        const box = el('input', { type: 'checkbox', checked: chosen.includes(word) });
        box.addEventListener('change', () => {
            chosen = box.checked ? [...chosen, word] : chosen.filter((one) => one !== word);
            tell();
        });
        return el('label', box, label(word));
    };
    tell();
    const node = el('fieldset.choices', { id }, el('legend', 'Choose any; the first is asked first'), ...shape.options.map(option));
    return { node: el('div.stack.tight', node, order), read: () => chosen, focus: () => node.querySelector('input').focus() };
}

const FIELDS = {
    __proto__: null,
    number,
    decimal,
    one_of: oneOf,
    switch: toggle,
    list,
    choices,
    secret,
};

function single(field) {
    return { node: labeled(field, 'New value'), read: () => field.value, focus: () => (field.focus(), field.select?.()) };
}

function labeled(field, words) {
    return el('label.field', words, field);
}

function fields(id) {
    return { id, 'aria-describedby': `${id}-wrong` };
}

function label(word) {
    return Object.hasOwn(LABELS, word) ? LABELS[word] : word;
}
