//! The JSON of a stored object after its resource version. Pieces that other objects have too are shared.

use std::sync::Arc;

use serde_json::Value;

use super::chunks::Chunks;

/// The minimum length of a shared piece. A shorter piece takes about as much memory as the reference to it.
const SHORTEST: usize = 64;

/// A shared piece, with the position at which it is inserted.
type Shared = (u32, Arc<[u8]>);

/// The JSON from the comma after the resource version to the closing brace of the object.
#[derive(Debug)]
pub struct Tail {
    own: Box<[u8]>,
    /// The shared pieces, with ascending positions in `own`.
    shared: Box<[Shared]>,
}

impl Tail {
    /// Serializes `value` without `apiVersion`, `kind` and resource version. The members of the metadata, the spec and the
    /// status are the pieces that `chunks` shares.
    pub fn of(mut value: Value, chunks: Option<&Chunks>) -> Self {
        let mut writer = Writer { own: Vec::with_capacity(512), shared: Vec::new(), chunks, piece: Vec::new() };
        if let Some(object) = value.as_object_mut() {
            for hidden in ["apiVersion", "kind"] {
                object.remove(hidden);
            }
            let metadata = object.remove("metadata").unwrap_or_default();
            for (name, field) in metadata.as_object().into_iter().flatten() {
                if name != "resourceVersion" {
                    writer.own.push(b',');
                    writer.member(name, field);
                }
            }
            writer.own.push(b'}');
            for (name, field) in object.iter() {
                writer.own.push(b',');
                match (name.as_str(), field) {
                    ("spec" | "status", Value::Object(members)) => {
                        writer.own.extend_from_slice(format!("\"{name}\":{{").as_bytes());
                        for (index, (name, field)) in members.iter().enumerate() {
                            if index > 0 {
                                writer.own.push(b',');
                            }
                            writer.member(name, field);
                        }
                        writer.own.push(b'}');
                    }
                    _ => write_member(&mut writer.own, name, field),
                }
            }
            writer.own.push(b'}');
        } else {
            writer.own.extend_from_slice(b"}}");
        }
        Self { own: writer.own.into(), shared: writer.shared.into() }
    }

    /// Appends the JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        self.pieces().for_each(|piece| out.extend_from_slice(piece));
    }

    /// Returns the length of the JSON.
    pub fn len(&self) -> usize {
        self.own.len() + self.shared.iter().map(|(_, piece)| piece.len()).sum::<usize>()
    }

    /// Returns the bytes that only this object keeps in memory.
    pub fn own_size(&self) -> usize {
        self.own.len() + size_of_val(&*self.shared)
    }

    /// Returns the JSON in pieces.
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.shared.iter().map(|(at, _)| *at as usize));
        let ends = self.shared.iter().map(|(at, _)| *at as usize).chain([self.own.len()]);
        let own = starts.zip(ends).map(|(start, end)| self.own.get(start..end).unwrap_or_default());
        let shared = self.shared.iter().map(|(_, piece)| &**piece).chain([&[] as &[u8]]);
        own.zip(shared).flat_map(|(own, shared)| [own, shared])
    }
}

impl PartialEq for Tail {
    fn eq(&self, other: &Self) -> bool {
        let same_piece = |(a, b): (&Shared, &Shared)| a.0 == b.0 && Arc::ptr_eq(&a.1, &b.1);
        if self.shared.len() == other.shared.len() && self.shared.iter().zip(&other.shared).all(same_piece) {
            return self.own == other.own;
        }
        // A piece of one object can be shared and the same piece of the other not.
        self.len() == other.len() && self.pieces().flatten().eq(other.pieces().flatten())
    }
}

struct Writer<'a> {
    own: Vec<u8>,
    shared: Vec<Shared>,
    chunks: Option<&'a Chunks>,
    /// The piece that is being written, kept to reuse its memory.
    piece: Vec<u8>,
}

impl Writer<'_> {
    /// Writes a member, as a shared piece if other objects have it too.
    fn member(&mut self, name: &str, value: &Value) {
        let at = u32::try_from(self.own.len());
        let (Some(chunks), Ok(at), Value::Object(_) | Value::Array(_)) = (self.chunks, at, value) else {
            return write_member(&mut self.own, name, value);
        };
        self.piece.clear();
        write_member(&mut self.piece, name, value);
        let shared = if self.piece.len() < SHORTEST { None } else { chunks.share(&self.piece) };
        match shared {
            Some(shared) => self.shared.push((at, shared)),
            None => self.own.extend_from_slice(&self.piece),
        }
    }
}

fn write_member(out: &mut Vec<u8>, name: &str, value: &Value) {
    // A JSON tree always serializes, and writing to a Vec can't fail.
    let _ = serde_json::to_writer(&mut *out, name);
    out.push(b':');
    let _ = serde_json::to_writer(&mut *out, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(tail: &Tail) -> String {
        let mut out = Vec::new();
        tail.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn pod(name: &str, image: &str) -> Value {
        let container =
            json!([{ "name": "main", "image": image, "command": ["a command that is long enough to be shared"] }]);
        json!({
            "apiVersion": "v1", "metadata": { "name": name, "labels": { "app.example.com/name": "a-service-with-a-long-name-0123456789" } },
            "spec": { "containers": container, "nodeName": name, "tolerations": [] }, "status": {},
        })
    }

    #[test]
    fn objects_with_shared_pieces_have_the_same_json() {
        let chunks = Chunks::default();
        let shared: Vec<Tail> = (0..3).map(|_| Tail::of(pod("a", "nginx"), Some(&chunks))).collect();
        let alone = Tail::of(pod("a", "nginx"), None);
        assert_eq!((shared[0].shared.len(), shared[1].shared.len()), (0, 2));
        for tail in &shared {
            assert_eq!(text(tail), text(&alone));
            assert_eq!((tail.len(), tail == &alone), (alone.len(), true));
        }
        assert!(shared[1] == shared[2] && Arc::ptr_eq(&shared[1].shared[0].1, &shared[2].shared[0].1));
        assert!(shared[2].own_size() < alone.own_size());
        for other in [pod("b", "nginx"), pod("a", "redis")] {
            assert!(Tail::of(other, Some(&chunks)) != shared[2]);
        }
    }
}
