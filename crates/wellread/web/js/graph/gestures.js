// Mouse, fingers and keys on the picture, as what they mean: pan, zoom, look at, open.

const REACH = { __proto__: null, mouse: 9, touch: 22, pen: 14 };
const STEP = 60;

export function gestures(canvas, means, signal) {
    const fingers = new Map();
    let [traveled, spread] = [0, 0];
    const on = (name, act, options = {}) => canvas.addEventListener(name, act, { signal, ...options });
    const reach = (event) => REACH[event.pointerType] ?? REACH.mouse;
    const middle = () => {
        const all = [...fingers.values()];
        return {
            x: all.reduce((sum, { x }) => sum + x, 0) / all.length,
            y: all.reduce((sum, { y }) => sum + y, 0) / all.length,
        };
    };
    const apart = () => {
        const [one, other] = [...fingers.values()];
        return Math.hypot(one.x - other.x, one.y - other.y);
    };

    on('pointerdown', (event) => {
        canvas.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
        if (fingers.size === 1) traveled = 0;
        if (fingers.size === 2) spread = apart();
    });
    on('pointermove', (event) => {
        if (!fingers.has(event.pointerId)) {
            if (event.pointerType === 'mouse') means.over(event.offsetX, event.offsetY, reach(event));
            return;
        }
        const before = middle();
        fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
        const after = middle();
        traveled += Math.abs(after.x - before.x) + Math.abs(after.y - before.y);
        means.pan(after.x - before.x, after.y - before.y);
        if (fingers.size === 2) {
            const now = apart();
            if (spread > 0) means.zoom(now / spread, after.x, after.y);
            spread = now;
            traveled = Infinity;
        }
    });
    const up = (event) => {
        if (!fingers.delete(event.pointerId)) return;
        if (event.type === 'pointerup' && !fingers.size && traveled < 6)
            means.press(event.offsetX, event.offsetY, reach(event))?.();
    };
    on('pointerup', up);
    on('pointercancel', up);
    on(
        'wheel',
        (event) => {
            event.preventDefault();
            const lines = event.deltaMode === 1 ? 16 : 1;
            means.zoom(Math.exp(-event.deltaY * lines * 0.0016), event.offsetX, event.offsetY);
        },
        { passive: false },
    );
    on('keydown', (event) => {
        const does = {
            ArrowLeft: () => means.pan(STEP, 0),
            ArrowRight: () => means.pan(-STEP, 0),
            ArrowUp: () => means.pan(0, STEP),
            ArrowDown: () => means.pan(0, -STEP),
            '+': () => means.zoom(1.25),
            '=': () => means.zoom(1.25),
            '-': () => means.zoom(0.8),
            0: () => means.all(),
            Enter: () => means.enter(),
        }[event.key];
        if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        does();
    });
}
