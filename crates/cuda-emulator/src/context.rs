//! Contexts: each thread has a stack of them, and the last is current.
//!
//! What callers owe is what CUDA's documentation says: pointers for results are valid.
#![allow(non_snake_case)]

use crate::status::{Handle, INVALID_CONTEXT, INVALID_VALUE, SUCCESS, Status, give};
use std::cell::RefCell;
use std::ffi::{c_int, c_uint};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The device's primary context. Others have other addresses; nothing is there.
const PRIMARY: usize = 1;

/// How often the primary context is retained.
static RETAINED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static STACK: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// The device's primary context.
pub fn primary() -> Handle {
    without_provenance_mut(PRIMARY)
}

/// Whether the calling thread can use the device.
pub fn check() -> Status {
    let current = STACK.with_borrow(|stack| stack.last().is_some_and(|context| !context.is_null()));
    if current { SUCCESS } else { INVALID_CONTEXT }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxCreate_v2(to: *mut Handle, _: c_uint, _: c_int) -> Status {
    static NEXT: AtomicUsize = AtomicUsize::new(PRIMARY + 1);
    let context = without_provenance_mut(NEXT.fetch_add(1, Ordering::Relaxed));
    STACK.with_borrow_mut(|stack| stack.push(context));
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, context) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDestroy_v2(context: Handle) -> Status {
    STACK.with_borrow_mut(|stack| stack.pop_if(|last| *last == context));
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: Handle) -> Status {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        stack.push(context);
    });
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(to: *mut Handle) -> Status {
    let current = STACK.with_borrow(|stack| stack.last().copied());
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, current.unwrap_or(null_mut())) }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> Status {
    STACK.with_borrow_mut(|stack| stack.push(context));
    SUCCESS
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxPopCurrent_v2(to: *mut Handle) -> Status {
    match STACK.with_borrow_mut(Vec::pop) {
        // SAFETY: callers give a valid pointer.
        Some(context) => unsafe { give(to, context) },
        None => INVALID_CONTEXT,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(to: *mut Handle, _: c_int) -> Status {
    RETAINED.fetch_add(1, Ordering::Relaxed);
    // SAFETY: callers give a valid pointer.
    unsafe { give(to, primary()) }
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Status {
    let less = RETAINED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
    if less.is_ok() { SUCCESS } else { INVALID_CONTEXT }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxGetState(_: c_int, flags: *mut c_uint, active: *mut c_int) -> Status {
    // SAFETY: callers give valid pointers.
    let given = unsafe { [give(flags, 0), give(active, (RETAINED.load(Ordering::Relaxed) > 0).into())] };
    if given == [SUCCESS; 2] { SUCCESS } else { INVALID_VALUE }
}
