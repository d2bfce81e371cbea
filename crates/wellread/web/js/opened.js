// A browser was just let in: keeps the key that came along, for pages of this origin alone, and goes on to the page.

(() => {
    const { content } = document.querySelector('meta[name="wellread-key"]');
    try {
        localStorage.setItem('wellread-key', content);
    } catch {
        // The page says that it has none.
    }
    location.replace('/');
})();
