// The choice of a vault in the bar, where the server has several.

import { get } from './api.js';
import { el } from './dom.js';

export async function offer() {
    const { vaults } = await get('/api/vaults');
    if (vaults.length < 2) return;
    const choice = el(
        'select',
        { 'aria-label': 'Vault', title: 'Vault' },
        ...vaults.map(({ name, current }) => el('option', { value: name, selected: current }, name)),
    );
    choice.addEventListener('change', () => {
        const { address } = vaults.find(({ name }) => name === choice.value);
        location.assign(`${address}/`);
    });
    document.getElementById('vaults').replaceChildren(choice);
}
