//! Expressions, by what they give, by what they say is wrong, and against a naive evaluator.

mod reference;

use super::{BucketIds, Expression, ExpressionError, Values};
use crate::bucket::{BucketFn, Hash};
use crate::error::Error;
use half::{bf16, f16};
use proptest::prelude::*;

/// The error of an expression over these columns.
fn wrong(text: &str, columns: &[(&str, Values<'_>)], buckets: Option<u32>) -> ExpressionError {
    match Expression::parse(text).and_then(|expression| expression.ids(columns, buckets)) {
        Err(Error::InvalidExpression(error)) => error,
        other => panic!("{text}: {other:?}"),
    }
}

fn ids(text: &str, columns: &[(&str, Values<'_>)]) -> Vec<u32> {
    match Expression::parse(text).and_then(|expression| expression.ids(columns, None)) {
        Ok(found) => found.ids,
        Err(error) => panic!("{text}: {error}"),
    }
}

/// The bucket of one key.
fn one(text: &str, key: Values<'_>) -> u32 {
    ids(text, &[("key", key)])[0]
}

#[test]
fn operators_bind_as_in_rust() {
    let key = Values::U32(&[12]);
    for (text, expected) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("100 / 10 / 5", 2),
        ("key & 3 == 0 ? 1 : 2", 1),
        ("1 << 2 + 1", 8),
        ("6 | 1 ^ 3 & 2", 7),
        ("key > 5 && key < 10 || key == 12 ? 1 : 0", 1),
        ("key < 10 ? 0 : key < 20 ? 1 : 2", 1),
        ("key > 1 ? key > 2 ? 5 : 6 : 7", 5),
        ("-key + 14", 2),
        ("- -key", 12),
        ("!(key == 3) ? 4 : 5", 4),
        ("~key & 0xff", 243),
        ("key % 7", 5),
        ("  ( ( key ) )\n% 0b1_01 ", 2),
        ("1_000 % 0xFF", 235),
        ("u32(2.5e1) + u32(.5)", 25),
        ("key * 0.5 == 6 ? 1 : 0", 1),
    ] {
        assert_eq!(one(text, key), expected, "{text}");
    }
}

#[test]
fn numbers_take_the_type_of_what_they_meet() {
    assert_eq!(one("key - 5 > 0 ? 1 : 0", Values::U32(&[3])), 1, "u32 wraps");
    assert_eq!(one("key - 5 > 0 ? 1 : 0", Values::I32(&[3])), 0);
    assert_eq!(one("key + -5 < 0 ? 1 : 0", Values::U32(&[3])), 1, "-5 is no u32, so this is of i64");
    assert_eq!(one("key < 5000000000 ? 1 : 0", Values::U32(&[3])), 1);
    assert_eq!(one("(key & ~15) >> 4", Values::U32(&[255])), 15, "of bits");
    assert_eq!(one("key * 0.1 == f32(0.1) * 3 ? 1 : 0", Values::F32(&[3.0])), 1);
    assert_eq!(one("key + 16777217 == 16777217 ? 1 : 0", Values::F32(&[0.0])), 1, "that is no f32, so this is of f64");
    assert_eq!(one("u32(key / 1e9 * 2)", Values::U64(&[1_500_000_000])), 3);
    assert_eq!(one("key == 18446744073709551615 ? 1 : 0", Values::U64(&[u64::MAX])), 1);
    assert_eq!(one("-9223372036854775808 == key ? 1 : 0", Values::I64(&[i64::MIN])), 1);
    assert_eq!(one("(key > 3) + (key > 5) + true", Values::U8(&[7])), 3);
    let (a, b) = (("a", Values::U32(&[u32::MAX])), ("b", Values::I32(&[-1])));
    assert_eq!(ids("a + b == 4294967294 ? 1 : 0", &[a, b]), [1], "of i64");
}

#[test]
fn every_type_of_column() {
    let (f, bf) = ([f16::from_f32(-1.5)], [bf16::from_f32(-1.5)]);
    for (key, expected) in [
        (Values::Bool(&[true]), 1),
        (Values::U8(&[255]), 255),
        (Values::U16(&[65_535]), 65_535),
        (Values::U32(&[7]), 7),
        (Values::U64(&[7]), 7),
        (Values::I8(&[-128]), 128),
        (Values::I16(&[-300]), 300),
        (Values::I32(&[-7]), 7),
        (Values::I64(&[-7]), 7),
        (Values::F16(&f), 1),
        (Values::Bf16(&bf), 1),
        (Values::F32(&[-1.5]), 1),
        (Values::F64(&[-1.5]), 1),
    ] {
        assert_eq!(one("u32(abs(key))", key), expected, "{key:?}");
    }
    assert_eq!(one("hash(key) % 64", Values::Opaque(&[9])), Hash::<u64>::new(64, 0).hash_of(9) % 64);
}

impl Hash<u64> {
    /// The hash that is scaled to the buckets: with 2^24 of them, 24 bits are seen.
    fn hash_of(self, key: u64) -> u32 {
        use crate::bucket::word::Word;
        let hash = u64::hash(key, 0);
        assert_eq!(Hash::<u64>::new(1 << 24, 0).bucket(key), hash >> 8);
        hash
    }
}

#[test]
fn functions() {
    let key = Values::I32(&[-7]);
    for (text, expected) in [
        ("key % 4", 1),
        ("key / 4 + 2", 0),
        ("rem(key, 4) + 3", 0),
        ("quot(key, 4) + 1", 0),
        ("min(3, 2, 9)", 2),
        ("max(key, 2)", 2),
        ("clamp(key, 0, 5)", 0),
        ("popcount(key)", 30),
        ("clz(key)", 0),
        ("clz(u64(1))", 63),
        ("ctz(u32(0))", 32),
        ("ctz(8)", 3),
        ("bit(key, 0) & 1", 1),
        ("bit(5, 1)", 0),
        ("abs(key)", 7),
        ("u32(floor(-key / 2.0))", 3),
        ("u32(ceil(-key / 2.0))", 4),
        ("u32(round(2.5))", 3),
        ("u32(trunc(2.9))", 2),
        ("u32(sqrt(49))", 7),
        ("u32(log2(1024))", 10),
        ("is_nan(sqrt(key)) ? 1 : 0", 1),
        ("u32(-1) == 4294967295 ? 1 : 0", 1),
        ("1 << u32(3)", 8),
        ("(u32(1) << 32) + (key >> 40) + 1", 0),
        ("i64(key) + 8", 1),
        ("u64(key) > 5 ? 1 : 0", 1),
        ("f64(f32(0.1)) == 0.1 ? 1 : 0", 0),
    ] {
        assert_eq!(one(text, key), expected, "{text}");
    }
    let (a, b) = (Values::U32(&[5, 6]), Values::U32(&[5, 7]));
    assert_eq!(ids("hash(a, 3) == hash(b, 3) ? 1 : 0", &[("a", a), ("b", b)]), [1, 0]);
}

#[test]
fn names_of_columns() {
    let columns = [("unit price", Values::U32(&[1])), ("größe", Values::U32(&[2])), ("true", Values::U32(&[3]))];
    assert_eq!(ids("[unit price] + `unit price` + größe + [true]", &columns), [7]);
    let expression: Expression = "b + a + b * [c d]".parse().unwrap();
    assert_eq!(expression.columns(), ["b", "a", "c d"]);
    assert_eq!(expression.to_string(), "b + a + b * [c d]");
}

#[test]
fn branches_that_are_not_taken_make_no_errors() {
    let columns = [("x", Values::I32(&[0, 2, 5])), ("y", Values::F64(&[f64::NAN, 1.0, 1e300]))];
    assert_eq!(ids("x == 0 ? 0 : 10 / x", &columns), [0, 5, 2]);
    assert_eq!(ids("x != 0 && 10 / x == 5 ? 1 : 0", &columns), [0, 1, 0]);
    assert_eq!(ids("x == 0 || 10 / x == 5 ? 1 : 0", &columns), [1, 1, 0]);
    assert_eq!(ids("y > 0 && y < 10 ? u32(y) : 7", &columns), [7, 1, 7]);
    assert_eq!(ids("(x == 0 ? 1 : 10 / x) + (is_nan(y) ? 1 : 0)", &columns), [2, 5, 2]);
}

#[test]
fn rows_without_a_bucket() {
    let keys: Vec<i32> = (0..200_000).collect();
    let key = [("key", Values::I32(&keys))];
    for (text, buckets, row, message) in [
        ("10 % (key - 150000)", None, 150_000, "row 150000, counted from 0 (key = 150000): division by 0"),
        ("key % (key < 9 ? 1 : 0)", Some(9), 9, "row 9, counted from 0 (key = 9): division by 0"),
        (
            "5 - key",
            None,
            6,
            "row 6, counted from 0 (key = 6): the bucket is -1, but buckets are whole numbers from 0 to",
        ),
        ("key", Some(1000), 1000, "the bucket is 1000, but buckets are whole numbers from 0 to 999"),
        ("key / 2.0", None, 1, "the bucket is 0.5"),
        ("key * 1000", None, 16_778, "the bucket is 16778000, but buckets are whole numbers from 0 to 16777215"),
        ("u32(1000.5 - key)", Some(2000), 1002, "row 1002, counted from 0 (key = 1002): -1.5 is no u32"),
        ("i64(sqrt(5 - key))", None, 6, "NaN is no i64"),
        ("1 << 10 - key", Some(2000), 11, "(key = 11): bits cannot be shifted by -1"),
    ] {
        let error = wrong(text, &key, buckets);
        assert_eq!(error.row(), Some(row), "{text}: {error}");
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
    assert_eq!(wrong("9 % (key - 9)", &key, None).pointer().unwrap(), "9 % (key - 9)\n^^^^^^^^^^^^^");
}

#[test]
fn as_many_buckets_as_the_largest_id_asks_for() {
    let found = |text: &str, keys: &[u32], buckets| {
        let BucketIds { ids, buckets } =
            Expression::parse(text).unwrap().ids(&[("key", Values::U32(keys))], buckets).unwrap();
        (ids, buckets)
    };
    assert_eq!(found("key % 7", &[8, 3, 14], None), (vec![1, 3, 0], 4));
    assert_eq!(found("key % 7", &[8, 3, 14], Some(7)), (vec![1, 3, 0], 7));
    assert_eq!(found("key", &[], None), (vec![], 1));
    assert_eq!(found("key > 3", &[2, 4], None), (vec![0, 1], 2));
    assert_eq!(found("3", &[2, 4], None), (vec![3, 3], 4));
    let keys: Vec<u32> = (0..300_000).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
    let expected: Vec<u32> =
        keys.iter().map(|key| if key % 5 == 0 { 9 } else { (key >> 4).count_ones() % 9 }).collect();
    assert_eq!(found("key % 5 == 0 ? 9 : popcount(key >> 4) % 9", &keys, None), (expected, 10));
}

#[test]
fn mistakes_are_pointed_at() {
    let columns = [
        ("key", Values::U32(&[1])),
        ("value", Values::U64(&[1])),
        ("sign", Values::I32(&[1])),
        ("score", Values::F32(&[1.0])),
        ("name", Values::Opaque(&[1])),
        ("is", Values::Bool(&[true])),
    ];
    for (text, column, message) in [
        ("", 1, "the expression is empty; write one such as key % 7"),
        ("  ", 3, "the expression is empty"),
        ("key %", 6, "expected a value, found the end"),
        ("key % % 7", 7, "expected a value, found '%'"),
        ("key 7", 5, "expected an operator or the end, found 7"),
        ("(key % 7", 9, "expected an operator or ')', found the end"),
        ("key % 7)", 8, "there is no '(' for this ')'"),
        ("key and 3", 5, "expected an operator, found 'and'; write '&&'"),
        ("not is", 1, "write '!'"),
        ("key = 3", 5, "'=' compares nothing; write '=='"),
        ("key == 'a'", 8, "strings cannot be written here"),
        ("key # 3", 5, "'#' has no meaning here"),
        ("1 < key < 3", 9, "comparisons cannot follow each other; write a < b && b < c"),
        ("is ? 1", 7, "expected ':' and what there is where the condition does not hold, found the end"),
        ("key ? 1 : 2", 1, "a condition is true or false, but this is u32; compare it, as in x != 0"),
        ("1 ? 1 : 2", 1, "a condition is true or false, not a number"),
        ("3 && is", 1, "a condition is true or false"),
        ("3 || 4", 1, "a condition is true or false, not a number"),
        ("!key", 2, "a condition is true or false, but this is u32"),
        ("min(1)", 1, "min takes 2 to 16 operands, not 1"),
        ("hash()", 1, "hash takes 1 to 2 operands, not 0"),
        ("abs(1, 2)", 1, "abs takes 1 operand, not 2"),
        ("abs(1 2)", 7, "expected an operator, ',' or ')', found 2"),
        ("popcnt(key)", 1, "there is no function 'popcnt'; did you mean 'popcount'?"),
        ("median(key)", 1, "there is no function 'median'; there are min, max, clamp"),
        ("kez + 1", 1, "there is no column 'kez'; did you mean 'key'?"),
        ("3 + region", 5, "there is no column 'region'; there are key, value, sign, score, name, is"),
        ("value + sign", 1, "no whole numbers include those of u64 and of i32; convert one, as in i64(x) or u64(x)"),
        ("value - -1", 9, "-1 is no u64; convert the other"),
        ("score & 3", 1, "& takes whole numbers, but this is f32; convert it, as in i64(x)"),
        ("key & 1.5", 7, "bits are those of whole numbers"),
        ("1.5 << key", 1, "bits are those of whole numbers"),
        ("1.5 & 3", 1, "bits are those of whole numbers"),
        ("key << 1.5", 8, "bits are shifted by a whole number that is not negative"),
        ("key >> -1", 8, "bits are shifted by a whole number that is not negative"),
        ("1 >> -1", 1, "bits cannot be shifted by a negative number"),
        ("key >> score", 8, ">> takes whole numbers, but this is f32"),
        ("~score", 2, "~ takes whole numbers, but this is f32"),
        ("~1.5", 1, "~ takes whole numbers"),
        ("-name", 2, "- takes numbers, but these are strings; only hash(…) takes them"),
        ("name == name", 1, "this operation takes numbers, but these are strings"),
        ("name", 1, "a string is no number of a bucket; hash it, as in hash(name) % 16"),
        ("hash(key, key)", 11, "the seed is a number from 0 to 4294967295"),
        ("1 / 0", 1, "division by 0"),
        ("1 << 64", 1, "the result is beyond all whole numbers"),
        ("18446744073709551615 + 1", 1, "the result is beyond all whole numbers"),
        ("min(-1, 18446744073709551615)", 1, "no whole numbers include those of u64 and of i64"),
        (
            "18446744073709551616",
            1,
            "18446744073709551616 is too large; whole numbers are at most 18446744073709551615",
        ),
        ("1e999", 1, "1e999 is too large; floats are below 1.8e308"),
        ("key + 12ab", 7, "'12ab' is no number; names cannot begin with a digit, except in brackets"),
        ("0x", 1, "'0x' is no number"),
        ("0b12", 1, "'0b12' is no number"),
        ("1.2.3", 1, "'1.2.3' is no number"),
        ("[key", 1, "the name has no ']' behind it"),
        ("``", 1, "this is an empty name"),
    ] {
        let error = wrong(text, &columns, None);
        assert_eq!(error.column(), Some(column), "{text}: {error}");
        assert!(error.to_string().starts_with(message) || error.to_string().contains(message), "{text}: {error}");
    }
    let error = wrong("key", &[("key", Values::U32(&[1])), ("x", Values::U32(&[1, 2]))], None);
    assert_eq!(error.to_string(), "column 'x' has 2 rows, but others have 1");
}

#[test]
fn mistakes_in_numbers_need_no_columns() {
    for (text, column, message) in [
        ("1 + key % 0", 5, "division by 0"),
        ("key / (3 - 3)", 1, "division by 0"),
        ("key == 0 ? 1 : rem(key, -0)", 16, "division by 0"),
        ("quot(key, 0)", 1, "division by 0"),
        ("7 % 0", 1, "division by 0"),
        ("key << 2 - 3", 8, "bits are shifted by a whole number that is not negative"),
        ("key + (1 << 64)", 7, "the result is beyond all whole numbers"),
        ("-~1.5", 2, "~ takes whole numbers"),
    ] {
        let Err(Error::InvalidExpression(error)) = Expression::parse(text).unwrap().check_numbers() else {
            panic!("{text}");
        };
        assert_eq!(error.column(), Some(column), "{text}: {error}");
        assert!(error.to_string().starts_with(message), "{text}: {error}");
    }
    for text in ["0 / key", "key / 0.0", "1 / 2 + key % -1", "(0 < 1 ? key : 0) << 0", "0 % 5"] {
        assert_eq!(Expression::parse(text).unwrap().check_numbers(), Ok(()), "{text}");
    }
}

#[test]
fn pointers() {
    let pointer = |text: &str| wrong(text, &[("key", Values::U32(&[1]))], None).pointer().unwrap();
    assert_eq!(pointer("key %\n\t* 7"), "key %  * 7\n       ^");
    assert_eq!(pointer("größe + 1"), "größe + 1\n^^^^^");
    assert_eq!(pointer("1 + key +"), "1 + key +\n         ^");
    let long = format!("{}nothing{}", "key + ".repeat(100), " + key".repeat(100));
    let shown = pointer(&long);
    let [line, marks] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
    assert!(line.starts_with('…') && line.ends_with('…') && line.chars().count() < 120, "{line}");
    let begin = marks.chars().take_while(|&c| c == ' ').count();
    assert_eq!(line.chars().skip(begin).take(7).collect::<String>(), "nothing");
}

#[test]
fn long_and_deep_expressions_are_refused() {
    let columns = [("k", Values::U32(&[1]))];
    assert_eq!(ids(&vec!["k"; 400].join("+"), &columns), [400]);
    assert_eq!(ids(&format!("{}0", "k == 0 ? 1 : ".repeat(150)), &columns), [0]);
    assert_eq!(ids(&format!("{}k{}", "(".repeat(60), ")".repeat(60)), &columns), [1]);
    assert_eq!(ids(&format!("{}k", "- -".repeat(300)), &columns), [1]);
    for (text, message) in [
        (vec!["k"; 501].join("+"), "more than 1000 names, numbers and operators"),
        (format!("{}k", "-".repeat(5000)), "more than 1000"),
        (format!("{}k{}", "(".repeat(20_000), ")".repeat(20_000)), "nested too deeply"),
        ("k ? ".repeat(10_000), "nested too deeply"),
        ("min(".repeat(10_000), "nested too deeply"),
        (" ".repeat(70_000), "the expression has 70000 bytes, but at most 65536 are taken"),
    ] {
        let error = wrong(&text, &columns, None);
        assert!(error.to_string().contains(message), "{error}");
    }
}

/// So many cases, unless `MULTISPLIT_PROPERTY_CASES` says how many.
fn configuration(cases: u32) -> ProptestConfig {
    let said = std::env::var("MULTISPLIT_PROPERTY_CASES").ok();
    let cases = said.map_or(cases, |text| text.parse().unwrap_or_else(|_| panic!("MULTISPLIT_PROPERTY_CASES: {text}")));
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(configuration(400))]

    #[test]
    fn any_text_is_an_expression_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Expression::parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words_are_an_expression_or_an_error(
        words in prop::collection::vec(prop::sample::select(vec![
            "key", "x", "3", "1.5", "0xff", "-7", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "~", "!", "<",
            "==",             "&&", "||", "(", ")", "?", ":", ",", "min(", "hash(", "u32(", "bit(", "true", "[a b]",
            "18446744073709551615",
        ]), 0..12),
    ) {
        let columns = [("key", Values::U32(&[7, 0])), ("x", Values::F64(&[0.0, -1.5])), ("a b", Values::I64(&[-1, 0]))];
        let text = words.join(" ");
        if let Ok(expression) = Expression::parse(&text)
            && let Err(Error::InvalidExpression(error)) = expression.ids(&columns, None)
        {
            prop_assert!(!error.to_string().is_empty());
            let _ = error.pointer();
        }
    }

    #[test]
    fn random_expressions_agree_with_a_naive_evaluator(seed in any::<u64>()) {
        reference::check(seed);
    }
}
