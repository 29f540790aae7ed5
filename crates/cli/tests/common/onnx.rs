//! The bytes of small ONNX models, written field by field.

/// A field of protobuf that holds bytes.
pub(crate) fn field(number: u8, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    assert!(bytes.len() < 1 << 14);
    let length = [bytes.len() as u8 & 0x7f | 0x80, (bytes.len() >> 7) as u8];
    [&[number << 3 | 2], &length[..], bytes].concat()
}

/// A field that holds a small number.
pub(crate) fn number(field: u8, value: u8) -> Vec<u8> {
    vec![field << 3, value]
}

/// `name: dtype[dims]`; dimensions are names, or numbers where they look so.
pub(crate) fn info(name: &str, dtype: u8, dims: &[&str]) -> Vec<u8> {
    let dim = |d: &&str| match d.parse::<u64>() {
        Ok(mut n) => {
            let mut bytes = vec![8];
            while n >= 0x80 {
                bytes.push(n as u8 | 0x80);
                n >>= 7;
            }
            bytes.push(n as u8);
            field(1, bytes)
        }
        Err(_) => field(1, field(2, d)),
    };
    let shape = field(2, dims.iter().flat_map(dim).collect::<Vec<u8>>());
    let tensor = [vec![8, dtype], shape].concat();
    [field(1, name), field(2, field(1, tensor))].concat()
}
