// Where the page begins: the bar, the keys, the line to the server, and the views.

import { el } from './dom.js';
import { listen } from './keys.js';
import * as live from './live.js';
import * as nav from './nav.js';
import { empty, spoken } from './pieces.js';
import { start } from './router.js';
import * as vaults from './vaults.js';
import { VIEWS } from './views.js';

nav.draw(VIEWS);
listen(VIEWS);

live.hear('line', (isOpen) => {
    const gone = document.getElementById('gone');
    gone.hidden = isOpen;
    const words =
        'The server does not answer. This page may be out of date; it reconnects automatically. Check that `wellread serve` is still running.';
    gone.replaceChildren(...(isOpen ? [] : spoken(words)));
});
live.open();
// Where it can't be asked, the views say so.
vaults.offer().catch(() => {});

function lost() {
    const home = el('a.button', { href: '#/' }, 'Home');
    return { title: 'Not found', nodes: [empty('Page not found', 'Check the address.', home)] };
}

start(VIEWS, lost, nav.shown);
