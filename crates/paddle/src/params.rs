//! Files of parameters: tensors one after the other, in the order of their sorted names, without the names.
//!
//! A tensor is: `u32` 0 (version), `u64` number of levels of detail, for each `u64` its size and as many bytes; `u32` 0
//! (version), `i32` size of the description, a `TensorDesc`, the elements in row-major order. Older models have one file
//! of this form for each parameter.

use crate::dtype;
use crate::error::{Fault, PaddleError, PaddleErrorKind, ParameterFault, shown};
use crate::files::PaddleFolder;
use crate::program::{Param, Program, TensorInfo, Var, VarType};
use crate::wire::TensorDesc;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use trident_ir::Literal;
use trident_ir::literal::checked_len;

/// A parameter whose data a file has.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Name.
    pub name: Rc<str>,
    /// The variable that the program uses.
    pub var: Var,
}

/// Bytes read at a time. Data of at least as many bytes are read into memory of their own.
const CHUNK: u64 = 64 << 10;

/// The most levels of detail of a stored tensor, which inference does not use.
const MOST_LEVELS: u64 = 16;

/// Names that files of parameters may have beside a program of this name, the usual one first.
pub(crate) fn file_names(program: &str) -> Vec<String> {
    let stem = program.rsplit_once('.').map_or(program, |(stem, _)| stem);
    vec![format!("{stem}.pdiparams"), "__params__".to_owned(), "params".to_owned()]
}

/// Reads the data of stored parameters, and adds the parameters to the program of the file `program_file`.
pub(crate) fn read(
    folder: &dyn PaddleFolder,
    program_file: &str,
    program: &mut Program,
    stored: Vec<Stored>,
) -> Result<(), PaddleError> {
    // In the order of the file; a program may name one parameter several times.
    let mut by_name: BTreeMap<Rc<str>, Vec<Var>> = BTreeMap::new();
    stored.into_iter().for_each(|Stored { name, var }| by_name.entry(name).or_default().push(var));
    if by_name.is_empty() {
        return Ok(());
    }
    let names = file_names(program_file);
    for file in &names {
        match Window::open(folder, file) {
            Ok(mut window) => return all_of(&mut window, program, by_name).map_err(|f| f.of(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Fault::from(error).of(file)),
        }
    }
    let count = by_name.len();
    for (at, (name, vars)) in by_name.into_iter().enumerate() {
        let mut window = Window::open(folder, &name).map_err(|error| match error.kind() {
            // Without the first of them, the model is one whose parameters are in one file.
            io::ErrorKind::NotFound if at == 0 => {
                Fault::from(PaddleErrorKind::NoParameters { count, names: names.clone() })
                    .of(program_file)
            }
            _ => Fault::from(error).of(&name),
        })?;
        let one = BTreeMap::from([(name.clone(), vars)]);
        all_of(&mut window, program, one).map_err(|fault| fault.of(&name))?;
    }
    Ok(())
}

/// Reads parameters that make up a file.
fn all_of(
    window: &mut Window<'_>,
    program: &mut Program,
    names: BTreeMap<Rc<str>, Vec<Var>>,
) -> Result<(), Fault> {
    let count = names.len();
    for (name, vars) in names {
        let data = parameter(window, &name)?;
        for var in vars {
            fits(program, var, &data).map_err(|fault| of_parameter(&name, fault))?;
            program.params.push(Param { var, data: Some(data.clone()) });
        }
    }
    match window.size - window.at {
        0 => Ok(()),
        bytes => Err(PaddleErrorKind::TrailingBytes { bytes, count }.into()),
    }
}

fn of_parameter(name: &str, fault: ParameterFault) -> PaddleErrorKind {
    PaddleErrorKind::Parameter { name: name.to_owned(), fault }
}

/// Reads the next parameter of a file.
fn parameter(window: &mut Window<'_>, name: &str) -> Result<Literal, PaddleErrorKind> {
    let fault = |fault| of_parameter(name, fault);
    window.version(name)?;
    let levels = window.u64(name)?;
    if levels > MOST_LEVELS {
        return Err(fault(ParameterFault::Description { at: window.at }));
    }
    for _ in 0..levels {
        let len = window.u64(name)?;
        window.skip(name, len)?;
    }
    window.version(name)?;
    let size = u32::from_le_bytes(window.array(name)?);
    let at = window.at;
    let invalid = || fault(ParameterFault::Description { at });
    // More would be a shape of thousands of dimensions.
    let size = Some(u64::from(size)).filter(|size| *size <= CHUNK).ok_or_else(invalid)?;
    let desc = TensorDesc::read(&window.small(name, size)?).map_err(|_| invalid())?;
    let number = desc.dtype;
    let dtype =
        dtype::from_number(number).ok_or_else(|| fault(ParameterFault::DataType(number)))?;
    let dims: Option<Vec<usize>> = desc.dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let len = dims.as_deref().and_then(checked_len);
    let len = len.and_then(|len| len.checked_mul(dtype.size()));
    let (Some(dims), Some(len)) = (dims, len) else {
        return Err(fault(ParameterFault::Dims(desc.dims)));
    };
    let data = window.data(name, len as u64)?;
    Ok(Literal::from_bytes(dtype, dims, data)?)
}

/// Whether stored data are those that the program declares. Shapes may differ in form: older versions declare tensors of one element as rank 1.
fn fits(program: &Program, var: Var, data: &Literal) -> Result<(), ParameterFault> {
    let VarType::Tensor(TensorInfo { dtype, dims }) = &program.var(var).ty else { return Ok(()) };
    let dtype_fits = dtype.is_none_or(|dtype| dtype == data.dtype());
    let dims_fit = dims.as_deref().is_none_or(|dims| {
        let fixed: Option<Vec<usize>> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
        match fixed {
            Some(fixed) => checked_len(&fixed) == Some(data.len()),
            None => dims.len() == data.dims().len(),
        }
    });
    if dtype_fits && dims_fit {
        return Ok(());
    }
    let stored: Vec<i64> = data.dims().iter().map(|&dim| dim as i64).collect();
    Err(ParameterFault::Declared {
        declared: shown(*dtype, dims.as_deref().unwrap_or_default()),
        stored: shown(Some(data.dtype()), &stored),
    })
}

/// A file that is read from its start to its end.
struct Window<'a> {
    folder: &'a dyn PaddleFolder,
    name: &'a str,
    size: u64,
    /// The next byte.
    at: u64,
    /// Bytes that were read, from `start` on.
    chunk: Bytes,
    start: u64,
}

impl<'a> Window<'a> {
    fn open(folder: &'a dyn PaddleFolder, name: &'a str) -> io::Result<Window<'a>> {
        let size = folder.size(name)?;
        Ok(Window { folder, name, size, at: 0, chunk: Bytes::new(), start: 0 })
    }

    /// An error if the file ends within the next bytes.
    fn check(&self, parameter: &str, needed: u64) -> Result<(), PaddleErrorKind> {
        let (at, size) = (self.at, self.size);
        match needed <= size - at {
            true => Ok(()),
            false => Err(of_parameter(parameter, ParameterFault::Truncated { at, needed, size })),
        }
    }

    fn skip(&mut self, parameter: &str, len: u64) -> Result<(), PaddleErrorKind> {
        self.check(parameter, len)?;
        self.at += len;
        Ok(())
    }

    fn read(&self, start: u64, end: u64) -> Result<Bytes, PaddleErrorKind> {
        let bytes = self.folder.read(self.name, start..end)?;
        match bytes.len() as u64 == end - start {
            true => Ok(bytes),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }

    /// The next bytes, at most [`CHUNK`], as a part of a chunk.
    fn small(&mut self, parameter: &str, len: u64) -> Result<Bytes, PaddleErrorKind> {
        self.check(parameter, len)?;
        let end = self.at + len;
        if self.at < self.start || end > self.start + self.chunk.len() as u64 {
            self.chunk = self.read(self.at, self.size.min(self.at + CHUNK))?;
            self.start = self.at;
        }
        let from = (self.at - self.start) as usize;
        self.at = end;
        Ok(self.chunk.slice(from..from + len as usize))
    }

    /// The next bytes in memory of their own.
    fn data(&mut self, parameter: &str, len: u64) -> Result<Bytes, PaddleErrorKind> {
        if len < CHUNK {
            // A copy, so that a small tensor does not keep a whole chunk.
            return Ok(Bytes::copy_from_slice(&self.small(parameter, len)?));
        }
        self.check(parameter, len)?;
        let data = self.read(self.at, self.at + len)?;
        self.at += len;
        Ok(data)
    }

    fn array<const N: usize>(&mut self, parameter: &str) -> Result<[u8; N], PaddleErrorKind> {
        let bytes = self.small(parameter, N as u64)?;
        bytes
            .first_chunk()
            .copied()
            .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }

    fn u64(&mut self, parameter: &str) -> Result<u64, PaddleErrorKind> {
        self.array(parameter).map(u64::from_le_bytes)
    }

    /// Reads a version, which must be 0.
    fn version(&mut self, parameter: &str) -> Result<(), PaddleErrorKind> {
        match u32::from_le_bytes(self.array(parameter)?) {
            0 => Ok(()),
            found => Err(of_parameter(parameter, ParameterFault::Version(found))),
        }
    }
}
