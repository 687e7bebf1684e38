//! Elements without a type: their bits, in words of 4 or 8 bytes.

use bytemuck::Pod;
use std::ops::Range;

/// The bits of elements, whatever they mean. Those of less than 4 bytes have zeros above.
pub enum Words {
    /// Of 4 bytes or less.
    Narrow(Vec<u32>),
    /// Of 8 bytes.
    Wide(Vec<u64>),
}

/// Words of somebody else.
#[derive(Clone, Copy)]
pub enum WordsRef<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl Words {
    /// Returns no words, for elements of so many bytes.
    pub fn none(width: usize) -> Self {
        if width <= 4 { Self::Narrow(Vec::new()) } else { Self::Wide(Vec::new()) }
    }

    pub fn len(&self) -> usize {
        self.as_ref().len()
    }

    /// Returns the numbers of so many elements, from `first` on, in words of `width` bytes.
    pub fn numbers(first: u64, count: usize, width: usize) -> Self {
        match Self::none(width) {
            Self::Narrow(_) => Self::Narrow((0..count as u32).map(|i| first as u32 + i).collect()),
            Self::Wide(_) => Self::Wide((0..count as u64).map(|i| first + i).collect()),
        }
    }

    /// Returns the words in elements of so many bytes, which have room for them.
    pub fn in_width(self, width: usize) -> Self {
        match (self, Self::none(width)) {
            (Self::Wide(words), Self::Narrow(_)) => Self::Narrow(words.into_iter().map(|word| word as u32).collect()),
            (Self::Narrow(words), Self::Wide(_)) => Self::Wide(words.into_iter().map(u64::from).collect()),
            (words, _) => words,
        }
    }

    /// Appends words of the same width.
    pub fn extend(&mut self, words: WordsRef<'_>) {
        match (self, words) {
            (Self::Narrow(all), WordsRef::Narrow(words)) => all.extend_from_slice(words),
            (Self::Wide(all), WordsRef::Wide(words)) => all.extend_from_slice(words),
            (all, words) => (0..words.len()).for_each(|i| all.push(words.get(i))),
        }
    }

    fn push(&mut self, word: u64) {
        match self {
            Self::Narrow(words) => words.push(word as u32),
            Self::Wide(words) => words.push(word),
        }
    }

    /// Returns how many bytes a word has that carries an element of so many.
    pub fn carried(width: usize) -> u64 {
        if width <= 4 { 4 } else { 8 }
    }

    pub fn as_ref(&self) -> WordsRef<'_> {
        match self {
            Self::Narrow(words) => WordsRef::Narrow(words),
            Self::Wide(words) => WordsRef::Wide(words),
        }
    }

    /// Takes elements of 4 or 8 bytes as words.
    pub fn of_vec<T: Pod>(elements: Vec<T>) -> Self {
        if size_of::<T>() == 4 {
            Self::Narrow(bytemuck::allocation::cast_vec(elements))
        } else {
            Self::Wide(bytemuck::allocation::cast_vec(elements))
        }
    }

    /// Takes the words as elements of the same size.
    pub fn cast<T: Pod>(self) -> Vec<T> {
        match self {
            Self::Narrow(words) => bytemuck::allocation::cast_vec(words),
            Self::Wide(words) => bytemuck::allocation::cast_vec(words),
        }
    }
}

impl<'a> WordsRef<'a> {
    /// Takes elements of 4 or 8 bytes as words.
    pub fn of<T: Pod>(elements: &'a [T]) -> Self {
        if size_of::<T>() == 4 {
            Self::Narrow(bytemuck::cast_slice(elements))
        } else {
            Self::Wide(bytemuck::cast_slice(elements))
        }
    }

    /// Takes the words as elements of the same size.
    pub fn cast<T: Pod>(self) -> &'a [T] {
        match self {
            Self::Narrow(words) => bytemuck::cast_slice(words),
            Self::Wide(words) => bytemuck::cast_slice(words),
        }
    }

    pub fn len(self) -> usize {
        match self {
            Self::Narrow(words) => words.len(),
            Self::Wide(words) => words.len(),
        }
    }

    pub fn get(self, i: usize) -> u64 {
        match self {
            Self::Narrow(words) => words[i].into(),
            Self::Wide(words) => words[i],
        }
    }

    pub fn to_owned(self) -> Words {
        match self {
            Self::Narrow(words) => Words::Narrow(words.to_vec()),
            Self::Wide(words) => Words::Wide(words.to_vec()),
        }
    }

    pub fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Narrow(words) => Self::Narrow(&words[range]),
            Self::Wide(words) => Self::Wide(&words[range]),
        }
    }
}
