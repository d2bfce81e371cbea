// The app, and a plugin in it.

import type { Extension } from '@codemirror/state';
import { Component } from './component';
import { setIcon } from './icons';
import { MetadataCache, Vault } from './vault';
import { type View, Workspace, type WorkspaceLeaf } from './workspace';

export interface Command {
    id: string;
    name: string;
    callback?: () => unknown;
    checkCallback?: (isChecking: boolean) => boolean | void;
}

export interface SettingTabLike {
    display(): void;
    containerEl: HTMLElement;
}

type Handler = (query: Record<string, string>) => unknown;

export class App {
    readonly vault = new Vault();
    readonly metadataCache = new MetadataCache(this.vault);
    readonly workspace: Workspace;
    readonly standInExtensions: Extension[] = [];
    readonly standInCommands = new Map<string, Command>();
    readonly standInTabs: SettingTabLike[] = [];
    readonly standInHandlers = new Map<string, Handler>();
    private readonly views = new Map<string, (leaf: WorkspaceLeaf) => View>();
    private readonly stored = new Map<string, unknown>();

    constructor(
        main: HTMLElement,
        right: HTMLElement,
        readonly standInRibbon: HTMLElement,
    ) {
        this.workspace = new Workspace(this, main, right);
    }

    loadLocalStorage(key: string): unknown {
        return this.stored.get(key) ?? null;
    }

    saveLocalStorage(key: string, data: unknown): void {
        if (data === null) this.stored.delete(key);
        else this.stored.set(key, data);
    }

    standInRegisterView(type: string, make: (leaf: WorkspaceLeaf) => View): void {
        this.views.set(type, make);
    }

    standInMakeView(type: string, leaf: WorkspaceLeaf): View {
        const make = this.views.get(type);
        if (!make) throw new Error(`no view ${type}`);
        return make(leaf);
    }

    /** Runs a command as the palette would; says whether it was there to be run. */
    standInRun(id: string): boolean {
        const command = this.standInCommands.get(id);
        if (!command) throw new Error(`no command ${id}`);
        if (command.callback) {
            command.callback();
            return true;
        }
        if (!command.checkCallback?.(true)) return false;
        command.checkCallback(false);
        return true;
    }
}

export class Plugin extends Component {
    private data: unknown = null;

    constructor(
        readonly app: App,
        readonly manifest: { id: string; name: string; version: string },
    ) {
        super();
    }

    loadData(): Promise<unknown> {
        return Promise.resolve(this.data);
    }

    saveData(data: unknown): Promise<void> {
        this.data = JSON.parse(JSON.stringify(data));
        return Promise.resolve();
    }

    addCommand(command: Command): Command {
        this.app.standInCommands.set(command.id, command);
        this.register(() => this.app.standInCommands.delete(command.id));
        return command;
    }

    addRibbonIcon(icon: string, title: string, act: () => unknown): HTMLElement {
        const button = this.app.standInRibbon.createEl('button', { cls: 'clickable-icon', attr: { 'aria-label': title, title } });
        setIcon(button, icon);
        button.addEventListener('click', act);
        this.register(() => button.remove());
        return button;
    }

    addSettingTab(tab: SettingTabLike): void {
        this.app.standInTabs.push(tab);
    }

    registerView(type: string, make: (leaf: WorkspaceLeaf) => View): void {
        this.app.standInRegisterView(type, make);
    }

    registerEditorExtension(extension: Extension): void {
        this.app.standInExtensions.push(extension);
    }

    registerObsidianProtocolHandler(action: string, handler: Handler): void {
        this.app.standInHandlers.set(action, handler);
    }
}
