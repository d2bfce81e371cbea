//! Encrypted connections to a real PostgreSQL with a certificate of an authority that was made for the test.

use std::path::PathBuf;

use wellread_adapters::postgres::{DatabaseAddress, DatabaseOptions, PostgresRecords};
use wellread_core::ErrorKind;
use wellread_core::ports::RunLogs as _;

use crate::postgres_server::{OwnServer, TestDatabase};

fn open(url: &str, authority: Option<PathBuf>) -> PostgresRecords {
    let address = DatabaseAddress::parse(url).unwrap();
    PostgresRecords::new(DatabaseOptions::new(address, None, authority, "ours").unwrap())
}

/// The reason why a connection was refused, before anything was asked of the database.
fn refusal(url: &str, authority: Option<PathBuf>) -> String {
    let error = open(url, authority).runs("", 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{url}: {error}");
    error.message().to_owned()
}

#[test]
fn a_server_is_used_if_its_certificate_is_right_and_refused_otherwise() {
    let Some(mut server) = OwnServer::start_with_tls() else { return };
    let database = TestDatabase::create_on(&server.address);
    let folder = server.certificates.clone().unwrap();
    let authority = || Some(folder.join("authority.pem"));
    let by_address = format!("{}?sslmode=verify-full", database.url(&database.role()));
    let by_name = by_address.replace("127.0.0.1", "localhost");
    let are_encrypted = "SELECT coalesce(bool_and(ssl), false) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                         WHERE usename LIKE 'role_%'";
    for url in [&by_name, &by_address] {
        let records = open(url, authority());
        assert_eq!(records.runs("", 1).unwrap(), []);
        assert_eq!(database.run_sql(are_encrypted).as_deref(), Some("t"), "{url}");
    }

    for (authority, what) in
        [(None, "those of the system"), (Some(folder.join("other_authority.pem")), "another")]
    {
        for url in [&by_name, &by_address] {
            let reason = refusal(url, authority.clone());
            assert!(reason.contains("certificate"), "{what}: {reason}");
        }
    }
    for (certificate, why) in [("other_name", "name"), ("other_authority", "issuer"), ("expired", "expired")]
    {
        server.order(&format!("certificate {certificate}"));
        for url in [&by_name, &by_address] {
            // The server reads its new certificate a moment after it was told to.
            let reason = loop {
                match open(url, authority()).runs("", 1) {
                    Ok(_) => std::thread::yield_now(),
                    Err(_) => break refusal(url, authority()),
                }
            };
            assert!(reason.contains("certificate"), "{certificate}: {reason}");
            assert!(reason.to_lowercase().contains(why), "{certificate}: {reason}");
        }
    }
    // What is local may do without.
    assert_eq!(open(&database.url(&database.role()), None).runs("", 1).unwrap(), []);
    server.order("certificate good");
    while open(&by_name, authority()).runs("", 1).is_err() {
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_says_no_to_encryption_is_not_used_unless_it_is_on_this_machine() {
    let Some(database) = TestDatabase::create() else { return };
    let plain = database.url(&database.role());
    assert_eq!(open(&plain, None).runs("", 1).unwrap(), []);
    // No loopback address by its looks, though it leads there: encrypted without being asked for.
    let elsewhere = plain.replace("127.0.0.1", "0.0.0.0");
    for url in [format!("{plain}?sslmode=verify-full"), format!("{plain}?sslmode=require"), elsewhere.clone()]
    {
        let reason = refusal(&url, None);
        assert!(reason.contains("TLS"), "{url}: {reason}");
    }
    assert!(DatabaseAddress::parse(&format!("{elsewhere}?sslmode=disable")).is_err());
}
