// A browser was just let in: keeps the key that came along, for pages of this origin alone, and goes on to the page, or back to the
// question of a program that wants to connect.

(() => {
    const { content } = document.querySelector('meta[name="wellread-key"]');
    try {
        localStorage.setItem('wellread-key', content);
    } catch {
        // The page says that it has none.
    }
    let back = '';
    try {
        back = sessionStorage.getItem('wellread-return') ?? '';
        sessionStorage.removeItem('wellread-return');
    } catch {
        // Then it is the page.
    }
    location.replace(back.startsWith('/oauth/authorize?') ? back : '/');
})();
