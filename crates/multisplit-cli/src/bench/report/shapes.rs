//! What moves: keys, and keys with values.

type Shape = (&'static str, Option<&'static str>);

const SHAPES: [Shape; 6] = [
    ("u32", None),
    ("u32", Some("u32")),
    ("u32", Some("u64")),
    ("u64", None),
    ("u64", Some("u32")),
    ("u64", Some("u64")),
];

pub fn shape_name((key, value): (&str, Option<&str>)) -> String {
    value.map_or_else(|| format!("{key} keys"), |value| format!("{key} keys with {value} values"))
}

/// A table for each shape that has one, under its name.
pub fn per_shape(of: impl Fn(Shape) -> String) -> String {
    let tables = SHAPES.iter().map(|&shape| (shape, of(shape))).filter(|(_, table)| !table.is_empty());
    tables.map(|(shape, table)| format!("**{}**\n\n{table}", shape_name(shape))).collect()
}
