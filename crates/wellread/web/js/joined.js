// Somebody has used their invitation: keeps the key that came along, for pages of this origin alone. The page stays, since it shows
// the token.

(() => {
    const { content } = document.querySelector('meta[name="wellread-key"]');
    try {
        localStorage.setItem('wellread-key', content);
    } catch {
        // The page says that it has none.
    }
})();
