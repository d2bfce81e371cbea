// The codebases beside the vault, in the settings: which there are, and how to add and remove them.

import { get, post, remove } from './api.js';
import { el } from './dom.js';
import { button, chip, fieldProblem, problem, wait } from './pieces.js';
import { say } from './say.js';

const LATER = 'It takes effect when the server starts again.';

export function repositories(signal) {
    const place = el('div.stack', wait('Looking…'));
    const load = async () => {
        try {
            show(await get('/api/repos', { signal }));
        } catch (error) {
            if (error.name !== 'AbortError') place.replaceChildren(problem(error, { again: load }));
        }
    };
    const show = ({ repos }) =>
        place.replaceChildren(
            el('p', 'Folders of code that search and research may read; nothing in them is changed or run.'),
            repos.length ? el('ul.entries', repos.map((repo) => entry(repo, show))) : el('p.soft', 'No repositories yet.'),
            form(show),
        );
    load();
    return place;
}

function entry({ name, path, exists, state }, show) {
    const end = async (event) => {
        const pressed = event.currentTarget;
        pressed.disabled = true;
        try {
            show(await remove(`/api/repos/${encodeURIComponent(name)}`));
            say(`Removed \`${name}\`; its files are unchanged. ${LATER}`);
        } catch (error) {
            pressed.disabled = false;
            pressed.closest('li').append(problem(error));
        }
    };
    const note = { added: 'after a restart', removed: 'removed after a restart' }[state];
    return el(
        'li',
        el(
            'div.row.spread',
            el(
                'div.stack.tight',
                el('div.row', el('strong', name), note && chip('pending', note), !exists && chip('failed', 'no such folder')),
                el('code.small', path),
            ),
            state === 'removed' ? null : button('Remove', end, { 'aria-label': `Remove ${name}` }),
        ),
    );
}

function form(show) {
    const path = el('input', { type: 'text', placeholder: '/home/me/code/apiary', spellcheck: 'false', 'aria-describedby': 'repo-wrong' });
    const name = el('input', { type: 'text', spellcheck: 'false' });
    const wrong = el('p.field-error.small', { id: 'repo-wrong', role: 'alert', hidden: true });
    const add = async (event) => {
        event.preventDefault();
        wrong.hidden = true;
        try {
            show(await post('/api/repos', { path: path.value, name: name.value.trim() || null }));
            say(`Added. ${LATER}`);
        } catch (error) {
            wrong.replaceChildren(...fieldProblem(error));
            wrong.hidden = false;
            path.setAttribute('aria-invalid', 'true');
            path.focus();
        }
    };
    return el(
        'form.repo-form',
        { 'aria-label': 'Add a repository', novalidate: true, onsubmit: add },
        el('label.field', 'Folder', path),
        el('label.field', 'Name (optional)', name),
        el('button.button', { type: 'submit' }, 'Add'),
        wrong,
    );
}
