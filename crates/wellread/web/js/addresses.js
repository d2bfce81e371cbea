// Addresses within the page.

export function noteAddress(path) {
    return `#/note/${path.split('/').map(encodeURIComponent).join('/')}`;
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
