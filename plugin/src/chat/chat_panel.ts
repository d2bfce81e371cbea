// The chat tab: the conversation about the note that is open, and the field to write in.

import { setIcon } from 'obsidian';
import { Panel } from '../panel';
import type { Host } from '../host';
import { noteName } from '../ui/words';
import { Conversation } from './conversation';

export class ChatPanel extends Panel {
    private readonly conversations = new Map<string, Conversation>();
    private readonly about: HTMLElement;
    private readonly place: HTMLElement;
    private readonly field: HTMLTextAreaElement;
    private readonly send: HTMLButtonElement;
    private current: Conversation | null = null;

    constructor(host: Host, el: HTMLElement) {
        super(host, el);
        const head = el.createDiv({ cls: 'wellread-row wellread-spread' });
        this.about = head.createDiv({ cls: 'wellread-soft' });
        const anew = head.createEl('button', { cls: 'clickable-icon', attr: { type: 'button', 'aria-label': 'New conversation' } });
        setIcon(anew, 'plus');
        this.registerDomEvent(anew, 'click', () => this.current?.startNew());
        this.place = el.createDiv({ cls: 'wellread-chat' });
        const form = el.createEl('form', { cls: 'wellread-composer' });
        this.field = form.createEl('textarea', {
            attr: { rows: '3', dir: 'auto', 'aria-label': 'Your message', placeholder: 'Ask about your notes, or request a change' },
        });
        this.send = form.createEl('button', { cls: 'mod-cta', text: 'Send', attr: { type: 'submit' } });
        this.registerDomEvent(form, 'submit', (event) => {
            event.preventDefault();
            this.submit();
        });
        this.registerDomEvent(this.field, 'keydown', (event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            if (!this.current?.isBusy) this.submit();
        });
    }

    override onload(): void {
        const { connection } = this.host;
        // What could not be loaded may be there now.
        this.registerEvent(connection.on('change', () => connection.state.kind === 'ready' && void this.current?.load()));
    }

    override show(): void {
        const note = this.host.activeNote()?.path ?? null;
        this.current = this.conversation(note);
        this.about.setText(note ? `About ${noteName(note)}` : 'About the whole vault');
        this.place.empty();
        this.place.appendChild(this.current.el);
        void this.current.load();
        this.refresh();
    }

    /** Each note has its own; the one about no note has one, too. */
    private conversation(note: string | null): Conversation {
        const key = note ?? '';
        const known = this.conversations.get(key);
        if (known) return known;
        const made = new Conversation(this.host, this.place, note, () => this.refresh());
        this.conversations.set(key, made);
        return made;
    }

    private submit(): void {
        if (this.current?.isBusy) {
            this.current.stop();
            return;
        }
        const message = this.field.value.trim();
        if (!message || !this.current) return;
        this.field.value = '';
        void this.current.say(message);
    }

    private refresh(): void {
        const isBusy = this.current?.isBusy ?? false;
        this.send.setText(isBusy ? 'Stop' : 'Send');
        this.send.toggleClass('mod-cta', !isBusy);
        this.place.toggleClass('is-empty', this.current?.isEmpty ?? true);
    }
}
