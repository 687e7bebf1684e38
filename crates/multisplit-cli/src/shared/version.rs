//! The version of the program, and the commit that it was built from.

/// The commit, with `-dirty` if the sources differed from it; `unknown` where the build could not tell.
pub const COMMIT: &str = env!("MULTISPLIT_COMMIT");
/// What `multisplit -V` says after the name.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("MULTISPLIT_COMMIT"), ")");
