// Search over notes and code, with what was found shown as it stands there.

import { noteAddress, searchAddress } from '../addresses.js';
import { get } from '../api.js';
import { el } from '../dom.js';
import { keysOf, moveIn } from '../keys.js';
import { chip, counted, empty, head, problem, spoken, wait } from '../pieces.js';
import { note } from '../router.js';
import { lasted } from '../time.js';

const MOST = 30;

export async function search(at) {
    const field = el('input', {
        type: 'search',
        dir: 'auto',
        value: at.query.get('q') ?? '',
        'aria-label': 'Search notes and code',
        placeholder: 'Words or a description',
        autocomplete: 'off',
    });
    const where = choice(
        'Search in',
        'in',
        [
            ['all', 'Everything'],
            ['notes', 'Notes'],
            ['code', 'Code'],
        ],
        at.query.get('in') ?? 'all',
    );
    const how = choice(
        'By',
        'mode',
        [
            ['hybrid', 'Words and meaning'],
            ['keyword', 'Words only'],
        ],
        at.query.get('mode') ?? 'hybrid',
    );
    const results = el('div.stack', { 'aria-live': 'polite' });
    const form = el(
        'form.stack',
        { role: 'search' },
        el('div.join', field, el('button.button.main', { type: 'submit' }, 'Search')),
        el('div.row.options', where, how),
    );
    const look = async () => {
        const query = field.value.trim();
        const asked = new URLSearchParams({ q: query, in: chosen(form, 'in'), mode: chosen(form, 'mode') });
        note(query ? `#/search?${asked}` : '#/search');
        if (!query) return results.replaceChildren(hints());
        results.replaceChildren(wait('Searching…'));
        asked.set('k', MOST);
        try {
            const found = await get(`/api/search?${asked}`, { signal: at.signal });
            results.replaceChildren(...shown(found, query));
        } catch (error) {
            if (error.name !== 'AbortError') results.replaceChildren(problem(error));
        }
    };
    form.addEventListener('submit', (event) => (event.preventDefault(), look()));
    form.addEventListener('change', (event) => event.target.type === 'radio' && look());
    keysOf({ j: () => moveIn(results, 1), k: () => moveIn(results, -1) }, at.signal);
    await look();
    setTimeout(() => field.focus(), 0);
    return { title: 'Search', nodes: [head('Search'), el('div.stack', form, results)] };
}

function choice(legend, name, options, picked) {
    const option = ([value, text]) =>
        el('label', el('input', { type: 'radio', name, value, checked: value === picked }), text);
    return el('fieldset.choices', el('legend', legend), ...options.map(option));
}

function chosen(form, name) {
    return form.querySelector(`input[name="${name}"]:checked`)?.value ?? '';
}

function hints() {
    const example = (query) => el('a.button', { href: searchAddress(query) }, query);
    return empty(
        'Search your notes and code',
        'Words in quotes are a phrase. Otherwise, search also finds the same meaning in other words. ' +
            '#tag and path:Folder narrow the search; -word, -#tag and -path:Folder leave notes out.',
        example('"hive scale"'),
        example('why do colonies die in winter'),
    );
}

function shown({ results, words, mode, notice, took_ms: took }, query) {
    if (!results.length)
        return [
            empty('No results', 'Try fewer or different words, or search everything.'),
            notice && el('p.notice', ...spoken(notice)),
        ].filter(Boolean);
    const files = new Set(results.map(({ path, repo }) => `${repo}:${path}`)).size;
    const said = `${counted(results.length, 'passage')} in ${counted(files, 'file')}, by ${mode === 'keyword' ? 'words' : 'words and meaning'}, ${lasted(took)}`;
    return [
        el('p.soft.small', said),
        notice && el('p.notice.small', ...spoken(notice)),
        ...results.map((result) => card(result, words ?? query)),
    ].filter(Boolean);
}

function card(result, words) {
    const { path, repo, heading, symbol, start_line: first, end_line: last, text, weak } = result;
    const place = repo ? `${repo}:${path}` : path;
    const title = repo
        ? el('h2.place', { tabindex: -1, 'data-entry': true, dir: 'auto' }, place)
        : el(
              'h2.place',
              { dir: 'auto' },
              el('a', { href: `${noteAddress(path)}?line=${first}`, 'data-entry': true }, place.replace(/\.md$/, '')),
          );
    const preview = repo
        ? el('pre', { tabindex: 0, 'aria-label': `Code from ${place}` }, el('code', ...markWords(text, words)))
        : shorten(text, heading) && el('p', { dir: 'auto' }, ...markWords(shorten(text, heading), words));
    return el(
        'article.card.stack.result',
        el(
            'div.row.spread',
            title,
            el(
                'span.row',
                weak && chip('', 'weak match'),
                chip('', repo ? 'code' : 'note'),
                el('span.soft.small', first === last ? `line ${first}` : `lines ${first}–${last}`),
            ),
        ),
        heading || symbol ? el('p.soft.small', { dir: 'auto' }, heading ?? symbol) : null,
        preview,
    );
}

/** The words of a passage without the signs of markdown. */
function shorten(text, heading) {
    const plain = text
        .replace(/^#+\s+(.*)$/gm, (_, title) => (title.trim() === heading ? '' : `${title}:`))
        .replace(/^\s*>\s?(\[!\w+\][+-]?)?/gm, '')
        .replace(/^\s*([-*+]|\d+\.)\s+(\[[ xX]\]\s+)?/gm, '· ')
        .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
        .replace(/\*\*|==|`/g, '')
        .replace(/\s+/g, ' ')
        .trim();
    return plain.length > 420 ? `${plain.slice(0, 420)}…` : plain;
}

/** The text in pieces, the words of the query as `<mark>`. */
function markWords(text, query) {
    const words = (query.match(/[\p{L}\p{N}_]{2,}/gu) ?? []).slice(0, 20);
    if (!words.length) return [text];
    const wanted = new RegExp(`(${words.join('|')})`, 'giu');
    return text.split(wanted).map((part, at) => (at % 2 ? el('mark', part) : part));
}
