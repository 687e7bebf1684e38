//! Back ends that have no device here, and why.

use super::Device;
#[cfg(feature = "cuda")]
use super::cuda;
#[cfg(feature = "wgpu")]
use super::wgpu;
use std::fmt;

/// A back end without any device on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MissingBackEnd {
    /// What the names of its devices would begin with: `cuda` or `wgpu`.
    pub name: String,
    /// Why it has none, such as that there is no driver.
    pub reason: String,
}

impl fmt::Display for MissingBackEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

impl Device {
    /// The back ends that have no device on this machine, with what is missing. Those that [`Device::list`] has devices
    /// of are not among them.
    ///
    /// ```
    /// use multisplit::Device;
    /// for missing in Device::missing_back_ends() {
    ///     println!("{missing}"); // cuda: no driver: libcuda is not there
    /// }
    /// ```
    pub fn missing_back_ends() -> Vec<MissingBackEnd> {
        #[cfg(feature = "cuda")]
        let cuda = cuda::missing();
        #[cfg(not(feature = "cuda"))]
        let cuda = Some(not_built("cuda"));
        #[cfg(feature = "wgpu")]
        let wgpu = wgpu::missing();
        #[cfg(not(feature = "wgpu"))]
        let wgpu = Some(not_built("wgpu"));
        let named =
            |(name, reason): (&str, Option<String>)| Some(MissingBackEnd { name: name.into(), reason: reason? });
        [("cuda", cuda), ("wgpu", wgpu)].into_iter().filter_map(named).collect()
    }
}

#[cfg(not(all(feature = "cuda", feature = "wgpu")))]
fn not_built(feature: &str) -> String {
    format!("not built in: it needs the feature `{feature}`")
}
