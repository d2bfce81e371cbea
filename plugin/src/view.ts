// The sidebar: chat, inbox, and what there is to say about the open note, as three tabs.

import { ItemView, type WorkspaceLeaf, setIcon } from 'obsidian';
import { ChatPanel } from './chat/chat_panel';
import type { Host } from './host';
import { InboxPanel } from './inbox/inbox_panel';
import { NotePanel } from './note/note_panel';
import type { Panel } from './panel';
import { addParagraph } from './ui/elements';

export const VIEW_TYPE = 'wellread';
export const ICON = 'book-open-check';

export type TabName = 'chat' | 'inbox' | 'note';

interface Tab {
    panel: Panel;
    button: HTMLElement;
    el: HTMLElement;
}

const TABS: { name: TabName; title: string; icon: string; make: new (host: Host, el: HTMLElement) => Panel }[] = [
    { name: 'chat', title: 'Chat', icon: 'message-circle', make: ChatPanel },
    { name: 'inbox', title: 'Inbox', icon: 'inbox', make: InboxPanel },
    { name: 'note', title: 'This note', icon: 'file-check', make: NotePanel },
];

export class WellreadView extends ItemView {
    private readonly tabs = new Map<TabName, Tab>();
    private notice: HTMLElement | null = null;
    private current: TabName = 'chat';

    constructor(
        leaf: WorkspaceLeaf,
        private readonly host: Host,
    ) {
        super(leaf);
        this.icon = ICON;
    }

    override getViewType(): string {
        return VIEW_TYPE;
    }

    override getDisplayText(): string {
        return 'Wellread';
    }

    override async onOpen(): Promise<void> {
        const { contentEl } = this;
        contentEl.empty();
        contentEl.addClass('wellread-view');
        const bar = contentEl.createDiv({ cls: 'wellread-tabs', attr: { role: 'tablist' } });
        this.notice = contentEl.createDiv();
        for (const { name, title, icon, make } of TABS) {
            const button = bar.createEl('button', { cls: 'wellread-tab', attr: { type: 'button', role: 'tab' } });
            setIcon(button.createSpan(), icon);
            button.createSpan({ text: title });
            this.registerDomEvent(button, 'click', () => this.open(name));
            const el = contentEl.createDiv({ cls: `wellread-panel wellread-panel-${name}`, attr: { role: 'tabpanel', 'aria-label': title } });
            this.tabs.set(name, { panel: this.addChild(new make(this.host, el)), button, el });
        }
        this.registerEvent(this.app.workspace.on('file-open', () => this.tabs.get(this.current)?.panel.show()));
        this.registerEvent(this.host.connection.on('change', () => this.showNotice()));
        this.open(this.current);
        return Promise.resolve();
    }

    open(name: TabName): void {
        this.current = name;
        for (const [other, { button, el }] of this.tabs) {
            const isShown = other === name;
            button.toggleClass('is-active', isShown);
            button.setAttribute('aria-selected', String(isShown));
            el.toggleClass('is-hidden', !isShown);
        }
        this.tabs.get(name)?.panel.show();
    }

    /** The tab about the open note, which is shown, too. */
    openNotePanel(): NotePanel | null {
        this.open('note');
        const panel = this.tabs.get('note')?.panel;
        return panel instanceof NotePanel ? panel : null;
    }

    /** What the user should know about the server that it works with. */
    private showNotice(): void {
        const { state } = this.host.connection;
        this.notice?.empty();
        if (!this.notice || state.kind !== 'ready') return;
        if (state.otherVault)
            addParagraph(this.notice, `This server works with another vault: ${state.otherVault}`, 'wellread-notice');
        if (!state.client.streams)
            addParagraph(
                this.notice,
                `Answers arrive whole: the server does not know this app yet. Run \`wellread config set server.origins ${window.location.origin}\` and restart it.`,
                'wellread-notice',
            );
    }
}
