//! What the driver's functions return.

use std::ffi::{c_int, c_void};

pub type Status = c_int;
pub type Handle = *mut c_void;

pub const SUCCESS: Status = 0;
pub const INVALID_VALUE: Status = 1;
pub const INVALID_CONTEXT: Status = 201;

/// Writes a result.
///
/// # Safety
/// The pointer is null or valid.
pub unsafe fn give<T>(to: *mut T, value: T) -> Status {
    if to.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: it is valid.
    unsafe { to.write(value) };
    SUCCESS
}
