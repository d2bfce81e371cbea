// The plugin: registers its view, commands, settings and the marks in the editor, and holds the connection to the server.

import { MarkdownView, Notice, Plugin, TFile } from 'obsidian';
import type { Host } from './host';
import { checkNote } from './note/check_note';
import { VerdictGutter } from './note/verdict_gutter';
import { verdictsByLine } from './note/verdict_lines';
import { PairModal } from './pair_modal';
import { ResearchModal } from './research/research_modal';
import { SearchModal } from './search/search_modal';
import { Connection } from './server/connection';
import { readTokenFile } from './server/desktop';
import { ACTION, type Pairing, parsePairing } from './server/pairing';
import { asProblem } from './server/problem';
import { DEFAULTS, type WellreadSettings, readSettings, saveToken } from './settings';
import { WellreadSettingTab } from './settings_tab';
import { ICON, type TabName, VIEW_TYPE, WellreadView } from './view';

export default class WellreadPlugin extends Plugin implements Host {
    override settings: WellreadSettings = DEFAULTS;
    readonly connection = new Connection(this.app, () => this.settings);
    private readonly gutter = new VerdictGutter(({ line }) => void this.revealLine(line));

    override async onload(): Promise<void> {
        this.settings = readSettings(await this.loadData());
        this.register(() => this.connection.reset());
        // A server that this window has started ends with the window.
        this.registerDomEvent(window, 'beforeunload', () => this.connection.reset());
        this.registerView(VIEW_TYPE, (leaf) => new WellreadView(leaf, this));
        this.registerEditorExtension(this.gutter.extension);
        this.addRibbonIcon(ICON, 'Open vault chat', () => void this.openTab('chat'));
        this.addSettingTab(new WellreadSettingTab(this.app, this));
        this.addCommands();
        this.registerObsidianProtocolHandler(ACTION, (query) => this.pairByLink(query));
    }

    activeNote(): TFile | null {
        const file = this.app.workspace.getActiveFile();
        return file?.extension === 'md' ? file : null;
    }

    research(note: TFile): void {
        // The server reads the file, so what is in the editor must be in it.
        void this.save(note).then(() => new ResearchModal(this, note).open());
    }

    async checkNote(note: TFile, sources?: string[]): Promise<void> {
        const view = await this.openTab('note');
        const panel = view?.openNotePanel() ?? null;
        panel?.showChecking(note);
        try {
            const report = await checkNote(this, note, sources);
            this.gutter.show(note.path, verdictsByLine(report.sentences));
            panel?.showReport(note, report, sources ? 'the notes it links to' : 'what they cite');
        } catch (error) {
            this.gutter.clear(note.path);
            panel?.showTrouble(note, error, (linked) => void this.checkNote(note, linked));
        }
    }

    /** Changes settings. A connection that was made by the old ones is dropped. */
    async set(changed: Partial<WellreadSettings>): Promise<void> {
        const before = this.settings;
        this.settings = { ...before, ...changed };
        await this.saveData(this.settings);
        const { address, startServer, program } = this.settings;
        if (address !== before.address || startServer !== before.startServer || program !== before.program) this.connection.reset();
    }

    /** Pairs with what was pasted or found. */
    async pair({ address, token, tokenFile }: Pairing): Promise<void> {
        const secret = token ?? (tokenFile ? await readTokenFile(tokenFile) : undefined);
        if (secret) saveToken(this.app, secret);
        await this.set({ address: address ?? (this.settings.address || 'http://127.0.0.1:8000') });
        this.connection.reset();
    }

    async unpair(): Promise<void> {
        saveToken(this.app, '');
        await this.set({ address: '' });
        this.connection.reset();
    }

    private addCommands(): void {
        this.addCommand({ id: 'open-chat', name: 'Open vault chat', callback: () => void this.openTab('chat') });
        this.addCommand({ id: 'open-inbox', name: 'Open inbox', callback: () => void this.openTab('inbox') });
        this.addCommand({ id: 'search', name: 'Search by meaning', callback: () => new SearchModal(this).open() });
        const forNote = (id: string, name: string, act: (note: TFile) => void): void => {
            this.addCommand({
                id,
                name,
                checkCallback: (isChecking) => {
                    const note = this.activeNote();
                    if (note && !isChecking) act(note);
                    return note !== null;
                },
            });
        };
        forNote('research-note', 'Research this note', (note) => this.research(note));
        forNote('check-note', 'Check this note', (note) => void this.checkNote(note));
        forNote('clear-marks', 'Clear the marks of this note', (note) => this.gutter.clear(note.path));
    }

    /** Shows the sidebar with a tab, and opens it where it is not there yet. */
    private async openTab(tab: TabName): Promise<WellreadView | null> {
        const { workspace } = this.app;
        let leaf = workspace.getLeavesOfType(VIEW_TYPE)[0] ?? null;
        if (!leaf) {
            leaf = workspace.getRightLeaf(false);
            await leaf?.setViewState({ type: VIEW_TYPE, active: true });
        }
        if (!leaf) return null;
        await workspace.revealLeaf(leaf);
        if (!(leaf.view instanceof WellreadView)) return null;
        leaf.view.open(tab);
        return leaf.view;
    }

    private async revealLine(line: number): Promise<void> {
        const view = await this.openTab('note');
        view?.openNotePanel()?.reveal(line);
    }

    private async save(note: TFile): Promise<void> {
        for (const { view } of this.app.workspace.getLeavesOfType('markdown'))
            if (view instanceof MarkdownView && view.file?.path === note.path) await view.save();
    }

    private pairByLink(query: Record<string, string>): void {
        try {
            const { address, token } = parsePairing(`obsidian://${ACTION}?${new URLSearchParams(query).toString()}`);
            if (!address || !token) throw new Error('this link is not complete');
            const pair = (): void => void this.pair({ address, token }).then(() => this.openTab('chat'));
            new PairModal(this.app, address, pair).open();
        } catch (error) {
            new Notice(asProblem(error).message);
        }
    }
}
