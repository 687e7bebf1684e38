//! Where buckets begin.

use super::key_type::KeyType;
use super::number::Number;
use super::words::Words;
use multisplit_graph::parallel;

/// Returns the word of a number in the order of the keys; that of the first or the last key for what is beyond.
pub fn word_of(number: Number, key_type: KeyType) -> u64 {
    let order = key_type.order();
    match number {
        Number::Whole(number) => match key_type.beyond_word(number) {
            Some(word) => word.min(order.largest()),
            None if number < 0 => 0,
            None => order.largest(),
        },
        Number::Real(number) => order.word(key_type.bits_of_real(number)),
    }
}

/// Returns whether a number is a key of a type.
pub fn is_key(number: Number, key_type: KeyType) -> bool {
    match number {
        Number::Whole(number) => key_type.beyond_word(number).is_some_and(|word| word <= key_type.order().largest()),
        Number::Real(_) => key_type.number(word_of(number, key_type)) == number,
    }
}

/// Returns the least key of a float type that is not below a number.
pub fn key_from(number: Number, key_type: KeyType) -> Number {
    let word = word_of(number, key_type);
    let nearest = key_type.number(word);
    if nearest < number { key_type.number(word + 1) } else { nearest }
}

/// Returns the first word of a range in bucket 1 or a later one, in 2 or a later one, and so on to the last of
/// `buckets`. `bucket` never descends. Buckets at the end that no word is in are left out.
pub fn first_words((least, most): (u64, u64), buckets: u32, bucket: &(dyn Fn(u64) -> u32 + Sync)) -> Vec<u64> {
    let last = bucket(most).min(buckets - 1) as usize;
    parallel::fill(last, |i| {
        let (mut below, mut at) = (least, most);
        while below < at {
            let middle = below + (at - below) / 2;
            if bucket(middle) as usize > i { at = middle } else { below = middle + 1 }
        }
        at
    })
}

/// Returns the bits of numbers that are keys.
pub fn bits_of(numbers: &[Number], key_type: KeyType) -> Words {
    let order = key_type.order();
    let bits = numbers.iter().map(|&number| order.bits(word_of(number, key_type)));
    match Words::none(key_type.width()) {
        Words::Narrow(_) => Words::Narrow(bits.map(|bits| bits as u32).collect()),
        Words::Wide(_) => Words::Wide(bits.collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_of_buckets() {
        assert_eq!(first_words((0, 99), 4, &|word| word as u32 / 25), [25, 50, 75]);
        assert_eq!(first_words((0, 99), 9, &|word| word as u32 / 25), [25, 50, 75], "no word is in bucket 4");
        assert_eq!(first_words((10, 99), 3, &|word| u32::from(word >= 40) * 2), [40, 40]);
        assert_eq!(first_words((0, u64::MAX), 2, &|word| (word >> 63) as u32), [1 << 63]);
        assert!(first_words((0, 9), 1, &|_| 0).is_empty());
    }

    #[test]
    fn numbers_that_are_keys() {
        assert!(is_key(Number::Whole(-128), KeyType::Signed(8)) && !is_key(Number::Whole(128), KeyType::Signed(8)));
        assert!(is_key(Number::Real(0.5), KeyType::Float(16)) && !is_key(Number::Real(0.1), KeyType::Float(16)));
        let next = f64::from(f32::from_bits(0x3dcc_e000)); // of 16 bits, 0.1 is 0.09998
        assert_eq!(key_from(Number::Real(0.1), KeyType::Float(16)), Number::Real(next));
        assert_eq!(key_from(Number::Real(0.1), KeyType::Float(64)), Number::Real(0.1));
        let u64s = |number| word_of(Number::Whole(number), KeyType::Unsigned(64));
        assert_eq!([-1, 5, 1 << 64].map(u64s), [0, 5, u64::MAX]);
        assert_eq!(word_of(Number::Whole(-128), KeyType::Signed(8)), 0);
        assert_eq!(word_of(Number::Real(f64::INFINITY), KeyType::Float(16)), 0xfc00);
    }
}
