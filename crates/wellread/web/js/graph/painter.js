// Draws the graph on a canvas, sharp. Lines and dots of one color are drawn together, and what is not seen is left out.

/** Lines drawn at once: one path of all would be slower. */
const TOGETHER = 800;
const MOST_LABELS = 28;
/** From this size on the screen on, dots are round. */
const ROUND_FROM = 1.6;

/** How large a note is drawn, in the picture. */
export function sizeOf(links) {
    return 2.4 + Math.min(9, Math.sqrt(links) * 1.1);
}

export function paint(context, camera, graph, { colors, chosen = -1, only = null }) {
    const { width, height } = camera;
    context.clearRect(0, 0, width, height);
    paintEdges(context, camera, graph, colors, only);
    paintNodes(context, camera, graph, colors, only);
    if (chosen >= 0) paintChosen(context, camera, graph, colors, chosen);
    paintLabels(context, camera, graph, colors, chosen, only);
}

function paintEdges(context, camera, { places, edges, nodes }, colors, only) {
    const { width, height } = camera;
    context.strokeStyle = colors.edge;
    context.lineWidth = Math.max(0.35, Math.min(1.2, camera.scale));
    context.globalAlpha = only === null ? Math.max(0.18, Math.min(0.8, 3000 / (edges.length / 2 + 1))) : 0.12;
    let drawn = 0;
    context.beginPath();
    for (let e = 0; e < edges.length; e += 2) {
        const [a, b] = [edges[e], edges[e + 1]];
        const [ax, ay] = [camera.screenX(places[a * 2]), camera.screenY(places[a * 2 + 1])];
        const [bx, by] = [camera.screenX(places[b * 2]), camera.screenY(places[b * 2 + 1])];
        if ((ax < 0 && bx < 0) || (ay < 0 && by < 0) || (ax > width && bx > width) || (ay > height && by > height))
            continue;
        // A line that nobody could see is none.
        if (Math.abs(ax - bx) + Math.abs(ay - by) < 1) continue;
        if (only !== null && (nodes[a].cluster !== only || nodes[b].cluster !== only)) continue;
        context.moveTo(ax, ay);
        context.lineTo(bx, by);
        drawn += 1;
        if (drawn % TOGETHER === 0) {
            context.stroke();
            context.beginPath();
        }
    }
    context.stroke();
    context.globalAlpha = 1;
}

function paintNodes(context, camera, { places, byColor, nodes }, colors, only) {
    for (const [color, members] of byColor) {
        const isOrphan = color === 'orphan';
        context.fillStyle = context.strokeStyle = isOrphan ? colors.orphan : colors.cluster(color);
        context.lineWidth = 1.3;
        context.beginPath();
        for (const i of members) {
            const [x, y] = [camera.screenX(places[i * 2]), camera.screenY(places[i * 2 + 1])];
            if (x < -20 || y < -20 || x > camera.width + 20 || y > camera.height + 20) continue;
            if (only !== null && (isOrphan ? only !== 'orphan' : nodes[i].cluster !== only)) continue;
            const radius = Math.max(0.9, sizeOf(nodes[i].links) * Math.min(2.2, camera.scale));
            if (radius < ROUND_FROM && !isOrphan) {
                context.rect(x - radius, y - radius, radius * 2, radius * 2);
            } else {
                context.moveTo(x + radius, y);
                context.arc(x, y, radius, 0, 2 * Math.PI);
            }
        }
        if (isOrphan) context.stroke();
        else context.fill();
    }
}

function paintChosen(context, camera, { places, nodes, neighbors }, colors, chosen) {
    const [x, y] = [camera.screenX(places[chosen * 2]), camera.screenY(places[chosen * 2 + 1])];
    context.strokeStyle = context.fillStyle = colors.chosen;
    context.lineWidth = 1.6;
    context.beginPath();
    for (const other of neighbors(chosen)) {
        context.moveTo(x, y);
        context.lineTo(camera.screenX(places[other * 2]), camera.screenY(places[other * 2 + 1]));
    }
    context.stroke();
    context.lineWidth = 3;
    context.beginPath();
    context.arc(x, y, Math.max(6, sizeOf(nodes[chosen].links) * Math.min(2.2, camera.scale) + 4), 0, 2 * Math.PI);
    context.stroke();
}

/** The names of those that are seen and have the most links; none over another. */
function paintLabels(context, camera, { places, nodes, byLinks }, colors, chosen, only) {
    const taken = [];
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = colors.sheet;
    context.fillStyle = colors.ink;
    const candidates = chosen >= 0 ? [chosen, ...byLinks] : byLinks;
    for (const i of candidates) {
        if (taken.length >= MOST_LABELS) return;
        const isOrphan = !nodes[i].links;
        if (isOrphan && camera.scale < 1.1 && i !== chosen) continue;
        if (only !== null && (isOrphan ? only !== 'orphan' : nodes[i].cluster !== only)) continue;
        const [x, y] = [
            camera.screenX(places[i * 2]),
            camera.screenY(places[i * 2 + 1]) - sizeOf(nodes[i].links) * Math.min(2.2, camera.scale) - 5,
        ];
        if (x < 10 || y < 14 || x > camera.width - 10 || y > camera.height) continue;
        const text = nodes[i].title.length > 28 ? `${nodes[i].title.slice(0, 27)}…` : nodes[i].title;
        const half = text.length * 3.4 + 4;
        if (taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 15)) continue;
        taken.push({ x, y, half });
        context.strokeText(text, x, y);
        context.fillText(text, x, y);
    }
}
