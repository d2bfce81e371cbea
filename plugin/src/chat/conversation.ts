// The conversation about one note, or about none: it goes on while another note is open.

import type { Host } from '../host';
import type { PendingEdit, Session, SessionList } from '../server/answers';
import { isAbort } from '../server/problem';
import { renderText } from '../text/rendered';
import { addDifference } from '../ui/difference_view';
import { addButton, addProblem, addWait } from '../ui/elements';
import { addUnchecked, TurnView } from './turn_view';

export class Conversation {
    readonly el: HTMLElement;
    /** What was said before this window was opened; it may arrive after the first new message. */
    private readonly past: HTMLElement;
    private readonly log: HTMLElement;
    private readonly waiting: HTMLElement;
    private session: string | null = null;
    private isNew = false;
    private isLoaded = false;
    private turn: AbortController | null = null;
    private run: string | null = null;

    constructor(
        private readonly host: Host,
        parent: HTMLElement,
        private readonly note: string | null,
        /** Called when it begins or ends to be busy. */
        private readonly changed: () => void,
    ) {
        this.el = parent.createDiv({ cls: 'wellread-conversation' });
        this.past = this.el.createDiv({ cls: 'wellread-log', attr: { 'aria-label': 'Earlier messages' } });
        this.log = this.el.createDiv({ cls: 'wellread-log', attr: { role: 'log', 'aria-label': 'Conversation' } });
        this.waiting = this.el.createDiv({ cls: 'wellread-pending' });
    }

    get isBusy(): boolean {
        return this.turn !== null;
    }

    get isEmpty(): boolean {
        return !this.past.childElementCount && !this.log.childElementCount;
    }

    /** Shows what was said before, the first time. */
    async load(): Promise<void> {
        if (this.isLoaded) return;
        this.isLoaded = true;
        this.past.empty();
        const wait = addWait(this.past, 'Loading the conversation…');
        try {
            const client = await this.host.connection.client();
            const { sessions } = await client.get<SessionList>('/api/sessions');
            const known = sessions.find(({ active_file: file }) => (file ?? null) === this.note);
            if (known && !this.isNew) this.showPast(await client.get<Session>(`/api/sessions/${encodeURIComponent(known.id)}`));
        } catch (error) {
            this.isLoaded = false;
            addProblem(this.past, error, () => void this.load());
        } finally {
            wait.remove();
            this.changed();
        }
    }

    /** The next message begins a new conversation about the same note. */
    startNew(): void {
        this.stop();
        this.session = null;
        this.isNew = true;
        this.isLoaded = true;
        this.past.empty();
        this.log.empty();
        this.waiting.empty();
    }

    async say(message: string): Promise<void> {
        for (const box of Array.from(this.el.querySelectorAll('.wellread-problem'))) box.remove();
        this.log.createDiv({ cls: 'wellread-said', text: message, attr: { dir: 'auto' } });
        await this.take(this.isNew ? { message, new: true } : { message });
    }

    stop(): void {
        const run = this.run;
        // The server ends what it can end; what it has begun to say is kept there.
        if (run) void this.host.connection.client().then((client) => client.post(`/api/runs/${run}/cancel`)).catch(() => undefined);
        this.turn?.abort();
    }

    private async take(request: Record<string, unknown>): Promise<void> {
        const turn = new AbortController();
        this.turn = turn;
        this.changed();
        const view = new TurnView(this.host.app, this.log.createDiv({ cls: 'wellread-turn' }), () => this.follow());
        this.follow();
        try {
            const client = await this.host.connection.client();
            const about = this.session ? { session_id: this.session } : this.note ? { active_file: this.note } : {};
            for await (const event of client.stream('/chat', { ...about, ...request }, turn.signal)) {
                if (event.name === 'run') this.run = String(event.data['run_id']);
                view.tell(event);
                if (event.name !== 'done') continue;
                this.session = String(event.data['session_id']);
                this.isNew = false;
                this.showPending((event.data['pending'] as PendingEdit[] | undefined) ?? []);
            }
        } catch (error) {
            if (isAbort(error)) view.stopped();
            else view.fail(error);
        } finally {
            this.turn = null;
            this.run = null;
            this.changed();
        }
    }

    private showPast({ id, messages, pending }: Session): void {
        this.session ??= id;
        for (const { role, text, unchecked } of messages) {
            if (role === 'user') this.past.createDiv({ cls: 'wellread-said', text, attr: { dir: 'auto' } });
            else if (role === 'tool') this.past.createDiv({ cls: 'wellread-tool', text: text.replace(/_/g, ' ') });
            else {
                const turn = this.past.createDiv({ cls: 'wellread-turn' });
                renderText(this.host.app, turn.createDiv(), text);
                addUnchecked(turn, unchecked);
            }
        }
        if (!this.isBusy) this.showPending(pending);
        this.el.scrollTop = this.el.scrollHeight;
    }

    /** Edits that the model wants to make: each waits for the user's word. */
    private showPending(edits: PendingEdit[]): void {
        this.waiting.empty();
        for (const { id, tool, diff } of edits) {
            const box = this.waiting.createDiv({ cls: 'wellread-card', attr: { 'aria-label': 'An edit that is waiting for you' } });
            box.createEl('strong', { text: `Proposed edit: ${tool.replace(/_/g, ' ')}` });
            addDifference(box, diff);
            const row = box.createDiv({ cls: 'wellread-row' });
            const decide = (what: 'confirm' | 'decline'): void => {
                this.waiting.empty();
                void this.take({ [what]: id });
            };
            addButton(row, 'Apply the edit', () => decide('confirm'), 'mod-cta');
            addButton(row, 'Discard it', () => decide('decline'));
        }
    }

    /** Keeps the end in view, unless the user has scrolled up. */
    private follow(): void {
        const distance = this.el.scrollHeight - this.el.scrollTop - this.el.clientHeight;
        if (distance < 160) this.el.scrollTop = this.el.scrollHeight;
    }
}
