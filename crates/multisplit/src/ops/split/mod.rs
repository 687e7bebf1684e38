//! A split, configured.

mod columns;
pub(crate) mod enqueue;
pub(crate) mod functions;
pub(crate) mod slices;

use crate::bucket::Buckets;
#[cfg(feature = "gpu")]
use crate::bucket::key::Key;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::method::Method;
use crate::method::Stage;
use crate::request::policy::{MAX_BUCKETS, Policy};
#[cfg(feature = "gpu")]
use cubecl::prelude::Runtime;

/// A split by the function `f`, configured. The calls on slices are here; [`enqueue`](Multisplit::enqueue) works
/// between device buffers.
///
/// ```
/// use multisplit::{Device, Method, Multisplit, bucket::Delta};
/// let f = Delta::over(0..100u32, 4)?;
/// let (ids, weights) = (&[0u32, 1, 2][..], &[0.5f64, 1.5, 2.5][..]);
/// let split = Multisplit::by(&f)
///     .method(Method::BlockLevel)
///     .with_permutation()
///     .split_with(&Device::best(), &[80, 10, 30], (ids, weights))?;
/// assert_eq!(split.keys, [10, 30, 80]);
/// assert_eq!(split.values, (vec![1, 2, 0], vec![1.5, 2.5, 0.5]));
/// assert_eq!(split.permutation, Some(vec![1, 2, 0]));
/// assert_eq!(split.offsets, [0, 1, 2, 2, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Debug)]
pub struct Multisplit<'f, F> {
    pub(crate) f: &'f F,
    pub(crate) method: Method,
    pub(crate) policy: Option<Policy>,
    pub(crate) permutation: bool,
    pub(crate) through: Stage,
}

impl<F> Clone for Multisplit<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Multisplit<'_, F> {}

impl<'f, F: Buckets> Multisplit<'f, F> {
    /// A split by `f`, with [`Method::Auto`].
    pub fn by(f: &'f F) -> Self {
        Self { f, method: Method::Auto, policy: None, permutation: false, through: Stage::Postscan }
    }

    /// Chooses the method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Chooses the shape of the kernels. For tuning; the result stays the same.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Asks the calls on slices for the permutation too.
    #[must_use]
    pub fn with_permutation(mut self) -> Self {
        self.permutation = true;
        self
    }

    /// Stops after a stage, to measure how long the stages take: then [`enqueue`](Multisplit::enqueue) on a GPU
    /// leaves keys, values and offsets unwritten. Run the whole split once before, which compiles the kernels and
    /// sees them run. With more than 256 buckets it stops in the first of several passes. Whole splits of up to about a
    /// million keys have no stages, but take one launch. The CPU, and the calls on slices, always do everything.
    #[must_use]
    pub fn through(mut self, stage: Stage) -> Self {
        self.through = stage;
        self
    }

    /// What a GPU is asked for, with m buckets whatever the function says by now.
    #[cfg(feature = "gpu")]
    pub(crate) fn request<R: Runtime>(&self, m: u32) -> gpu::Request<'f, R, <F::Key as Key>::Unsigned> {
        let Self { f, method, policy, through, .. } = *self;
        gpu::Request { f, m, method, policy, through, selects: false }
    }

    /// The number of buckets, if a split of `n` keys into so many can be made on any device. A call asks for it once,
    /// and goes by the answer from there on.
    pub(crate) fn check(&self, n: usize) -> Result<u32> {
        let m = self.f.buckets();
        self.check_into(m, n).map(|()| m)
    }

    /// What does not depend on the device, of a split into m buckets.
    pub(crate) fn check_into(&self, m: u32, n: usize) -> Result<()> {
        let (limit, method) = (MAX_BUCKETS, self.method);
        if m == 0 {
            return Err(Error::NoBuckets);
        }
        if m > limit {
            return Err(Error::TooManyBuckets { m, method, limit, advice: "use fewer buckets" });
        }
        if u32::try_from(n).is_err() {
            return Err(Error::TooManyKeys { n });
        }
        Ok(())
    }
}
