// What happens in the background, as the server tells it. Where nothing can be streamed, it is asked from time to time.

import { Component } from 'obsidian';
import type { Host } from '../host';

/** How long to wait before the line is opened again, or asked again. */
const RETRY_MS = 5000;
const ASK_MS = 20000;

export class Live extends Component {
    private readonly end = new AbortController();

    constructor(
        private readonly host: Host,
        /** Called when something about agendas or findings has changed. */
        private readonly changed: () => void,
        /** Called with each step of a task. */
        private readonly progress: (event: Record<string, unknown>) => void,
    ) {
        super();
    }

    override onload(): void {
        void this.run();
    }

    override onunload(): void {
        this.end.abort();
    }

    private async run(): Promise<void> {
        const signal = this.end.signal;
        while (!signal.aborted) {
            const { state } = this.host.connection;
            let pause = RETRY_MS;
            if (state.kind === 'ready' && state.client.streams) {
                try {
                    for await (const { name, data } of state.client.follow('/api/research/events', signal)) {
                        // The counts come first: much may have happened before the line was open.
                        if (name === 'progress') this.progress(data);
                        else this.changed();
                    }
                } catch {
                    // The line broke; it is opened again.
                }
            } else if (state.kind === 'ready') {
                pause = ASK_MS;
                this.changed();
            }
            await this.pause(pause, signal);
        }
    }

    /** Until the time is over, there is a connection, or it is no longer needed. */
    private pause(ms: number, signal: AbortSignal): Promise<void> {
        const { connection } = this.host;
        return new Promise((resolve) => {
            const end = (): void => {
                window.clearTimeout(timer);
                connection.offref(listening);
                signal.removeEventListener('abort', end);
                resolve();
            };
            const timer = window.setTimeout(end, ms);
            const listening = connection.on('change', () => connection.state.kind === 'ready' && end());
            signal.addEventListener('abort', end);
        });
    }
}
