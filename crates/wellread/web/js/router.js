// From the address to the view. The part after `#` is the address within the page: `#/inbox/ID`, `#/search?q=…`.

import { problem } from './pieces.js';

/** Where a view is: `parts` of the path, `query`, and a `signal` that ends when it is left. */
let leaving = new AbortController();

/** Shows the view that the address names, `lost` where there is none; `onShown` hears its entry in the bar and its title. */
export function start(views, lost, onShown) {
    const main = document.getElementById('main');
    let first = true;
    const show = async () => {
        // `#main` is the skip link's.
        if (location.hash && !location.hash.startsWith('#/')) return;
        leaving.abort();
        // What lies over a view is about it.
        for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
        leaving = new AbortController();
        const { signal } = leaving;
        const at = { ...parse(location.hash), signal };
        const view = views.find(({ name }) => name === at.name);
        main.setAttribute('aria-busy', 'true');
        let shown;
        try {
            shown = await (view?.show ?? lost)(at);
        } catch (error) {
            if (signal.aborted || error.name === 'AbortError') return;
            shown = { title: 'Something went wrong', nodes: [problem(error, { heading: 'h1', again: show })] };
        }
        if (signal.aborted) return;
        main.replaceChildren(...shown.nodes.flat().filter(Boolean));
        main.removeAttribute('aria-busy');
        onShown(view?.under ?? at.name, shown.title);
        if (!first) {
            scrollTo(0, 0);
            main.focus({ preventScroll: true });
        }
        first = false;
    };
    addEventListener('hashchange', show);
    show();
}

export function go(address) {
    if (location.hash === address) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.hash = address;
}

/** The same view at another address, without showing it anew. */
export function note(address) {
    history.replaceState(null, '', address);
}

function parse(hash) {
    const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
    const parts = path.split('/').map(readable);
    return { name: parts[0] || 'home', parts: parts.slice(1), query: new URLSearchParams(query) };
}

function readable(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}
