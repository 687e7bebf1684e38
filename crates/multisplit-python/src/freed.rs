//! Memory of results that are gone, for those to come.
//!
//! The system clears memory that it gives out, which takes a fifth of the time of a call with large results.

use crate::dtype::Element;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Vectors of results that were freed, the oldest first.
#[derive(Debug, Default)]
pub struct Freed(Mutex<Vec<(usize, Box<dyn Any + Send>)>>);

/// The most vectors that are kept.
const MOST: usize = 8;

/// The fewest bytes that are worth it: of less, allocators keep some themselves.
const LEAST: usize = 1 << 20;

impl Freed {
    /// A vector of so many elements, whatever they are, if there is one.
    pub fn take<T: Element>(&self, len: usize) -> Option<Vec<T>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |vector: &Vec<T>| (len..=len.saturating_mul(2)).contains(&vector.capacity());
        let at = all.iter().rposition(|(_, any)| any.downcast_ref().is_some_and(fits))?;
        let (_, any) = all.remove(at);
        drop(all);
        let mut vector = *any.downcast::<Vec<T>>().ok()?;
        vector.resize(len, T::zeroed());
        Some(vector)
    }

    fn put<T: Element>(&self, vector: Vec<T>) {
        let bytes = vector.capacity() * size_of::<T>();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((bytes, Box::new(vector)));
        let oldest = (all.len() > MOST).then(|| all.remove(0));
        drop((all, oldest));
    }

    /// The bytes of all of them.
    pub fn bytes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(bytes, _)| bytes).sum()
    }

    /// Gives all of them back.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The elements of a result, which go back when it is gone, if anybody keeps them.
pub struct Returning<T: Element> {
    elements: Vec<T>,
    to: Weak<Freed>,
}

impl<T: Element> Returning<T> {
    pub fn new(elements: Vec<T>, to: Option<&Arc<Freed>>) -> Self {
        Self { elements, to: to.map_or_else(Weak::new, Arc::downgrade) }
    }
}

impl<T: Element> Drop for Returning<T> {
    fn drop(&mut self) {
        if self.elements.capacity() * size_of::<T>() < LEAST {
            return;
        }
        if let Some(to) = self.to.upgrade() {
            to.put(std::mem::take(&mut self.elements));
        }
    }
}
