// Panes and the views in them. A note is shown in a real CodeMirror editor, with the extensions that plugins have registered.

import { type Extension, StateField } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import type { App } from './app';
import { Component, Events } from './component';
import { native } from './native';
import type { TFile } from './vault';

export interface MarkdownFileInfo {
    file: TFile | null;
}

export const editorInfoField = StateField.define<MarkdownFileInfo>({ create: () => ({ file: null }), update: (value) => value });

export class View extends Component {
    icon = '';
    readonly app: App;
    readonly containerEl: HTMLElement;

    constructor(readonly leaf: WorkspaceLeaf) {
        super();
        this.app = leaf.app;
        this.containerEl = leaf.standInEl.createDiv({ cls: 'workspace-leaf-content' });
    }

    getViewType(): string {
        return '';
    }

    getDisplayText(): string {
        return '';
    }

    async onOpen(): Promise<void> {}

    async onClose(): Promise<void> {}
}

export class ItemView extends View {
    readonly contentEl: HTMLElement;

    constructor(leaf: WorkspaceLeaf) {
        super(leaf);
        this.contentEl = this.containerEl.createDiv({ cls: 'view-content' });
    }
}

/** How often a file that others may write is read again. */
const LOOKS_MS = 300;

export class MarkdownView extends ItemView {
    file: TFile | null = null;
    readonly editor = { getValue: (): string => this.standInEditor?.state.doc.toString() ?? '' };
    standInEditor: EditorView | null = null;
    private saved = '';

    override getViewType(): string {
        return 'markdown';
    }

    async standInShow(file: TFile, line: number | null): Promise<void> {
        if (this.file !== file) {
            this.file = file;
            this.saved = await this.app.vault.read(file);
            this.contentEl.empty();
            this.standInEditor?.destroy();
            this.standInEditor = new EditorView({
                doc: this.saved,
                extensions: [lineNumbers(), EditorView.lineWrapping, editorInfoField.init(() => ({ file })), ...this.app.standInExtensions],
                parent: this.contentEl,
            });
            this.registerInterval(window.setInterval(() => void this.lookAgain(), LOOKS_MS));
        }
        if (line === null || !this.standInEditor) return;
        const at = this.standInEditor.state.doc.line(Math.min(line + 1, this.standInEditor.state.doc.lines));
        this.standInEditor.dispatch({ selection: { anchor: at.from, head: at.to }, effects: EditorView.scrollIntoView(at.from, { y: 'center' }) });
        this.standInEditor.focus();
    }

    async save(): Promise<void> {
        if (!this.file || this.editor.getValue() === this.saved) return;
        this.saved = this.editor.getValue();
        await native.write(this.file.path, this.saved);
    }

    /** Takes over what somebody else has written, as Obsidian does. */
    private async lookAgain(): Promise<void> {
        if (!this.file || !this.standInEditor) return;
        const text = await this.app.vault.read(this.file);
        if (text === this.saved || this.editor.getValue() !== this.saved) return;
        let same = 0;
        while (same < text.length && text[same] === this.saved[same]) same += 1;
        this.standInEditor.dispatch({ changes: { from: same, to: this.saved.length, insert: text.slice(same) } });
        this.saved = text;
    }
}

export class WorkspaceLeaf {
    view: View;

    constructor(
        readonly app: App,
        readonly standInEl: HTMLElement,
    ) {
        this.view = new View(this);
    }

    async setViewState({ type }: { type: string; active?: boolean }): Promise<void> {
        await this.standInOpen(this.app.standInMakeView(type, this));
    }

    async openFile(file: TFile, state?: { eState?: Record<string, unknown> }): Promise<void> {
        const line = state?.eState?.['line'];
        let view = this.view;
        if (!(view instanceof MarkdownView)) {
            view = new MarkdownView(this);
            await this.standInOpen(view);
        }
        await (view as MarkdownView).standInShow(file, typeof line === 'number' ? line : null);
        this.app.workspace.standInOpened(file, state?.eState ?? {});
    }

    private async standInOpen(view: View): Promise<void> {
        this.view.unload();
        this.view.containerEl.remove();
        this.view = view;
        view.load();
        await view.onOpen();
    }
}

export class Workspace extends Events {
    readonly standInLeaves: WorkspaceLeaf[] = [];
    /** The last note that was opened, and where. */
    standInLast: { path: string; where: Record<string, unknown> } | null = null;
    private active: TFile | null = null;

    constructor(
        private readonly app: App,
        private readonly main: HTMLElement,
        private readonly right: HTMLElement,
    ) {
        super();
    }

    getActiveFile(): TFile | null {
        return this.active;
    }

    getLeavesOfType(type: string): WorkspaceLeaf[] {
        return this.standInLeaves.filter(({ view }) => view.getViewType() === type);
    }

    getLeaf(_new?: boolean | string): WorkspaceLeaf {
        return this.getLeavesOfType('markdown')[0] ?? this.make(this.main);
    }

    getRightLeaf(_split: boolean): WorkspaceLeaf {
        return this.make(this.right);
    }

    async revealLeaf(_leaf: WorkspaceLeaf): Promise<void> {}

    standInOpened(file: TFile, where: Record<string, unknown>): void {
        this.standInLast = { path: file.path, where };
        if (this.active === file) return;
        this.active = file;
        this.trigger('file-open', file);
    }

    private make(place: HTMLElement): WorkspaceLeaf {
        const leaf = new WorkspaceLeaf(this.app, place);
        this.standInLeaves.push(leaf);
        return leaf;
    }
}

export type EditorExtensions = Extension[];
