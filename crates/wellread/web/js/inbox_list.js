// The list of the inbox: new, accepted and dismissed findings, so many at a time.

import { findingAddress } from './addresses.js';
import { drafts } from './decision.js';
import { el } from './dom.js';
import { button, chip, hostOf, when } from './pieces.js';

export const TABS = [
    ['new', 'New'],
    ['accepted', 'Accepted'],
    ['dismissed', 'Dismissed'],
];
/** How many are asked for, and how many more each time. */
export const PAGE = 200;

/** `pick` is called with the event and the finding that was clicked on, `more` when further ones are wanted. */
export function inboxList({ findings, counts, status, chosen }, { pick, more }) {
    const tab = ([name, text]) =>
        el(
            'a.button.quiet',
            {
                href: name === 'new' ? '#/inbox' : `#/inbox?status=${name}`,
                'aria-current': name === status ? 'page' : null,
            },
            `${text} ${(counts[name] ?? 0).toLocaleString()}`,
        );
    const entry = (one) =>
        el(
            'li',
            el(
                'a',
                {
                    href: findingAddress(one.id),
                    onclick: (event) => pick(event, one),
                    'data-entry': true,
                    'aria-current': one.id === chosen?.id ? 'true' : null,
                },
                el('span.title', { dir: 'auto' }, one.title),
                el('span.soft.small', hostOf(one.url), ', ', when(one.created)),
                one.status === 'new' && drafts.of(one.id) && el('span', chip('pending', 'your draft')),
            ),
        );
    return [
        el('div.tabs', ...TABS.map(tab)),
        findings.length ? el('ul.entries', ...findings.map(entry)) : null,
        rest(findings.length, counts[status] ?? 0, more),
    ].filter(Boolean);
}

function rest(shown, all, more) {
    if (shown >= all || !shown) return null;
    const next = Math.min(PAGE, all - shown);
    return el(
        'div.stack.rest',
        el('p.soft.small', `${shown.toLocaleString()} of ${all.toLocaleString()} shown.`),
        button(`Show ${next} more`, more),
    );
}
