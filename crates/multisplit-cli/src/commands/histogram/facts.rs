//! Histograms for programs.

use super::Counted;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::number::Number;
use crate::shared::facts::Facts;
use serde_json::Value;

impl Counted {
    /// Adds the bins, and what is in none.
    pub fn facts(&self, facts: Facts) -> Facts {
        let (key_type, counts) = (self.key_type, &self.counts);
        let outside = self.outside.parts(key_type).into_iter().filter(|(count, _)| *count > 0);
        facts
            .with("m", counts.bins.len())
            .with_numbers(
                "edges",
                &mut (0..counts.bins.len() + 1).map(|i| json(key_type, self.ranges.edge(key_type, i))),
            )
            .with_numbers("counts", &mut counts.bins.iter().map(u64::to_string))
            .with("inside", counts.bins.iter().sum::<u64>())
            .with("outside", counts.outside)
            .with_facts("why_outside", &outside.fold(Facts::none(), |facts, (count, why)| facts.with(why, count)))
    }
}

/// Formats a key as JSON: a number if it is one, else text, as of moments.
fn json(key_type: KeyType, number: Number) -> String {
    let shown = key_type.show(number);
    match serde_json::from_str(&shown) {
        // As it is: it may have more digits than a number in memory.
        Ok(Value::Number(_) | Value::Bool(_)) if !key_type.is_time() => shown,
        _ => Value::from(shown).to_string(),
    }
}
