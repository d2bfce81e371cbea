// Moments for people.

const STEPS = [
    ['year', 31557600],
    ['month', 2629800],
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** How long ago a moment or a day was. */
export function ago(moment) {
    if (/^\d{4}-\d{2}-\d{2}$/.test(moment)) {
        const days = Math.round((new Date(`${moment}T00:00`) - new Date().setHours(0, 0, 0, 0)) / 86400000);
        return Math.abs(days) < 31 ? relative.format(days, 'day') : onDay(`${moment}T00:00`);
    }
    const seconds = (new Date(moment).getTime() - Date.now()) / 1000;
    if (Number.isNaN(seconds)) return moment;
    for (const [unit, length] of STEPS) {
        if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
    }
    return 'just now';
}

export function exactly(moment) {
    const date = new Date(moment);
    return Number.isNaN(date.getTime()) ? moment : exact.format(date);
}

export function onDay(moment) {
    const date = new Date(moment);
    return Number.isNaN(date.getTime()) ? moment : day.format(date);
}

/** `80 ms`, `4.5 s`, `4 min 3 s`. */
export function lasted(ms) {
    if (ms < 1000) return `${Math.round(ms)} ms`;
    const tenths = Math.round(ms / 100);
    if (tenths < 600) return `${tenths / 10} s`;
    const seconds = Math.round(ms / 1000);
    const parts = [
        [Math.floor(seconds / 3600), 'h'],
        [Math.floor(seconds / 60) % 60, 'min'],
        [seconds % 60, 's'],
    ];
    return parts
        .filter(([number]) => number)
        .map(([number, unit]) => `${number} ${unit}`)
        .join(' ');
}
