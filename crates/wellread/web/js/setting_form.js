// The form that a row of the settings opens: a field, what is wrong with it, and how to save, give up or go back to the default.

import { post, remove } from './api.js';
import { el } from './dom.js';
import { button, fieldProblem } from './pieces.js';
import { settingField } from './setting_field.js';

/**
 * The form of a setting. `changed` hears the server's answer, `close` that the user has given up. What it starts from is what will
 * count when the server starts again.
 */
export function settingForm(key, entry, { file, changed, close }) {
    const address = `/api/settings/${encodeURIComponent(key)}`;
    const id = `edit-${key.replaceAll('.', '-')}`;
    const now = entry.next ?? entry;
    const field = settingField({ ...entry, value: now.value }, id);
    const wrong = el('p.field-error.small', { id: `${id}-wrong`, role: 'alert', hidden: true });
    const act = async (send) => {
        form.inert = true;
        try {
            changed(await send());
        } catch (error) {
            form.inert = false;
            tell(error);
        }
    };
    const tell = (error) => {
        wrong.replaceChildren(...fieldProblem(error));
        wrong.hidden = false;
        form.querySelector(`#${id}`)?.setAttribute('aria-invalid', 'true');
        field.focus();
    };
    const isOverridden = /^(\$|--)/.test(now.from);
    const isSet = now.from === file || isOverridden;
    const form = el(
        'form.setting-form',
        {
            'aria-label': `Edit ${key}`,
            novalidate: true,
            onsubmit: (event) => {
                event.preventDefault();
                act(() => post(address, { value: field.read() }));
            },
            onkeydown: (event) => event.key === 'Escape' && close(),
        },
        field.node,
        wrong,
        isOverridden &&
            el('p.notice.small', 'Overridden: ', el('code', now.from), ' takes precedence over what is saved here.'),
        entry.shape.kind === 'secret' &&
            el('p.small.soft', 'It is stored in the settings file, which only you can read, and never shown again.'),
        el(
            'div.row',
            el('button.button.main', { type: 'submit' }, 'Save'),
            button('Cancel', close),
            isSet && button(`Back to the default: ${said(entry.default)}`, () => act(() => remove(address)), { kind: 'quiet' }),
        ),
    );
    return { node: form, focus: field.focus };
}

/** A value for people. */
export function said(value) {
    if (value === '' || value === null || value === undefined) return 'empty';
    if (Array.isArray(value))
        return value.length ? value.map((one) => (typeof one === 'string' ? one : one.name)).join(', ') : 'none';
    if (typeof value === 'object') return Object.keys(value).length ? JSON.stringify(value) : 'none';
    return String(value);
}
