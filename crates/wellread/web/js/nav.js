// The views in the bar, which of them is shown, and how many findings are new: in the bar and in the tab's title.

import { el, icon } from './dom.js';
import { hear, now } from './live.js';

/** Each view: its name, what it is called, the key after `g`, its drawing; the minor ones are behind "More" on a phone. */
export const VIEWS = [
    { name: 'home', text: 'Home', key: 'h', draw: ['M3 11l9-8 9 8', 'M5 10v10h14V10'] },
    {
        name: 'search',
        text: 'Search',
        key: 's',
        draw: ['M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z', 'M15.5 15.5L21 21'],
    },
    {
        name: 'agenda',
        text: 'Agenda',
        key: 'a',
        draw: ['M9 6h12M9 12h12M9 18h12', 'M3 6l1.5 1.5L7 5M3 12l1.5 1.5L7 11M3 18l1.5 1.5L7 17'],
    },
    { name: 'inbox', text: 'Inbox', key: 'i', draw: ['M3 13l3-9h12l3 9v7H3z', 'M3 13h5l2 3h4l2-3h5'] },
    { name: 'chat', text: 'Chat', key: 'c', minor: true, draw: ['M4 5h16v11H9l-5 4z'] },
    {
        name: 'health',
        text: 'Health',
        key: 'l',
        minor: true,
        draw: [
            'M6 6m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
            'M18 8m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
            'M11 18m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0',
            'M8 7l7.5 1M7 8l3 8M16.5 10l-4 6',
        ],
    },
    { name: 'runs', text: 'Runs', key: 'r', minor: true, draw: ['M12 3a9 9 0 1 0 9 9', 'M12 7v5l3.5 2'] },
    {
        name: 'settings',
        text: 'Settings',
        key: 't',
        minor: true,
        draw: [
            'M4 7h10M18 7h2M4 17h4M12 17h8',
            'M16 7m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
            'M10 17m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
        ],
    },
];

const links = new Map();
const badges = new Map();
let title = 'Wellread';

export function addressOf(name) {
    return name === 'home' ? '#/' : `#/${name}`;
}

export function draw() {
    const nav = document.getElementById('nav');
    const more = el(
        'button',
        { type: 'button', 'aria-expanded': 'false', 'aria-controls': 'views' },
        icon('M5 12h.01M12 12h.01M19 12h.01'),
        'More',
    );
    const open = (isOpen) => {
        nav.classList.toggle('open', isOpen);
        more.setAttribute('aria-expanded', String(isOpen));
    };
    more.addEventListener('click', () => open(!nav.classList.contains('open')));
    nav.addEventListener('click', (event) => event.target.closest('a') && open(false));
    nav.addEventListener('keydown', (event) => event.key === 'Escape' && open(false));
    const entry = ({ name, text, minor, draw: paths }) => {
        const badge = el('span.badge', { hidden: true });
        const link = el('a', { href: addressOf(name) }, icon(...paths), text, badge);
        links.set(name, link);
        badges.set(name, badge);
        return el(minor ? 'li.minor' : 'li', link);
    };
    const major = VIEWS.filter((view) => !view.minor).map(entry);
    const minor = VIEWS.filter((view) => view.minor).map(entry);
    nav.append(el('ul', { id: 'views' }, ...major, el('li.more', more), ...minor));
    hear('counts', count);
}

/** Which view is shown, and what it is called. */
export function shown(name, called) {
    const listed = { note: 'search', find: 'search' }[name] ?? name;
    for (const [known, link] of links) {
        if (known === listed) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
    }
    title = called === 'Wellread' ? called : `${called} · Wellread`;
    entitle();
}

function count(counts) {
    badge('inbox', counts.new, 'new');
    badge('agenda', counts.pending, 'waiting');
    entitle();
}

function badge(name, number, what) {
    const node = badges.get(name);
    node.hidden = !number;
    node.replaceChildren(String(number), el('span.unseen', ` ${what}`));
}

function entitle() {
    const fresh = now.counts?.new ?? 0;
    document.title = fresh ? `(${fresh}) ${title}` : title;
}
