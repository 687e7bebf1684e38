//! A call that compiles kernels says so in the log.

use crate::common::gpu;
use log::{LevelFilter, Log, Metadata, Record};
use multisplit::bucket::Identity;
use multisplit::{Method, Multisplit, Policy};
use std::sync::Mutex;
use std::thread::{self, ThreadId};

/// Messages of this crate, with the threads that wrote them: other tests call for the first time too.
static SEEN: Mutex<Vec<(ThreadId, String)>> = Mutex::new(Vec::new());

struct Messages;

impl Log for Messages {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("multisplit")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            SEEN.lock().unwrap().push((thread::current().id(), record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

/// What this thread has written since it was last asked.
fn messages() -> Vec<String> {
    let mut seen = SEEN.lock().unwrap();
    let mine = seen.extract_if(.., |(thread, _)| *thread == thread::current().id());
    mine.map(|(_, message)| message).collect()
}

#[test]
fn compiling_is_logged() {
    let Some(device) = gpu("compiling_is_logged") else { return };
    log::set_logger(&Messages).unwrap();
    log::set_max_level(LevelFilter::Info);
    let f = Identity::<u32>::new(3);
    // A shape that no other test has.
    let by = Multisplit::by(&f).method(Method::BlockLevel).policy(Policy::new(1, 7, 1));
    let keys: Vec<u32> = (0..5000).map(|i| i % 3).collect();
    assert_eq!(by.split(device, &keys).unwrap().offsets, [0, 1667, 3334, 5000]);
    let first = messages();
    let [compiling, compiled] = first.last_chunk().expect("two messages");
    assert_eq!(*compiling, format!("{}: compiling kernels: block-level multisplit", device.name()));
    assert!(compiled.starts_with(&format!("{}: compiled after ", device.name())), "{compiled}");
    assert!(compiled.ends_with(" s: block-level multisplit"), "{compiled}");
    by.split(device, &keys).unwrap();
    assert_eq!(messages(), [""; 0]);
}
