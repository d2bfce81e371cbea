// Light or dark: as the system has it, or as the user chose. Runs before anything is drawn, so that nothing flashes.

(() => {
    const KEY = 'wellread-theme';
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const stored = () => {
        try {
            return localStorage.getItem(KEY);
        } catch {
            return null;
        }
    };
    const names = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };
    const order = ['system', 'light', 'dark'];
    let chosen = order.includes(stored()) ? stored() : 'system';

    const apply = () => {
        const shown = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen;
        document.documentElement.dataset.theme = shown;
        const button = document.getElementById('theme');
        if (button) button.textContent = names[chosen];
        document.dispatchEvent(new Event('theme'));
    };

    dark.addEventListener('change', apply);
    apply();
    document.addEventListener('DOMContentLoaded', () => {
        apply();
        document.getElementById('theme')?.addEventListener('click', () => {
            chosen = order[(order.indexOf(chosen) + 1) % order.length];
            try {
                localStorage.setItem(KEY, chosen);
            } catch {
                // It holds until the page is left.
            }
            apply();
        });
    });
})();
