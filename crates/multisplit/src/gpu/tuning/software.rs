//! Shapes on software devices, where every kernel takes long to compile.

use crate::method::Method;
use crate::request::policy::Policy;

/// Keys per unit on a software device, at most.
const SOFTWARE_ITEMS: u32 = 2;

/// Bits of a bucket id that a tile is sorted by at once on a software device. Kernels are made for so many, or for
/// twice as many, whatever m is: few are compiled.
const SOFTWARE_DIGIT_BITS: u32 = 4;

/// A cube of a software device runs on one core, its units one after the other: what is unrolled, for the keys of a
/// unit and the counters of a pass, only takes longer to compile.
pub(super) fn in_software(method: Method, policy: Policy, m: u32) -> Policy {
    let digit_bits = policy.digit_bits.min(SOFTWARE_DIGIT_BITS);
    let least_bits = match method {
        Method::Direct | Method::WarpLevel => 0,
        _ if m <= 1 << digit_bits => digit_bits,
        _ => 2 * digit_bits,
    };
    Policy { items: policy.items.min(SOFTWARE_ITEMS), digit_bits, least_bits, ..policy }
}
