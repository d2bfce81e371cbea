// An agenda: its tasks with their reasons. One that waits has a switch for each task, and is approved or cancelled here.

import type { Host } from '../host';
import { addNoteLink } from '../open_place';
import type { Agenda, Task } from '../server/answers';
import { freshKey } from '../server/client';
import { addButton, addChip, addParagraph, addProblem } from '../ui/elements';
import { STATES, counted, noteName, sentence } from '../ui/words';

export class AgendaCard {
    private readonly blocked = new Set<string>();

    constructor(
        private readonly host: Host,
        private readonly el: HTMLElement,
        private agenda: Agenda,
        /** Called after a decision. */
        private readonly decided: () => void,
    ) {
        this.draw();
    }

    private draw(): void {
        const { agenda, el } = this;
        el.empty();
        const head = el.createDiv({ cls: 'wellread-row wellread-spread' });
        head.createEl('strong', { text: agenda.sourceNoteId ? `Research around ${noteName(agenda.sourceNoteId)}` : 'Research for the vault' });
        addChip(head, STATES[agenda.status] ?? agenda.status, agenda.status);
        if (agenda.message) addParagraph(el, sentence(agenda.message), 'wellread-notice');
        for (const task of agenda.tasks) this.addTask(task);
        if (agenda.status === 'pending') this.addDecision();
        else if (agenda.status === 'approved' || agenda.status === 'running') this.addCancel(el.createDiv({ cls: 'wellread-row' }));
    }

    private addTask(task: Task): void {
        const isPending = this.agenda.status === 'pending';
        const box = this.el.createDiv({ cls: 'wellread-task', attr: { 'data-task': task.id } });
        const head = box.createEl(isPending ? 'label' : 'div', { cls: 'wellread-row' });
        if (isPending) {
            const input = head.createEl('input', { type: 'checkbox' });
            input.checked = !this.blocked.has(task.id);
            input.addEventListener('change', () => {
                if (input.checked) this.blocked.delete(task.id);
                else this.blocked.add(task.id);
                this.draw();
            });
        }
        head.createSpan({ cls: 'wellread-task-title', text: task.query, attr: { dir: 'auto' } });
        addChip(head, task.source === 'arxiv' ? 'arXiv' : 'Web');
        if (!isPending) addChip(head, STATES[task.status] ?? task.status, task.status);
        addParagraph(box, sentence(task.motivation), 'wellread-soft');
        if (task.relatedNotes.length) {
            const row = box.createDiv({ cls: 'wellread-soft', text: 'Related: ' });
            task.relatedNotes.forEach((path, at) => {
                if (at) row.appendText(', ');
                addNoteLink(this.host.app, row, { note: path });
            });
        }
        if (task.message) addParagraph(box, sentence(task.message), 'wellread-soft');
        box.createDiv({ cls: 'wellread-task-progress wellread-soft' });
        box.toggleClass('is-off', this.blocked.has(task.id) || task.status === 'blocked');
    }

    private addDecision(): void {
        const open = this.agenda.tasks.length - this.blocked.size;
        const row = this.el.createDiv({ cls: 'wellread-row' });
        const all = counted(this.agenda.tasks.length, 'task');
        const words = this.blocked.size ? `Approve ${open} of ${all}` : `Approve ${all}`;
        const approve = addButton(row, words, () => void this.decide('approve', { blockedTaskIds: [...this.blocked] }), 'mod-cta');
        approve.disabled = !open;
        this.addCancel(row);
        addParagraph(this.el, 'Nothing is searched before you approve. The queries of approved tasks go to your search services.', 'wellread-soft');
    }

    private addCancel(row: HTMLElement): void {
        addButton(row, 'Cancel the agenda', () => void this.decide('cancel', {}));
    }

    private async decide(what: 'approve' | 'cancel', body: object): Promise<void> {
        try {
            const client = await this.host.connection.client();
            this.agenda = await client.post<Agenda>(`/api/research/agenda/${encodeURIComponent(this.agenda.id)}/${what}`, body, freshKey());
            this.draw();
            this.decided();
        } catch (error) {
            addProblem(this.el, error);
        }
    }
}
