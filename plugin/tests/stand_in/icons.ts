// A few icons, drawn with lines in a square of 24, in place of the set that Obsidian has.

const PATHS: Record<string, string> = {
    check: 'M5 13l5 5 9-12',
    x: 'M6 6l12 12M18 6L6 18',
    'help-circle': 'M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7M12 17v.01',
    quote: 'M5 8h5v5c0 2-1 3-3 4M14 8h5v5c0 2-1 3-3 4',
    minus: 'M6 12h12',
    plus: 'M6 12h12M12 6v12',
    inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 2.5h3L15 13h5',
    'message-circle': 'M4 12a8 8 0 1 1 3.5 6.6L4 20z',
    'file-check': 'M6 3h8l4 4v14H6zM9 14l2 2 4-5',
    'book-open-check': 'M12 7c-2-2-5-2-8-2v13c3 0 6 0 8 2c2-2 5-2 8-2V5c-3 0-6 0-8 2zM12 7v13',
};

export function setIcon(parent: HTMLElement, name: string): void {
    const drawn = PATHS[name];
    if (!drawn) throw new Error(`the stand-in has no icon ${name}`);
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('class', 'svg-icon');
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', drawn);
    svg.appendChild(path);
    parent.empty();
    parent.appendChild(svg);
}
