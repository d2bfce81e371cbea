// Small elements that several views are made of.

import { setIcon } from 'obsidian';
import type { Verdict } from '../server/answers';
import { asProblem } from '../server/problem';
import { VERDICTS, sentence } from './words';

/** Words with `commands` in them. */
export function addWords(parent: HTMLElement, text: string): void {
    text.split('`').forEach((part, at) => {
        if (at % 2) parent.createEl('code', { text: part });
        else parent.appendText(part);
    });
}

export function addParagraph(parent: HTMLElement, text: string, cls = ''): HTMLElement {
    const node = parent.createEl('p', { cls });
    addWords(node, text);
    return node;
}

/** What happened, and what to do. The problem that was shown here before is over. */
export function addProblem(parent: HTMLElement, error: unknown, again?: () => void): HTMLElement {
    const { title, detail, hint } = asProblem(error);
    for (const child of Array.from(parent.children)) if (child.hasClass('wellread-problem')) child.remove();
    const box = parent.createDiv({ cls: 'wellread-problem', attr: { role: 'alert' } });
    box.createEl('strong', { text: title });
    if (detail) addParagraph(box, sentence(detail));
    if (hint) addParagraph(box, sentence(hint));
    if (again) addButton(box, 'Try again', again);
    return box;
}

export function addButton(parent: HTMLElement, text: string, act: () => void, cls = ''): HTMLButtonElement {
    const button = parent.createEl('button', { text, cls, attr: { type: 'button' } });
    button.addEventListener('click', act);
    return button;
}

/** What is going on at the moment. */
export function addWait(parent: HTMLElement, text: string): HTMLElement {
    return parent.createDiv({ cls: 'wellread-wait', text, attr: { role: 'status' } });
}

/** A state in a word; its color says the same. */
export function addChip(parent: HTMLElement, text: string, tone = ''): HTMLElement {
    return parent.createSpan({ cls: `wellread-chip${tone ? ` is-${tone}` : ''}`, text });
}

export function addVerdict(parent: HTMLElement, verdict: Verdict): HTMLElement {
    const { word, meaning, icon } = VERDICTS[verdict];
    const chip = parent.createSpan({ cls: `wellread-chip is-${verdict}`, attr: { title: meaning } });
    setIcon(chip.createSpan({ cls: 'wellread-chip-icon' }), icon);
    chip.appendText(word);
    return chip;
}

/** A link to the web; anything else is only named. */
export function addOutside(parent: HTMLElement, url: string, text = url): void {
    if (/^https?:\/\//i.test(url))
        parent.createEl('a', { text, href: url, cls: 'external-link', attr: { rel: 'noopener noreferrer', target: '_blank' } });
    else parent.createSpan({ text });
}

/** A part that can be opened. */
export function addFold(parent: HTMLElement, title: string): HTMLElement {
    const fold = parent.createEl('details', { cls: 'wellread-fold' });
    fold.createEl('summary', { text: title });
    return fold.createDiv();
}
