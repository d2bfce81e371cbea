// What Obsidian adds to every element, as far as the plugin uses it.

interface ElementInfo {
    cls?: string | string[];
    text?: string;
    href?: string;
    type?: string;
    attr?: Record<string, string | number | boolean | null>;
}

function make(tag: string, info: ElementInfo | string = {}): HTMLElement {
    const node = document.createElement(tag);
    const { cls, text, href, type, attr } = typeof info === 'string' ? { cls: info } : info;
    if (cls?.length) node.className = Array.isArray(cls) ? cls.join(' ') : cls;
    if (text !== undefined) node.textContent = text;
    if (href !== undefined) node.setAttribute('href', href);
    if (type !== undefined) node.setAttribute('type', type);
    for (const [name, value] of Object.entries(attr ?? {})) if (value !== null) node.setAttribute(name, String(value));
    return node;
}

const METHODS = {
    createEl(this: Node, tag: string, info?: ElementInfo | string): HTMLElement {
        return this.appendChild(make(tag, info));
    },
    createDiv(this: Node, info?: ElementInfo | string): HTMLElement {
        return this.appendChild(make('div', info));
    },
    createSpan(this: Node, info?: ElementInfo | string): HTMLElement {
        return this.appendChild(make('span', info));
    },
    appendText(this: Node, text: string): void {
        this.appendChild(document.createTextNode(text));
    },
    empty(this: Node): void {
        while (this.firstChild) this.removeChild(this.firstChild);
    },
    setText(this: Node, text: string): void {
        this.textContent = text;
    },
    hasClass(this: Element, name: string): boolean {
        return this.classList.contains(name);
    },
    addClass(this: Element, ...names: string[]): void {
        this.classList.add(...names);
    },
    removeClass(this: Element, ...names: string[]): void {
        this.classList.remove(...names);
    },
    toggleClass(this: Element, name: string, isOn: boolean): void {
        this.classList.toggle(name, isOn);
    },
};

for (const [name, value] of Object.entries(METHODS)) Object.defineProperty(Node.prototype, name, { value, configurable: true, writable: true });
Object.assign(window, {
    createEl: make,
    createDiv: (info?: ElementInfo) => make('div', info),
    createSpan: (info?: ElementInfo) => make('span', info),
    activeDocument: document,
    activeWindow: window,
});
