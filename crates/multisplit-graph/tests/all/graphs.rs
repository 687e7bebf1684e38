//! Graphs from arrays and from lists of edges.

use multisplit_graph::{EdgeList, Error, Graph};

#[test]
fn arrays_that_are_no_graph() {
    let bad = [
        (vec![], vec![], vec![]),
        (vec![0, 1], vec![], vec![]),
        (vec![1, 1], vec![0], vec![1.0]),
        (vec![0, 2, 1, 2], vec![0, 0], vec![1.0, 1.0]),
        (vec![0, 1], vec![1], vec![1.0]),
        (vec![0, 1], vec![0], vec![]),
    ];
    for (offsets, targets, weights) in bad {
        assert!(matches!(Graph::<f32>::from_csr(offsets, targets, weights), Err(Error::InvalidCsr(_))));
    }
    for weight in [-1.0, f32::NAN, f32::INFINITY] {
        let error = Graph::from_csr(vec![0, 1], vec![0], vec![weight]).unwrap_err();
        assert!(matches!(error, Error::InvalidWeight { edge: 0, .. }), "{error}");
        let error = EdgeList::weighted(2, vec![[0, 1]], vec![weight]).unwrap_err();
        assert!(matches!(error, Error::InvalidWeight { edge: 0, .. }), "{error}");
    }
    assert!(matches!(EdgeList::new(2, vec![[0, 1], [0, 2]]), Err(Error::VertexOutOfRange { edge: 1, to: 2, .. })));
    let few = EdgeList::weighted(2, vec![[0, 1]], Vec::<u32>::new());
    assert_eq!(few, Err(Error::LengthMismatch { weights: 0, edges: 1 }));
}
