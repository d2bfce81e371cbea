// One line to the server for all tabs: a browser opens only so many connections to a server, and each tab needs some.

import { follow } from './event_line.js';

const ports = new Set();
let key = '';
let isFollowing = false;
/** What a tab that comes later has missed. */
let isOpen = null;
let counts = null;

self.addEventListener('connect', ({ ports: [port] }) => {
    port.addEventListener('message', ({ data }) => {
        if (data.key === undefined) {
            ports.delete(port);
            return;
        }
        key = data.key;
        ports.add(port);
        if (isOpen !== null) port.postMessage({ name: 'line', data: isOpen });
        if (counts) port.postMessage({ name: 'counts', data: counts });
        if (!isFollowing) {
            isFollowing = true;
            follow(() => key, tell);
        }
    });
    port.start();
});

function tell(name, data) {
    if (name === 'line') isOpen = data;
    if (name === 'counts') counts = data;
    for (const port of ports) port.postMessage({ name, data });
}
