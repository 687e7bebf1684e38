//! The numbers that the paper published.

use super::comparison::{Comparison, Line, Quantity, Value};
use anyhow::{Context, Result, ensure};

/// The numbers, table by table.
const NUMBERS: &str = include_str!("published.txt");

/// Returns the tables.
pub fn tables() -> Result<Vec<Comparison>> {
    parse(NUMBERS)
}

fn parse(text: &str) -> Result<Vec<Comparison>> {
    let mut tables: Vec<Comparison> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [head, quantity, columns] = fields[..] {
            let number = head.strip_prefix("table ").and_then(|number| number.parse().ok());
            let number = number.with_context(|| line.to_string())?;
            let quantity = if quantity == "ms" { Quantity::Time } else { Quantity::Rate };
            let columns = columns.split_whitespace().map(str::to_string).collect();
            tables.push(Comparison { number, quantity, columns, lines: Vec::new() });
        } else if let ([device, group, method, numbers], Some(table)) = (&fields[..], tables.last_mut()) {
            let value = |text: &str| -> Result<Option<Value>> {
                if text == "-" {
                    return Ok(None);
                }
                let number = text.parse().with_context(|| line.to_string())?;
                let tooltip = format!("{device}, {method}: published in table {}", table.number);
                Ok(Some(Value { number, range: None, tooltip }))
            };
            let values: Vec<_> = numbers.split_whitespace().map(value).collect::<Result<_>>()?;
            ensure!(values.len() == table.columns.len(), "{line}");
            let (device, group, method) = (device.to_string(), group.to_string(), method.to_string());
            table.lines.push(Line { device, ours: false, group, method, values });
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::super::comparison::Against;
    use super::*;

    /// The speed-ups that the paper prints follow from the numbers that are kept, up to its rounding.
    #[test]
    fn speedups_follow_from_the_numbers() {
        let all = tables().unwrap();
        let table = |number: u32| all.iter().find(|table| table.number == number).unwrap();
        let speedup = |number: u32, device: &str, group: &str, method: &str, column: &str, against: &Against<'_>| {
            let table = table(number);
            let is_it = |line: &&Line| (&*line.device, &*line.group, &*line.method) == (device, group, method);
            let line = table.lines.iter().find(is_it).unwrap();
            let column = table.columns.iter().position(|name| name == column).unwrap();
            table.times(line, column, against).unwrap().0
        };
        let sort = Against::Table(table(3), &["CUB radix sort"]);
        let cub = Against::Methods(&["CUB radix sort", "CUB histogram", "Near-Far"]);
        for (got, printed, rounding) in [
            (speedup(5, "K40c, ECC on", "keys", "WMS", "2", &sort), 9.7, 0.06),
            (speedup(5, "K40c, ECC on", "pairs", "WMS", "2", &sort), 10.8, 0.06),
            (speedup(5, "GTX 1080", "keys", "BMS", "256", &sort), 2.1, 0.06),
            (speedup(5, "K40c, ECC off", "pairs", "RB-sort", "256", &sort), 1.5, 0.06),
            (speedup(6, "GTX 1080", "pairs", "BMS", "binomial", &Against::Column(0)), 1.24, 0.006),
            (speedup(7, "K40c, ECC on", "pairs", "BMS", "64", &cub), 1.60, 0.006),
            (speedup(8, "GTX 1080", "pairs", "sort by multisplits", "7", &cub), 1.10, 0.006),
            (speedup(10, "GTX 1080", "", "Multisplit-SSSP", "flickr", &cub), 1.83, 0.006),
            (speedup(11, "K40c, ECC off", "range", "histogram", "4", &cub), 3.28, 0.02),
        ] {
            assert!((got - printed).abs() <= rounding, "{got} is not {printed}");
        }
        let sizes: Vec<(u32, usize)> = all.iter().map(|table| (table.number, table.lines.len())).collect();
        assert_eq!(sizes, [(3, 6), (4, 64), (5, 24), (6, 12), (7, 18), (8, 12), (10, 6), (11, 12)]);
    }
}
