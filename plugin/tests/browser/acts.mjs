// What a user does, in words.

/** Stores the token, as pairing does. */
export function signIn(page, token) {
    return page.evaluate((secret) => window.standIn.app.saveLocalStorage('wellread-token', secret), token);
}

export function openNote(page, path) {
    return page.evaluate(async (name) => {
        const { app } = window.standIn;
        await app.workspace.getLeaf(false).openFile(app.vault.getAbstractFileByPath(name));
    }, path);
}

export function run(page, command) {
    return page.evaluate((id) => window.standIn.app.standInRun(id), command);
}

/** Waits until a note is opened at a place that fits, and says where. */
export async function untilOpened(page, fits) {
    let last = null;
    await until('the note is opened', async () => {
        last = await page.evaluate(() => window.standIn.app.workspace.standInLast);
        return last !== null && fits(last);
    });
    return last;
}

export async function say(page, message) {
    await page.getByLabel('Your message').fill(message);
    await page.keyboard.press('Enter');
    return page.locator('.wellread-turn').last();
}

/** Shows the settings of the plugin, as Obsidian shows them. */
export function openSettings(page) {
    return page.evaluate(() => {
        const [tab] = window.standIn.app.standInTabs;
        const modal = new window.standIn.obsidian.Modal(window.standIn.app);
        modal.contentEl.appendChild(tab.containerEl);
        modal.open();
        tab.display();
    });
}

export async function until(what, isSo) {
    for (let tries = 0; tries < 600; tries += 1) {
        if (await isSo()) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`it never came to that: ${what}`);
}
