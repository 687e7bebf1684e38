//! What the types of columns are made of.

use arrow_schema::DataType;

/// Returns whether a type is one, or has one within it, that is looked for. What dictionaries have is not looked at.
pub fn has(data_type: &DataType, wanted: &dyn Fn(&DataType) -> bool) -> bool {
    let within = |data_type: &DataType| has(data_type, wanted);
    wanted(data_type)
        || match data_type {
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::ListView(field)
            | DataType::LargeListView(field)
            | DataType::FixedSizeList(field, _)
            | DataType::Map(field, _)
            | DataType::RunEndEncoded(_, field) => within(field.data_type()),
            DataType::Struct(fields) => fields.iter().any(|field| within(field.data_type())),
            DataType::Union(fields, _) => fields.iter().any(|(_, field)| within(field.data_type())),
            _ => false,
        }
}

/// Returns whether a type has dictionaries.
pub fn has_dictionaries(data_type: &DataType) -> bool {
    has(data_type, &|each| matches!(each, DataType::Dictionary(..)))
}

/// Returns whether a type has strings that are looked up elsewhere.
pub fn has_views(data_type: &DataType) -> bool {
    has(data_type, &|each| matches!(each, DataType::Utf8View | DataType::BinaryView))
}

/// Returns whether a type has unions.
pub fn has_unions(data_type: &DataType) -> bool {
    has(data_type, &|each| matches!(each, DataType::Union(..)))
}
