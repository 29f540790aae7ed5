//! Sharing and copies of elements.
#![allow(clippy::unwrap_used)] // a failed unwrap fails the test
use super::*;

#[test]
fn rows_are_views_that_keep_the_memory() {
    let pool = Pool::new();
    let values: Vec<u16> = (0..12).collect();
    let tensor = Tensor::from_slice(&pool, &[4, 3], &values).unwrap();
    let at = tensor.bytes().unwrap().as_ptr().addr();
    let rows = tensor.rows(1..3).unwrap();
    assert_eq!(&rows[..], bytemuck::cast_slice::<u16, u8>(&values[3..9]));
    assert_eq!(rows.as_ptr().addr(), at + 6, "no copy");
    assert!(tensor.rows(4..4).unwrap().is_empty());
    for outside in [3..5, 5..5, Range { start: 2, end: 1 }] {
        assert!(tensor.rows(outside).is_err());
    }
    let live = pool.stats().live;
    drop(tensor);
    assert_eq!(pool.stats().live, live);
    drop(rows);
    assert_eq!(pool.stats().live, 0);
}

#[test]
fn copies_on_write_count_in_the_pool_of_what_they_copy() {
    let pool = Pool::new().child("m");
    let long = "a string that lies on the heap".to_owned();
    let mut text = Tensor::from_strings(&[2], vec![long, String::new()]).unwrap();
    text.count_strings(&pool).unwrap();
    let numbers = Tensor::from_slice(&pool, &[3], &[1u8, 2, 3]).unwrap();
    let single = pool.stats().live;
    let (mut shared, mut shared_numbers) = (text.clone(), numbers.clone());
    assert_eq!(pool.stats().live, single);
    shared.strings_mut().unwrap()[1].push('b');
    shared_numbers.bytes_mut().unwrap()[0] = 9;
    assert_eq!(pool.stats().live, 2 * single);
    assert_eq!((&*text.strings().unwrap()[1], numbers.bytes().unwrap()[0]), ("", 1));

    pool.set_limit(2 * single + 8);
    assert!(shared.clone().strings_mut().is_err());
    assert!(shared_numbers.clone().bytes_mut().is_err());
    drop((text, numbers, shared, shared_numbers));
    assert_eq!(pool.stats().live, 0);
}

#[test]
fn copies_on_write_of_borrowed_bytes_count_in_the_pool_that_was_given() {
    let pool = Pool::new().child("m");
    // A vector of u64 is aligned for its elements.
    let bytes = Bytes::from_owner(Words(vec![1, 2, 3]));
    let mut tensor = Tensor::from_bytes(&pool, DType::U64, &[3], bytes.clone()).unwrap();
    assert_eq!(pool.stats().live, 0, "nothing is copied");
    let mut other = tensor.clone().reshaped(&[3, 1]).unwrap();
    other.slice_mut::<u64>().unwrap()[1] = 9;
    assert!(pool.stats().live >= 24);
    pool.set_limit(pool.stats().live);
    assert!(tensor.slice_mut::<u64>().is_err());
    assert_eq!((other.slice::<u64>().unwrap(), &bytes[8..9]), (&[1, 9, 3][..], &[2][..]));
}

struct Words(Vec<u64>);

impl AsRef<[u8]> for Words {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

#[test]
fn rows_of_nothing_are_empty() {
    let pool = Pool::new();
    for dims in [&[0, 3][..], &[3, 0]] {
        let tensor = Tensor::alloc(&pool, DType::F32, dims).unwrap();
        assert!(tensor.rows(0..dims[0]).unwrap().is_empty());
    }
    let scalar = Tensor::from_slice(&pool, &[], &[1.0f32]).unwrap();
    assert!(scalar.rows(0..0).is_err());
    assert_eq!(scalar.to_bytes().unwrap(), 1.0f32.to_le_bytes()[..]);
    let text = Tensor::from_strings(&[1], vec!["a".into()]).unwrap();
    assert!(text.rows(0..1).is_err());
}

#[test]
fn a_view_is_not_written_to() {
    let pool = Pool::new();
    let mut tensor = Tensor::from_slice(&pool, &[2], &[1u8, 2]).unwrap();
    let rows = tensor.rows(0..2).unwrap();
    assert!(!tensor.is_unique());
    tensor.slice_mut::<u8>().unwrap()[0] = 9;
    assert_eq!((&rows[..], tensor.bytes().unwrap()), (&[1, 2][..], &[9, 2][..]));
}
