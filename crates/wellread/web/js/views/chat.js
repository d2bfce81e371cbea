// A conversation with the agent: what it looks at is told, and an edit that it wants to make waits for the user's word.

import { get, stream } from '../api.js';
import { el } from '../dom.js';
import { gateHelp } from '../gate_help.js';
import { markdown } from '../markdown.js';
import { borneOut, button, chip, counted, diff, head, problem, spoken, when } from '../pieces.js';
import { note } from '../router.js';
import { lasted } from '../time.js';

export async function chat(at) {
    const { sessions } = await get('/api/sessions', { signal: at.signal });
    const wanted = at.parts[0] ?? null;
    let session = wanted;
    const talk = el('div.talk', { role: 'log', 'aria-label': 'Conversation' });
    const pending = el('div.stack');
    const field = el('textarea', {
        rows: 2,
        dir: 'auto',
        'aria-label': 'Your message',
        placeholder: 'Ask about your notes, or request a change',
    });
    const send = el('button.button.main', { type: 'submit' }, 'Send');
    const form = el(
        'form.say',
        field,
        el('div.row.spread', el('span.soft.small', 'Enter sends, Shift+Enter starts a new line'), send),
    );

    const turn = async (body) => {
        send.disabled = true;
        const tools = el('div.stack');
        const text = el('div');
        const answer = el('div.spoken', tools, text);
        talk.append(answer);
        let said = '';
        try {
            const request = session
                ? { ...body, session_id: session }
                : { ...body, new: body.message ? true : undefined };
            for await (const { name, data } of stream('/chat', request, { signal: at.signal })) {
                if (name === 'text') {
                    text.replaceChildren(markdown((said += data.text), { from: 3 }));
                    answer.scrollIntoView({ block: 'nearest' });
                }
                if (name === 'again') text.replaceChildren((said = ''));
                if (name === 'tool') tools.append(el('p.spoken.tool', `${data.name} …`));
                if (name === 'tool_done') tools.lastChild?.replaceChildren(called(data));
                if (name === 'checking')
                    tools.append(el('p.spoken.tool', data.again ? 'asking again' : 'checking every sentence'));
                if (name === 'done') {
                    session = data.session_id;
                    note(`#/chat/${encodeURIComponent(session)}`);
                    text.replaceChildren(...[markdown(data.response, { from: 3 }), about(data)].filter(Boolean));
                    waits(data.pending ?? []);
                }
            }
        } catch (error) {
            if (error.name !== 'AbortError') text.replaceChildren(problem(error));
        }
        send.disabled = false;
        (pending.firstChild ?? answer).scrollIntoView({ block: 'nearest' });
    };
    const waits = (edits) =>
        pending.replaceChildren(
            ...edits.map((edit) => waiting(edit, (what) => (pending.replaceChildren(), turn({ [what]: edit.id })))),
        );
    const submit = () => {
        const message = field.value.trim();
        if (!message || send.disabled) return;
        field.value = '';
        hint.remove();
        talk.append(el('p.spoken.user', { dir: 'auto' }, message));
        turn({ message });
    };
    form.addEventListener('submit', (event) => (event.preventDefault(), submit()));
    field.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        submit();
    });

    const hint = el(
        'div.empty',
        el('h2', 'Chat with your notes'),
        el('p', 'The agent searches and reads your vault and your code. It shows you every change before it is made.'),
    );
    if (wanted) {
        const { messages, pending: edits } = await get(`/api/sessions/${encodeURIComponent(wanted)}`, {
            signal: at.signal,
        });
        talk.append(...messages.map(message));
        waits(edits);
    } else {
        talk.append(hint);
    }
    const entry = ({ id, active_file: file, last }) =>
        el(
            'li',
            el(
                'a',
                { href: `#/chat/${encodeURIComponent(id)}`, 'aria-current': id === wanted ? 'true' : null },
                el('span.title', { dir: 'auto' }, file ?? 'Conversation'),
                el('span.soft.small', when(last)),
            ),
        );
    const others = el(
        'nav.stack',
        { 'aria-label': 'Conversations' },
        el('a.button', { href: '#/chat' }, 'New conversation'),
        sessions.length ? el('ul.entries', ...sessions.slice(0, 20).map(entry)) : null,
    );
    return { title: 'Chat', nodes: [head('Chat'), el('div.chat', others, el('div.stack', talk, pending, form))] };
}

function message({ role, text, unchecked }) {
    if (role === 'user') return el('p.spoken.user', { dir: 'auto' }, text);
    if (role === 'tool') return el('p.spoken.tool', text);
    return el('div.spoken', markdown(text, { from: 3 }), about({ unchecked }));
}

function called({ name, failed, waits, took_ms: took }) {
    if (waits) return `${name}: waiting for you`;
    return `${name}${failed ? ': failed' : ''}, ${lasted(took)}`;
}

function about({ coverage, notice, unchecked = [] }) {
    const parts = [];
    if (unchecked.length)
        parts.push(
            el(
                'details.fold.small',
                el('summary', chip('uncited'), ` ${counted(unchecked.length, 'sentence')} without a source`),
                el('ul.plain.stack', ...unchecked.map((text) => el('li', { dir: 'auto' }, text))),
            ),
        );
    if (coverage?.sentences)
        parts.push(
            el(
                'p.soft.small',
                `${borneOut(coverage)} of ${counted(coverage.sentences, 'sentence')} supported by what they cite.`,
            ),
        );
    if (coverage?.sentences || unchecked.length) parts.push(gateHelp());
    if (notice) parts.push(el('p.notice.small', ...spoken(notice)));
    return parts.length ? el('div.stack', ...parts) : null;
}

function waiting(edit, decide) {
    return el(
        'section.card.stack',
        { 'aria-label': 'An edit that is waiting for you' },
        el('h2', `Proposed edit: ${edit.tool.replaceAll('_', ' ')}`),
        diff(edit.diff),
        el(
            'div.row',
            button('Apply the edit', () => decide('confirm'), { kind: 'main' }),
            button('Discard it', () => decide('decline')),
        ),
    );
}
