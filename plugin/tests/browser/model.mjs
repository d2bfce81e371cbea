// A scripted model: it answers by what it is asked, in the format of chat completions, word by word where a stream is wanted.

import { createServer } from 'node:http';

const WORD_MS = 80;

/** `answer(request)` gives `{ text }`, `{ json }` or `{ calls: [[name, arguments]] }`. */
export async function startModel(answer) {
    const server = createServer(async (request, response) => {
        let body = '';
        for await (const piece of request) body += piece;
        const asked = JSON.parse(body);
        const said = answer(asked);
        const forced = asked.tool_choice?.function?.name;
        const calls = said.json && forced ? [[forced, said.json]] : (said.calls ?? []);
        const text = said.json && !forced ? JSON.stringify(said.json) : (said.text ?? '');
        const reason = calls.length ? 'tool_calls' : 'stop';
        if (!asked.stream) {
            const message = { role: 'assistant', content: text, ...(calls.length ? { tool_calls: calls.map(call) } : {}) };
            response.setHeader('content-type', 'application/json');
            response.end(JSON.stringify({ id: 'x', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }] }));
            return;
        }
        response.setHeader('content-type', 'text/event-stream');
        const send = (delta, finish_reason = null) =>
            response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
        send({ role: 'assistant', content: '' });
        for (const word of text.match(/\S+\s*/g) ?? []) {
            send({ content: word });
            await new Promise((resolve) => setTimeout(resolve, said.slow ?? WORD_MS));
        }
        if (calls.length) send({ tool_calls: calls.map((one, index) => ({ index, ...call(one, index) })) });
        send({}, reason);
        response.end('data: [DONE]\n\n');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

function call([name, args], index) {
    return { id: `call-${index + 1}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}
