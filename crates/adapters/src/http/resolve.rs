//! Where a host is: names looked up, and what this machine's own addresses are.

use std::io;
use std::net::SocketAddr;

use wellread_core::ports::BoxFuture;

use super::public_address;
use crate::platform::own_addresses;

/// Looks names up. Addresses that are written as numbers never get here.
pub(super) trait Resolver: Send + Sync {
    fn look_up<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;
}

/// Says of an address why it is not to be dialed. Nothing where it may be.
pub(super) trait AddressPolicy: Send + Sync {
    fn refusal_reason(&self, addresses: &[SocketAddr]) -> Option<String>;
}

/// The system's resolver.
pub(super) struct SystemResolver;

impl Resolver for SystemResolver {
    fn look_up<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// Lets public addresses through, and none of this machine's own.
pub(super) struct PublicOnly;

impl AddressPolicy for PublicOnly {
    fn refusal_reason(&self, addresses: &[SocketAddr]) -> Option<String> {
        if let Some(why) =
            addresses.iter().find_map(|address| public_address::non_public_reason(address.ip()))
        {
            return Some(why.to_owned());
        }
        match own_addresses() {
            // They change: a machine gets another network, or another address there.
            Ok(own) => {
                let here = addresses
                    .iter()
                    .any(|address| own.contains(&public_address::to_embedded_ipv4(address.ip())));
                here.then(|| "an address of this machine".to_owned())
            }
            Err(error) => {
                Some(format!("unknown, since this machine does not report its own addresses: {error}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_knows_its_loopback_address() {
        assert!(own_addresses().unwrap().contains(&"127.0.0.1".parse().unwrap()));
    }
}
