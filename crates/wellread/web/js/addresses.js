// Addresses within the page.

/** The address of a note, and of a line in it. */
export function noteAddress(path, line) {
    const address = `#/note/${path.split('/').map(encodeURIComponent).join('/')}`;
    return line ? `${address}?line=${line}` : address;
}

/** The address of a file of a codebase, and of a line or lines in it: `12` or `12-14`. */
export function codeAddress(repository, path, lines) {
    const address = `#/code/${[repository, ...path.split('/')].map(encodeURIComponent).join('/')}`;
    return lines ? `${address}?line=${lines}` : address;
}

/** Where a citation's place leads: `Bees.md:12-14` to a note, `hivelog:src/main.rs:3-9` to code. Nothing for any other words. */
export function placeAddress(words) {
    const note = /^([^:]+\.md):(\d{1,9})(?:-\d{1,9})?$/.exec(words);
    if (note) return noteAddress(note[1], note[2]);
    const code = /^([\w.-]{1,64}):([^:]+):(\d{1,9}(?:-\d{1,9})?)$/.exec(words);
    return code ? codeAddress(code[1], code[2], code[3]) : null;
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
