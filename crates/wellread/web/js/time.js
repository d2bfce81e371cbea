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

/** How long ago a moment was. */
export function ago(moment) {
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

export function lasted(ms) {
    if (ms < 1000) return `${Math.round(ms)} ms`;
    if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
    return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}
