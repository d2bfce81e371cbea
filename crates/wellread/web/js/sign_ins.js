// The browsers that are signed in, in the settings: which they are, and how to sign them out.

import { get, post } from './api.js';
import { el } from './dom.js';
import { button, chip, problem, wait, when } from './pieces.js';

export function signIns(signal) {
    const place = el('div.stack', wait('Looking…'));
    show(place, signal);
    return place;
}

async function show(place, signal) {
    try {
        const { sign_ins: all } = await get('/api/sign-ins', { signal });
        const shown = [
            el('p', 'A browser stays signed in for 30 days, or until it is signed out here.'),
            all.length ? el('ul.entries', all.map((one) => entry(one, place, signal))) : el('p.soft', 'No browser is signed in.'),
            all.length ? el('div.row', button('Sign out everywhere', () => end('/api/sign-ins/end', true, place, signal))) : null,
        ];
        place.replaceChildren(...shown.filter(Boolean));
    } catch (error) {
        if (error.name !== 'AbortError') place.replaceChildren(problem(error, { again: () => show(place, signal) }));
    }
}

function entry({ id, browser, host, began, last_used: used, current }, place, signal) {
    const moment = (seconds) => when(new Date(seconds * 1000).toISOString());
    const address = `/api/sign-ins/${encodeURIComponent(id)}/end`;
    const name = nameOf(browser);
    return el(
        'li',
        el(
            'div.row.spread',
            el(
                'div.stack.tight',
                el('div.row', el('strong', { title: browser, dir: 'auto' }, name), current ? chip('done', 'this browser') : null),
                el('span.soft.small', `${host}, signed in `, moment(began), ', last used ', moment(used)),
            ),
            button('Sign out', () => end(address, current, place, signal), { 'aria-label': `Sign out ${name}, ${id}` }),
        ),
    );
}

/** What browsers call themselves, and what people call them: the first that fits counts. */
const BROWSERS = [
    ['Firefox', 'Firefox'],
    ['Edg', 'Edge'],
    ['OPR', 'Opera'],
    ['HeadlessChrome', 'Chrome'],
    ['Chrome', 'Chrome'],
    ['Version', 'Safari'],
];
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'];

/** A browser's name for people; its own words where they are unknown. */
function nameOf(browser) {
    const known = BROWSERS.find(([word]) => browser.includes(`${word}/`));
    if (!known) return browser || 'A browser without a name';
    const version = browser.split(`${known[0]}/`)[1].split('.')[0];
    const system = SYSTEMS.find((word) => browser.includes(word));
    return `${known[1]} ${version}${system ? ` on ${system}` : ''}`;
}

/** Whoever signs this browser out is led to the door. */
async function end(address, current, place, signal) {
    try {
        await post(address);
    } catch (error) {
        place.replaceChildren(problem(error, { again: () => show(place, signal) }));
        return;
    }
    if (current) location.assign('/open');
    else await show(place, signal);
}
