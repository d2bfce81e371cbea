// One question, one paragraph, its source.

import { placeAddress, runAddress } from './addresses.js';
import { stream } from './api.js';
import { el } from './dom.js';
import { markdown } from './markdown.js';
import { borneOut, chip, noteLink, outside, problem, spoken } from './pieces.js';
import { steps } from './steps.js';

const KINDS = {
    __proto__: null,
    answer: ['done', 'answer'],
    unsure: ['unsure', 'not certain'],
    clarify: ['unsure', 'too broad'],
    unavailable: ['failed', 'not available'],
};

export function ask(signal) {
    const field = el('input', {
        type: 'text',
        name: 'query',
        dir: 'auto',
        'aria-label': 'Your question',
        placeholder: 'When do bees swarm?',
        required: true,
        maxlength: 1000,
        autocomplete: 'off',
    });
    const send = el('button.button.main', { type: 'submit' }, 'Ask');
    const place = el('div', { 'aria-live': 'polite' });
    const form = el(
        'form.ask',
        el('div.join', field, send),
        el('p.soft.small', 'One factual question. The answer names the note, code or page that supports it.'),
        place,
    );
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        const query = field.value.trim();
        if (!query) return field.focus();
        send.disabled = true;
        const progress = steps();
        place.replaceChildren(progress.node);
        try {
            for await (const event of stream('/api/ask', { query }, { signal })) {
                progress.tell(event);
                if (event.name === 'done') place.replaceChildren(answer(event.data));
            }
        } catch (error) {
            if (error.name !== 'AbortError') place.replaceChildren(problem(error));
        }
        send.disabled = false;
    });
    return form;
}

function answer({ answer: text, source, kind, run_id: run, coverage, notice }) {
    const [state, word] = KINDS[kind] ?? ['', kind];
    const checked = coverage?.sentences ? `${borneOut(coverage)} of ${coverage.sentences} sentences supported` : null;
    // The source stands on a line of its own below; it need not stand there twice.
    const said = source ? text.replace(/\n+\s*Source:[^\n]*\s*$/, '') : text;
    return el(
        'div.answer',
        markdown(said, { from: 3 }),
        source ? el('p', el('strong', 'Source: '), sourceLink(source)) : null,
        el(
            'div.row.small',
            chip(state, word),
            checked && el('span.soft', checked),
            run && el('a', { href: runAddress(run) }, 'How it was found'),
        ),
        notice && el('p.notice.small', ...spoken(notice)),
    );
}

function sourceLink(source) {
    if (/^https?:/.test(source)) return outside(source);
    const address = placeAddress(source);
    if (address) return el('a', { href: address, dir: 'auto' }, source);
    return source.endsWith('.md') ? noteLink(source, source) : el('code', source);
}
