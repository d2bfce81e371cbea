//! What a code file defines and uses, as bytes: reading it is most of what a question about the graph costs.
//!
//! First each string once, then the definitions, mentions, imports and bases in numbers. Everything that refers to a string is
//! its number.

mod pack;
mod unpack;

use wellread_text::MentionRole;

pub use pack::pack_structure;
pub use unpack::unpack_structure;

/// How deeply values may be nested. What is deeper is unknown.
const DEEPEST: usize = 100;

const ROLES: [MentionRole; 4] = [MentionRole::Call, MentionRole::Make, MentionRole::Type, MentionRole::Value];

const PLAIN: usize = 0;
const LOCAL: usize = 1;
const MEMBER_OF: usize = 2;

const UNKNOWN: usize = 0;
const OWN: usize = 1;
const SUPER: usize = 2;
const TYPED: usize = 3;
const NAMED: usize = 4;
const CALLED: usize = 5;
const MEMBER: usize = 6;
const INNER: usize = 7;

#[cfg(test)]
mod tests {
    use wellread_core::ports::Structure;
    use wellread_text::{ExprValue, Language, NameAccess, analyze_code};

    use super::*;

    const SAMPLES: [(&str, &str); 3] = [
        (
            "rust",
            "use a::b as c;\n/// Doc.\npub struct S<T> { t: Option<T> }\nimpl Open for S { fn open(&self, n: u8) -> Self { self.t.inner().x(c(n), 2); S::new() } }\n",
        ),
        (
            "python",
            "from .m import f as g, *\nclass A(B):\n    def run(self, a, b=1, *c):\n        '''Doc ü.'''\n        super().run(g(a)); return self.x.y(A())\n",
        ),
        (
            "typescript",
            "export * from './m';\nexport class A extends B<C> implements D { private x: E[] = []; run(): Promise<E> { return this.x.map(f).at(1) } }\n",
        ),
    ];

    fn analyze((language, text): (&str, &str)) -> Structure {
        let read = analyze_code(text, Language::from_name(language));
        Structure { definitions: read.outline.definitions, uses: read.uses }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for sample in SAMPLES {
            let structure = analyze(sample);
            assert!(!structure.definitions.is_empty() && !structure.uses.mentions.is_empty());
            assert_eq!(unpack_structure(&pack_structure(&structure)).as_ref(), Some(&structure));
        }
        let empty = Structure::default();
        assert_eq!(unpack_structure(&pack_structure(&empty)), Some(empty));
    }

    #[test]
    fn values_are_cut_where_they_are_nested_too_deeply() {
        let mut structure = analyze(SAMPLES[0]);
        let mut value = ExprValue::Own;
        for _ in 0..5000 {
            value = ExprValue::Called(Box::new(value));
        }
        structure.uses.mentions[0].reached = NameAccess::Member(value);
        let packed = pack_structure(&structure);
        let unpacked = unpack_structure(&packed).unwrap();
        assert_eq!(pack_structure(&unpacked), packed);
        // A file of nothing but nesting ends as damage, and not as a full stack.
        let mut endless = vec![1, 1, b'a', 0, 1, 0, (MEMBER_OF * ROLES.len()) as u8];
        endless.resize(1_000_000, CALLED as u8);
        assert_eq!(unpack_structure(&endless), None);
    }

    #[test]
    fn damage_is_noticed_or_harmless() {
        for sample in SAMPLES {
            let packed = pack_structure(&analyze(sample));
            for length in 0..packed.len() {
                assert_eq!(unpack_structure(&packed[..length]), None);
            }
            for at in 0..packed.len() {
                for bit in 0..8 {
                    let mut damaged = packed.clone();
                    damaged[at] ^= 1 << bit;
                    // Any other structure may come out, but nothing may break.
                    drop(unpack_structure(&damaged));
                }
            }
        }
    }
}
