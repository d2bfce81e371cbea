// What long work is doing, step by step: each stage, and each thing that leaves this machine.

import type { ServerEvent } from '../server/client';

const STAGES: Record<string, string> = {
    topics: 'Finding topics',
    gather: 'Gathering',
    write_up: 'Writing up',
    check: 'Checking',
    write: 'Writing',
    search: 'Searching',
    fetch: 'Reading',
    duplicate: 'Already known',
    skipped: 'Skipped',
    wait: 'Waiting',
};

/** A list that grows. */
export class Steps {
    private readonly list: HTMLElement;
    private last = '';

    constructor(parent: HTMLElement) {
        this.list = parent.createEl('ol', { cls: 'wellread-steps', attr: { 'aria-live': 'polite' } });
    }

    tell({ name, data }: ServerEvent): void {
        const text = (field: string): string => (typeof data[field] === 'string' ? data[field] : '');
        const stage = text('stage') || text('step');
        if (name === 'leaves') this.add(`To ${text('what')}`, `${text('about')} → ${text('to')}`);
        if (name === 'stage' || name === 'step' || name === 'progress') this.add(STAGES[stage] ?? stage, text('about'));
    }

    private add(what: string, about: string): void {
        const line = `${what} ${about}`;
        if (line === this.last) return;
        this.last = line;
        const item = this.list.createEl('li');
        item.createSpan({ cls: 'wellread-step', text: what });
        if (about) item.createSpan({ text: ` ${about}` });
        this.list.scrollTop = this.list.scrollHeight;
    }
}
