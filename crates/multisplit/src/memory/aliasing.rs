//! Outputs that share memory with another buffer are refused.
//!
//! Buffers of this library are each their own, and Rust sees to it that none is an input and an output at once, and
//! that slices of one are apart if one of them is an output. Handles that a user brings along
//! ([`Device::adopt`](crate::Device::adopt)) may be of the same memory.

use super::region::Region;
#[cfg(feature = "gpu")]
use crate::error::Error;
use crate::error::Result;
#[cfg(feature = "gpu")]
use crate::runtime::Place;
use std::fmt;

/// What a buffer is to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    In(Part),
    Out(Part),
}

/// What it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Keys,
    Values(usize),
    Permutation,
    Inverse,
    Rows,
    Counts,
    Groups,
    Copied,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::In(Part::Keys) => write!(f, "the keys"),
            Self::Out(Part::Keys) => write!(f, "the key output"),
            Self::In(Part::Values(i)) => write!(f, "value column {i}"),
            Self::Out(Part::Values(i)) => write!(f, "the output of value column {i}"),
            Self::In(Part::Permutation) | Self::Out(Part::Permutation) => write!(f, "the permutation"),
            Self::In(Part::Inverse) | Self::Out(Part::Inverse) => write!(f, "the inverse"),
            Self::In(Part::Rows) => write!(f, "the rows"),
            Self::Out(Part::Rows) => write!(f, "the output"),
            Self::In(Part::Groups) | Self::Out(Part::Groups) => write!(f, "the padded groups"),
            Self::In(Part::Counts) | Self::Out(Part::Counts) => write!(f, "the buffer of counts"),
            Self::In(Part::Copied) => write!(f, "what is copied"),
            Self::Out(Part::Copied) => write!(f, "the copy"),
        }
    }
}

/// Refuses outputs among these buffers that share memory with another.
pub(crate) fn check_apart<'a>(buffers: impl Iterator<Item = (Role, Region<'a>)> + Clone) -> Result<()> {
    #[cfg(not(feature = "gpu"))]
    drop(buffers);
    #[cfg(feature = "gpu")]
    {
        // To find out where a buffer is takes a while, and nearly all are their own. Those of the CPU always are.
        if !buffers.clone().any(|(_, buffer)| buffer.is_adopted()) {
            return Ok(());
        }
        let mut places: Vec<(Role, Place)> = Vec::new();
        for (role, buffer) in buffers {
            let Some(place) = buffer.place()? else { continue };
            for (other, there) in &places {
                let written = [role, *other].iter().any(|role| matches!(role, Role::Out(_)));
                if written && overlap(&place, there) {
                    return Err(Error::SharedMemory { what: other.to_string(), other: role.to_string() });
                }
            }
            places.push((role, place));
        }
    }
    Ok(())
}

#[cfg(feature = "gpu")]
fn overlap(a: &Place, b: &Place) -> bool {
    a.space == b.space && a.start < b.end && b.start < a.end
}
