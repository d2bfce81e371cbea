import { beforeEach, expect, it, vi } from 'vitest';
import { renderText } from '../../src/text/rendered';
import * as places from '../../src/open_place';

const app = {} as Parameters<typeof renderText>[0];
let el: HTMLElement;

beforeEach(() => {
    el = createDiv();
});

function opened(text: string): { shown: string; place: unknown } {
    const open = vi.spyOn(places, 'openPlace').mockResolvedValue();
    renderText(app, el, text);
    const link = el.querySelector<HTMLElement>('a.internal-link');
    link?.click();
    const place: unknown = open.mock.calls.at(-1)?.[1];
    open.mockRestore();
    return { shown: link?.textContent ?? '', place };
}

it.each([
    ['Bees. ([[Mite drop count]]:29)', 'Mite drop count:29', { note: 'Mite drop count', line: 29 }],
    ['Bees. ([[Mites]]:29-31)', 'Mites:29-31', { note: 'Mites', line: 29 }],
    ['Bees. ([[Mites#Threshold]]:22)', 'Mites#Threshold:22', { note: 'Mites', heading: 'Threshold', line: 22 }],
    ['See [[Mites]].', 'Mites', { note: 'Mites' }],
    ['In `Bees/Mites.md:12-14`.', 'Bees/Mites.md:12-14', { note: 'Bees/Mites.md', line: 12 }],
])('the citation in “%s” opens its place', (text, shown, place) => {
    expect(opened(text)).toEqual({ shown, place });
});

it('what others wrote loads and runs nothing', () => {
    renderText(app, el, '![x](http://192.0.2.1/p.png) ![[Secret]] <img src=x onerror=alert(1)>\n\n```dataviewjs\nalert(1)\n```\n<script>alert(1)</script>');
    expect(el.querySelectorAll('img, script, iframe, style, object').length).toBe(0);
    expect(el.textContent).toContain('<img src=x onerror=alert(1)>');
    expect(el.querySelector('pre')?.textContent).toBe('alert(1)');
});

it('a link to the web leaves by itself, and any other scheme is text', () => {
    renderText(app, el, '[a](https://example.org/) [b](javascript:alert(1)) [c](obsidian://x)');
    expect(Array.from(el.querySelectorAll('a'), (link) => link.getAttribute('href'))).toEqual(['https://example.org/']);
});
