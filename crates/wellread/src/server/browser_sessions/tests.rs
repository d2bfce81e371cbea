//! Who a session lets in, and when it ends.

use axum::http::HeaderValue;

use super::*;

fn place(port: u16) -> ListenAddress {
    ListenAddress::new(([127, 0, 0, 1], port).into(), Vec::new)
}

struct Bench {
    folder: tempfile::TempDir,
    token: AccessToken,
    sessions: BrowserSessions,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = AccessToken::load_or_create(folder.path()).unwrap();
        let sessions = BrowserSessions::new(folder.path());
        Self { folder, token, sessions }
    }

    fn begin(&self) -> NewSession {
        self.sessions.begin(&self.token, &place(8000), "127.0.0.1:8000", "A\nbrowser", None).unwrap()
    }

    fn check(&self, cookie: &str, key: Option<&str>, host: &str, port: u16) -> SessionAccess {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(&format!("theme=dark; {cookie}")).unwrap());
        key.map(|key| headers.insert(PAGE_KEY, HeaderValue::from_str(key).unwrap()));
        self.sessions.check(&headers, &self.token, &place(port), host)
    }
}

fn pair(new: &NewSession) -> &str {
    new.cookie.split(';').next().unwrap()
}

#[test]
fn a_session_needs_its_cookie_its_key_and_its_host() {
    let bench = Bench::new();
    let (one, other) = (bench.begin(), bench.begin());
    let full = |cookie: &str, key: &str| bench.check(cookie, Some(key), "127.0.0.1:8000", 8000);
    assert!(matches!(full(pair(&one), &one.key), SessionAccess::Full(_)));
    assert_eq!(full(pair(&one), &other.key), SessionAccess::CookieOnly(None), "another session's key");
    assert_eq!(bench.check(pair(&one), None, "127.0.0.1:8000", 8000), SessionAccess::CookieOnly(None));
    for host in ["localhost:8000", "127.0.0.1:8001", ""] {
        assert_eq!(bench.check(pair(&one), Some(&one.key), host, 8000), SessionAccess::None, "{host}");
    }
    assert_eq!(bench.check(pair(&one), Some(&one.key), "127.0.0.1:8000", 8001), SessionAccess::None);
    assert_eq!(full(&format!("{}0", pair(&one)), &one.key), SessionAccess::None);
    assert_eq!(full("wellread-8000=../token", &one.key), SessionAccess::None);
    let anew = AccessToken::load_or_create(&bench.folder.path().join("anew")).unwrap();
    let with_new_token = Bench { token: anew, ..bench };
    let access = with_new_token.check(pair(&one), Some(&one.key), "127.0.0.1:8000", 8000);
    assert_eq!(access, SessionAccess::None, "a new token ends it");
}

#[test]
fn sessions_are_listed_and_ended_and_their_files_let_nobody_in() {
    let bench = Bench::new();
    let (one, other) = (bench.begin(), bench.begin());
    let SessionAccess::Full(current) = bench.check(pair(&one), Some(&one.key), "127.0.0.1:8000", 8000) else {
        panic!("it is open")
    };
    let listed = bench.sessions.list(Some(&current), None);
    assert_eq!((listed.len(), listed.iter().filter(|entry| entry.current).count()), (2, 1));
    assert_eq!(listed[0].browser, "Abrowser");
    let secret = pair(&one).split_once('=').unwrap().1;
    for file in fs::read_dir(bench.folder.path().join(FOLDER)).unwrap() {
        let path = file.unwrap().path();
        let text = format!("{path:?} {}", fs::read_to_string(&path).unwrap());
        assert!(!text.contains(secret) && !text.contains(&one.key), "{text}");
    }
    let first = listed.iter().find(|entry| entry.current).unwrap();
    bench.sessions.end(&first.id, None).unwrap();
    assert!(!bench.sessions.is_open(&current) && bench.sessions.end(&first.id, None).is_err());
    assert_eq!(bench.check(pair(&one), Some(&one.key), "127.0.0.1:8000", 8000), SessionAccess::None);
    assert!(matches!(
        bench.check(pair(&other), Some(&other.key), "127.0.0.1:8000", 8000),
        SessionAccess::Full(_)
    ));
    assert_eq!((bench.sessions.end_all(None).unwrap(), bench.sessions.list(None, None).len()), (1, 0));
}

#[test]
fn a_session_ends_after_some_weeks_and_the_oldest_makes_room() {
    let bench = Bench::new();
    let old = bench.begin();
    let path =
        bench.folder.path().join(FOLDER).join(file_name(&bench.token, pair(&old).split_once('=').unwrap().1));
    let mut stored: StoredSession = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    stored.began -= SESSION_LASTS.as_secs() + 1;
    fs::write(&path, serde_json::to_string(&stored).unwrap()).unwrap();
    assert_eq!(bench.check(pair(&old), Some(&old.key), "127.0.0.1:8000", 8000), SessionAccess::None);
    for _ in 0..MOST_SESSIONS + 5 {
        bench.begin();
    }
    assert_eq!(bench.sessions.names().count(), MOST_SESSIONS);
    assert!(!path.exists());
}
