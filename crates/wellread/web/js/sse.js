// Reads server-sent events from the body of an answer.

/** Each event as `{ id, name, data }`; comments, which only keep the line open, are passed over. */
export async function* events(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const { value, done } = await reader.read();
        rest += value ?? '';
        const blocks = rest.split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
            const event = parsed(block);
            if (event) yield event;
        }
        if (done) return;
    }
}

function parsed(block) {
    let name = 'message';
    let id = null;
    const data = [];
    for (const line of block.split('\n')) {
        if (line.startsWith('event:')) name = line.slice(6).trim();
        else if (line.startsWith('id:')) id = line.slice(3).trim();
        else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    }
    return data.length ? { id, name, data: JSON.parse(data.join('\n')) } : null;
}
