// “Research this note”: what would be written is shown first, part by part, and only what is chosen is written.

import { Modal, Notice, Setting, type TFile } from 'obsidian';
import type { Host } from '../host';
import { addNoteLink } from '../open_place';
import type { NoteAnswer } from '../server/answers';
import { isAbort } from '../server/problem';
import { parseDifference } from '../text/difference';
import { addChoices } from '../ui/difference_view';
import { addButton, addFold, addOutside, addParagraph, addProblem } from '../ui/elements';
import { Steps } from '../ui/steps';
import { counted, coverageWords } from '../ui/words';
import { type Written, writeAll, writeParts } from './write_result';

/** How long the way back is offered. */
const UNDO_MS = 12000;

export class ResearchModal extends Modal {
    private depth: 'shallow' | 'deep';
    private focusWords = '';
    private work: AbortController | null = null;
    private run: string | null = null;

    constructor(
        private readonly host: Host,
        private readonly note: TFile,
    ) {
        super(host.app);
        this.depth = host.settings.depth;
    }

    override onOpen(): void {
        this.modalEl.addClass('wellread-modal');
        this.setTitle(`Research ${this.note.basename}`);
        this.showForm();
    }

    override onClose(): void {
        this.stop();
        this.contentEl.empty();
    }

    private showForm(): void {
        this.contentEl.empty();
        new Setting(this.contentEl)
            .setName('Read pages as well')
            .setDesc('Otherwise only the results of searches are used.')
            .addToggle((toggle) => toggle.setValue(this.depth === 'deep').onChange((on) => (this.depth = on ? 'deep' : 'shallow')));
        new Setting(this.contentEl)
            .setName('Focus')
            .setDesc('What to look for in particular. Optional.')
            .addText((text) => text.setValue(this.focusWords).onChange((value) => (this.focusWords = value)));
        const row = this.contentEl.createDiv({ cls: 'wellread-row' });
        addButton(row, 'Preview the changes', () => void this.preview(), 'mod-cta');
        row.createSpan({ cls: 'wellread-soft', text: 'Nothing is written until you have seen it.' });
    }

    private async preview(): Promise<void> {
        const focus = this.focusWords.trim();
        const request = { path: this.note.path, depth: this.depth, dryRun: true, ...(focus ? { focus } : {}) };
        const found = await this.research('Looking for what is known about the topics of this note.', request);
        if (found) this.showPreview(found, await this.app.vault.read(this.note));
    }

    /** Research with its steps, until it is done or stopped. */
    private async research(about: string, request: object): Promise<NoteAnswer | null> {
        this.contentEl.empty();
        addParagraph(this.contentEl, about);
        const steps = new Steps(this.contentEl);
        addButton(this.contentEl.createDiv({ cls: 'wellread-row' }), 'Stop', () => this.stop());
        const work = new AbortController();
        this.work = work;
        try {
            const client = await this.host.connection.client();
            for await (const event of client.stream('/api/note/research', request, work.signal)) {
                if (event.name === 'run') this.run = String(event.data['run_id']);
                steps.tell(event);
                if (event.name === 'done') return event.data as unknown as NoteAnswer;
            }
        } catch (error) {
            this.showForm();
            if (!isAbort(error)) addProblem(this.contentEl, error);
        } finally {
            this.work = null;
            this.run = null;
        }
        return null;
    }

    private stop(): void {
        const run = this.run;
        if (run) void this.host.connection.client().then((client) => client.post(`/api/runs/${run}/cancel`)).catch(() => undefined);
        this.work?.abort();
    }

    private showPreview(found: NoteAnswer, before: string): void {
        this.contentEl.empty();
        if (found.coverage?.sentences) addParagraph(this.contentEl, coverageWords(found.coverage));
        if (found.notice) addParagraph(this.contentEl, found.notice, 'wellread-notice');
        const difference = parseDifference(found.diff ?? '');
        if (!difference.parts.length) {
            addParagraph(this.contentEl, 'Nothing would change.');
            return;
        }
        const all = difference.parts.filter(({ frame }) => !frame).length;
        const row = createDiv({ cls: 'wellread-row wellread-foot' });
        let chosen: ReadonlySet<number> = new Set();
        const write = addButton(
            row,
            '',
            () => {
                const isAll = chosen.size === all;
                void this.write(() =>
                    isAll
                        ? writeAll(this.host, this.note, found.run_id)
                        : writeParts(this.host, this.note, { before, difference, chosen }),
                );
            },
            'mod-cta',
        );
        addChoices(this.contentEl.createDiv({ cls: 'wellread-parts' }), difference, (now) => {
            chosen = now;
            write.setText(now.size === all ? 'Write this' : `Write ${now.size} of ${counted(all, 'part')}`);
            write.disabled = !now.size;
        });
        this.addSources(found);
        this.contentEl.appendChild(row);
        addButton(row, 'Close', () => this.close());
    }

    private addSources({ sources, forgotten = [] }: NoteAnswer): void {
        if (sources.length) {
            const list = addFold(this.contentEl, counted(sources.length, 'source')).createEl('ul');
            for (const { title, url, path } of sources) {
                const item = list.createEl('li');
                if (path) addNoteLink(this.app, item, { note: path }, title ?? path);
                else addOutside(item, url ?? '', title ?? url);
            }
        }
        if (!forgotten.length) return;
        const list = addFold(this.contentEl, `${counted(forgotten.length, 'note')} you may have forgotten`).createEl('ul');
        for (const { path, why } of forgotten) {
            const item = list.createEl('li');
            addNoteLink(this.app, item, { note: path });
            item.createSpan({ cls: 'wellread-soft', text: `, ${why}` });
        }
    }

    private async write(work: () => Promise<Written>): Promise<void> {
        try {
            const written = await work();
            this.close();
            announce(written);
        } catch (error) {
            addProblem(this.contentEl, error);
        }
    }
}

/** Says that it was written, with the way back. */
function announce(written: Written): void {
    const notice = new Notice(written.message, UNDO_MS);
    const button = notice.messageEl.createEl('button', { cls: 'wellread-undo', text: 'Undo' });
    button.addEventListener('click', () => {
        notice.hide();
        written.undo().then(
            () => new Notice('The note is as it was.'),
            (error: unknown) => new Notice(error instanceof Error ? error.message : String(error)),
        );
    });
}
