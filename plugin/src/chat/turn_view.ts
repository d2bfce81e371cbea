// One turn of a conversation while it is spoken: the tools that are used, the answer as it grows, what was checked.

import type { App } from 'obsidian';
import { lasted } from 'wellread-page/time.js';
import type { ChatAnswer } from '../server/answers';
import type { ServerEvent } from '../server/client';
import { renderText } from '../text/rendered';
import { addChip, addFold, addParagraph, addProblem, addWait } from '../ui/elements';
import { counted, coverageWords } from '../ui/words';

export class TurnView {
    private readonly tools: HTMLElement;
    private readonly text: HTMLElement;
    private readonly calls = new Map<string, HTMLElement>();
    private said = '';
    private frame = 0;

    constructor(
        private readonly app: App,
        readonly el: HTMLElement,
        /** Called after it has grown. */
        private readonly grown: () => void,
    ) {
        this.tools = el.createDiv({ cls: 'wellread-tools' });
        this.text = el.createDiv({ cls: 'wellread-answer' });
        addWait(this.text, 'Thinking…');
    }

    tell({ name, data }: ServerEvent): void {
        const text = (field: string): string => (typeof data[field] === 'string' ? data[field] : '');
        if (name === 'text') this.say(this.said + text('text'));
        if (name === 'again') this.say('');
        if (name === 'tool') this.calls.set(text('id'), this.note(`${toolName(text('name'))}…`));
        if (name === 'tool_done') this.calls.get(text('id'))?.setText(outcome(text('name'), data));
        if (name === 'checking') this.note(data['again'] ? 'Asking again' : 'Checking every sentence');
        if (name === 'done') this.finish(data as unknown as ChatAnswer);
        this.grown();
    }

    fail(error: unknown): void {
        this.settle();
        if (!this.said) this.text.empty();
        addProblem(this.el, error);
        this.grown();
    }

    stopped(): void {
        this.settle();
        if (!this.said) this.text.empty();
        else renderText(this.app, this.text, this.said);
        addParagraph(this.el, 'Stopped. The server may still complete this turn.', 'wellread-soft');
    }

    private finish(answer: ChatAnswer): void {
        this.settle();
        renderText(this.app, this.text, answer.response);
        const { unchecked = [], coverage, notice } = answer;
        if (coverage?.sentences) addParagraph(this.el, coverageWords(coverage), 'wellread-soft');
        addUnchecked(this.el, unchecked);
        if (notice) addParagraph(this.el, notice, 'wellread-notice');
    }

    /** Draws at most once in a frame: an answer may come in many pieces. */
    private say(text: string): void {
        this.said = text;
        if (this.frame) return;
        this.frame = window.requestAnimationFrame(() => {
            this.frame = 0;
            renderText(this.app, this.text, this.said);
            this.grown();
        });
    }

    private settle(): void {
        if (this.frame) window.cancelAnimationFrame(this.frame);
        this.frame = 0;
    }

    private note(text: string): HTMLElement {
        return this.tools.createDiv({ cls: 'wellread-tool', text });
    }
}

function toolName(name: string): string {
    const words = name.replace(/_/g, ' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
}

function outcome(name: string, { failed, waits, took_ms: took }: Record<string, unknown>): string {
    if (waits) return `${toolName(name)}: waiting for you`;
    return `${toolName(name)}${failed ? ': failed' : ''}, ${lasted(Number(took ?? 0))}`;
}

/** Sentences of an answer that make a claim and cite nothing. */
export function addUnchecked(parent: HTMLElement, sentences: string[] = []): void {
    if (!sentences.length) return;
    const fold = addFold(parent, `${counted(sentences.length, 'sentence')} without a source`);
    for (const one of sentences) {
        const line = fold.createDiv({ cls: 'wellread-unchecked' });
        addChip(line, 'not checked', 'uncited');
        line.appendText(` ${one}`);
    }
}
