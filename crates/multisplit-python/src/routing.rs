//! Routing of tokens to experts, for mixtures of experts.

use crate::array::Array;
use crate::by::identity;
use crate::dtype::DType;
use crate::error::value_error;
use crate::group::index_array;
use crate::job::{Done, Job, Stage};
use crate::memory::Owned;
use crate::results::{Alignment, Routing};
use crate::workspace::Kept;
use pyo3::prelude::*;

/// Sorts the choices of tokens by expert, stably. `topk_ids` has the experts of each token, one row of k for each, as
/// integers below `experts`.
///
/// >>> import numpy as np, multisplit
/// >>> routing = multisplit.moe_permute(np.array([[1, 0], [1, 2], [0, 2]]), 3)
/// >>> routing.offsets, routing.index // 2
/// (array([0, 2, 4, 6]), array([0, 2, 0, 1, 1, 2], dtype=int32))
/// >>> routing.inverse.reshape(3, 2)
/// array([[2, 0],
///        [3, 4],
///        [1, 5]], dtype=int32)
#[pyfunction]
#[pyo3(signature = (topk_ids, experts, *, device=None, workspace=None))]
pub fn moe_permute<'py>(
    py: Python<'py>,
    topk_ids: &Bound<'py, PyAny>,
    experts: u32,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Routing> {
    let ids = Array::new(topk_ids, "topk_ids")?;
    let (routing, _) = route(py, &ids, experts, None, device, workspace)?;
    Ok(routing)
}

/// The same, and the experts' parts in whole blocks of `block_size`, as kernels of mixtures of experts read them:
/// `sorted_token_ids`, where padding is `topk_ids.size`; `expert_ids`, the expert of each block; and
/// `num_tokens_post_pad`, how many of the first count. Both have room for the most blocks that there can be.
///
/// >>> import numpy as np, multisplit
/// >>> aligned = multisplit.moe_align(np.array([[1], [0], [1], [1]]), 2, 2)
/// >>> aligned.num_tokens_post_pad, aligned.sorted_token_ids[:6], aligned.expert_ids[:3]
/// (array([6], dtype=int32), array([1, 4, 0, 2, 3, 4], dtype=int32), array([0, 1, 1], dtype=int32))
#[pyfunction]
#[pyo3(signature = (topk_ids, experts, block_size, *, device=None, workspace=None))]
pub fn moe_align<'py>(
    py: Python<'py>,
    topk_ids: &Bound<'py, PyAny>,
    experts: u32,
    block_size: u32,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Alignment> {
    let ids = Array::new(topk_ids, "topk_ids")?;
    let (Routing { offsets, index, inverse }, groups) = route(py, &ids, experts, Some(block_size), device, workspace)?;
    let Some(([starts, of_block, padded], blocks)) = groups else { return Err(value_error("there are no blocks")) };
    let array =
        |owned: Owned, len: usize| ids.style.with(py, DType::I32)?.array(py, owned, Some(DType::I32), vec![len]);
    let experts = experts as usize;
    let end = starts.part(4 * experts, 4);
    Ok(Alignment {
        offsets,
        index,
        inverse,
        padded_offsets: array(starts, experts + 1)?,
        sorted_token_ids: array(padded, blocks * block_size as usize)?,
        expert_ids: array(of_block, blocks)?,
        num_tokens_post_pad: array(end, 1)?,
    })
}

/// Buffers of groups, and the number of their blocks.
type Groups = Option<([Owned; 3], usize)>;

fn route(
    py: Python<'_>,
    ids: &Array,
    experts: u32,
    block: Option<u32>,
    device: Option<&str>,
    workspace: Option<&Bound<'_, Kept>>,
) -> PyResult<(Routing, Groups)> {
    if !(1..=2).contains(&ids.shape.len()) {
        let shape = &ids.shape;
        return Err(value_error(format!(
            "topk_ids must have a row of experts for each token, but its shape is {shape:?}"
        )));
    }
    let function = identity(ids, experts, "topk_ids")?;
    let stage = Stage::of(&[(ids, "topk_ids")], device)?.keeping(workspace);
    let done = stage.work(py, workspace.map(Bound::get), |workspace| {
        let asked = Job::new(&stage, ids, workspace);
        function.split(&mut Job { keys_stay: true, index: true, inverse: true, block, ..asked })
    })?;
    let Done { index, inverse, offsets: (offsets, len), rows, groups, .. } = done;
    let array = |owned: Option<Owned>| match owned {
        Some(owned) => index_array(py, ids, owned, rows),
        None => Ok(py.None()),
    };
    // As those who read them have them: 32 bits, on the CPU as NumPy has offsets.
    let offset_type = stage.offset_type();
    let offsets = ids.style.with(py, offset_type)?.array(py, offsets, Some(offset_type), vec![len])?;
    Ok((Routing { offsets, index: array(index)?, inverse: array(inverse)? }, groups))
}
