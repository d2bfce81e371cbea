//! Where the server listens, and the names by which a browser may call it there.
//!
//! A page that others wrote can make a browser send requests here, by a name that it has pointed at this machine. What it
//! can't do is to make the browser say another name in `Host` or `Origin`.

use std::net::{IpAddr, SocketAddr};

#[derive(Debug, Clone)]
pub struct ListenAddress {
    at: SocketAddr,
    /// Besides the addresses of this machine: what it is called.
    names: Vec<String>,
}

impl ListenAddress {
    /// `own_names` count where it listens for others.
    pub fn new(at: SocketAddr, own_names: impl FnOnce() -> Vec<String>) -> Self {
        let names = if is_loopback_only(at.ip()) { Vec::new() } else { own_names() };
        Self { at, names: names.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    pub fn url(&self) -> String {
        let ip = match self.at.ip() {
            ip if !ip.is_unspecified() => ip,
            IpAddr::V4(_) => IpAddr::from([127, 0, 0, 1]),
            IpAddr::V6(_) => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        };
        format!("http://{}", SocketAddr::new(ip, self.at.port()))
    }

    pub fn port(&self) -> u16 {
        self.at.port()
    }

    /// `127.0.0.1:8000`, `localhost:8000`, `[::1]:8000`, and what else we listen on.
    pub fn is_host(&self, authority: &str) -> bool {
        let (name, port) = match authority.rsplit_once(':') {
            // The colons of an address in brackets are its own.
            Some((name, port)) if !port.contains(']') => (name, Some(port)),
            _ => (authority, None),
        };
        // Without a port it is the one that is never said.
        let port = match port {
            None => Some(80),
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
            Some(_) => None,
        };
        port == Some(self.at.port()) && self.is_name(name)
    }

    fn is_name(&self, name: &str) -> bool {
        let in_brackets = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let address: Option<IpAddr> = match in_brackets {
            Some(inside) => inside.parse().ok().map(IpAddr::V6),
            None => name.parse().ok().map(IpAddr::V4),
        };
        match address {
            Some(ip) if ip == IpAddr::from([127, 0, 0, 1]) => true,
            Some(IpAddr::V6(ip)) if ip.is_loopback() => true,
            // Nobody can point an address elsewhere.
            Some(ip) => ip == self.at.ip() || self.at.ip().is_unspecified(),
            None => {
                name.eq_ignore_ascii_case("localhost")
                    || self.names.iter().any(|own| name.eq_ignore_ascii_case(own))
            }
        }
    }
}

/// Whether only this machine can reach it.
pub fn is_loopback_only(ip: IpAddr) -> bool {
    ip.is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at: &str) -> ListenAddress {
        ListenAddress::new(at.parse().unwrap(), || vec!["Hive".to_owned()])
    }

    #[test]
    fn on_loopback_only_loopback_names_with_our_port_are_ours() {
        let place = place("127.0.0.1:8000");
        for ours in ["127.0.0.1:8000", "localhost:8000", "LocalHost:8000", "[::1]:8000"] {
            assert!(place.is_host(ours), "{ours}");
        }
        for foreign in [
            "",
            ":8000",
            "127.0.0.1",
            "localhost",
            "localhost:80",
            "localhost:08001",
            "localhost:+8000",
            "localhost:8000:8000",
            "evil.example:8000",
            "localhost.evil.example:8000",
            "127.0.0.1.nip.io:8000",
            "evil.localhost:8000",
            "localhost.:8000",
            "0.0.0.0:8000",
            "127.0.0.2:8000",
            "127.1:8000",
            "2130706433:8000",
            "0x7f.0.0.1:8000",
            "::1:8000",
            "[::1%lo]:8000",
            "[127.0.0.1]:8000",
            "[::ffff:127.0.0.1]:8000",
            "user@localhost:8000",
            "localhost:8000 ",
            "hive:8000",
            "10.0.0.1:8000",
            "null",
        ] {
            assert!(!place.is_host(foreign), "{foreign}");
        }
    }

    #[test]
    fn on_port_80_the_port_may_be_left_out() {
        let place = place("127.0.0.1:80");
        assert!(place.is_host("localhost") && place.is_host("[::1]") && place.is_host("127.0.0.1:80"));
        assert!(!place.is_host("localhost:8000"));
    }

    #[test]
    fn a_server_for_others_is_called_by_its_address_and_name() {
        let place = place("10.0.0.7:8000");
        assert!(
            place.is_host("10.0.0.7:8000") && place.is_host("hive:8000") && place.is_host("localhost:8000")
        );
        assert!(!place.is_host("10.0.0.8:8000") && !place.is_host("evil.example:8000"));
        let everywhere = self::place("0.0.0.0:8000");
        assert!(everywhere.is_host("10.0.0.8:8000") && everywhere.is_host("[fd00::1]:8000"));
        assert!(!everywhere.is_host("evil.example:8000"));
        assert_eq!(everywhere.url(), "http://127.0.0.1:8000");
    }
}
