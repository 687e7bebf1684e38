//! Names that may have been meant.

/// Names that a message lists at most.
const LISTED: usize = 12;

/// Returns what to say behind a name that there is not: the name that was probably meant, or all.
pub(super) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let near = known.iter().map(|other| (distance(name, other), *other)).min();
    match near {
        Some((distance, other)) if distance <= 1 + name.len() / 4 => format!("; did you mean '{other}'?"),
        Some(_) => {
            let more = if known.len() > LISTED { ", …" } else { "" };
            format!("; there are {}{more}", known[..known.len().min(LISTED)].join(", "))
        }
        None => String::new(),
    }
}

/// Returns how many letters must be changed, added or left out. Another case is no change.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.to_lowercase().chars().take(40).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints() {
        assert_eq!(hint("kye", ["key", "value"].into_iter()), "; there are key, value");
        assert_eq!(hint("kei", ["key", "value"].into_iter()), "; did you mean 'key'?");
        assert_eq!(hint("Region", ["key", "region"].into_iter()), "; did you mean 'region'?");
        assert_eq!(hint("x", std::iter::empty()), "");
        assert_eq!([distance("", "abc"), distance("popcnt", "popcount"), distance("same", "SAME")], [3, 2, 0]);
    }
}
