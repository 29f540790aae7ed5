//! .npz files: archives of .npy files by name.

use super::write;
use std::io::{Read, Seek, SeekFrom, Write};
use trident_runtime::Tensor;

/// Names and contents of the arrays of a .npz file.
pub(crate) fn read_npz(mut file: impl Read + Seek) -> Result<Vec<(String, Vec<u8>)>, String> {
    if file.seek(SeekFrom::End(0)).map_err(|e| e.to_string())? == 0 {
        return Err("it is empty".into());
    }
    let mut archive = zip::ZipArchive::new(file).map_err(|e| e.to_string())?;
    let mut arrays = Vec::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(|e| e.to_string())?;
        let name = entry.name().map_err(|e| e.to_string())?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        arrays.push((name.strip_suffix(".npy").unwrap_or(&name).to_owned(), bytes));
    }
    Ok(arrays)
}

/// Writes a .npz file.
pub(crate) fn write_npz(
    file: impl Write + Seek,
    arrays: &[(&str, &Tensor)],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut archive = zip::ZipWriter::new(file);
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(true);
    for (name, tensor) in arrays {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&write(tensor)?)?;
    }
    archive.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::scalar::{self, Scalar};
    use trident_ir::DType;
    use trident_runtime::Pool;

    #[test]
    fn archives_keep_names() {
        let t = scalar::tensor(&Pool::new(), DType::I32, &[1], &[Scalar::Int(7)]).unwrap();
        let mut file = std::io::Cursor::new(Vec::new());
        write_npz(&mut file, &[("a.b", &t), ("c", &t)]).unwrap();
        let arrays = read_npz(file).unwrap();
        let names: Vec<_> = arrays.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["a.b", "c"]);
        assert_eq!(read_npz(std::io::Cursor::new([])).unwrap_err(), "it is empty");
        assert_eq!(read(&Pool::new(), &arrays[1].1, None).unwrap().slice::<i32>().unwrap(), [7]);
    }
}
