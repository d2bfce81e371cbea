// The colors of clusters: the largest have one of their own, the others share a gray.

const LIGHT = [
    '#17605a',
    '#b4530a',
    '#5b4bb4',
    '#b02a5b',
    '#2f6fb0',
    '#6b7d10',
    '#8a4b2a',
    '#00838f',
    '#9c3fb0',
    '#4a6741',
];
const DARK = [
    '#5cc4b8',
    '#f0a35e',
    '#a99df2',
    '#f089ae',
    '#7db8f0',
    '#c3d34f',
    '#d69d7a',
    '#58d0dd',
    '#d69be4',
    '#a5c79a',
];
export const COLORED = LIGHT.length;

export function colors() {
    const isDark = document.documentElement.dataset.theme === 'dark';
    const style = getComputedStyle(document.documentElement);
    const named = (name) => style.getPropertyValue(name).trim();
    const own = isDark ? DARK : LIGHT;
    return {
        cluster: (number) => own[number] ?? named('--line-strong'),
        orphan: named('--bad'),
        edge: named('--edge'),
        ink: named('--ink'),
        sheet: named('--sheet'),
        chosen: named('--accent'),
    };
}
