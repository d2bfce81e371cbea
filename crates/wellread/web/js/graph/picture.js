// The picture of the graph: moved, zoomed and asked with a mouse, with fingers or with keys.
//
// While it moves, a print of it is moved, which takes no time; when it rests, it is drawn sharp.

import { el } from '../dom.js';
import { counted, nameOf } from '../pieces.js';
import { Camera } from './camera.js';
import { colors } from './colors.js';
import { gestures } from './gestures.js';
import { paint } from './painter.js';

/** So many notes and links are drawn sharp at once, always. */
const FEW = 2500;
const RESTS_MS = 110;
/** How much more than what is seen is printed, in both directions. */
const BEYOND = 1.5;

export function picture(graph, { open, signal }) {
    const canvas = el('canvas', {
        tabindex: 0,
        role: 'application',
        'aria-label':
            'Link graph. Arrow keys move it, plus and minus zoom, 0 shows everything, Enter opens the selected note. The lists below show the same notes.',
    });
    const label = el('div.graph-label', { role: 'status', hidden: true });
    const context = canvas.getContext('2d');
    const print = document.createElement('canvas');
    const camera = new Camera();
    let printed = null;
    let palette = colors();
    let [chosen, only] = [-1, null];
    let [frame, rest, moved] = [0, 0, false];
    const isFew = graph.nodes.length + graph.edges.length / 2 < FEW;

    const sharp = () => {
        if (!graph.places || !camera.width) return;
        const wide = camera.copy();
        wide.width *= BEYOND;
        wide.height *= BEYOND;
        const ratio = devicePixelRatio;
        if (print.width !== Math.round(wide.width * ratio) || print.height !== Math.round(wide.height * ratio)) {
            print.width = Math.round(wide.width * ratio);
            print.height = Math.round(wide.height * ratio);
        }
        const onPrint = print.getContext('2d');
        onPrint.setTransform(ratio, 0, 0, ratio, 0, 0);
        paint(onPrint, wide, graph, { colors: palette, chosen, only });
        printed = camera.copy();
    };
    const show = () => {
        const ratio = devicePixelRatio;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, camera.width, camera.height);
        if (!printed) return;
        const by = camera.scale / printed.scale;
        const [wide, high] = [printed.width * BEYOND * by, printed.height * BEYOND * by];
        const [x, y] = [camera.screenX(printed.x) - wide / 2, camera.screenY(printed.y) - high / 2];
        // At rest it lies on whole pixels, so that it stays sharp.
        if (by === 1)
            context.drawImage(
                print,
                Math.round(x * ratio) / ratio,
                Math.round(y * ratio) / ratio,
                print.width / ratio,
                print.height / ratio,
            );
        else context.drawImage(print, x, y, wide, high);
    };
    const ask = () => {
        frame ||= requestAnimationFrame(() => {
            frame = 0;
            if (!moved || isFew) sharp();
            show();
        });
    };
    /** The view changed: the print moves at once, and is made anew when that is over. */
    const move = () => {
        moved = true;
        clearTimeout(rest);
        rest = setTimeout(() => {
            moved = false;
            ask();
        }, RESTS_MS);
        ask();
    };
    const choose = (i) => {
        if (i === chosen) return;
        chosen = i;
        label.hidden = i < 0;
        if (i >= 0) {
            const { title, path, links } = graph.nodes[i];
            label.replaceChildren(
                el('strong', title || nameOf(path)),
                el('span.soft', ` ${path}, ${links ? counted(links, 'link') : 'no links'}`),
            );
        }
        canvas.classList.toggle('over', i >= 0);
        ask();
    };
    const all = () => {
        if (graph.places) camera.fit(graph.places, graph.nodes.keys());
        move();
    };
    const zoom = (by, x, y) => {
        camera.zoom(by, x, y);
        move();
    };
    const resize = () => {
        const box = canvas.getBoundingClientRect();
        if (!box.width) return;
        const isFirst = camera.width === 1;
        [camera.width, camera.height] = [box.width, box.height];
        canvas.width = Math.round(box.width * devicePixelRatio);
        canvas.height = Math.round(box.height * devicePixelRatio);
        printed = null;
        if (isFirst) all();
        moved = false;
        ask();
    };
    const watcher = new ResizeObserver(resize);
    watcher.observe(canvas);
    document.addEventListener(
        'theme',
        () => {
            palette = colors();
            ask();
        },
        { signal },
    );
    signal.addEventListener('abort', () => {
        watcher.disconnect();
        cancelAnimationFrame(frame);
        clearTimeout(rest);
    });
    gestures(
        canvas,
        {
            pan: (dx, dy) => (camera.pan(dx, dy), move()),
            zoom,
            all,
            over: (x, y, reach) => choose(graph.nearest(camera.pictureX(x), camera.pictureY(y), reach / camera.scale)),
            press: (x, y, reach) => {
                const i = graph.nearest(camera.pictureX(x), camera.pictureY(y), reach / camera.scale);
                // With a finger, the first tap shows the name and the second opens it.
                const wasShown = i === chosen;
                choose(i);
                return i >= 0 && wasShown ? () => open(graph.nodes[i].path) : null;
            },
            enter: () => chosen >= 0 && open(graph.nodes[chosen].path),
        },
        signal,
    );

    return {
        canvas,
        label,
        all,
        zoom,
        choose,
        /** New places; `isLast` when they stay. */
        settle(places, isLast, follow) {
            graph.place(places);
            if (follow) camera.fit(places, graph.nodes.keys());
            moved = false;
            ask();
            if (isLast) canvas.dataset.settled = 'true';
        },
        /** One cluster, or the orphans, or null for all. */
        show(which) {
            only = which;
            if (!graph.places) return;
            const members =
                which === null
                    ? graph.nodes.keys()
                    : which === 'orphan'
                      ? graph.orphans
                      : graph.nodes.flatMap(({ cluster, links }, i) => (links && cluster === which ? [i] : []));
            camera.fit(graph.places, members);
            moved = false;
            ask();
        },
        /** Brings a note to the middle. */
        find(path) {
            const i = graph.nodes.findIndex((node) => node.path === path);
            if (i < 0 || !graph.places) return;
            only = null;
            camera.x = graph.places[i * 2];
            camera.y = graph.places[i * 2 + 1];
            camera.scale = Math.max(camera.scale, 1.2);
            choose(i);
            moved = false;
            ask();
        },
    };
}
