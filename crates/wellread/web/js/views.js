// Every view of the page, a row each: routes, the bar and the keys are made from this list.

import { agenda } from './views/agenda.js';
import { chat } from './views/chat.js';
import { code } from './views/code.js';
import { find } from './views/find.js';
import { health } from './views/health.js';
import { home } from './views/home.js';
import { inbox } from './views/inbox.js';
import { note } from './views/note.js';
import { notes } from './views/notes.js';
import { runs } from './views/runs.js';
import { search } from './views/search.js';
import { settings } from './views/settings.js';

/**
 * Each view: the `name` that its address begins with and what shows it. One that stands in the bar has what it is called there, the
 * key after `g` and its drawing; the minor ones are behind "More" on a phone. One that does not names the view that it is `under`.
 */
export const VIEWS = [
    { name: 'home', show: home, text: 'Home', key: 'h', draw: ['M3 11l9-8 9 8', 'M5 10v10h14V10'] },
    {
        name: 'search',
        show: search,
        text: 'Search',
        key: 's',
        draw: ['M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z', 'M15.5 15.5L21 21'],
    },
    {
        name: 'notes',
        show: notes,
        text: 'Notes',
        key: 'n',
        minor: true,
        draw: ['M6 3h9l4 4v14H6z', 'M15 3v4h4', 'M9 12h7M9 16h7'],
    },
    {
        name: 'agenda',
        show: agenda,
        text: 'Agenda',
        key: 'a',
        draw: ['M9 6h12M9 12h12M9 18h12', 'M3 6l1.5 1.5L7 5M3 12l1.5 1.5L7 11M3 18l1.5 1.5L7 17'],
    },
    { name: 'inbox', show: inbox, text: 'Inbox', key: 'i', draw: ['M3 13l3-9h12l3 9v7H3z', 'M3 13h5l2 3h4l2-3h5'] },
    { name: 'chat', show: chat, text: 'Chat', key: 'c', minor: true, draw: ['M4 5h16v11H9l-5 4z'] },
    {
        name: 'health',
        show: health,
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
    { name: 'runs', show: runs, text: 'Runs', key: 'r', minor: true, draw: ['M12 3a9 9 0 1 0 9 9', 'M12 7v5l3.5 2'] },
    {
        name: 'settings',
        show: settings,
        text: 'Settings',
        key: 't',
        minor: true,
        draw: [
            'M4 7h10M18 7h2M4 17h4M12 17h8',
            'M16 7m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
            'M10 17m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
        ],
    },
    { name: 'note', show: note, under: 'notes' },
    { name: 'find', show: find, under: 'search' },
    { name: 'code', show: code, under: 'search' },
];
