//! Every kernel that this processor has against the plain one, for vectors of any length.

use proptest::prelude::*;

use super::{Kernel, dot_product};

fn compare(vector: &[i8], rows: &[i8]) {
    let expected: Vec<i32> = rows.chunks_exact(vector.len()).map(|row| dot_product(vector, row)).collect();
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        let mut products = vec![i32::MIN; 3];
        kernel.dot_products(vector, rows, &mut products);
        assert_eq!(products, expected, "{}", kernel.name());
    }
}

#[test]
fn a_product_is_the_sum_over_all_places() {
    let mut products = Vec::new();
    Kernel::Plain.dot_products(&[1, -2, 3], &[1, 1, 1, 0, -128, 127], &mut products);
    assert_eq!(products, [2, 256 + 381]);
}

#[test]
fn no_product_saturates_at_the_extremes() {
    for length in [1, 16, 64, 384, 1536, 4096] {
        for (number, other) in [(127, 127), (-128, -128), (-128, 127), (127, -128), (0, -128), (-1, 127)] {
            compare(&vec![number; length], &vec![other; 3 * length]);
        }
    }
}

#[test]
fn without_rows_or_numbers_there_are_no_products() {
    for kernel in Kernel::ALL {
        for (vector, rows) in [(&[][..], &[][..]), (&[], &[1]), (&[1, 2], &[]), (&[1, 2], &[1])] {
            let mut products = vec![7];
            kernel.dot_products(vector, rows, &mut products);
            assert!(products.is_empty(), "{}", kernel.name());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]
    #[test]
    fn every_kernel_computes_the_same_products(
        (vector, rows) in (1_usize..400, 0_usize..6).prop_flat_map(|(length, rows)| {
            (prop::collection::vec(any::<i8>(), length), prop::collection::vec(any::<i8>(), length * rows))
        })
    ) {
        compare(&vector, &rows);
    }
}
