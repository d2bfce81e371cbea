//! FNV-1a: a small hash for words that nobody has chosen to collide.

/// What a hash begins with.
pub const FNV_SEED: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Takes one more part into a hash that was begun with [`FNV_SEED`]; for FNV-1a proper, a byte.
pub fn fnv_step(hash: u64, part: impl Into<u64>) -> u64 {
    (hash ^ part.into()).wrapping_mul(FNV_PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_the_authors_of_fnv_publish() {
        let hash = |text: &str| text.bytes().fold(FNV_SEED, fnv_step);
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
