// The tab about the note that is open: its health, and what checking it has shown.

import type { TFile } from 'obsidian';
import { Panel } from '../panel';
import type { Host } from '../host';
import { addNoteLink } from '../open_place';
import type { ClaimReport, Health } from '../server/answers';
import { asProblem } from '../server/problem';
import { addButton, addParagraph, addProblem, addWait } from '../ui/elements';
import { linkedNotes } from './check_note';
import { addReport } from './checked_list';
import { noteHealth } from './note_health';

export class NotePanel extends Panel {
    private readonly title: HTMLElement;
    private readonly health: HTMLElement;
    private readonly checked: HTMLElement;
    private note: TFile | null = null;

    constructor(host: Host, el: HTMLElement) {
        super(host, el);
        this.title = el.createEl('h4', { cls: 'wellread-note-title' });
        const row = el.createDiv({ cls: 'wellread-row' });
        addButton(row, 'Check this note', () => this.note && void host.checkNote(this.note), 'mod-cta');
        addButton(row, 'Research this note', () => this.note && host.research(this.note));
        this.checked = el.createDiv({ cls: 'wellread-cards', attr: { 'aria-label': 'Checked sentences', 'aria-live': 'polite' } });
        this.health = el.createDiv({ cls: 'wellread-cards', attr: { 'aria-label': 'Health of the note' } });
    }

    override show(): void {
        const note = this.host.activeNote();
        if (note?.path !== this.note?.path) this.checked.empty();
        this.note = note;
        this.title.setText(note ? note.basename : 'No note is open');
        this.health.empty();
        if (note) void this.loadHealth(note);
    }

    showChecking(note: TFile): void {
        this.show();
        if (this.note?.path !== note.path) return;
        this.checked.empty();
        addWait(this.checked, 'Checking every sentence…');
    }

    showReport(note: TFile, report: ClaimReport, by: string): void {
        if (this.note?.path !== note.path) return;
        this.checked.empty();
        addReport(this.host, this.checked, note.path, report, by);
    }

    /** A note that cites nothing can be checked against the notes that it links to. */
    showTrouble(note: TFile, error: unknown, again: (sources: string[]) => void): void {
        if (this.note?.path !== note.path) return;
        this.checked.empty();
        const { status } = asProblem(error);
        const linked = linkedNotes(this.host, note);
        if (status !== 400 || !linked.length) {
            addProblem(this.checked, error);
            return;
        }
        const box = this.checked.createDiv({ cls: 'wellread-card' });
        addParagraph(box, 'No sentence of this note cites a source, so there is nothing to compare with.');
        addButton(box, 'Check against the notes it links to', () => again(linked));
    }

    /** Brings the sentences of a line into view. */
    reveal(line: number): void {
        const card = this.checked.querySelector(`[data-line="${line}"]`);
        card?.scrollIntoView({ block: 'nearest' });
    }

    private async loadHealth(note: TFile): Promise<void> {
        const wait = addWait(this.health, 'Looking at its links…');
        try {
            const client = await this.host.connection.client();
            const sections = noteHealth(await client.get<Health>('/api/kb/health'), note.path);
            if (this.note !== note) return;
            this.health.empty();
            if (!sections.length) addParagraph(this.health, 'No dead links, contradictions or forgotten notes.', 'wellread-soft');
            for (const { title, entries } of sections) {
                const card = this.health.createDiv({ cls: 'wellread-card' });
                card.createEl('strong', { text: title });
                const list = card.createEl('ul');
                for (const { text, place } of entries) {
                    const item = list.createEl('li');
                    if (place) addNoteLink(this.host.app, item, place, text);
                    else item.setText(text);
                }
            }
        } catch (error) {
            if (this.note === note) addProblem(this.health, error, () => this.show());
        } finally {
            wait.remove();
        }
    }
}
