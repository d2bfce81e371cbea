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

export function lasted(ms) {
    if (ms < 1000) return `${Math.round(ms)} ms`;
    if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
    return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}
