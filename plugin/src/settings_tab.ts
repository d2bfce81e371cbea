// The settings: which server, how it is paired, and how far research goes.

import { type App, FileSystemAdapter, Platform, PluginSettingTab, Setting } from 'obsidian';
import type WellreadPlugin from './main';
import { checkAddress, parsePairing } from './server/pairing';
import { asProblem } from './server/problem';
import { findRunningServer } from './server/running_server';
import { loadToken } from './settings';
import { addParagraph, addProblem } from './ui/elements';

const PROGRAM_EXAMPLE = '/usr/local/bin/wellread';
const ADDRESS_EXAMPLE = 'http://127.0.0.1:8000';

export class WellreadSettingTab extends PluginSettingTab {
    private pasted = '';

    constructor(
        app: App,
        private readonly plugin: WellreadPlugin,
    ) {
        super(app, plugin);
    }

    override display(): void {
        this.draw();
    }

    private draw(): void {
        this.containerEl.empty();
        this.addConnection();
        if (Platform.isDesktopApp) this.addOwnServer();
        this.addPairing();
        new Setting(this.containerEl).setName('Research').setHeading();
        new Setting(this.containerEl)
            .setName('Read pages as well')
            .setDesc('Whether research of a note reads the pages that it finds, or only uses the results of searches.')
            .addToggle((toggle) =>
                toggle.setValue(this.plugin.settings.depth === 'deep').onChange((on) => this.plugin.set({ depth: on ? 'deep' : 'shallow' })),
            );
    }

    private addConnection(): void {
        const setting = new Setting(this.containerEl).setName('Connection').setDesc('Not connected.');
        const place = this.containerEl.createDiv();
        const { connection } = this.plugin;
        const tell = (): void => {
            const { state } = connection;
            place.empty();
            if (state.kind === 'connecting') setting.setDesc('Connecting…');
            else if (state.kind === 'ready') setting.setDesc(`Connected to ${state.client.endpoint.address}${state.ours ? ', which this window has started' : ''}.`);
            else setting.setDesc('Not connected.');
            if (state.kind === 'off' && state.problem) addProblem(place, state.problem);
            if (state.kind === 'ready' && !state.client.streams)
                addParagraph(place, `Answers arrive whole: run \`wellread config set server.origins ${window.location.origin}\` and restart the server to see them as they are written.`, 'wellread-notice');
        };
        const connect = (): void => {
            connection.reset();
            connection.client().then(tell, tell);
            tell();
        };
        setting.addButton((button) => button.setButtonText('Connect').setCta().onClick(connect));
        tell();
    }

    private addOwnServer(): void {
        const { plugin } = this;
        new Setting(this.containerEl)
            .setName('Start the server')
            .setDesc('Starts Wellread for this vault when it is needed, and ends it with this window. Not used if an address is set below.')
            .addToggle((toggle) => toggle.setValue(plugin.settings.startServer).onChange((on) => plugin.set({ startServer: on })));
        new Setting(this.containerEl)
            .setName('Program')
            .setDesc('Where the program is, if it is not where it is usually installed.')
            .addText((text) =>
                text
                    .setPlaceholder(PROGRAM_EXAMPLE)
                    .setValue(plugin.settings.program)
                    .onChange((program) => plugin.set({ program: program.trim() })),
            );
    }

    private addPairing(): void {
        const { plugin } = this;
        new Setting(this.containerEl).setName('A server that is already running').setHeading();
        const problems = createDiv();
        const attempt = async (work: () => Promise<void>): Promise<void> => {
            problems.empty();
            try {
                await work();
            } catch (error) {
                addProblem(problems, asProblem(error));
                return;
            }
            // What came of it is said at the top, good or bad.
            await plugin.connection.client().catch(() => undefined);
            this.draw();
        };
        const { adapter } = this.app.vault;
        if (Platform.isDesktopApp && adapter instanceof FileSystemAdapter)
            new Setting(this.containerEl)
                .setName('On this computer')
                .setDesc('Finds the address and the token of the server that runs here, and pairs with it.')
                .addButton((button) =>
                    button.setButtonText('Find and pair').onClick(() =>
                        attempt(async () => plugin.pair(await findRunningServer(plugin.settings.program, adapter.getBasePath()))),
                    ),
                );
        new Setting(this.containerEl)
            .setName('Address')
            .setDesc('Empty to use a server that the plugin starts.')
            .addText((text) =>
                text
                    .setPlaceholder(ADDRESS_EXAMPLE)
                    .setValue(plugin.settings.address)
                    .onChange((address) => plugin.set({ address: address.trim() ? checkedAddress(address) : '' })),
            );
        new Setting(this.containerEl)
            .setName('Token')
            .setDesc(
                `${loadToken(this.app) ? 'A token is stored on this device, outside the vault.' : 'No token is stored.'} Paste the token, a pairing link, or the line that the server prints with --json.`,
            )
            .addText((text) => {
                text.inputEl.type = 'password';
                text.setPlaceholder('Paste here').onChange((value) => (this.pasted = value));
            })
            .addButton((button) => button.setButtonText('Pair').onClick(() => attempt(() => plugin.pair(parsePairing(this.pasted)))))
            .addButton((button) => button.setButtonText('Forget').onClick(() => attempt(() => plugin.unpair())));
        this.containerEl.appendChild(problems);
    }
}

/** While an address is being typed it may not be one yet. */
function checkedAddress(written: string): string {
    try {
        return checkAddress(written.trim());
    } catch {
        return '';
    }
}
