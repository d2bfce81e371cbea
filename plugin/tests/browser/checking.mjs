// What can be said about a note: whether its claims hold, and how it fits with the others; and finding notes.

import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { openNote, run, signIn, untilOpened } from './acts.mjs';

const DRAFT = `# Draft

The treatment threshold for varroa in August is 3 % of adult bees ([[Varroa mite]]:22).

The treatment threshold for varroa in August is 5 % of adult bees ([[Varroa mite]]:22).

Mites sing in the evening when the moon is full ([[Varroa mite]]:22).

This sentence cites nothing.
`;

async function note({ page, look, server, vault }) {
    await writeFile(`${vault}/Draft.md`, DRAFT);
    await page.reload();
    await page.evaluate(([url, links]) => window.start({ address: url }, links), [server.url, { 'Bees/Varroa mite.md': { 'Bees/Oxalic acid.md': 1 } }]);
    await signIn(page, server.token);
    await openNote(page, 'Draft.md');
    await run(page, 'check-note');
    await page.locator('.wellread-mark').first().waitFor();
    const marks = () => page.locator('.wellread-mark').evaluateAll((all) => all.map(({ className }) => className.replace('wellread-mark is-', '')));
    const [first, second, third] = await marks();
    assert(['quoted', 'supported'].includes(first), first);
    assert.deepEqual([second, third], ['contradicted', 'unknown']);
    await page.getByText('1 sentence without a citation: not checked.').waitFor();
    const worst = page.getByLabel('Checked sentences').locator('.wellread-card').first();
    assert.match(await worst.innerText(), /contradicted[\s\S]*line 5[\s\S]*3 %/);
    await look('check-marks');
    await page.evaluate(() => (document.body.className = 'theme-dark'));
    await look('check-dark');

    // A mark leads to its sentence, a place to the note.
    await page.locator('.wellread-mark.is-contradicted').click();
    await worst.locator('a', { hasText: 'Varroa mite' }).click();
    await untilOpened(page, ({ path, where }) => path === 'Bees/Varroa mite.md' && where.line === 21);

    // A line that is edited loses its mark; text that is not saved is what is checked.
    await openNote(page, 'Draft.md');
    await run(page, 'check-note');
    await page.locator('.wellread-mark').nth(2).waitFor();
    await page.locator('.cm-line', { hasText: '5 % of adult' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.type('Today: ');
    assert.deepEqual((await marks()).slice(1), ['unknown']);

    // A note that cites nothing is offered the notes that it links to.
    await openNote(page, 'Bees/Varroa mite.md');
    await run(page, 'check-note');
    await page.getByRole('button', { name: 'Check against the notes it links to' }).click();
    await page.getByText(/of \d+ sentences? supported by the notes it links to/).waitFor();
    await look('check-linked');
}

async function health({ page, look, server }) {
    await signIn(page, server.token);
    await openNote(page, 'Bees/Oxalic acid.md');
    await run(page, 'open-chat');
    await page.getByRole('tab', { name: 'This note' }).click();
    const list = page.getByLabel('Health of the note');
    await list.getByText('Contradictions').waitFor();
    await look('health');
    await list.getByText(/oxalic acid treatment: 2024-12-21 here/).click();
    await untilOpened(page, ({ path, where }) => path === 'Bees/Bramble hive.md' && where.line === 12);
    await openNote(page, 'Bees/Varroa mite.md');
    await list.getByText('links to “Drone frame”').waitFor();
}

async function search({ page, look, server }) {
    await signIn(page, server.token);
    await run(page, 'search');
    await page.getByPlaceholder('Describe what you are looking for').fill('keeping colonies alive through the cold months');
    const results = page.locator('.suggestion-item');
    await results.first().waitFor();
    await look('search');
    await results.first().click();
    await untilOpened(page, ({ path, where }) => path.endsWith('.md') && typeof where.line === 'number');
    await run(page, 'search');
    await page.getByPlaceholder('Describe what you are looking for').fill('"qqq zzz xxx"');
    await page.locator('.suggestion-empty', { hasText: 'No results' }).waitFor();
}

export const checks = { note, health, search };
