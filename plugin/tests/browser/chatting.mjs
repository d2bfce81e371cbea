// Conversations.

import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';
import { untilOpened, openNote, run, say, signIn, until } from './acts.mjs';
import { ANSWER } from './script.mjs';

async function begin({ page, server }) {
    await signIn(page, server.token);
    await openNote(page, 'Bees/Varroa mite.md');
    await page.getByLabel('Open vault chat').click();
    await page.getByText('About Varroa mite').waitFor();
    await page.getByText('Loading the conversation').waitFor({ state: 'detached' });
}

async function aboutNotes(stage) {
    const { page, look } = stage;
    await begin(stage);
    await page.evaluate(() => {
        window.seen = [];
        new MutationObserver(() => {
            const answers = document.querySelectorAll('.wellread-answer');
            window.seen.push(answers[answers.length - 1]?.textContent ?? '');
        }).observe(document.querySelector('.wellread-chat'), { childList: true, subtree: true, characterData: true });
    });
    const turn = await say(page, 'What is the threshold?');
    await turn.getByText('supported by what they cite').waitFor();
    assert((await turn.innerText()).includes(ANSWER));
    assert.match(await turn.locator('.wellread-tool').first().innerText(), /^Read file, \d/);
    assert((await page.evaluate(() => window.seen)).some((text) => text.includes('has a section') && !text.includes('In short')), 'it came piece by piece');
    await look('chat-answer');

    // A citation opens the note at the place.
    const citation = turn.locator('a.internal-link').first();
    assert.match(await citation.innerText(), /Varroa mite/);
    await citation.click();
    await untilOpened(page, ({ path, where }) => path === 'Bees/Varroa mite.md' && typeof where.line === 'number');

    // Another note has its own conversation; going back resumes the first.
    await openNote(page, 'Bees/Swarming.md');
    await page.getByText('About Swarming').waitFor();
    await until('the other conversation is empty', async () => !(await page.locator('.wellread-said').count()));
    await openNote(page, 'Bees/Varroa mite.md');
    await page.locator('.wellread-said', { hasText: 'What is the threshold?' }).waitFor();

    // So does a new window: the server keeps it.
    await page.evaluate(() => window.standIn.plugin.unload());
    assert.equal(await page.locator('.ribbon button').count(), 0);
    await page.reload();
    await page.evaluate((url) => window.start({ address: url }, {}), stage.server.url);
    await begin(stage);
    await page.locator('.wellread-said', { hasText: 'What is the threshold?' }).waitFor();
    assert((await page.locator('.wellread-turn').last().innerText()).includes(ANSWER));
    await page.evaluate(() => (document.body.className = 'theme-dark'));
    await look('chat-dark');
}

async function stops(stage) {
    const { page, look } = stage;
    await begin(stage);
    const turn = await say(page, 'Tell it slowly');
    await turn.getByText('One block after another').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await turn.getByText('Stopped.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const before = await turn.innerText();
    await look('chat-stopped');
    await page.waitForTimeout(300);
    assert.equal(await turn.innerText(), before, 'nothing comes after it was stopped');
    await page.getByLabel('New conversation').click();
    assert.equal(await page.locator('.wellread-said').count(), 0);
}

async function edits(stage) {
    const { page, look, vault } = stage;
    const note = `${vault}/Bees/Varroa mite.md`;
    await begin(stage);
    await page.getByLabel('New conversation').click();
    const before = await readFile(note, 'utf8');
    await say(page, 'Note it down');
    const waits = page.getByLabel('An edit that is waiting for you');
    await waits.waitFor();
    assert.equal(await readFile(note, 'utf8'), before);
    await look('chat-edit');
    await waits.getByRole('button', { name: 'Apply the edit' }).click();
    await until('the line is in the note', async () => (await readFile(note, 'utf8')).includes('- [ ] count mites on 1 August'));
    await page.locator('.cm-content', { hasText: 'count mites on 1 August' }).waitFor();
    assert.equal(await waits.count(), 0);
}

/** Where the server does not know the page, the browser refuses to read its answers; they come another way. */
async function whole(stage) {
    const { page, look } = stage;
    await begin(stage);
    await page.getByText('Answers arrive whole').waitFor();
    await page.getByLabel('New conversation').click();
    const turn = await say(page, 'What is the threshold?');
    await turn.getByText(ANSWER).first().waitFor();
    await look('chat-whole');
    await run(page, 'open-inbox');
    await page.getByText('Propose research first').waitFor();
}

export const chats = { aboutNotes, stops, edits, whole };
