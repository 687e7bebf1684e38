//! Tables of the paper, with its numbers and ours.

/// A number of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub number: f64,
    /// The ends of its range, where it is known.
    pub range: Option<[f64; 2]>,
    pub tooltip: String,
}

/// The numbers of one method on one device.
#[derive(Clone, Debug)]
pub struct Line {
    pub device: String,
    /// Whether it was measured here.
    pub ours: bool,
    /// What the elements or the bins are, where a table tells them apart.
    pub group: String,
    pub method: String,
    /// One for each column.
    pub values: Vec<Option<Value>>,
}

/// What the numbers of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// 1e9 elements per second.
    Rate,
    /// Milliseconds.
    Time,
}

/// A table of the paper.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub number: u32,
    pub quantity: Quantity,
    pub columns: Vec<String>,
    pub lines: Vec<Line>,
}

/// What the numbers of a table are compared with.
pub enum Against<'a> {
    Nothing,
    /// The first of these methods that the same device has numbers of, in the same group and column. A method that has
    /// one number alone is compared by it in every column.
    Methods(&'a [&'a str]),
    /// A column of the same line.
    Column(usize),
    /// The first of these methods in another table, whose columns are the groups of this one.
    Table(&'a Comparison, &'a [&'a str]),
}

impl Comparison {
    /// Returns the groups, in their order.
    pub fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = Vec::new();
        for line in &self.lines {
            if !groups.contains(&line.group) {
                groups.push(line.group.clone());
            }
        }
        groups
    }

    /// Returns the lines of a group: ours come first.
    pub fn of_group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a Line> {
        let of = move |ours: bool| self.lines.iter().filter(move |line| line.ours == ours && line.group == group);
        of(true).chain(of(false))
    }

    /// Returns how many times as fast a number of a line is as what it is compared with, and with what. There is
    /// nothing for what is compared with itself.
    pub fn times(&self, line: &Line, column: usize, against: &Against<'_>) -> Option<(f64, String)> {
        let number = line.values.get(column)?.as_ref()?.number;
        let (other, name) = match against {
            Against::Nothing => return None,
            Against::Column(0) if column == 0 => return None,
            Against::Column(of) => (line.values.get(*of)?.as_ref()?.number, self.columns.get(*of)?.clone()),
            Against::Methods(methods) => {
                let other = self.first_of(methods, line, &line.group)?;
                if other.method == line.method {
                    return None;
                }
                (number_at(other, column)?, other.method.clone())
            }
            Against::Table(table, methods) => {
                let column = table.columns.iter().position(|name| *name == line.group)?;
                let other = table.first_of(methods, line, "")?;
                (number_at(other, column)?, other.method.clone())
            }
        };
        let times = if self.quantity == Quantity::Rate { number / other } else { other / number };
        Some((times, name))
    }

    /// Returns the line of the first of these methods that the device of another line has.
    fn first_of(&self, methods: &[&str], like: &Line, group: &str) -> Option<&Line> {
        let of = |method: &&str| {
            let is_it = |line: &&Line| line.method == *method && line.device == like.device && line.group == group;
            self.lines.iter().find(is_it)
        };
        methods.iter().find_map(of)
    }
}

/// Returns the number of a column, or the only one.
fn number_at(line: &Line, column: usize) -> Option<f64> {
    let here = line.values.get(column).and_then(Option::as_ref);
    let mut there = line.values.iter().flatten();
    let only = there.next().filter(|_| there.next().is_none());
    here.or(only).map(|value| value.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(device: &str, method: &str, numbers: [Option<f64>; 2]) -> Line {
        let value = |number: Option<f64>| Some(Value { number: number?, range: None, tooltip: String::new() });
        let (device, method, group) = (device.to_string(), method.to_string(), "keys".to_string());
        Line { device, ours: false, group, method, values: numbers.map(value).to_vec() }
    }

    #[test]
    fn numbers_are_compared_within_a_device() {
        let lines = vec![
            line("a", "fast", [Some(6.0), Some(8.0)]),
            line("a", "slow", [None, Some(2.0)]),
            line("b", "fast", [Some(1.0), None]),
        ];
        let columns = vec!["2".to_string(), "4".to_string()];
        let table = Comparison { number: 5, quantity: Quantity::Rate, columns: columns.clone(), lines };
        let times = |of: &Comparison, line: usize, column, against: &Against<'_>| {
            of.times(&of.lines[line], column, against).map(|(times, _)| times)
        };
        let slow = Against::Methods(&["none", "slow"]);
        // The only number of a method serves all columns.
        assert_eq!([0, 1].map(|column| times(&table, 0, column, &slow)), [Some(3.0), Some(4.0)]);
        assert_eq!((times(&table, 1, 1, &slow), times(&table, 2, 0, &slow)), (None, None));
        assert_eq!(times(&table, 0, 1, &Against::Column(0)), Some(8.0 / 6.0));
        let milliseconds = Comparison { quantity: Quantity::Time, ..table.clone() };
        assert_eq!(times(&milliseconds, 0, 1, &slow), Some(0.25));
        let reference = Line { group: String::new(), ..line("a", "sort", [Some(0.5), Some(1.0)]) };
        let columns = vec!["pairs".to_string(), "keys".to_string()];
        let reference = Comparison { number: 3, lines: vec![reference], columns, ..table.clone() };
        let sort = Against::Table(&reference, &["sort"]);
        assert_eq!((times(&table, 0, 0, &sort), times(&table, 2, 0, &sort)), (Some(6.0), None));
    }
}
