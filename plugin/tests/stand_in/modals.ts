// Dialogs, lists to choose from, and notices.

import type { App } from './app';

export class Modal {
    readonly containerEl: HTMLElement;
    readonly modalEl: HTMLElement;
    readonly titleEl: HTMLElement;
    readonly contentEl: HTMLElement;

    constructor(readonly app: App) {
        this.containerEl = createDiv({ cls: 'modal-container' });
        this.containerEl.createDiv({ cls: 'modal-bg' }).addEventListener('click', () => this.close());
        this.modalEl = this.containerEl.createDiv({ cls: 'modal', attr: { role: 'dialog' } });
        this.titleEl = this.modalEl.createDiv({ cls: 'modal-title' });
        this.contentEl = this.modalEl.createDiv({ cls: 'modal-content' });
        this.containerEl.addEventListener('keydown', (event) => event.key === 'Escape' && this.close());
    }

    open(): void {
        document.body.appendChild(this.containerEl);
        void this.onOpen();
    }

    close(): void {
        this.containerEl.remove();
        this.onClose();
    }

    onOpen(): unknown {
        return undefined;
    }

    onClose(): void {}

    setTitle(title: string): this {
        this.titleEl.setText(title);
        return this;
    }
}

export abstract class SuggestModal<T> extends Modal {
    emptyStateText = '';
    readonly inputEl: HTMLInputElement;
    readonly resultContainerEl: HTMLElement;
    private standInAsked = 0;

    constructor(app: App) {
        super(app);
        this.modalEl.empty();
        this.modalEl.addClass('prompt');
        this.inputEl = this.modalEl.createEl('input', { cls: 'prompt-input', type: 'text' }) as HTMLInputElement;
        this.resultContainerEl = this.modalEl.createDiv({ cls: 'prompt-results' });
        this.inputEl.addEventListener('input', () => void this.ask());
        this.inputEl.addEventListener('keydown', (event) => {
            if (event.key === 'Enter') this.resultContainerEl.querySelector<HTMLElement>('.suggestion-item')?.click();
        });
    }

    override open(): void {
        super.open();
        this.inputEl.focus();
        void this.ask();
    }

    setPlaceholder(text: string): void {
        this.inputEl.placeholder = text;
    }

    setInstructions(instructions: { command: string; purpose: string }[]): void {
        const row = this.modalEl.createDiv({ cls: 'prompt-instructions' });
        for (const { command, purpose } of instructions) row.createSpan({ text: `${command} ${purpose}` });
    }

    abstract getSuggestions(query: string): T[] | Promise<T[]>;
    abstract renderSuggestion(value: T, el: HTMLElement): void;
    abstract onChooseSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;

    private async ask(): Promise<void> {
        const mine = ++this.standInAsked;
        const found = await this.getSuggestions(this.inputEl.value);
        if (mine !== this.standInAsked) return;
        this.resultContainerEl.empty();
        if (!found.length) this.resultContainerEl.createDiv({ cls: 'suggestion-empty', text: this.emptyStateText });
        for (const value of found) {
            const item = this.resultContainerEl.createDiv({ cls: 'suggestion-item' });
            this.renderSuggestion(value, item);
            item.addEventListener('click', (event) => {
                this.close();
                this.onChooseSuggestion(value, event);
            });
        }
    }
}

export class Notice {
    readonly containerEl: HTMLElement;
    readonly messageEl: HTMLElement;

    constructor(message: string, _ms?: number) {
        const place = document.querySelector('.notice-container') ?? document.body.createDiv({ cls: 'notice-container' });
        this.containerEl = place.createDiv({ cls: 'notice' });
        this.messageEl = this.containerEl.createDiv({ cls: 'notice-message', text: message });
    }

    hide(): void {
        this.containerEl.remove();
    }
}
