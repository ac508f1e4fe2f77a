//! A cache of answers with a time to live.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of entries, so that a client can't fill the memory with different questions.
const MOST: usize = 4096;

/// Answers by question, each with its expiry.
#[derive(Debug)]
pub(super) struct Cache<K, V> {
    answers: Mutex<HashMap<K, (Instant, V)>>,
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self { answers: Mutex::default() }
    }
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    pub fn get(&self, question: &K, now: Instant) -> Option<V> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.get(question).filter(|(expiry, _)| now < *expiry).map(|(_, answer)| answer.clone())
    }

    pub fn keep(&self, question: K, answer: V, now: Instant, ttl: Duration) {
        if ttl.is_zero() {
            return;
        }
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MOST {
            answers.retain(|_, (expiry, _)| now < *expiry);
        }
        if answers.len() >= MOST {
            answers.clear();
        }
        answers.insert(question, (now + ttl, answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_expires_and_the_number_of_answers_is_limited() {
        let (cache, now, ttl) = (Cache::default(), Instant::now(), Duration::from_secs(10));
        cache.keep(0, 'a', now, ttl);
        assert_eq!(cache.get(&0, now + ttl - Duration::from_nanos(1)), Some('a'));
        assert_eq!(cache.get(&0, now + ttl), None);
        assert_eq!(cache.get(&1, now), None);
        (0..=MOST).for_each(|question| cache.keep(question, 'b', now, ttl));
        assert!(cache.answers.lock().expect("whole").len() <= MOST);
        cache.keep(7, 'c', now, Duration::ZERO);
        assert_ne!(cache.get(&7, now), Some('c'));
    }
}
