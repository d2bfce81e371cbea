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
                        if (name === 'progress') this.progress(data);
                        else if (name !== 'counts') this.changed();
                    }
                } catch {
                    // The line broke; it is opened again.
                }
            } else if (state.kind === 'ready') {
                pause = ASK_MS;
                this.changed();
            }
            await sleepFor(pause, signal);
        }
    }
}

function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
        const timer = window.setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
            window.clearTimeout(timer);
            resolve();
        });
    });
}
