//! Every kernel that this processor has against the plain one: the same whole numbers.

use proptest::prelude::*;

use super::{Block, COLUMNS, Inputs, Kernel, MOST_PANELS, PANEL, ROWS, Tile};

/// The tiles of [`MOST_PANELS`] panels.
fn multiply(kernel: Kernel, inputs: &[Inputs], weights: &[u8]) -> [Tile; MOST_PANELS] {
    let mut block = Block::default();
    block.steps.extend_from_slice(inputs);
    kernel.arrange(&mut block);
    let mut tiles = [[[i32::MIN; COLUMNS]; ROWS]; MOST_PANELS];
    let panels = weights.chunks(kernel.panels() * inputs.len() * PANEL);
    for (tiles, panels) in tiles.chunks_mut(kernel.panels()).zip(panels) {
        kernel.multiply(&block, panels, tiles);
    }
    tiles
}

fn compare(inputs: &[Inputs], weights: &[u8]) {
    let expected = multiply(Kernel::Plain, inputs, weights);
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        assert_eq!(multiply(kernel, inputs, weights), expected, "{}", kernel.name());
    }
}

/// The definition, by the place of every number.
#[test]
fn the_plain_kernel_sums_each_output_over_its_inputs() {
    let inputs: Vec<Inputs> = (0..4_usize)
        .map(|step| {
            std::array::from_fn(|row| std::array::from_fn(|at| (step * 71 + row * 37 + at * 5) as i8))
        })
        .collect();
    let weights: Vec<u8> = (0..MOST_PANELS * 4 * PANEL).map(|at| (at * 91 % 256) as u8).collect();
    let tiles = multiply(Kernel::Plain, &inputs, &weights);
    for row in 0..ROWS {
        for output in 0..MOST_PANELS * COLUMNS {
            let (panel, column) = (output / COLUMNS, output % COLUMNS);
            let product = |depth: usize| {
                let weight = weights[(panel * 4 + depth / 4) * PANEL + column * 4 + depth % 4];
                i32::from(weight) * i32::from(inputs[depth / 4][row][depth % 4])
            };
            assert_eq!(tiles[panel][row][column], (0..16).map(product).sum::<i32>());
        }
    }
}

#[test]
fn no_sum_saturates_or_wraps_at_the_extremes() {
    for steps in [2, 96, 384] {
        for (input, weight) in
            [(127, 255), (-128, 255), (-127, 1), (127, 0), (-128, 128), (32, 255), (33, 255), (-33, 255)]
        {
            compare(&vec![[[input; 4]; ROWS]; steps], &vec![weight; MOST_PANELS * steps * PANEL]);
        }
    }
}

#[test]
fn the_best_kernel_is_one_that_this_processor_has() {
    assert!(Kernel::best().is_available());
}

#[test]
#[should_panic(expected = "of one depth")]
fn weights_of_another_depth_are_refused() {
    multiply(Kernel::best(), &[[[0; 4]; ROWS]; 2], &[0; 3 * PANEL]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]
    #[test]
    fn every_kernel_computes_the_same_whole_numbers(
        (inputs, weights) in (1_usize..100).prop_flat_map(|twos| {
            let bytes = MOST_PANELS * 2 * twos * PANEL;
            (prop::collection::vec(any::<Inputs>(), 2 * twos), prop::collection::vec(any::<u8>(), bytes))
        })
    ) {
        compare(&inputs, &weights);
    }
}
