// The bar: its views, which of them is shown, and how many findings are new: in the bar and in the tab's title.

import { el, icon } from './dom.js';
import { hear, now } from './live.js';

const links = new Map();
const badges = new Map();
let title = 'Wellread';

export function addressOf(name) {
    return name === 'home' ? '#/' : `#/${name}`;
}

/** Draws the bar from the views that stand in it. */
export function draw(views) {
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
    const major = views.filter((view) => view.text && !view.minor).map(entry);
    const minor = views.filter((view) => view.minor).map(entry);
    nav.append(el('ul', { id: 'views' }, ...major, el('li.more', more), ...minor));
    hear('counts', count);
}

/** Whether the view stands behind "More" where the bar is short. */
function markMore(link) {
    document.querySelector('#nav .more')?.classList.toggle('current', Boolean(link?.closest('.minor')));
}

/** Which view is shown, by its entry in the bar, and what it is called. */
export function shown(listed, called) {
    for (const [known, link] of links) {
        if (known === listed) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
    }
    markMore(links.get(listed));
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
