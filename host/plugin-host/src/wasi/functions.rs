//! The functions whose answer is not the empty value.

use wasmtime::component::Val;
use wasmtime::{Result, StoreContextMut, bail, format_err};

use super::answer::Resources;
use super::output::Stream;
use crate::guest::HostState;

/// The implementation of a function. The implementation writes the result to its last parameter.
pub(super) type Function = fn(&mut Store<'_>, &Call<'_>, &mut [Val]) -> Result<()>;

type Store<'a> = StoreContextMut<'a, HostState>;

/// The parameters of a call.
pub(super) struct Call<'a> {
    pub resources: &'a Resources,
    pub params: &'a [Val],
    /// The numbers of the resources among the parameters, in order.
    pub handles: &'a [u32],
}

/// The largest number of random bytes per call.
const RANDOM_AT_ONCE: u64 = 1 << 20;
/// The largest number of bytes per write to a stream.
const WRITE_AT_ONCE: u64 = 64 << 10;

/// Returns the implementation of a function, or `None` if the function's answer is the empty value of its type.
/// `interface` is a name without a version, such as `wasi:io/poll`.
pub(super) fn find(interface: &str, name: &str) -> Option<Function> {
    Some(match (interface, name) {
        ("wasi:cli/exit", _) => exit,
        ("wasi:cli/stdout", "get-stdout") => stdout,
        ("wasi:cli/stderr", "get-stderr") => stderr,
        ("wasi:clocks/monotonic-clock", "now") => monotonic_now,
        ("wasi:clocks/monotonic-clock", "resolution") => resolution,
        ("wasi:clocks/wall-clock", "now") => wall_now,
        ("wasi:random/random" | "wasi:random/insecure", name) if name.ends_with("-bytes") => random_bytes,
        ("wasi:random/random" | "wasi:random/insecure", _) => random_u64,
        ("wasi:random/insecure-seed", _) => random_seed,
        ("wasi:io/poll", "[method]pollable.ready") => ready,
        ("wasi:io/poll", "poll") => poll,
        ("wasi:io/streams", name) => match name.strip_prefix("[method]output-stream.")? {
            "check-write" => check_write,
            "write" | "blocking-write-and-flush" => write,
            "flush" | "blocking-flush" | "write-zeroes" | "blocking-write-zeroes-and-flush" => done,
            _ => return None,
        },
        _ => return None,
    })
}

fn exit(_: &mut Store<'_>, _: &Call<'_>, _: &mut [Val]) -> Result<()> {
    bail!("it called exit")
}

fn stdout(store: &mut Store<'_>, call: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, call.resources.make(store, "output-stream", Stream::Out.number())?)
}

fn stderr(store: &mut Store<'_>, call: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, call.resources.make(store, "output-stream", Stream::Error.number())?)
}

fn monotonic_now(store: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::U64(store.data_mut().wasi.nanoseconds()))
}

fn resolution(_: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::U64(1))
}

fn wall_now(store: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    let now = store.data_mut().wasi.nanoseconds();
    let part = u32::try_from(now % 1_000_000_000).unwrap_or_default();
    let fields = [("seconds", Val::U64(now / 1_000_000_000)), ("nanoseconds", Val::U32(part))];
    set_result(out, Val::Record(fields.map(|(name, value)| (name.to_owned(), value)).into()))
}

fn random_bytes(store: &mut Store<'_>, call: &Call<'_>, out: &mut [Val]) -> Result<()> {
    let Some(Val::U64(length @ 0..=RANDOM_AT_ONCE)) = call.params.first() else {
        bail!("asked for more than {RANDOM_AT_ONCE} random bytes at once");
    };
    let wasi = &mut store.data_mut().wasi;
    let bytes = (0..*length).map(|_| Val::U8(wasi.random().to_le_bytes()[0])).collect();
    set_result(out, Val::List(bytes))
}

fn random_u64(store: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::U64(store.data_mut().wasi.random()))
}

fn random_seed(store: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    let wasi = &mut store.data_mut().wasi;
    set_result(out, Val::Tuple(vec![Val::U64(wasi.random()), Val::U64(wasi.random())]))
}

fn ready(_: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::Bool(true))
}

/// Returns all pollables as ready, so waiting takes no time.
fn poll(_: &mut Store<'_>, call: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::List((0..).take(call.handles.len()).map(Val::U32).collect()))
}

fn check_write(_: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::Result(Ok(Some(Box::new(Val::U64(WRITE_AT_ONCE))))))
}

fn write(store: &mut Store<'_>, call: &Call<'_>, out: &mut [Val]) -> Result<()> {
    let Some(Val::List(bytes)) = call.params.get(1) else { bail!("write was called without bytes") };
    let bytes: Vec<u8> = bytes.iter().map(|byte| if let Val::U8(byte) = byte { *byte } else { 0 }).collect();
    if let Some(stream) = call.handles.first().copied().and_then(Stream::of) {
        store.data_mut().write_output(stream, &bytes);
    }
    done(store, call, out)
}

fn done(_: &mut Store<'_>, _: &Call<'_>, out: &mut [Val]) -> Result<()> {
    set_result(out, Val::Result(Ok(None)))
}

fn set_result(out: &mut [Val], answer: Val) -> Result<()> {
    *out.first_mut().ok_or_else(|| format_err!("the component imports the function without a result"))? = answer;
    Ok(())
}
