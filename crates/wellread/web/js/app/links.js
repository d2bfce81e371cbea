// Links in a view that stands alone: they leave through the host, or are words.

/** Where a link of the page may lead from here: the web, or a note in Obsidian. Nothing for any other. */
export function destination(href, obsidian) {
    if (/^https?:\/\//i.test(href)) return href;
    const note = /^#\/note\/([^?]+)/.exec(href);
    if (!note || !obsidian) return null;
    const path = note[1].split('/').map(decodeURIComponent).join('/');
    return `obsidian://open?vault=${encodeURIComponent(obsidian)}&file=${encodeURIComponent(path)}`;
}

/** Sends the links within `root` through `open`; what leads nowhere from here becomes words. */
export function leadOut(root, { open, obsidian }) {
    for (const link of root.querySelectorAll('a[href]')) {
        const address = open && destination(link.getAttribute('href'), obsidian);
        if (!address) {
            const words = document.createElement('span');
            words.append(...link.childNodes);
            words.title = link.title;
            words.dir = link.dir;
            link.replaceWith(words);
            continue;
        }
        link.href = address;
        link.addEventListener('click', (event) => {
            event.preventDefault();
            open(address);
        });
    }
    return root;
}
