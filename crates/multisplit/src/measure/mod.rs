//! What results and times are held against: the naive reference, and the bandwidth of the device's memory.

pub mod bandwidth;
mod reference;

pub use reference::Reference;
