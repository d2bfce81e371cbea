// The inbox tab: agendas that wait or run, and the findings. Redrawn when something happens, but never under the user's hands.

import { debounce } from 'obsidian';
import { Panel } from '../panel';
import type { Host } from '../host';
import type { Agenda, Finding, FindingList } from '../server/answers';
import { freshKey } from '../server/client';
import { addButton, addParagraph, addProblem, addWait } from '../ui/elements';
import { AgendaCard } from './agenda_card';
import { FindingCard } from './finding_card';
import { Live } from './live';

/** Agendas that are over are not listed: what they found is. */
const OPEN = new Set(['pending', 'approved', 'running']);

export class InboxPanel extends Panel {
    private readonly agendas: HTMLElement;
    private readonly findings: HTMLElement;
    private readonly trouble: HTMLElement;
    /** What is shown of each card, so that one that has not changed is left alone. */
    private readonly shown = new Map<string, string>();

    constructor(host: Host, el: HTMLElement) {
        super(host, el);
        this.trouble = el.createDiv();
        const row = el.createDiv({ cls: 'wellread-row' });
        addButton(row, 'Propose research for this note', () => void this.propose(this.host.activeNote()?.path));
        addButton(row, 'For the whole vault', () => void this.propose());
        this.agendas = el.createDiv({ cls: 'wellread-cards', attr: { 'aria-label': 'Agendas' } });
        this.findings = el.createDiv({ cls: 'wellread-cards', attr: { 'aria-label': 'Findings' } });
        // Several things happen at once when a task ends.
        const reload = debounce(() => void this.refresh(), 300);
        this.addChild(new Live(host, reload, (event) => this.progress(event)));
    }

    override show(): void {
        if (!this.shown.size) {
            this.findings.empty();
            addWait(this.findings, 'Loading…');
        }
        void this.refresh();
    }

    private async refresh(): Promise<void> {
        try {
            const client = await this.host.connection.client();
            const [{ agendas }, { findings }] = await Promise.all([
                client.get<{ agendas: Agenda[] }>('/api/research/agenda?limit=20'),
                client.get<FindingList>('/api/research/findings?status=new&limit=50'),
            ]);
            this.trouble.empty();
            this.findings.querySelector('.wellread-wait')?.remove();
            this.draw(this.agendas, agendas.filter(({ status }) => OPEN.has(status)), (card, agenda) => {
                new AgendaCard(this.host, card, agenda, () => void this.refresh());
            });
            // What was decided here stays in view, with its way back.
            this.draw(this.findings, findings, (card, finding) => void new FindingCard(this.host, card, finding, () => undefined), true);
            this.sayEmpty(agendas.length, findings);
        } catch (error) {
            this.trouble.empty();
            this.findings.querySelector('.wellread-wait')?.remove();
            addProblem(this.trouble, error, () => this.show());
        }
    }

    /** Cards by their ids: new ones are added on top, changed ones drawn again, and those that are gone taken away. */
    private draw<T extends { id: string; status: string }>(
        place: HTMLElement,
        entries: T[],
        fill: (card: HTMLElement, entry: T) => void,
        keep = false,
    ): void {
        const ids = new Set(entries.map(({ id }) => id));
        for (const card of Array.from(place.querySelectorAll<HTMLElement>('.wellread-card'))) {
            const id = card.dataset['id'] ?? '';
            if (ids.has(id) || keep) continue;
            card.remove();
            this.shown.delete(id);
        }
        for (const entry of [...entries].reverse()) {
            const now = JSON.stringify(entry);
            if (this.shown.get(entry.id) === now) continue;
            this.shown.set(entry.id, now);
            const known = place.querySelector<HTMLElement>(`[data-id="${entry.id}"]`);
            const card = known ?? createDiv({ cls: 'wellread-card', attr: { 'data-id': entry.id } });
            if (!known) place.prepend(card);
            fill(card, entry);
        }
    }

    private sayEmpty(agendas: number, findings: Finding[]): void {
        this.findings.querySelector('.wellread-empty')?.remove();
        if (findings.length || this.findings.childElementCount) return;
        const words = agendas
            ? 'No new findings. They appear here while an approved agenda runs.'
            : 'No findings yet. Propose research first; nothing is searched before you approve it.';
        addParagraph(this.findings, words, 'wellread-soft wellread-empty');
    }

    private progress({ taskId, step, about }: Record<string, unknown>): void {
        const line = this.agendas.querySelector(`[data-task="${String(taskId)}"] .wellread-task-progress`);
        line?.setText(`${String(step)}: ${String(about)}`);
    }

    private async propose(note?: string): Promise<void> {
        this.trouble.empty();
        const wait = addWait(this.trouble, 'Proposing research…');
        try {
            const client = await this.host.connection.client();
            await client.post('/api/research/trigger', note ? { sourceNoteId: note } : {}, freshKey());
            wait.remove();
            await this.refresh();
        } catch (error) {
            this.trouble.empty();
            addProblem(this.trouble, error);
        }
    }
}
