//! Where the CPU's loops over the keys of built-in bucket functions are compiled.
//!
//! These functions are generic, so all that calls them would be compiled in the crate that names the type of the keys,
//! and with its options: a debug build, or one for size, would not vectorize. The traits of keys therefore have a
//! method for each function, of no generic type, that is compiled in this crate.

/// Methods of a type of keys that return the loops of bucket functions. Those of the most common types are compiled
/// here, the others where they are used.
macro_rules! loops {
    (u32: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline(never)]) $($methods)*); };
    (u64: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline(never)]) $($methods)*); };
    (i32: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline(never)]) $($methods)*); };
    (i64: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline(never)]) $($methods)*); };
    (f32: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline(never)]) $($methods)*); };
    (f64: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline(never)]) $($methods)*); };
    ($key:ident: $($methods:tt)*) => { $crate::bucket::loops::loops!(@ (#[inline]) $($methods)*); };
    (@ $inline:tt $($method:ident $Function:ident),*) => {
        $($crate::bucket::loops::loops!(# $inline $method $Function);)*
    };
    (# ($(#[$inline:meta])*) $method:ident $Function:ident) => {
        $(#[$inline])*
        fn $method(f: &$crate::bucket::$Function<Self>) -> $crate::cpu::Loops<'_> {
            $crate::cpu::Loops::each(f)
        }
    };
}
pub(super) use loops;
