//! Random choices from a seed, shared by generated nodes and pods.

use berth_core::model::{HostPort, Labels, Protocol, Resources};
use fastrand::Rng;

use super::words::Words;

const DIGEST: &str = "@sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";

/// Generates objects. The result depends only on the seed, the words and the order of the calls.
pub(super) struct Maker {
    pub words: Words,
    pub rng: Rng,
}

impl Maker {
    pub fn new(words: Words, seed: u64) -> Self {
        Self { words, rng: Rng::with_seed(seed) }
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// Returns an element of a list that is not empty.
    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())].clone()
    }

    pub fn key(&mut self) -> Box<str> {
        let at = self.rng.usize(..self.words.keys.len());
        self.words.keys[at].clone()
    }

    pub fn value(&mut self) -> Box<str> {
        let at = self.rng.usize(..self.words.values.len());
        self.words.values[at].clone()
    }

    /// Returns up to `most` values from `make`.
    pub fn some<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.rng.usize(..=most)).map(|_| make(self)).collect()
    }

    /// Returns labels. Each key is present with this probability.
    pub fn labels(&mut self, percent: u32) -> Labels {
        let keys: Vec<Box<str>> = self.words.keys.clone();
        keys.into_iter().filter_map(|key| self.chance(percent).then(|| (key, self.value()))).collect()
    }

    /// Returns resources up to these amounts of cpu (millicores) and memory (MiB); some are zero.
    pub fn resources(&mut self, milli_cpu: i64, mebibytes: i64) -> Resources {
        let mut amount = |most: i64| if self.rng.u32(..5) == 0 { 0 } else { self.rng.i64(1..=most) };
        let mut made = Resources {
            milli_cpu: amount(milli_cpu),
            memory: amount(mebibytes) << 20,
            ephemeral_storage: amount(mebibytes) << 21,
            ..Resources::default()
        };
        for name in self.words.resources.clone() {
            if self.chance(30) {
                made.set_scalar(&name, self.rng.i64(0..=4));
            }
        }
        made
    }

    /// Returns one of few host ports, so that pods conflict.
    pub fn host_port(&mut self) -> HostPort {
        HostPort {
            ip: self.one(&["0.0.0.0", "0.0.0.0", "10.0.0.1", "127.0.0.1"]).into(),
            protocol: self.one(&[Protocol::Tcp, Protocol::Tcp, Protocol::Udp, Protocol::Sctp]),
            port: self.one(&[80, 443, 8080]),
        }
    }

    /// Returns an image name as a kubelet reports it, with a tag or digest.
    pub fn image(&mut self) -> Box<str> {
        let (app, suffix) = (self.rng.u32(..5), self.one(&[":1", ":latest", DIGEST]));
        format!("registry.example.com/app-{app}{suffix}").into()
    }

    /// Returns an image name as a pod may have it, sometimes without the tag `latest`.
    pub fn written_image(&mut self) -> Box<str> {
        let image = self.image();
        if self.chance(30) { image.trim_end_matches(":latest").into() } else { image }
    }
}
