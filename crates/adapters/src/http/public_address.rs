//! Whether an address is public: by bit tests on the address alone. What this machine's own addresses are is asked elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not public. Nothing where it is.
pub(super) fn non_public_reason(address: IpAddr) -> Option<&'static str> {
    match to_embedded_ipv4(address) {
        IpAddr::V4(address) => non_public_reason_v4(address),
        IpAddr::V6(address) => non_public_reason_v6(address),
    }
}

/// The IPv4 address that an IPv6 address stands for: `::ffff:0:0/96`, and `64:ff9b::/96` of the translators. Others stay.
pub(super) fn to_embedded_ipv4(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    match v6.to_bits() >> 32 {
        0xffff | 0x0064_ff9b_0000_0000_0000_0000 => Ipv4Addr::from_bits(v6.to_bits() as u32).into(),
        _ => address,
    }
}

fn non_public_reason_v4(address: Ipv4Addr) -> Option<&'static str> {
    let why = match address.octets() {
        [0, ..] => "an address of this network",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address",
        [100, 64..=127, ..] => "a carrier-grade NAT address",
        [127, ..] => "an address of this machine",
        [169, 254, ..] => "a link-local address",
        [168, 63, 129, 16] => "a cloud metadata address",
        [192, 0, 0, _] => "an address reserved for protocols",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "an address for documentation",
        [192, 88, 99, _] => "a relay's address",
        [198, 18..=19, ..] => "an address for benchmarks",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    };
    Some(why)
}

fn non_public_reason_v6(address: Ipv6Addr) -> Option<&'static str> {
    let why = match address.segments() {
        // What is outside 2000::/3: loopback, unspecified, unique local, link-local, multicast and all that is not given out.
        [..=0x1fff | 0x4000.., ..] => "not a public address",
        [0x2001, 0, ..] => "a Teredo address",
        [0x2001, 2, 0, ..] => "an address for benchmarks",
        [0x2001, 0x10..=0x2f, ..] => "an ORCHID",
        [0x2001, 0xdb8, ..] | [0x3fff, ..=0x0fff, ..] => "an address for documentation",
        [0x2002, ..] => "a 6to4 address",
        // An interface id that holds an IPv4 address, with the bit for "given out worldwide" or without.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => "an ISATAP address",
        _ => return None,
    };
    Some(why)
}
