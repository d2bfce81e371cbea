// Text that a model or a web page wrote, shown as markdown.
//
// Not with Obsidian's own renderer: that one loads pictures from the web and lets other plugins run the code blocks that are
// theirs, so an answer could act. The renderer of the server's page makes elements of text alone.

import type { App } from 'obsidian';
import { markdown } from 'wellread-page/markdown.js';
import { type Place, openPlace } from '../open_place';

export function renderText(app: App, parent: HTMLElement, text: string): void {
    const block = markdown(text, { from: 4 });
    block.classList.add('wellread-text');
    for (const link of Array.from(block.querySelectorAll<HTMLAnchorElement>('a.inner'))) {
        const place = placeOf(link);
        link.className = 'internal-link';
        link.setAttribute('href', '#');
        link.setAttribute('title', place.line ? `${place.note}, line ${place.line}` : place.note);
        link.addEventListener('click', (event) => {
            event.preventDefault();
            void openPlace(app, place, event);
        });
    }
    for (const link of Array.from(block.querySelectorAll('a[target]'))) link.classList.add('external-link');
    parent.empty();
    parent.appendChild(block);
}

/** Where a link of the page leads. The lines of a citation follow the link as text, `[[Note]]:12-14`, and become part of it. */
function placeOf(link: HTMLAnchorElement): Place {
    const address = link.getAttribute('href') ?? '';
    const [path = '', query = ''] = address.replace(/^#\/(note|find)\//, '').split('?');
    const note = path.split('/').map(decodeURIComponent).join('/');
    const known = new URLSearchParams(query).get('line');
    if (known) return { note, line: Number(known) };
    const heading = /#\s*([^#^|]+)$/.exec(link.textContent ?? '')?.[1];
    const after = link.nextSibling;
    const lines = after?.nodeType === 3 ? /^:(\d{1,9})(-\d{1,9})?/.exec(after.nodeValue ?? '') : null;
    if (!after || !lines?.[1]) return { note, heading };
    after.nodeValue = (after.nodeValue ?? '').slice(lines[0].length);
    link.append(lines[0]);
    return { note, heading, line: Number(lines[1]) };
}
