// Lays the graph out beside the page, so that the page goes on.

import { layOut } from './layout.js';

addEventListener('message', ({ data }) => {
    layOut(data, (places, isLast) => postMessage({ places, isLast }, [places.buffer]));
});
