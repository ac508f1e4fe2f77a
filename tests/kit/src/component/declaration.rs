//! The description and the declaration of a component, in the memory layout of its version of the contract.

/// The address of the first byte.
const BASE: u32 = 0x1000;
/// The address of the first byte that tests use for their own data.
const END: u32 = 0x8000;

/// What a component declares that it reads of pods or nodes.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// The groups of typed facts: a bit for each, in the order of the contract.
    pub facts: u32,
    /// Keys of labels.
    pub label_keys: &'static [&'static str],
    /// Keys of annotations.
    pub annotation_keys: &'static [&'static str],
    /// Paths of further fields.
    pub fields: &'static [&'static str],
}

impl Reads {
    /// Returns a declaration of these groups of typed facts alone.
    #[must_use]
    pub fn facts(facts: u32) -> Self {
        Self { facts, ..Self::default() }
    }

    fn is_typed(&self) -> bool {
        self.label_keys.is_empty() && self.annotation_keys.is_empty() && self.fields.is_empty()
    }
}

/// What `describe` and `configure` return.
#[derive(Clone, Default)]
pub(super) struct Declaration {
    pub name: String,
    pub version: String,
    pub arguments: Option<String>,
    pub pod: Reads,
    pub node: Reads,
    pub resident_pods: Option<Reads>,
    pub pending_pods: Option<Reads>,
    pub reads_time: bool,
    pub scope: u8,
    pub normalization: u8,
    /// The kinds of events and their actions: a bit for each, in the order of the contract.
    pub retry_on: Vec<(&'static str, u16)>,
}

/// The bytes from [`BASE`] on, with the addresses of both results.
pub(super) struct Memory {
    pub bytes: Vec<u8>,
    pub description: u32,
    pub declaration: u32,
}

impl Declaration {
    /// Returns the memory in the newest layout.
    pub fn newest(&self) -> Memory {
        let mut memory = Area::default();
        let mut description = self.names(&mut memory);
        description.byte(u8::from(self.arguments.is_some()));
        let arguments = memory.text(self.arguments.as_deref().unwrap_or_default());
        description.list(arguments);
        let mut declaration = Record::default();
        declaration.word(0);
        declaration.word(self.pod.facts);
        declaration.keys(&mut memory, &self.pod);
        declaration.half(self.node.facts as u16);
        declaration.keys(&mut memory, &self.node);
        for pods in [&self.resident_pods, &self.pending_pods] {
            declaration.byte(u8::from(pods.is_some()));
            let reads = pods.clone().unwrap_or_default();
            declaration.word(reads.facts);
            declaration.keys(&mut memory, &reads);
        }
        declaration.byte(0);
        declaration.byte(u8::from(self.reads_time));
        self.end(&mut memory, &mut declaration);
        memory.with(description, declaration)
    }

    /// Returns the memory in the layout of version 0.1, which always passes the time.
    pub fn v0_1(&self) -> Memory {
        /// The node fact of the pods on nodes.
        const PODS: u16 = 1 << 11;
        let typed = [Some(&self.pod), Some(&self.node), self.resident_pods.as_ref()];
        let is_older =
            typed.into_iter().flatten().all(Reads::is_typed) && self.pending_pods.is_none() && self.arguments.is_none();
        assert!(is_older, "version 0.1 has no keys, fields, pending pods and schema of the arguments");
        let mut memory = Area::default();
        let description = self.names(&mut memory);
        let mut declaration = Record::default();
        declaration.word(0);
        declaration.word(self.pod.facts);
        declaration.half(self.node.facts as u16 | if self.resident_pods.is_some() { PODS } else { 0 });
        declaration.word(self.resident_pods.as_ref().map_or(0, |reads| reads.facts));
        declaration.byte(0);
        self.end(&mut memory, &mut declaration);
        memory.with(description, declaration)
    }

    fn names(&self, memory: &mut Area) -> Record {
        let mut description = Record::default();
        description.list(memory.text(&self.name));
        description.list(memory.text(&self.version));
        description
    }

    fn end(&self, memory: &mut Area, declaration: &mut Record) {
        [self.scope, self.scope, self.normalization].into_iter().for_each(|byte| declaration.byte(byte));
        let mut events = Record::default();
        for (kind, actions) in &self.retry_on {
            events.list(memory.text(kind));
            events.half(*actions);
            events.align(4);
        }
        declaration.list((memory.place(&events.0), self.retry_on.len() as u32));
    }
}

/// Placed bytes.
#[derive(Default)]
struct Area(Vec<u8>);

impl Area {
    /// Adds these bytes. Returns their address.
    fn place(&mut self, bytes: &[u8]) -> u32 {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let at = BASE + self.0.len() as u32;
        self.0.extend_from_slice(bytes);
        assert!(BASE + (self.0.len() as u32) < END, "the declaration is too large for the memory of guest.wat");
        at
    }

    /// Adds a text. Returns its address and its length.
    fn text(&mut self, text: &str) -> (u32, u32) {
        (self.place(text.as_bytes()), text.len() as u32)
    }

    fn with(mut self, description: Record, declaration: Record) -> Memory {
        let (description, declaration) = (self.place(&description.0), self.place(&declaration.0));
        Memory { bytes: self.0, description, declaration }
    }
}

/// The fields of a record, each at its alignment.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn align(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn half(&mut self, half: u16) {
        self.align(2);
        self.0.extend_from_slice(&half.to_le_bytes());
    }

    fn word(&mut self, word: u32) {
        self.align(4);
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    /// Adds a list or a text: its address and its length.
    fn list(&mut self, (address, length): (u32, u32)) {
        self.word(address);
        self.word(length);
    }

    fn keys(&mut self, memory: &mut Area, reads: &Reads) {
        for texts in [reads.label_keys, reads.annotation_keys, reads.fields] {
            let mut list = Self::default();
            texts.iter().for_each(|text| list.list(memory.text(text)));
            self.list((memory.place(&list.0), texts.len() as u32));
        }
    }
}
