// An agenda is approved, and what it finds is accepted or dismissed.

import { strict as assert } from 'node:assert';
import { access, readFile } from 'node:fs/promises';
import { openNote, run, signIn, until } from './acts.mjs';

async function inbox({ page, look, server, vault }) {
    await signIn(page, server.token);
    await openNote(page, 'Bees/Honey yield.md');
    await run(page, 'open-inbox');
    await page.getByRole('button', { name: 'Propose research for this note' }).click();
    const agenda = page.getByLabel('Agendas').locator('.wellread-card').first();
    await agenda.getByRole('button', { name: 'Approve 2 tasks' }).waitFor();
    await look('inbox-agenda');
    await agenda.locator('.wellread-task', { hasText: 'drone frame' }).getByRole('checkbox').uncheck();
    await agenda.getByRole('button', { name: 'Approve 1 of 2 tasks' }).click();

    // What is found appears by itself.
    const findings = page.getByLabel('Findings');
    const heather = findings.locator('.wellread-card', { hasText: 'Heather honey and its moisture' });
    const drones = findings.locator('.wellread-card', { hasText: 'Drone brood removal' });
    await heather.waitFor();
    await drones.waitFor();
    assert((await heather.locator('.wellread-evidence blockquote').first().innerText()).includes('thixotropy'));
    assert.equal(await heather.locator('.wellread-chip.is-quoted').count(), 2);
    await look('inbox-findings');

    await heather.getByRole('button', { name: 'Accept' }).click();
    await heather.getByText('Saved as').waitFor();
    const path = (await heather.locator('.wellread-row a.internal-link').innerText()).trim();
    assert((await readFile(`${vault}/${path}`, 'utf8')).includes('thixotropy'));
    await look('inbox-accepted');
    await heather.getByRole('button', { name: 'Undo and remove the note' }).click();
    await heather.getByRole('button', { name: 'Accept' }).waitFor();
    await until('the note is gone', () => access(`${vault}/${path}`).then(() => false, () => true));
    await drones.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await drones.getByText('Dismissed.').waitFor();
    await page.setViewportSize({ width: 1700, height: 900 });
    await page.addStyleTag({ content: 'body { grid-template-columns: 44px 1fr 900px; }' });
    await page.evaluate(() => (document.body.className = 'theme-loud'));
    await look('inbox-wide-other-theme');
}

export const decides = { inbox };
