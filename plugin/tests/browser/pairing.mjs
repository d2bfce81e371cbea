// How the plugin finds its server, and what it says where there is none.

import { strict as assert } from 'node:assert';
import { openNote, openSettings, run } from './acts.mjs';

async function byPaste({ page, look, server }) {
    await openNote(page, 'Bees/Varroa mite.md');
    // In a browser there is no program that could be started.
    await run(page, 'open-chat');
    await page.locator('.wellread-problem').first().waitFor();
    await look('pair-missing');
    await openSettings(page);
    const field = page.getByPlaceholder('Paste here');
    const pair = page.getByRole('button', { name: 'Pair', exact: true });
    await field.fill('two words');
    await pair.click();
    await page.getByText('This can’t be used for pairing').waitFor();
    await field.fill(`${server.url} 0000`);
    await pair.click();
    await page.getByText('Not paired').first().waitFor();
    await look('pair-wrong');
    await page.getByPlaceholder('Paste here').fill(`${server.url}/open?code=x ${server.token}`);
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText(`Connected to ${server.url}.`).waitFor();
    await look('settings');
    const stored = await page.evaluate(() => window.standIn.plugin.loadData());
    assert(!JSON.stringify(stored).includes(server.token), 'the token is not in a file of the vault');

    // A link asks first; where nobody answers, it is told.
    await page.locator('.modal-bg').click({ position: { x: 5, y: 5 } });
    await page.evaluate(() => window.standIn.app.standInHandlers.get('wellread')({ action: 'wellread', address: 'http://127.0.0.1:9', token: 'x' }));
    await page.getByText('Pair with this server?').waitFor();
    await look('pair-link');
    await page.locator('.modal').getByRole('button', { name: 'Pair' }).click();
    await openNote(page, 'Bees/Swarming.md');
    await page.getByText('The server does not answer').first().waitFor();
    await look('pair-gone');
}

async function onPhone({ page, look, server }) {
    await page.addStyleTag({ content: 'body { grid-template-columns: 0 0 1fr; } .ribbon, .main { overflow: hidden; padding: 0; }' });
    await openNote(page, 'Bees/Varroa mite.md');
    await run(page, 'open-chat');
    await page.getByText('needs a server on another machine').waitFor();
    await look('phone-no-server');
    await openSettings(page);
    assert.equal(await page.getByText('Start the server').count(), 0);
    await page.getByPlaceholder('Paste here').fill(`${server.url} ${server.token}`);
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText(`Connected to ${server.url}.`).waitFor();
    await look('phone-settings');
    await page.locator('.modal-bg').click({ position: { x: 2, y: 2 } });
    // What could not be loaded before is there now.
    await page.locator('.wellread-said').first().waitFor();
    await look('phone-chat');
}

export const pairs = { byPaste, onPhone };
