// Builds elements. A child is an element or text, never HTML: what others wrote can only be shown.

const SVG = 'http://www.w3.org/2000/svg';
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'open', 'indeterminate']);

const AT_ONCE = 5000;

/** An element: `el('a.inner', { href: '#/' }, 'Home')`. A field `on…` is a listener; null and false are left out. */
export function el(what, fields, ...children) {
    const [tag, ...classes] = what.split('.');
    const node = document.createElement(tag);
    if (classes.length) node.className = classes.join(' ');
    const own = isChild(fields) ? {} : (fields ?? {});
    const given = isChild(fields) ? [fields, children] : children;
    const nodes = given.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
    // A call takes only so many arguments.
    for (let at = 0; at < nodes.length; at += AT_ONCE) node.append(...nodes.slice(at, at + AT_ONCE));
    // The direction comes after the words that it is taken from: with each word that is added, it would be looked for again.
    set(node, own);
    return node;
}

/** A small drawing: paths within a square of 24. */
export function icon(...paths) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    for (const d of paths) {
        const path = document.createElementNS(SVG, 'path');
        path.setAttribute('d', d);
        svg.append(path);
    }
    return svg;
}

/** A dot in a color, for a legend. */
export function dot(color, hollow = false) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '0 0 10 10');
    svg.setAttribute('aria-hidden', 'true');
    const circle = document.createElementNS(SVG, 'circle');
    for (const [name, value] of Object.entries({ cx: 5, cy: 5, r: 4, 'stroke-width': 1.5 }))
        circle.setAttribute(name, value);
    circle.setAttribute('fill', hollow ? 'none' : color);
    circle.setAttribute('stroke', color);
    svg.append(circle);
    return svg;
}

function set(node, fields) {
    for (const [name, value] of Object.entries(fields)) {
        if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
        else if (PROPERTIES.has(name)) node[name] = value;
        else if (value === true) node.setAttribute(name, '');
        else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
}

function isChild(value) {
    return typeof value === 'string' || typeof value === 'number' || value instanceof Node || Array.isArray(value);
}
