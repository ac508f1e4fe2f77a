//! Converts `extenders[]` of a Policy to the extenders of v1.

use serde_json::Value;

use super::Findings;
use super::model::LegacyExtender;
use crate::parse_duration;
use crate::path::Path;
use crate::v1::{Duration, Extender};

/// Converts all extenders. The validation of v1 checks them afterwards.
pub(super) fn convert(extenders: Vec<LegacyExtender>, path: &Path, findings: &mut Findings) -> Vec<Extender> {
    let extenders = extenders.into_iter().enumerate();
    extenders.map(|(at, extender)| convert_one(extender, &path.index(at), findings)).collect()
}

fn convert_one(extender: LegacyExtender, path: &Path, findings: &mut Findings) -> Extender {
    let http_timeout = timeout(&extender.http_timeout).unwrap_or_else(|message| {
        findings.push((path.field("httpTimeout"), message));
        Duration::default()
    });
    Extender {
        url_prefix: extender.url_prefix,
        filter_verb: extender.filter_verb,
        preempt_verb: extender.preempt_verb,
        prioritize_verb: extender.prioritize_verb,
        weight: extender.weight,
        bind_verb: extender.bind_verb,
        enable_https: extender.enable_https,
        tls_config: extender.tls_config,
        http_timeout,
        node_cache_capable: extender.node_cache_capable,
        managed_resources: extender.managed_resources,
        ignorable: extender.ignorable,
    }
}

/// Parses a timeout: a number of nanoseconds or a duration text.
fn timeout(written: &Value) -> Result<Duration, String> {
    let duration = match written {
        Value::Null => return Ok(Duration::default()),
        Value::Number(number) => match number.as_u64() {
            Some(nanoseconds) => std::time::Duration::from_nanos(nanoseconds),
            None => return Err(format!("{number}: a timeout must be a whole number of nanoseconds, 0 or more")),
        },
        Value::String(text) => parse_duration(text)?,
        _ => return Err("a timeout must be a number of nanoseconds, or a text such as 5s".to_owned()),
    };
    Ok(Duration(duration))
}
