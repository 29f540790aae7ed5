//! Files that a thread of their own writes: those that answer requests do not wait for a disk, or for the reader of a pipe.
//!
//! The queue is bounded. If it is full, because the file takes less than there is to write, items are dropped and counted, and the
//! next write is told how many.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long the end of a server waits for a file.
const PATIENCE: Duration = Duration::from_secs(3);

/// Writes items, after which so many were dropped.
type WriteItems<T> = Box<dyn FnMut(Vec<T>, u64) + Send>;

/// A thread that writes items, and those that wait for it. The thread starts with the first item.
pub(crate) struct BackgroundWriter<T>(Arc<Shared<T>>);

struct Shared<T> {
    name: &'static str,
    /// The most bytes that wait.
    most: usize,
    queue: Mutex<Queue<T>>,
    /// Notified when there is something to write.
    comes: Condvar,
    /// Notified when all is written.
    is_done: Condvar,
    write: Mutex<WriteItems<T>>,
}

struct Queue<T> {
    items: Vec<T>,
    bytes: usize,
    dropped: u64,
    is_writing: bool,
    has_thread: bool,
    is_closed: bool,
}

impl<T> Queue<T> {
    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.dropped == 0
    }
}

impl<T: Send + 'static> BackgroundWriter<T> {
    /// A writer for at most so many bytes that wait, or one larger item.
    pub(crate) fn new(
        name: &'static str,
        most: usize,
        write: impl FnMut(Vec<T>, u64) + Send + 'static,
    ) -> BackgroundWriter<T> {
        let items = vec![];
        let (bytes, dropped, is_writing, has_thread, is_closed) = Default::default();
        let queue = Queue { items, bytes, dropped, is_writing, has_thread, is_closed };
        let (queue, write) = (Mutex::new(queue), Mutex::new(Box::new(write) as WriteItems<T>));
        let (comes, is_done) = Default::default();
        BackgroundWriter(Arc::new(Shared { name, most, queue, comes, is_done, write }))
    }

    /// Has the thread write an item of so many bytes, or drops it if too much waits.
    pub(crate) fn push(&self, item: T, bytes: usize) {
        let mut queue = self.0.lock();
        if !queue.items.is_empty() && queue.bytes.saturating_add(bytes) > self.0.most {
            queue.dropped += 1;
            return;
        }
        queue.items.push(item);
        queue.bytes = queue.bytes.saturating_add(bytes);
        let starts = !std::mem::replace(&mut queue.has_thread, true);
        drop(queue);
        self.0.comes.notify_one();
        if starts {
            let own = Arc::clone(&self.0);
            let builder = thread::Builder::new().name(self.0.name.to_owned());
            if builder.spawn(move || own.work()).is_err() {
                // The next item tries again.
                self.0.lock().has_thread = false;
                self.0.write_all();
            }
        }
    }

    /// Waits until all items are written; whether they are. A file that takes nothing is waited for a few seconds.
    pub(crate) fn flush(&self) -> bool {
        let queue = self.0.lock();
        let waits = |queue: &mut Queue<T>| !queue.is_empty() || queue.is_writing;
        let waited = self.0.is_done.wait_timeout_while(queue, PATIENCE, waits);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

/// Writes what waits.
impl<T> Drop for BackgroundWriter<T> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        self.0.comes.notify_one();
        let waits = |queue: &mut Queue<T>| !queue.is_empty() || queue.is_writing;
        // The rest is lost with the process.
        drop(self.0.is_done.wait_timeout_while(queue, PATIENCE, waits));
    }
}

impl<T> Shared<T> {
    fn work(&self) {
        loop {
            let queue = self.lock();
            let waits = |queue: &mut Queue<T>| queue.is_empty() && !queue.is_closed;
            let queue = self.comes.wait_while(queue, waits);
            if queue.unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            self.write_all();
        }
    }

    /// Writes the items that wait.
    fn write_all(&self) {
        let mut write = self.write.lock().unwrap_or_else(PoisonError::into_inner);
        let mut queue = self.lock();
        let (items, dropped) =
            (std::mem::take(&mut queue.items), std::mem::take(&mut queue.dropped));
        (queue.bytes, queue.is_writing) = (0, true);
        drop(queue);
        write(items, dropped);
        self.lock().is_writing = false;
        self.is_done.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_full_queue_drops_and_counts() {
        let (sender, written) = mpsc::channel();
        let (go_on, gate) = mpsc::channel::<()>();
        let writer = BackgroundWriter::new("test", 100, move |items: Vec<u32>, dropped| {
            sender.send((items, dropped)).unwrap();
            gate.recv().unwrap();
        });
        writer.push(0, 1000);
        // Its own size does not count while it is written.
        assert_eq!(written.recv().unwrap(), (vec![0], 0));
        (1..=14).for_each(|item| writer.push(item, 10));
        go_on.send(()).unwrap();
        assert_eq!(written.recv().unwrap(), ((1..=10).collect(), 4));
        go_on.send(()).unwrap();
        assert!(writer.flush());
        writer.push(15, 10);
        go_on.send(()).unwrap();
        drop(writer);
        assert_eq!(written.recv().unwrap(), (vec![15], 0), "dropping it writes the rest");
    }
}
