//! Files for the program.

use crate::program::text;
use bytemuck::Pod;
use std::path::Path;
use tempfile::TempDir;

/// As a file has them.
pub fn bytes<T: Pod>(elements: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(elements).to_vec()
}

/// A file of NumPy's, as NumPy writes it.
pub fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// A folder for the files of one test. It is removed with the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new(test: &str, name: &str) -> Self {
        let prefix = format!("files-{test}-{name}-");
        Self(tempfile::Builder::new().prefix(&prefix).tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    /// Arguments, with a file of this folder for each name after an @.
    pub fn say(&self, arguments: &str) -> String {
        arguments.replace('@', &format!("{}/", self.0.path().display()))
    }

    pub fn raw<T: Pod>(&self, name: &str, elements: &[T]) {
        std::fs::write(self.0.path().join(name), bytes(elements)).unwrap();
    }

    pub fn npy<T: Pod>(&self, name: &str, dtype: &str, elements: &[T]) {
        self.raw(name, &npy(dtype, &format!("({},)", elements.len()), &bytes(elements)));
    }

    /// A file of elements that are made of several parts.
    pub fn npy_of<T: Pod>(&self, name: &str, dtype: &str, n: usize, parts: &[T]) {
        self.raw(name, &npy(dtype, &format!("({n},)"), &bytes(parts)));
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap()
    }

    /// The names and the bytes of the files of a folder, or those of a file.
    pub fn contents(&self, name: &str) -> Vec<(String, Vec<u8>)> {
        let path = self.0.path().join(name);
        if path.is_file() {
            return vec![(String::new(), self.read(name))];
        }
        let file = |name: String| {
            let bytes = std::fs::read(path.join(&name)).unwrap();
            (name, bytes)
        };
        names_in(&path).into_iter().map(file).collect()
    }

    /// Removes what has names that begin so.
    pub fn clear(&self, prefixes: &[&str]) {
        for name in self.names().iter().filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix))) {
            let path = self.0.path().join(name);
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    /// Whatever is in it.
    pub fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }

    /// That a NumPy file has these elements, bit by bit.
    pub fn expect<T: Pod>(&self, name: &str, dtype: &str, elements: &[T]) {
        self.expect_shape(name, dtype, &format!("({},)", elements.len()), elements);
    }

    /// The same for an array of any shape, written as NumPy does but without spaces.
    pub fn expect_shape<T: Pod>(&self, name: &str, dtype: &str, shape: &str, elements: &[T]) {
        let file = self.read(name);
        assert!(file.starts_with(b"\x93NUMPY\x01\x00"), "{name}");
        let begin = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
        let header = text(&file[10..begin]).replace(' ', "");
        assert_eq!(begin % 64, 0, "{name}: {header}");
        let expected = format!("{{'descr':'{dtype}','fortran_order':False,'shape':{shape},}}\n");
        assert_eq!(header, expected, "{name}");
        assert!(file[begin..] == bytes(elements), "{name} has other elements than expected");
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
