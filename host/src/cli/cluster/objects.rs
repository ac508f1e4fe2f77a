//! The export, import and reset of all objects of a simulated cluster.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_admin::api::{ClusterObjects, QuestionError};
use berth_import::Writer;
use berth_sim::Objects;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use tempfile::NamedTempFile;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::controllers::Controllers;
use super::import::Import;

/// All objects of a cluster, and the controllers, which do not run while the objects are replaced.
pub struct AllObjects {
    pub objects: Objects,
    pub controllers: Arc<Mutex<Controllers>>,
}

impl ClusterObjects for AllObjects {
    fn export(&self, to: &mut dyn Write) -> io::Result<()> {
        write(&self.objects, to).map(drop)
    }

    fn import(&self, file: Bytes) -> BoxFuture<'_, Result<String, QuestionError>> {
        async move {
            let objects = self.objects.clone();
            let read = spawn_blocking(move || read(&file, &objects)).await.context("reading the file");
            let import = read.flatten().map_err(|error| QuestionError::Invalid(format!("{error:#}")))?;
            Ok(self.change(move || import.finish()).await?.to_string())
        }
        .boxed()
    }

    fn reset(&self) -> BoxFuture<'_, Result<(), QuestionError>> {
        let objects = self.objects.clone();
        self.change(move || objects.reset()).boxed()
    }
}

impl AllObjects {
    /// Changes the objects while no controller runs.
    async fn change<T: Send + 'static>(&self, change: impl FnOnce() -> T + Send + 'static) -> Result<T, QuestionError> {
        let controllers = Arc::clone(&self.controllers);
        // A task of its own: the controllers start again even if the client goes away meanwhile.
        let task = tokio::spawn(async move {
            let mut controllers = controllers.lock().await;
            let ran = controllers.stop().await;
            let changed = spawn_blocking(change).await;
            if ran {
                controllers.start();
            }
            changed
        });
        task.await.flatten().map_err(|error| QuestionError::Failed(format!("changing the objects: {error}")))
    }
}

/// Writes a file of all objects except Secrets, Leases and Events. Returns the number of objects.
///
/// # Errors
/// Writing fails.
pub fn write(objects: &Objects, to: impl Write) -> io::Result<usize> {
    let mut writer = Writer::new(to)?;
    objects.each(|object| writer.add(object))?;
    writer.finish()
}

/// Reads a file or a capture.
fn read(file: &[u8], objects: &Objects) -> Result<Import> {
    // A capture can only be read from a file.
    let mut written = NamedTempFile::new().context("creating a temporary file")?;
    written.write_all(file).context("writing a temporary file")?;
    let mut import = Import::new(objects.replacing_loader());
    import.file(written.path(), None)?;
    Ok(import)
}
