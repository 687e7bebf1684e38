//! What is refused, and leaves everything as it was.

use crate::common::{everywhere, gpu};
use multisplit::{Column, Device, DoubleColumn, Error, Sort, Workspace, sort_pairs};
use std::ops::Range;

#[test]
fn bad_input() {
    everywhere("bad_input", |device| {
        let keys = [3u32, 1, 2];
        let invalid = |sort: Sort, reason: &str| {
            assert_eq!(sort.sort(device, &keys).unwrap_err(), Error::InvalidSort(reason.into()));
            assert!(
                sort.workspace::<u32>(device, 3, 0, 0).is_err() && sort.double_workspace::<u32>(device, 3).is_err()
            );
        };
        invalid(Sort::new().bits(0..33), "bits 0..33 do not lie within the 32 bits of u32");
        invalid(Sort::new().bits(33..33), "bits 33..33 do not lie within the 32 bits of u32");
        invalid(Sort::new().bits(Range { start: 9, end: 3 }), "bits 9..3 end before they begin");
        for bits in [0, 3, 9, u32::MAX] {
            invalid(Sort::new().digit_bits(bits), &format!("digits of {bits} bits are out of range: 4 to 8"));
        }
        let error = sort_pairs(device, &keys, &[1u32, 2]).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 2, keys: 3 });

        let sort = Sort::new();
        let input = device.upload(&keys).unwrap();
        let values = device.upload(&[7u32, 7, 7]).unwrap();
        let (mut to, mut short) = (device.upload(&[9u32, 9, 9]).unwrap(), device.upload(&[9u32, 9]).unwrap());
        let mut values_to = device.upload(&[9u32, 9, 9]).unwrap();
        let mut other = device.upload(&[9u32, 9, 9]).unwrap();
        let mut workspace = sort.workspace::<u32>(device, 3, 1, 0).unwrap();
        let too_small = |what: &str| Error::OutputTooSmall { what: what.into(), got: 2, needed: 3 };

        let error = sort.enqueue(&input, &mut short, &mut [], &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the key output"));
        let columns = &mut [Column::new(&values, &mut short)];
        let error = sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the output of value column 0"));
        let columns = &mut [Column::permutation(&mut short)];
        let error = sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the permutation"));
        let columns = &mut [Column::permutation(&mut other), Column::permutation(&mut values_to)];
        let error = sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, Error::InvalidPermutation("it was asked for twice".into()));
        let error = {
            let columns = &mut [Column::new(&short, &mut values_to)];
            sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err()
        };
        assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 2, keys: 3 });

        // Workspaces that hold nothing, or too little.
        let columns = &mut [Column::new(&values, &mut values_to), Column::permutation(&mut other)];
        let enough = sort.workspace_bytes::<u32>(device, 3, 2, 0).unwrap();
        for workspace in &mut [Workspace::new(device), Workspace::with_bytes(device, 1).unwrap()] {
            let held = workspace.bytes();
            let error = sort.enqueue(&input, &mut to, columns, workspace).unwrap_err();
            // A call may need less than any call of so many keys might.
            let Error::WorkspaceTooSmall { got, needed } = error else { panic!("{error}") };
            assert!(got == held && (held + 1..=enough).contains(&needed), "{error}");
            assert!(error.to_string().contains("Workspace::reserve"), "{error}");
        }
        let mut first = device.upload(&keys).unwrap();
        let error = sort.enqueue_double(&mut first, &mut short, &mut [], &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the second buffer of keys"));
        let columns = &mut [DoubleColumn::new(&mut values_to, &mut short)];
        let error = sort.enqueue_double(&mut first, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the second buffer of value column 0"));

        // Nothing was written.
        for buffer in [&to, &values_to, &other] {
            assert_eq!(buffer.download().unwrap(), [9, 9, 9]);
        }
        assert_eq!((short.download().unwrap(), first.download().unwrap()), (vec![9, 9], keys.to_vec()));
    });
}

#[test]
fn buffers_of_another_device() {
    let Some(device) = gpu("buffers_of_another_device") else { return };
    let (cpu, sort) = (Device::cpu(), Sort::new());
    let (keys, mut to) = (device.upload(&[2u32, 1]).unwrap(), device.alloc(2).unwrap());
    let mut elsewhere = sort.workspace::<u32>(&cpu, 2, 0, 0).unwrap();
    let error = sort.enqueue(&keys, &mut to, &mut [], &mut elsewhere).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { ref what, .. } if what == "the workspace"), "{error:?}");
    let mut workspace = sort.workspace::<u32>(device, 2, 1, 0).unwrap();
    let error = sort.enqueue(&keys, &mut cpu.alloc(2).unwrap(), &mut [], &mut workspace).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { ref what, .. } if what == "the key output"), "{error:?}");
}
