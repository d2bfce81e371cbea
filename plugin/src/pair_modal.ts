// Asks before a link pairs this vault with a server: any page could have made the link, and the server will see notes.

import { type App, Modal } from 'obsidian';
import { isLocal } from './server/pairing';
import { addButton, addParagraph } from './ui/elements';

export class PairModal extends Modal {
    constructor(
        app: App,
        private readonly address: string,
        private readonly pair: () => void,
    ) {
        super(app);
    }

    override onOpen(): void {
        this.setTitle('Pair with this server?');
        const where = isLocal(this.address) ? 'on this device' : 'on another machine';
        addParagraph(this.contentEl, `A link asks to connect this vault with Wellread at ${this.address}, ${where}.`);
        addParagraph(this.contentEl, 'What you ask and the notes you work on are sent there. Continue only if the server is yours.');
        const row = this.contentEl.createDiv({ cls: 'wellread-row' });
        addButton(row, 'Pair', () => {
            this.close();
            this.pair();
        }, 'mod-cta');
        addButton(row, 'Cancel', () => this.close());
    }

    override onClose(): void {
        this.contentEl.empty();
    }
}
