//! The values that pods share: written once, and then named by a number.

use std::borrow::Cow;
use std::sync::Arc;

use berth_core::model::{Labels, Owner, Pod, PodRequests, PodSpec};
use hashbrown::HashMap;

use crate::record::{Line, PodRecord, Shared};

/// The largest number of values of each type that a writer remembers. With one more, the writer forgets all of them and
/// numbers values from 0 again.
const MOST: usize = 10_000;

/// The values of one type that are written. A value is known by its address; the table keeps it alive, so that no other
/// value gets the address.
struct Written<T: ?Sized>(HashMap<usize, (u32, Arc<T>)>);

impl<T: ?Sized> Default for Written<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: ?Sized> Written<T> {
    /// Returns the number of the value, and whether the value has to be written first.
    fn number(&mut self, value: &Arc<T>) -> (u32, bool) {
        let address = Arc::as_ptr(value).cast::<()>().addr();
        if let Some((id, _)) = self.0.get(&address) {
            return (*id, false);
        }
        if self.0.len() == MOST {
            self.0.clear();
        }
        let id = self.0.len() as u32;
        self.0.insert(address, (id, Arc::clone(value)));
        (id, true)
    }
}

/// The values that a writer has written.
#[derive(Default)]
pub(crate) struct WrittenValues {
    specs: Written<PodSpec>,
    requests: Written<PodRequests>,
    labels: Written<Labels>,
    owners: Written<[Owner]>,
}

impl WrittenValues {
    /// Returns the record of a pod. `write` receives each value that has to be written before the record.
    pub fn record<'a, E>(
        &mut self,
        pod: &'a Pod,
        mut write: impl FnMut(&Line<'_>) -> Result<(), E>,
    ) -> Result<PodRecord<'a>, E> {
        // Every field is named, so that a new field can't be forgotten.
        let Pod {
            key,
            labels,
            annotations,
            owners,
            deleting,
            preempted,
            created,
            node_name,
            nominated_node_name,
            start_time,
            finished,
            requests,
            spec,
            fields,
        } = pod;
        let mut number = |(id, is_new): (u32, bool), line: &dyn Fn(u32) -> Line<'static>| {
            if is_new { write(&line(id)).map(|()| id) } else { Ok(id) }
        };
        Ok(PodRecord {
            key: Cow::Borrowed(key),
            spec: number(self.specs.number(spec), &|id| Line::Spec(Shared { id, value: Arc::clone(spec) }))?,
            requests: number(self.requests.number(requests), &|id| {
                Line::Requests(Shared { id, value: Arc::clone(requests) })
            })?,
            labels: number(self.labels.number(labels), &|id| Line::Labels(Shared { id, value: Arc::clone(labels) }))?,
            owners: number(self.owners.number(owners), &|id| Line::Owners(Shared { id, value: Arc::clone(owners) }))?,
            annotations: Cow::Borrowed(annotations),
            deleting: *deleting,
            preempted: *preempted,
            created: *created,
            node_name: Cow::Borrowed(node_name),
            nominated_node_name: Cow::Borrowed(nominated_node_name),
            start_time: *start_time,
            finished: *finished,
            fields: Cow::Borrowed(fields),
        })
    }
}

/// The values that a reader has read, by number.
#[derive(Default)]
pub(crate) struct ReadValues {
    specs: Vec<Arc<PodSpec>>,
    requests: Vec<Arc<PodRequests>>,
    labels: Vec<Arc<Labels>>,
    owners: Vec<Arc<[Owner]>>,
}

/// Adds a value, or replaces the value with its number. Numbers without gaps bound the list by the size of the file.
fn put<T: ?Sized>(values: &mut Vec<Arc<T>>, id: u32, value: Arc<T>) -> Result<(), String> {
    let (at, end) = (id as usize, values.len());
    match values.get_mut(at) {
        Some(known) => *known = value,
        None if at == end => values.push(value),
        None => return Err(format!("the value {id} comes before the value {end}")),
    }
    Ok(())
}

fn get<T: ?Sized>(values: &[Arc<T>], id: u32, what: &str) -> Result<Arc<T>, String> {
    values.get(id as usize).cloned().ok_or_else(|| format!("a pod names {what} {id}, which was not written"))
}

impl ReadValues {
    /// Adds the value of this line. Returns the line if it is of another kind.
    pub fn take<'a>(&mut self, line: Line<'a>) -> Result<Option<Line<'a>>, String> {
        match line {
            Line::Spec(Shared { id, value }) => put(&mut self.specs, id, value)?,
            Line::Requests(Shared { id, value }) => put(&mut self.requests, id, value)?,
            Line::Labels(Shared { id, value }) => put(&mut self.labels, id, value)?,
            Line::Owners(Shared { id, value }) => put(&mut self.owners, id, value)?,
            other => return Ok(Some(other)),
        }
        Ok(None)
    }

    /// Returns the pod of a record.
    pub fn pod(&self, record: PodRecord<'_>) -> Result<Pod, String> {
        Ok(Pod {
            spec: get(&self.specs, record.spec, "the spec")?,
            requests: get(&self.requests, record.requests, "the requests")?,
            labels: get(&self.labels, record.labels, "the labels")?,
            owners: get(&self.owners, record.owners, "the owners")?,
            key: record.key.into_owned(),
            annotations: record.annotations.into_owned(),
            deleting: record.deleting,
            preempted: record.preempted,
            created: record.created,
            node_name: record.node_name.into(),
            nominated_node_name: record.nominated_node_name.into(),
            start_time: record.start_time,
            finished: record.finished,
            fields: record.fields.into_owned(),
        })
    }
}
