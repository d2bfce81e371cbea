// The files that a note embeds: pictures are shown where they stand, others can be saved. They come from the vault alone, with the
// page's key: a picture of the web is never loaded.

import { blob } from './api.js';
import { el } from './dom.js';
import { button } from './pieces.js';
import { sayProblem } from './say.js';

const PICTURE = /\.(avif|bmp|gif|jpe?g|png|svg|webp)$/i;
/** Pictures are fetched shortly before they come into view. */
const AHEAD = '600px';

/** Puts the files of a note into their places within `text`, until `signal` ends that. */
export function showAttachments(text, note, signal) {
    const places = new IntersectionObserver(
        (seen) => {
            for (const { target, isIntersecting } of seen) {
                if (!isIntersecting) continue;
                places.unobserve(target);
                picture(target, note, signal);
            }
        },
        { rootMargin: AHEAD },
    );
    signal.addEventListener('abort', () => places.disconnect());
    for (const place of text.querySelectorAll('.attachment')) {
        if (PICTURE.test(place.dataset.name)) places.observe(place);
        else place.replaceChildren(place.textContent, ' ', button('Save', () => save(place.dataset.name, note, signal), { kind: 'quiet', 'aria-label': `Save ${nameOf(place)}` }));
    }
}

async function picture(place, note, signal) {
    const { name, words } = place.dataset;
    const width = /^\d{1,4}(x\d{1,4})?$/.test(words) ? Number.parseInt(words, 10) : null;
    try {
        const url = URL.createObjectURL(await blob(addressOf(name, note), { signal }));
        signal.addEventListener('abort', () => URL.revokeObjectURL(url));
        const alt = width || !words ? nameOf(place) : words;
        const shown = el('img', { src: url, alt, width, onerror: () => fail(place, 'it can\'t be shown as a picture') });
        place.replaceChildren(shown);
    } catch (error) {
        if (error.name !== 'AbortError') fail(place, error.detail || error.message);
    }
}

function fail(place, why) {
    place.replaceChildren(`Embedded: ${nameOf(place)} (${why})`);
}

async function save(name, note, signal) {
    try {
        const url = URL.createObjectURL(await blob(addressOf(name, note), { signal }));
        el('a', { href: url, download: name.split('/').pop() }).click();
        // The browser has to have taken it first.
        setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (error) {
        if (error.name !== 'AbortError') sayProblem(error);
    }
}

function addressOf(name, note) {
    return `/api/attachments?${new URLSearchParams({ name, note })}`;
}

function nameOf(place) {
    return place.dataset.name.split('/').pop();
}
