//! int8 products of matrices, a tile at a time, on whatever the processor has for them.
//!
//! Every kernel computes exactly the same whole numbers. Weights have no sign (128 is added to each, see `shape.rs`), inputs
//! do; what the 128 add to a sum is taken off by the caller. The only module of this crate with `unsafe`: vector loads and
//! stores, and calls of functions that need an instruction which was looked for first.

#[cfg(target_arch = "aarch64")]
mod arm;
mod block;
mod plain;
mod scan;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use block::Block;
use pulp::Arch;

use crate::shape::{LANES, STEP};

/// Rows of inputs that are worked on together.
pub const ROWS: usize = 6;
/// Outputs that lie side by side: a panel of packed weights.
pub const COLUMNS: usize = LANES;
/// Bytes of a panel in a step.
const PANEL: usize = COLUMNS * STEP;

/// The most panels that a kernel works on together.
pub const MOST_PANELS: usize = 4;

/// The sums of a block's rows with a panel's outputs.
pub type Tile = [[i32; COLUMNS]; ROWS];

/// The inputs of a step: four numbers of every row.
pub type Inputs = [[i8; STEP]; ROWS];

/// A way to multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    Avx512Vnni,
    AvxVnni,
    Avx2,
    NeonDot,
    Plain,
}

impl Kernel {
    /// All of them, the fastest first.
    pub const ALL: [Self; 5] = [Self::Avx512Vnni, Self::AvxVnni, Self::Avx2, Self::NeonDot, Self::Plain];

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::ALL.into_iter().find(|kernel| kernel.is_available()).unwrap_or(Self::Plain)
    }

    /// Whether this processor has what the kernel needs.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "aarch64")]
            Self::NeonDot => std::arch::is_aarch64_feature_detected!("dotprod"),
            Self::Plain => true,
            _ => false,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512Vnni => "AVX-512 VNNI",
            Self::AvxVnni => "AVX-VNNI",
            Self::Avx2 => "AVX2",
            Self::NeonDot => "NEON dot product",
            Self::Plain => "plain",
        }
    }

    /// The unit for the floating-point work beside it: none that is wider than what the kernel needs.
    pub fn float_unit(self) -> Arch {
        #[cfg(target_arch = "x86_64")]
        if matches!(self, Self::AvxVnni | Self::Avx2) {
            return pulp::x86::V3::try_new().map_or(Arch::Scalar, Arch::V3);
        }
        if self == Self::Plain { Arch::Scalar } else { Arch::new() }
    }

    /// Panels that are worked on together: as many sums as there are registers for.
    pub fn panels(self) -> usize {
        if self == Self::Avx512Vnni { MOST_PANELS } else { 1 }
    }

    /// Makes a block ready to be multiplied by this kernel.
    #[allow(
        unsafe_code,
        reason = "a function for some instruction is called only where the processor has it"
    )]
    pub fn arrange(self, block: &mut Block) {
        assert!(block.steps.len().is_multiple_of(2), "steps come in twos");
        block.left.iter_mut().for_each(Vec::clear);
        #[cfg(target_arch = "x86_64")]
        if self == Self::Avx2 && self.is_available() {
            // SAFETY: `is_available` has just found the instructions.
            unsafe { x86::leave_out(block) }
        }
    }

    /// Multiplies a block that was arranged by packed weights of the same depth: [`Kernel::panels`] of them, and a tile for
    /// each. A kernel that this processor does not have is replaced by the plain one.
    pub fn multiply(self, block: &Block, weights: &[u8], tiles: &mut [Tile]) {
        let (weights, rest) = weights.as_chunks::<PANEL>();
        let depth = block.steps.len();
        assert!(
            rest.is_empty() && weights.len() == depth * tiles.len(),
            "inputs and weights are of one depth"
        );
        assert!(tiles.len() == self.panels(), "there is a tile for each panel");
        self.multiply_panels(block, weights, tiles);
    }

    #[allow(
        unsafe_code,
        reason = "a function for some instruction is called only where the processor has it"
    )]
    fn multiply_panels(self, block: &Block, weights: &[[u8; PANEL]], tiles: &mut [Tile]) {
        match (self, tiles) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `is_available` has just found the instructions.
            (Self::Avx512Vnni, [a, b, c, d]) if self.is_available() => unsafe {
                x86::avx512_vnni(block, weights, [a, b, c, d]);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Self::AvxVnni, [tile]) if self.is_available() => unsafe { x86::avx_vnni(block, weights, tile) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Self::Avx2, [tile]) if self.is_available() => unsafe { x86::avx2(block, weights, tile) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            (Self::NeonDot, [tile]) if self.is_available() => unsafe { arm::neon_dot(block, weights, tile) },
            (_, tiles) => {
                let panels = weights.chunks_exact(block.steps.len());
                tiles.iter_mut().zip(panels).for_each(|(tile, panel)| plain::multiply(block, panel, tile));
            }
        }
    }
}

#[cfg(test)]
mod tests;
