// A finding: what it says with its evidence, why it was looked for, and what the user makes of it.

import type { Host } from '../host';
import { addNoteLink } from '../open_place';
import type { Finding } from '../server/answers';
import { freshKey } from '../server/client';
import { addButton, addChip, addOutside, addProblem } from '../ui/elements';
import { hostOf, sentence } from '../ui/words';
import { addSentences } from './evidence';

export class FindingCard {
    /** One key for one intent: a click that is repeated accepts once. */
    private readonly key = freshKey();

    constructor(
        private readonly host: Host,
        private readonly el: HTMLElement,
        private finding: Finding,
        /** Called after a decision. */
        private readonly decided: () => void,
    ) {
        this.draw();
    }

    private draw(): void {
        const { finding, el } = this;
        el.empty();
        el.createEl('h4', { text: finding.title, attr: { dir: 'auto' } });
        const from = el.createDiv({ cls: 'wellread-row wellread-soft' });
        addOutside(from, finding.url, hostOf(finding.url));
        addChip(from, finding.source === 'arxiv' ? 'arXiv' : 'Web');
        addSentences(this.host, el, finding);
        this.addFacts();
        if (finding.status === 'new') this.addDecision();
        else this.addDecided();
    }

    private addFacts(): void {
        const { query, motivation, relatedNotes } = this.finding;
        const why = this.el.createDiv({ cls: 'wellread-soft' });
        why.appendText(`“${query}”: ${sentence(motivation)}`);
        relatedNotes.forEach((path, at) => {
            why.appendText(at ? ', ' : ' Related: ');
            addNoteLink(this.host.app, why, { note: path });
        });
    }

    private addDecision(): void {
        const row = this.el.createDiv({ cls: 'wellread-row' });
        addButton(row, 'Accept', () => void this.decide('accept', {}), 'mod-cta');
        addButton(row, 'Dismiss', () => void this.decide('dismiss', {}));
        addButton(row, 'Dismiss and stop proposing the topic', () => void this.decide('dismiss', { suppressTopic: true }));
    }

    private addDecided(): void {
        const { status, notePath } = this.finding;
        const row = this.el.createDiv({ cls: 'wellread-row' });
        if (status === 'dismissed') row.createSpan({ cls: 'wellread-soft', text: 'Dismissed.' });
        if (status !== 'accepted' || !notePath) return;
        row.createSpan({ text: 'Saved as ' });
        addNoteLink(this.host.app, row, { note: notePath }, notePath);
        addButton(row, 'Undo and remove the note', () => void this.undo());
    }

    private async decide(what: 'accept' | 'dismiss', body: object): Promise<void> {
        await this.act(async (address) => {
            const client = await this.host.connection.client();
            this.finding = await client.post<Finding>(`${address}/${what}`, body, what === 'accept' ? this.key : undefined);
        });
    }

    private async undo(): Promise<void> {
        await this.act(async (address) => {
            const client = await this.host.connection.client();
            await client.post(`${address}/undo`);
            this.finding = await client.get<Finding>(address);
        });
    }

    private async act(work: (address: string) => Promise<void>): Promise<void> {
        try {
            await work(`/api/research/findings/${encodeURIComponent(this.finding.id)}`);
            this.draw();
            this.decided();
        } catch (error) {
            addProblem(this.el, error);
        }
    }
}
