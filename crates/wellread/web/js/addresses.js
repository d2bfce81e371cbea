// Addresses within the page.

/** The address of a note, and of a line in it. */
export function noteAddress(path, line) {
    const address = `#/note/${path.split('/').map(encodeURIComponent).join('/')}`;
    return line ? `${address}?line=${line}` : address;
}

export function runAddress(id) {
    return `#/runs/${encodeURIComponent(id)}`;
}

export function agendaAddress(id) {
    return `#/agenda/${encodeURIComponent(id)}`;
}

export function findingAddress(id) {
    return `#/inbox/${encodeURIComponent(id)}`;
}

export function searchAddress(query) {
    return `#/search?${new URLSearchParams({ q: query })}`;
}
