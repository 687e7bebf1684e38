//! Labels at the ends of lines.

/// Moves labels apart, so that each is at least `gap` below the one before it and all are between `top` and `bottom`.
/// They keep their order, and stay near where they belong. Where there is no room for all, they begin at `top`.
pub fn apart(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = Vec::with_capacity(wanted.len());
    for (i, place) in wanted.iter().enumerate() {
        let at = order.iter().position(|&other| wanted[other] > *place).unwrap_or(order.len());
        order.insert(at, i);
    }
    let mut places: Vec<f64> = Vec::with_capacity(wanted.len());
    for &i in &order {
        let least = places.last().map_or(top, |last| last + gap);
        places.push(wanted[i].max(least));
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - gap;
    }
    if places.first().is_some_and(|&first| first < top) {
        places = (0..places.len()).map(|i| top + gap * i as f64).collect();
    }
    let mut labels = vec![0.0; wanted.len()];
    for (place, i) in places.into_iter().zip(order) {
        labels[i] = place;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        assert_eq!(apart(&[50.0, 10.0, 90.0], 14.0, 0.0, 100.0), [50.0, 10.0, 90.0]);
        assert_eq!(apart(&[50.0, 50.0, 52.0], 14.0, 0.0, 100.0), [50.0, 64.0, 78.0]);
        assert_eq!(apart(&[99.0, 98.0, 10.0], 14.0, 0.0, 100.0), [100.0, 86.0, 10.0]);
        assert_eq!(apart(&[1.0, 1.0, 1.0], 14.0, 0.0, 20.0), [0.0, 14.0, 28.0]);
        assert!(apart(&[], 14.0, 0.0, 20.0).is_empty());
    }
}
