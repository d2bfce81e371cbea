// A tab of the sidebar.

import { Component } from 'obsidian';
import type { Host } from './host';

export abstract class Panel extends Component {
    constructor(
        protected readonly host: Host,
        protected readonly el: HTMLElement,
    ) {
        super();
    }

    /** The tab is shown, or another note was opened while it is. */
    abstract show(): void;
}
