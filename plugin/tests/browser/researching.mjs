// “Research this note”: what is chosen is written, and can be undone.

import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { openNote, run, signIn, until } from './acts.mjs';

async function note({ page, look, server, vault }) {
    const file = `${vault}/Bees/Honey yield.md`;
    const before = await readFile(file, 'utf8');
    const text = () => readFile(file, 'utf8');
    const is = (what, isSo) => until(what, async () => isSo(await text()));
    await signIn(page, server.token);
    await openNote(page, 'Bees/Honey yield.md');

    const preview = async () => {
        await run(page, 'research-note');
        await page.getByRole('button', { name: 'Preview the changes' }).click();
        await page.locator('.wellread-part').first().waitFor();
    };
    await run(page, 'research-note');
    await page.getByText('Read pages as well').waitFor();
    await look('research-form');
    await page.keyboard.press('Escape');
    await page.locator('.modal-bg').click({ position: { x: 5, y: 5 } }).catch(() => undefined);

    // Part by part: one is left out.
    await preview();
    assert.equal(await page.locator('.wellread-part').count(), 2);
    assert.equal(await text(), before, 'a preview writes nothing');
    await look('research-preview');
    await page.locator('.wellread-part', { hasText: 'Drone brood' }).getByRole('checkbox').uncheck();
    await look('research-part');
    await page.getByRole('button', { name: 'Write 1 of 2 parts' }).click();
    await is('the part is written', (now) => now.includes('### Heather honey and its moisture'));
    const part = await text();
    assert(part.startsWith(before) && part.includes('## Research') && !part.includes('Drone brood'), part);
    assert.match(part, /<!-- wellread: run \w+ -->/);
    await page.locator('.cm-content', { hasText: 'Heather honey and its moisture' }).waitFor();
    await look('research-written');
    await page.getByRole('button', { name: 'Undo' }).click();
    await is('it is undone', (now) => now === before);

    // All of it, by the server.
    await preview();
    await page.getByRole('button', { name: 'Write this' }).click();
    await is('all is written', (now) => now.includes('Drone brood removal') && now.includes('Heather honey and its moisture'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await is('all is undone', (now) => now === before);

    // A note that changed after the preview is not written to by guess.
    await preview();
    await page.locator('.wellread-part').first().getByRole('checkbox').uncheck();
    await page.evaluate(() => window.nativeRead('Bees/Honey yield.md').then((now) => window.nativeWrite('Bees/Honey yield.md', `${now}\nMine.\n`)));
    await page.getByRole('button', { name: 'Write 1 of 2 parts' }).click();
    await page.getByText('The note has changed').waitFor();
    assert.equal(await text(), `${before}\nMine.\n`);
    await look('research-changed');
}

export const researches = { note };
