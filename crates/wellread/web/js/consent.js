// The page on which the user allows a program elsewhere something, or denies it. What the program says of itself is shown as text.

import { el } from './dom.js';
import { HEADER, pageKey } from './page_key.js';

const main = document.querySelector('main');
const query = location.search.slice(1);
const BEFORE_A_CLICK_COUNTS_MS = 800;

/** The server's answer; `status` is its status. */
async function ask(path, body) {
    const headers = { 'Content-Type': 'application/json', [HEADER]: pageKey() };
    const request = { method: 'POST', credentials: 'same-origin', headers, body: JSON.stringify({ query, ...body }) };
    const response = await fetch(path, request);
    return { ...(await response.json()), status: response.status };
}

async function begin() {
    let said;
    try {
        said = await ask('/oauth/consent/request');
    } catch {
        said = { status: 0, detail: 'the server does not answer', hint: 'reload this page' };
    }
    if (said.status === 200) main.replaceChildren(...question(said));
    else if (said.status === 401) main.replaceChildren(...door());
    else refuse(said);
}

function refuse({ detail, hint }) {
    main.replaceChildren(el('h1', 'Not possible'), el('p', `Wellread: ${detail}.`), el('p', `${hint}.`));
}

/** Where the user signs in. What begins the session leads back here: see `opened.js`. */
function door() {
    const remember = () => sessionStorage.setItem('wellread-return', location.pathname + location.search);
    const token = el('input', { type: 'password', name: 'token', required: true, autocomplete: 'current-password' });
    return [
        el('h1', 'Sign in'),
        el('p', 'A program wants to use your Wellread. Sign in to see what it asks for.'),
        el(
            'form',
            { method: 'post', action: '/open', onsubmit: remember },
            el('label', 'Token ', token),
            ' ',
            el('button.button.main', 'Sign in'),
        ),
        el('p.soft', 'The token is in the file that ', el('code', 'wellread serve --json'), ' names. Enter it only if the address of this page is yours.'),
    ];
}

function question({ client, redirect, is_local: isLocal, scopes, vaults }) {
    const said = el('p.wrong', { role: 'alert', hidden: true });
    const receiver = isLocal ? `a program on your own computer (${redirect})` : redirect;
    const chosen = (name) => [...form.elements].filter((field) => field.name === name && field.checked).map((field) => field.value);
    const decide = async (allow) => {
        const answer = await ask('/oauth/consent', allow ? { allow, scopes: chosen('scope'), vaults: chosen('vault') } : { allow });
        if (answer.status === 200) return location.assign(answer.redirect);
        said.textContent = `${answer.detail}: ${answer.hint}.`;
        said.hidden = false;
    };
    const allow = el('button.button.main', 'Allow');
    const form = el(
        'form.consent-form',
        {
            onsubmit: (event) => {
                event.preventDefault();
                decide(true);
            },
            onchange: () => keepReading(form),
        },
        el('fieldset', el('legend', 'It may'), scopes.map(({ name, about, chosen: on }) => choice('scope', name, about, on))),
        el(
            'fieldset',
            { hidden: vaults.length === 1 },
            el('legend', 'In these vaults'),
            vaults.map((name) => choice('vault', name, '', vaults.length === 1)),
        ),
        said,
        el('div.row', allow, el('button.button', { type: 'button', onclick: () => decide(false) }, 'Deny')),
    );
    holdBack(allow);
    return [
        el('h1', 'Connect a program?'),
        el('p', el('strong', { dir: 'auto' }, client), ', as it calls itself, wants to use your Wellread. The answer goes to ', el('strong', receiver), '.'),
        el('p.soft', 'Allow it only if you have just asked that program to connect. Private notes are never shown to it.'),
        form,
        el('p.soft', 'It stays connected for 30 days, or until you sign it out in the settings of the page.'),
    ];
}

/** Nothing else is of use without `read`. */
function keepReading(form) {
    const [read, ...others] = [...form.elements].filter((field) => field.name === 'scope').sort((one, other) => (other.value === 'read') - (one.value === 'read'));
    const isNeeded = others.some((field) => field.checked);
    if (isNeeded) read.checked = true;
}

/** A click that was meant for another page must not fall on the button: it works once the page was in front for a while. */
function holdBack(button) {
    let timer;
    const wait = () => {
        clearTimeout(timer);
        button.disabled = true;
        timer = setTimeout(() => (button.disabled = !document.hasFocus()), BEFORE_A_CLICK_COUNTS_MS);
    };
    for (const kind of ['focus', 'blur', 'pageshow']) window.addEventListener(kind, wait);
    document.addEventListener('visibilitychange', wait);
    wait();
}

function choice(kind, name, about, on) {
    const field = el('input', { type: 'checkbox', name: kind, value: name, checked: on });
    return el('label.choice', field, el('span', el('strong', name), about ? `: ${about}.` : ''));
}

begin();
