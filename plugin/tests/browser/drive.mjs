// Drives the plugin in a browser, end to end, against the real server: node drive.mjs PROGRAM [FOLDER FOR PICTURES]

import { strict as assert } from 'node:assert';
import { mkdir } from 'node:fs/promises';
import { chats } from './chatting.mjs';
import { checks } from './checking.mjs';
import { decides } from './deciding.mjs';
import { pairs } from './pairing.mjs';
import { researches } from './researching.mjs';
import { startsServer } from './starting.mjs';
import { startModel } from './model.mjs';
import { PAGES, answer } from './script.mjs';
import { makeFolder, openBrowser, openWindow, startPage, startServer } from './stage.mjs';
import { startWeb } from './web.mjs';

const [program, pictures] = process.argv.slice(2);
assert(program, 'say which program is the server: node drive.mjs PROGRAM [FOLDER FOR PICTURES]');
if (pictures) await mkdir(pictures, { recursive: true });

const folder = await makeFolder();
const [model, web, here, elsewhere] = await Promise.all([startModel(answer), startWeb(PAGES), startPage(), startPage()]);
const server = await startServer(program, folder, {
    WELLREAD_SERVER_ORIGINS: here.origin,
    WELLREAD_MODEL_BASE_URL: model.url,
    LLM_MODEL: 'scripted',
    WELLREAD_GATE_MODEL: 'off',
    WELLREAD_SEARCH_SERVICES: 'searxng',
    WELLREAD_SEARCH_SEARXNG_BASE_URL: web.base,
    WELLREAD_RESEARCH_SOURCES: 'web',
    WELLREAD_HTTP_ALLOW: web.base.replace('http://', ''),
});
const browser = await openBrowser();

/** One story, in a window of its own. */
async function story(name, tell, { origin = here.origin, ...options } = {}) {
    const { page, errors } = await openWindow(browser, origin, folder.vault, options);
    page.setDefaultTimeout(60000);
    const look = async (what) => pictures && page.screenshot({ path: `${pictures}/${what}.png` });
    try {
        await tell({ page, look, server, vault: folder.vault, elsewhere, program, folder });
    } catch (error) {
        await look(`failed-${name}`);
        throw error;
    }
    assert.deepEqual(errors, [], `errors in the page of “${name}”`);
    await page.close();
    console.log(`ok  ${name}`);
}

try {
    const paired = { settings: { address: server.url } };
    await story('pairs by what is pasted, and says what is missing', pairs.byPaste);
    await story('chats, streamed, a conversation for each note', chats.aboutNotes, paired);
    await story('stops an answer', chats.stops, paired);
    await story('applies an edit that the model proposes', chats.edits, paired);
    await story('chats without streaming where the server does not know the page', chats.whole, { ...paired, origin: elsewhere.origin });
    await story('researches a note and writes what is chosen', researches.note, paired);
    await story('approves an agenda, accepts and dismisses findings', decides.inbox, paired);
    await story('checks a note, with marks in the gutter', checks.note, paired);
    await story('shows the health of a note', checks.health, paired);
    await story('searches by meaning', checks.search, paired);
    await story('works on a phone with a server elsewhere, and says why not without', pairs.onPhone, { mobile: true, size: { width: 390, height: 800 } });
    await startsServer({ program, ...folder });
    console.log('ok  starts the server and reads its token');
    console.log('all good');
} finally {
    await browser.close();
    await server.stop();
    for (const one of [model, web, here, elsewhere]) one.close();
    await folder.close();
}
process.exit(0);
