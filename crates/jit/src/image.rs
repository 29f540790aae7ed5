//! Compiled kernels as bytes.
//!
//! An image consists of the key of the machine and routines, the header, and the code. Integers are little endian;
//! lists and strings are preceded by their length. An image does not prove its origin: the seal under which it is
//! stored (`trident_runtime::seal`) does.

use std::sync::OnceLock;

use trident_ir::tile::Origin;
use trident_ir::{Func, Level, Loc, SourceLoc, Type};
use trident_runtime::Checks;
use trident_simd::Isa;

use super::emit::{Condition, Emitted, Site};
use super::kernel::Header;
use super::{routine, target};

/// Why bytes cannot be loaded as a kernel on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ImageError {
    /// Not an image.
    #[error("the bytes are not a compiled kernel")]
    Malformed,
    /// Created by another version or for another machine.
    #[error("the kernel was compiled for another machine or version")]
    Foreign,
}

/// Identifies the machine code, version and routines that an image needs.
fn key(isa: Isa) -> String {
    static ROUTINES: OnceLock<u64> = OnceLock::new();
    format!("{} {:016x}", target::key(isa), ROUTINES.get_or_init(routine::fingerprint))
}

/// A function without ops that has these parameters, since the text form has functions but no bare types.
fn signature(params: &[Type]) -> Func {
    let mut func = Func::new("kernel", Level::Tile);
    for (i, ty) in params.iter().enumerate() {
        let id = func.value(format!("p{i}"), ty.clone());
        func.body.params.push(id);
    }
    func
}

/// Parameter numbers, followed by `?` if pointers may come from elsewhere.
fn origin(origin: &Origin) -> String {
    let mut words: Vec<String> = origin.params.iter().map(u32::to_string).collect();
    words.extend(origin.open.then(|| "?".to_owned()));
    words.join(" ")
}

/// The checks that the code performs, as a word.
fn checks(checks: Checks) -> &'static str {
    match checks {
        Checks::None => "unchecked",
        Checks::Bounds => "bounds",
        Checks::All => "all",
    }
}

/// The kind of a condition, followed by its assertion's message or its axis' length.
fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Access => "access".into(),
        Condition::Assert(message) => format!("assert {message}"),
        Condition::Assume => "assume".into(),
        Condition::Step => "step".into(),
        Condition::Index(length) => format!("index {length}"),
        Condition::Wait => "wait".into(),
    }
}

pub(super) fn write(header: &Header, isa: Isa, code: &[u8]) -> Vec<u8> {
    let mut body = vec![];
    let mut text = |s: &str| {
        body.extend((s.len() as u64).to_le_bytes());
        body.extend(s.as_bytes());
    };
    text(&key(isa));
    text(&header.name);
    text(checks(header.checks));
    text(&header.written.iter().map(|&w| if w { 'w' } else { 'r' }).collect::<String>());
    text(&header.emitted.scratch.to_string());
    text(&header.emitted.entry.to_string());
    text(&header.emitted.work.to_string());
    text(&signature(&header.params).to_string());
    text(&header.emitted.sites.len().to_string());
    for site in &header.emitted.sites {
        text(&condition(&site.condition));
        match &site.loc {
            None => text(""),
            Some(Loc::Node(name)) => ["node", name].map(&mut text).into_iter().collect(),
            Some(Loc::Source(source)) => {
                text("source");
                text(&source.frames().count().to_string());
                for SourceLoc { file, line, column, .. } in source.frames() {
                    text(file);
                    text(&line.to_string());
                    text(&column.to_string());
                }
            }
        }
        text(&origin(&site.origin));
    }
    body.extend((code.len() as u64).to_le_bytes());
    body.extend(code);
    body
}

/// Splits an image into header and code.
pub(super) fn read(image: &[u8], isa: Isa) -> Result<(Header, &[u8]), ImageError> {
    let mut reader = Reader(image);
    if reader.text()? != key(isa) {
        return Err(ImageError::Foreign);
    }
    let name = reader.text()?.to_owned();
    let mode = reader.text()?;
    let checks =
        [Checks::None, Checks::Bounds, Checks::All].into_iter().find(|&c| checks(c) == mode);
    let checks = checks.ok_or(ImageError::Malformed)?;
    let written = reader.text()?.chars().map(|c| c == 'w').collect();
    let (scratch, entry) = (reader.number()?, reader.number()?);
    let work = i64::try_from(reader.number()?).map_err(|_| ImageError::Malformed)?;
    let signature: Func = reader.text()?.parse().map_err(|_| ImageError::Malformed)?;
    let params = signature.body.params.iter().map(|&p| signature.ty(p).clone()).collect();
    let mut sites = vec![];
    for _ in 0..reader.number()? {
        let condition = reader.condition()?;
        let loc = reader.loc()?;
        let origin = reader.origin()?;
        sites.push(Site { condition, loc, origin });
    }
    let code = reader.bytes()?;
    if entry >= code.len() {
        return Err(ImageError::Malformed);
    }
    let emitted = Emitted { scratch, work, sites, entry, ..Emitted::default() };
    Ok((Header { name, params, emitted, checks, written }, code))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self) -> Result<&'a [u8], ImageError> {
        let (n, rest) = self.0.split_first_chunk::<8>().ok_or(ImageError::Malformed)?;
        let n = usize::try_from(u64::from_le_bytes(*n)).map_err(|_| ImageError::Malformed)?;
        let (bytes, rest) = rest.split_at_checked(n).ok_or(ImageError::Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'a str, ImageError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| ImageError::Malformed)
    }

    fn origin(&mut self) -> Result<Origin, ImageError> {
        let words = self.text()?;
        let (params, open) = match words.strip_suffix('?') {
            Some(params) => (params, true),
            None => (words, false),
        };
        let params = params.split_whitespace().map(str::parse).collect::<Result<_, _>>();
        Ok(Origin { params: params.map_err(|_| ImageError::Malformed)?, open })
    }

    fn condition(&mut self) -> Result<Condition, ImageError> {
        let text = self.text()?;
        Ok(match text.split_once(' ').unwrap_or((text, "")) {
            ("access", _) => Condition::Access,
            ("assert", message) => Condition::Assert(message.to_owned()),
            ("assume", _) => Condition::Assume,
            ("step", _) => Condition::Step,
            ("index", length) => {
                Condition::Index(length.parse().map_err(|_| ImageError::Malformed)?)
            }
            ("wait", _) => Condition::Wait,
            _ => return Err(ImageError::Malformed),
        })
    }

    fn loc(&mut self) -> Result<Option<Loc>, ImageError> {
        match self.text()? {
            "" => Ok(None),
            "node" => Ok(Some(Loc::node(self.text()?))),
            "source" => {
                let mut frames = vec![];
                for _ in 0..self.number()? {
                    let (file, line, column) = (self.text()?, self.number()?, self.number()?);
                    let [line, column] = [line, column].map(u32::try_from);
                    let (Ok(line), Ok(column)) = (line, column) else {
                        return Err(ImageError::Malformed);
                    };
                    frames.push((file, line, column));
                }
                Ok(SourceLoc::of_frames(frames).map(Loc::Source))
            }
            _ => Err(ImageError::Malformed),
        }
    }

    fn number(&mut self) -> Result<usize, ImageError> {
        self.text()?.parse().map_err(|_| ImageError::Malformed)
    }
}
