// A difference as it is shown: lines with their signs, and a switch beside each part that can be left out.

import type { Difference, DiffLine } from '../text/difference';
import { parseDifference } from '../text/difference';

const CLASSES = { '+': 'is-added', '-': 'is-removed', ' ': '' } as const;

/** Shows it without choices. Text that is no difference is shown as it is. */
export function addDifference(parent: HTMLElement, text: string): void {
    const { hunks } = parseDifference(text);
    const block = addBlock(parent);
    if (!hunks.length) block.setText(text);
    for (const { lines } of hunks) for (const line of lines) addLine(block, line);
}

/** Shows it part by part; `changed` is called with the parts that are chosen. */
export function addChoices(parent: HTMLElement, difference: Difference, changed: (chosen: ReadonlySet<number>) => void): void {
    const chosen = new Set(difference.parts.filter(({ frame }) => !frame).map(({ id }) => id));
    for (const { lines } of difference.hunks) {
        let block: HTMLElement | null = null;
        let current: number | null | undefined;
        for (const line of lines) {
            if (!block || line.part !== current) {
                current = line.part;
                block = addBlock(partBox(parent, difference, current, chosen, changed));
            }
            addLine(block, line);
        }
    }
    changed(chosen);
}

/** The box of a part with its switch. Lines that stay, and what only frames the others, have none. */
function partBox(
    parent: HTMLElement,
    { parts }: Difference,
    id: number | null,
    chosen: Set<number>,
    changed: (chosen: ReadonlySet<number>) => void,
): HTMLElement {
    const part = id === null ? undefined : parts[id];
    if (!part || part.frame) return parent;
    const box = parent.createDiv({ cls: 'wellread-part' });
    const label = box.createEl('label', { cls: 'wellread-part-head' });
    const input = label.createEl('input', { type: 'checkbox' });
    input.checked = true;
    label.createSpan({ text: part.title });
    input.addEventListener('change', () => {
        if (input.checked) chosen.add(part.id);
        else chosen.delete(part.id);
        box.toggleClass('is-off', !input.checked);
        changed(chosen);
    });
    return box;
}

function addBlock(parent: HTMLElement): HTMLElement {
    return parent.createEl('pre', { cls: 'wellread-diff', attr: { tabindex: '0' } }).createEl('code');
}

function addLine(block: HTMLElement, { kind, text }: DiffLine): void {
    block.createSpan({ cls: `wellread-diff-line ${CLASSES[kind]}`, text: `${kind} ${text.replace(/\r?\n$/, '')}\n` });
}
