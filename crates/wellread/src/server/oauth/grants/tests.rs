//! Grants and their tokens: which are good, for what, and when they end.

use std::fs;

use super::*;

const MCP: &str = "https://w.example/mcp";

struct Bench {
    folder: tempfile::TempDir,
    token: AccessToken,
    grants: Grants,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = AccessToken::load_or_create(folder.path()).unwrap();
        let grants = Grants::new(folder.path());
        Self { folder, token, grants }
    }

    fn begin(&self, client: &str) -> IssuedTokens {
        let new = NewGrant {
            client_id: client.to_owned(),
            client_name: client.to_owned(),
            resource: MCP.to_owned(),
            scopes: AccessScopes::parse("read write"),
            vaults: vec![VaultRef::new("bees", Path::new("/bees"))],
            user: None,
        };
        self.grants.begin(&self.token, new).unwrap()
    }

    fn refresh(&self, refresh: &str, client: &str) -> Result<IssuedTokens, OAuthError> {
        let request =
            RefreshRequest { refresh, client_id: client, resource: None, scope: None, is_current: &|_| true };
        self.grants.refresh(&self.token, &request)
    }

    fn is_good(&self, access: &str) -> bool {
        self.grants.check(&self.token, access, MCP).is_some()
    }

    /// Changes a grant's file.
    fn change(&self, grant: &GrantId, change: impl FnOnce(&mut StoredGrant)) {
        let mut stored = self.grants.files.read(grant).unwrap();
        change(&mut stored);
        self.grants.files.write(grant, &stored).unwrap();
    }
}

#[test]
fn an_access_token_is_good_for_one_address_and_a_quarter_of_an_hour() {
    let bench = Bench::new();
    let tokens = bench.begin("c");
    let client = bench.grants.check(&bench.token, &tokens.access, MCP).unwrap();
    assert_eq!(client.scopes.to_string(), "read write");
    assert!(client.remaining <= Duration::from_secs(ACCESS_LASTS) && client.vaults[0].name == "bees");
    for other in ["https://w.example/vaults/bees/mcp", "https://w.example/mcp/", "http://w.example/mcp", ""] {
        assert!(bench.grants.check(&bench.token, &tokens.access, other).is_none(), "{other}");
    }
    let access = tokens.access.as_str();
    for wrong in [
        "",
        "wra_",
        &access[1..],
        &access[..access.len() - 1],
        &format!("{access}0"),
        &tokens.refresh,
        "wra_../token.x",
    ] {
        assert!(!bench.is_good(wrong), "{wrong}");
    }
    bench.change(&tokens.grant, |stored| stored.access[0].expires = unix_now());
    assert!(!bench.is_good(&tokens.access), "it has expired");
    bench.change(&tokens.grant, |stored| stored.access[0].expires = unix_now() + 2 * ACCESS_LASTS);
    assert!(!bench.is_good(&tokens.access), "the clock was set back");
    let fresh = bench.refresh(&tokens.refresh, "c").unwrap();
    assert!(bench.is_good(&fresh.access));
    bench.change(&tokens.grant, |stored| stored.began -= GRANT_LASTS.as_secs() + 1);
    assert!(
        !bench.is_good(&fresh.access) && bench.refresh(&fresh.refresh, "c").is_err(),
        "the user is asked again"
    );
}

#[test]
fn a_refresh_token_is_good_once_and_a_second_use_ends_the_grant() {
    let bench = Bench::new();
    let first = bench.begin("c");
    let second = bench.refresh(&first.refresh, "c").unwrap();
    assert!(bench.is_good(&first.access) && bench.is_good(&second.access));
    assert_eq!(bench.refresh(&first.refresh, "c").unwrap_err().code, "invalid_grant");
    assert!(!bench.is_good(&first.access) && !bench.is_good(&second.access));
    assert!(bench.refresh(&second.refresh, "c").is_err() && bench.grants.list(None).is_empty());
}

#[test]
fn who_never_had_a_token_of_a_grant_can_not_end_it() {
    let bench = Bench::new();
    let tokens = bench.begin("c");
    let id = AccessText::parse(&tokens.access).unwrap().id.to_owned();
    let made_up = format!("wrr_{id}.{}.{}", "0".repeat(64), "0".repeat(64));
    assert!(bench.refresh(&made_up, "c").is_err() && bench.refresh(&tokens.refresh, "other").is_err());
    for unknown in [made_up.as_str(), &format!("wra_{id}.{}", "0".repeat(64)), "", "x"] {
        bench.grants.revoke(&bench.token, unknown).unwrap();
    }
    assert!(bench.is_good(&tokens.access) && bench.refresh(&tokens.refresh, "c").is_ok());
}

#[test]
fn a_refresh_asks_for_no_more_than_was_allowed() {
    let bench = Bench::new();
    let tokens = bench.begin("c");
    let ask = |resource, scope| {
        let request = RefreshRequest {
            refresh: &tokens.refresh,
            client_id: "c",
            resource,
            scope,
            is_current: &|_| true,
        };
        bench.grants.refresh(&bench.token, &request)
    };
    assert_eq!(ask(Some("https://w.example/vaults/bees/mcp"), None).unwrap_err().code, "invalid_target");
    assert_eq!(ask(None, Some("read decide")).unwrap_err().code, "invalid_scope");
    assert_eq!(ask(None, Some("offline_access")).unwrap_err().code, "invalid_scope");
    let less = ask(Some(MCP), Some("read")).unwrap();
    assert_eq!(less.scopes.to_string(), "read");
    assert_eq!(bench.grants.check(&bench.token, &less.access, MCP).unwrap().scopes.to_string(), "read");
    let all = bench.refresh(&less.refresh, "c").unwrap();
    assert_eq!(all.scopes.to_string(), "read write", "what the user allowed stays allowed");
    let said = format!("{all:?}");
    assert!(!said.contains(&all.access) && !said.contains(&all.refresh), "{said}");
}

#[test]
fn of_two_that_refresh_at_once_one_gets_tokens_and_the_grant_ends() {
    let bench = Bench::new();
    let tokens = bench.begin("c");
    let got = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| bench.refresh(&tokens.refresh, "c"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(got.iter().filter(|one| one.is_ok()).count(), 1);
    assert!(bench.grants.list(None).is_empty());
}

#[test]
fn either_token_ends_its_grant_and_a_new_token_of_the_server_all() {
    let bench = Bench::new();
    for pick in [(|tokens| tokens.access) as fn(IssuedTokens) -> String, |tokens| tokens.refresh] {
        let tokens = bench.begin("c");
        let grant = tokens.grant.clone();
        bench.grants.revoke(&bench.token, &pick(tokens)).unwrap();
        assert!(!bench.grants.is_open(&grant));
    }
    let tokens = bench.begin("c");
    let anew = AccessToken::load_or_create(&bench.folder.path().join("anew")).unwrap();
    assert!(bench.grants.check(&anew, &tokens.access, MCP).is_none());
    assert!(bench.is_good(&tokens.access));
}

#[test]
fn grants_are_listed_and_ended_and_their_files_let_nobody_in() {
    let bench = Bench::new();
    let (one, other) = (bench.begin("one"), bench.begin("other"));
    let again = bench.begin("one");
    assert!(!bench.is_good(&one.access), "a client that connects again has one grant");
    let listed = bench.grants.list(None);
    assert_eq!(listed.len(), 2);
    for file in fs::read_dir(bench.folder.path().join("grants")).unwrap() {
        let path = file.unwrap().path();
        let text = format!("{path:?} {}", fs::read_to_string(&path).unwrap());
        for token in [&other.access, &other.refresh, &again.access] {
            for part in token[4..].split('.') {
                assert!(!text.contains(part), "{text}");
            }
        }
    }
    let id = &listed.iter().find(|grant| grant.client == "other").unwrap().id;
    bench.grants.end(id, None).unwrap();
    assert!(
        !bench.is_good(&other.access) && bench.is_good(&again.access) && bench.grants.end(id, None).is_err()
    );
    assert_eq!((bench.grants.end_all().unwrap(), bench.grants.list(None).len()), (1, 0));
}

#[test]
fn the_grant_that_was_used_longest_ago_makes_room() {
    let bench = Bench::new();
    for n in 0..MOST_GRANTS + 3 {
        bench.begin(&format!("client {n}"));
    }
    assert_eq!(bench.grants.list(None).len(), MOST_GRANTS);
}
