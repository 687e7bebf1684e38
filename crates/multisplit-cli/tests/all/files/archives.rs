//! NumPy's archives.

use super::folder::{Folder, npy};
use crate::program::{failure, piped, success, text};
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

/// An archive as zip tools make it: entries with their names, stored or deflated.
pub fn archive(entries: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut file, mut list) = (Vec::new(), Vec::new());
    for &(name, data, deflated) in entries {
        let mut crc = Crc::new();
        crc.update(data);
        let mut packed = data.to_vec();
        if deflated {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(data).unwrap();
            packed = encoder.finish().unwrap();
        }
        let at = file.len() as u32;
        let mut about = vec![20, 0, 0, 0, if deflated { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for number in [crc.sum(), packed.len() as u32, data.len() as u32] {
            about.extend(number.to_le_bytes());
        }
        about.extend((name.len() as u16).to_le_bytes());
        // NumPy's local headers have sizes of 64 bits too, which the list does not.
        file.extend(
            [b"PK\x03\x04", &about[..], &[20, 0], name.as_bytes(), &[1, 0, 16, 0], &[0xff; 16], &packed].concat(),
        );
        let mut listed = [b"PK\x01\x02\x14\x00", &about[..], &[0; 12]].concat();
        listed.extend(at.to_le_bytes());
        listed.extend(name.as_bytes());
        list.extend(listed);
    }
    let at = file.len() as u32;
    file.extend(&list);
    let n = (entries.len() as u16).to_le_bytes();
    let size = (list.len() as u32).to_le_bytes();
    file.extend([b"PK\x05\x06\0\0\0\0", &n[..], &n, &size, &at.to_le_bytes(), &[0, 0]].concat());
    file
}

fn keys() -> Vec<u8> {
    npy("<u4", "(3,)", &[3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
}

#[test]
fn one_array_of_an_archive() {
    let folder = Folder::new("archives", "read");
    for deflated in [false, true] {
        folder.raw("one.npz", &archive(&[("arr_0.npy", &keys(), deflated)]));
        success(&folder.say("sort @one.npz -o @out.npy -d cpu"));
        folder.expect("out.npy", "<u4", &[1u32, 2, 3]);
        let other = npy("<i2", "(2,)", &[1, 0, 255, 255]);
        folder.raw("two.npz", &archive(&[("x.npy", &keys(), deflated), ("y.npy", &other, !deflated)]));
        success(&folder.say("sort @two.npz --column y -o @out.npy -d cpu"));
        folder.expect("out.npy", "<i2", &[-1i16, 1]);
        let said = failure(&folder.say("sort @two.npz -o @no.npy -d cpu"));
        assert!(said.contains("two.npz: which array, --column NAME? There are x, y"), "{said}");
        let said = failure(&folder.say("sort @two.npz --column z -o @no.npy -d cpu"));
        assert!(said.contains("there is no array 'z'; there are x, y"), "{said}");
    }
    let out = piped("sort - -o - --output-format txt -d cpu", &archive(&[("a.npy", &keys(), true)]));
    assert_eq!(text(&out.stdout), "1\n2\n3\n");

    // What is written can be read, and is what zip tools make.
    success(&folder.say("sort @two.npz --column x -o @out.npz -d cpu"));
    let written = folder.read("out.npz");
    let sorted = npy("<u4", "(3,)", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let mut crc = Crc::new();
    let begin = 30 + "x.npy".len();
    let data = &written[begin..begin + sorted.len()];
    crc.update(data);
    assert!(data.ends_with(&sorted[128..]) && written.starts_with(b"PK\x03\x04"));
    assert_eq!(written[14..18], crc.sum().to_le_bytes());
    success(&folder.say("sort @out.npz --descending -o @out.npy -d cpu"));
    folder.expect("out.npy", "<u4", &[3u32, 2, 1]);
}

#[test]
fn damaged_archives() {
    let folder = Folder::new("archives", "damaged");
    let sound = archive(&[("x.npy", &keys(), true)]);
    let stored = archive(&[("x.npy", &keys(), false)]);
    let changed = |file: &[u8], at: usize, to: u8| {
        let mut file = file.to_vec();
        assert_ne!(file[at], to);
        file[at] = to;
        file
    };
    let list = stored.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    for (file, said) in [
        (sound[..sound.len() - 30].to_vec(), "the zip archive is damaged or cut short"),
        (changed(&stored, list - 4, 9), "the checksum is wrong"),
        (changed(&stored, list + 24, 1), "there is more than its list says"),
        (changed(&stored, list + 26, 1), "there are"),
        (changed(&stored, list + 10, 12), "the entry is compressed by method 12"),
        (changed(&stored, list + 8, 1), "the entry is encrypted"),
        (archive(&[]), "there is no array in this archive"),
        (archive(&[("x.npy", b"text", false)]), "array 'x': this is no NumPy file"),
    ] {
        folder.raw("keys.npz", &file);
        let said_so = failure(&folder.say("sort @keys.npz -o @out.npy -d cpu"));
        assert!(said_so.contains(said), "{said}: {said_so}");
        assert_eq!(folder.names(), ["keys.npz"]);
    }
}
