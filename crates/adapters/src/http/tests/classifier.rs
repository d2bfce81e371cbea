//! Which addresses are public, against a second opinion: the registries of special addresses as lists of ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wellread_core::domain::chance::SplitMix;

use crate::http::public_address::non_public_reason;

/// IPv4 ranges that are not public.
const V4: &str = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 \
    192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/// Of IPv6 this is public, but for the ranges below.
const V6_OPEN: &str = "2000::/3";
const V6_CLOSED: &str = "2001::/32 2001:2::/48 2001:10::/28 2001:20::/28 2001:db8::/32 2002::/16 3fff::/20";
/// IPv6 ranges whose last 32 bits are an IPv4 address.
const V6_EMBEDDING: &str = "::ffff:0:0/96 64:ff9b::/96";

/// From the first address to the last, as numbers.
struct Range(u128, u128);

fn ranges(list: &str) -> Vec<Range> {
    let range = |written: &str| {
        let (address, length) = written.split_once('/').unwrap();
        let length: u32 = length.parse().unwrap();
        let (first, bits) = match address.parse().unwrap() {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let size = if length == 0 { u128::MAX } else { (1 << (bits - length)) - 1 };
        assert_eq!(first & size, 0, "{written}");
        Range(first, first + size)
    };
    list.split_whitespace().map(range).collect()
}

struct Opinion {
    v4: Vec<Range>,
    open: Vec<Range>,
    closed: Vec<Range>,
    embedding: Vec<Range>,
}

impl Opinion {
    fn new() -> Self {
        Self {
            v4: ranges(V4),
            open: ranges(V6_OPEN),
            closed: ranges(V6_CLOSED),
            embedding: ranges(V6_EMBEDDING),
        }
    }

    fn is_public(&self, address: IpAddr) -> bool {
        let within = |ranges: &[Range], number: u128| {
            ranges.iter().any(|Range(first, last)| (*first..=*last).contains(&number))
        };
        match address {
            IpAddr::V4(address) => !within(&self.v4, u32::from(address).into()),
            IpAddr::V6(address) => {
                let number = u128::from(address);
                if within(&self.embedding, number) {
                    return !within(&self.v4, number % (1 << 32));
                }
                let interface = format!("{:016x}", number % (1 << 64));
                let isatap = interface.starts_with("00005efe") || interface.starts_with("02005efe");
                within(&self.open, number) && !within(&self.closed, number) && !isatap
            }
        }
    }
}

struct Dice(SplitMix);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0.next_number()
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.roll()) << 64 | u128::from(self.roll())
    }

    /// A number close to an end of one of the ranges, on either side of it.
    fn near(&mut self, ranges: &[Range]) -> u128 {
        let range = &ranges[self.roll() as usize % ranges.len()];
        let end = if self.roll().is_multiple_of(2) { range.0 } else { range.1 };
        let far = self.wide() >> (64 + self.roll() % 64);
        if self.roll().is_multiple_of(2) { end.wrapping_add(far) } else { end.wrapping_sub(far) }
    }
}

#[test]
fn two_opinions_agree_on_a_million_addresses() {
    let opinion = Opinion::new();
    let mut dice = Dice(SplitMix::new(20_261_115));
    let all_v6: Vec<Range> =
        [V6_OPEN, V6_CLOSED, V6_EMBEDDING].iter().flat_map(|list| ranges(list)).collect();
    let mut public = [0, 0];
    for number in 0..1_000_000 {
        let address = match number % 6 {
            0 => IpAddr::V4(Ipv4Addr::from(dice.roll() as u32)),
            1 => IpAddr::V4(Ipv4Addr::from(dice.near(&opinion.v4) as u32)),
            2 => IpAddr::V6(Ipv6Addr::from(dice.wide())),
            3 => IpAddr::V6(Ipv6Addr::from(dice.near(&all_v6))),
            // An IPv4 address inside, and interface ids of which some hold one.
            4 => {
                let inside = dice.near(&opinion.v4) % (1 << 32);
                let Range(first, _) = opinion.embedding[dice.roll() as usize % 2];
                IpAddr::V6(Ipv6Addr::from(first + inside))
            }
            _ => {
                let id =
                    [0x5efe_u128 << 32, 0x0200_5efe_u128 << 32, 0x0201_5efe << 32][dice.roll() as usize % 3];
                IpAddr::V6(Ipv6Addr::from(
                    (0x2606_u128 << 112) | (dice.wide() >> 80 << 64) | id | (dice.wide() >> 96),
                ))
            }
        };
        let (ours, theirs) = (non_public_reason(address).is_none(), opinion.is_public(address));
        assert_eq!(ours, theirs, "{address}");
        public[usize::from(ours)] += 1;
    }
    assert!(public.iter().all(|count| *count > 100_000), "{public:?}");
}

#[test]
fn the_ends_of_every_range_are_on_the_right_side() {
    let opinion = Opinion::new();
    for Range(first, last) in &opinion.v4 {
        for number in [first.wrapping_sub(1), *first, *last, last + 1] {
            let address = IpAddr::V4(Ipv4Addr::from(number as u32));
            assert_eq!(non_public_reason(address).is_none(), opinion.is_public(address), "{address}");
        }
    }
    for Range(first, last) in opinion.open.iter().chain(&opinion.closed).chain(&opinion.embedding) {
        for number in [first.wrapping_sub(1), *first, *last, last.wrapping_add(1)] {
            let address = IpAddr::V6(Ipv6Addr::from(number));
            assert_eq!(non_public_reason(address).is_none(), opinion.is_public(address), "{address}");
        }
    }
}
