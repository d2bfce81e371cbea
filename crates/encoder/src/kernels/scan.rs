//! One vector by many rows, as in the scan over an index: every kernel computes the same whole numbers here, too.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::Kernel;

impl Kernel {
    /// The dot product of a vector with each of the rows, which are as long as the vector and lie end to end. A kernel that
    /// this processor does not have is replaced by the plain one.
    pub fn dot_products(self, vector: &[i8], rows: &[i8], products: &mut Vec<i32>) {
        products.clear();
        if vector.is_empty() {
            return;
        }
        products.reserve(rows.len() / vector.len());
        self.scan(vector, rows, products);
    }

    #[allow(
        unsafe_code,
        reason = "a function for some instruction is called only where the processor has it"
    )]
    fn scan(self, vector: &[i8], rows: &[i8], products: &mut Vec<i32>) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `is_available` has just found the instructions.
            Self::Avx512Vnni if self.is_available() => unsafe { x86::avx512_vnni(vector, rows, products) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::AvxVnni if self.is_available() => unsafe { x86::avx_vnni(vector, rows, products) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2 if self.is_available() => unsafe { x86::avx2(vector, rows, products) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Self::NeonDot if self.is_available() => unsafe { arm::neon_dot(vector, rows, products) },
            _ => products.extend(rows.chunks_exact(vector.len()).map(|row| dot_product(vector, row))),
        }
    }
}

/// The product as it is defined. It wraps around like the vector instructions, which takes more numbers than a model has.
fn dot_product(one: &[i8], other: &[i8]) -> i32 {
    let products = one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other));
    products.fold(0, i32::wrapping_add)
}

#[cfg(test)]
mod tests;
