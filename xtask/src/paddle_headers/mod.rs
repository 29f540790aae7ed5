//! `cargo xtask paddle-headers`: the parameters of Paddle's kernels, from the headers in its wheels.
//!
//! Paddle calls a kernel of a plug-in by its C++ signature, which it does not check. Signatures change between releases, so the
//! plug-in has a table of those of each release that it supports. The table has facts only, no text of the headers.

mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::paths;
use parse::Signature;

/// The releases of Paddle that the plug-in supports.
const VERSIONS: [&str; 2] = ["3.2.2", "3.3.1"];

/// The folder of headers in a wheel and in an environment.
const HEADERS: &str = "paddle/include/paddle/phi/kernels";

/// Options of `cargo xtask paddle-headers`.
#[derive(Args)]
pub(crate) struct Options {
    /// Wheels of Paddle, or folders in which they are installed: one for each supported release
    #[arg(required = true)]
    wheels: Vec<PathBuf>,
    /// Print all signatures of the wheels, and write nothing
    #[arg(long)]
    list: bool,
}

/// Kernels that the headers leave out. Their parameters stand in the names of symbols of `libphi_core.so`, in all supported releases.
const UNDECLARED: &str = "
    template <typename T, typename Context>
    void IndexElementwisePutWithTensorKernel(
        const Context& dev_ctx, const DenseTensor& input, const std::vector<const DenseTensor*>& index,
        const DenseTensor& value, const std::vector<int64_t>& input_dims, const std::vector<int64_t>& input_strides,
        const std::vector<int64_t>& index_dims, const std::vector<int64_t>& index_strides, int64_t slice_offset,
        DenseTensor* out);";

/// Signatures by the name of the kernel's function.
type Signatures = BTreeMap<String, Signature>;

/// Writes the table, or prints the signatures.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut releases = BTreeMap::new();
    for wheel in &options.wheels {
        let (version, signatures) = release(wheel)?;
        println!("{version}: {} kernels", signatures.len());
        if options.list {
            for (name, signature) in &signatures {
                println!("{name}({})", shown(signature));
            }
        }
        releases.insert(version, signatures);
    }
    if options.list {
        return Ok(());
    }
    for version in VERSIONS {
        ensure!(releases.contains_key(version), "give a wheel of Paddle {version}, too");
    }
    let text = table(&read(&kernels_file())?, &releases)?;
    let path = table_file();
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

fn plugin() -> PathBuf {
    paths::root().join("plugins/paddle-device")
}

fn kernels_file() -> PathBuf {
    plugin().join("kernels.txt")
}

fn table_file() -> PathBuf {
    plugin().join("src/abi/signatures.rs")
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The version and the signatures of a wheel, or of a folder in which one is installed.
fn release(wheel: &Path) -> Result<(String, Signatures)> {
    if wheel.is_dir() {
        let entries = fs::read_dir(wheel)?.filter_map(Result::ok);
        let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let version = names.find_map(|name| {
            Some(name.strip_prefix("paddlepaddle-")?.strip_suffix(".dist-info")?.to_owned())
        });
        let version =
            version.with_context(|| format!("{} has no `paddlepaddle`", wheel.display()))?;
        return Ok((version, signatures(&wheel.join(HEADERS))?));
    }
    let name = wheel.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let version = name.strip_prefix("paddlepaddle-").and_then(|rest| rest.split('-').next());
    let version = version.with_context(|| format!("{name} is not a wheel `paddlepaddle-…`"))?;
    let folder = paths::target().join(format!("paddle-headers/{version}"));
    fs::create_dir_all(&folder)?;
    let mut unzip = Command::new("unzip");
    unzip.args(["-qo"]).arg(wheel).arg(format!("{HEADERS}/*.h")).arg("-d").arg(&folder);
    ensure!(unzip.status().context("`unzip` is needed")?.success(), "{name} cannot be read");
    Ok((version.to_owned(), signatures(&folder.join(HEADERS))?))
}

/// The signatures in a folder of headers.
fn signatures(folder: &Path) -> Result<Signatures> {
    let mut found = parse::kernels(UNDECLARED)?;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("h")) {
            let kernels = parse::kernels(&read(&path)?);
            found.extend(kernels.with_context(|| path.display().to_string())?);
        }
    }
    Ok(found)
}

fn shown(signature: &Signature) -> String {
    let shown = |param: &parse::Param| format!("{}: {}", param.name, param.kind.unwrap_or("?"));
    signature.params.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// A line of the list of kernels.
#[derive(Debug)]
struct Listed<'a> {
    kernel: &'a str,
    /// The kernel's name in the headers, in small letters without underscores.
    header: String,
    /// The row's name, if it is another one.
    row: Option<&'a str>,
    /// The first release that has the kernel, if not all have it.
    since: Option<&'a str>,
    dtypes: &'a str,
    /// The row's names of operands and attributes, if the list has them.
    names: Option<Vec<&'a str>>,
}

/// The kernels of a list.
fn listed(text: &str) -> Result<Vec<Listed<'_>>> {
    let (mut found, mut dtypes) = (vec![], None);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            dtypes = Some(section);
            continue;
        }
        let dtypes = dtypes.with_context(|| format!("`{line}` is not in a section"))?;
        let (head, names) = match line.split_once(':') {
            Some((head, names)) => (head, Some(names.split_whitespace().collect())),
            None => (line, None),
        };
        let mut words = head.split_whitespace();
        let kernel = words.next().with_context(|| format!("`{line}` has no kernel"))?;
        let (mut header, mut row, mut since) = (kernel, None, None);
        for word in words {
            match word.split_once('=') {
                Some(("header", name)) => header = name,
                Some(("row", name)) => row = Some(name),
                Some(("since", version)) => since = Some(version),
                _ => bail!("`{word}` of `{kernel}` is none of `header=`, `row=` and `since=`"),
            }
        }
        let header = header.replace('_', "").to_lowercase();
        found.push(Listed { kernel, header, row, since, dtypes, names });
    }
    found.sort_by_key(|listed| listed.kernel);
    for pair in found.windows(2) {
        ensure!(pair[0].kernel != pair[1].kernel, "kernel `{}` is listed twice", pair[0].kernel);
    }
    Ok(found)
}

/// The line of the table for a kernel with a signature, without the versions.
fn entry(listed: &Listed<'_>, signature: &Signature) -> Result<String> {
    let kernel = listed.kernel;
    let is_result = |kind: &str| kind.starts_with("Result");
    let mut params = vec![];
    let mut names = listed.names.iter().flatten();
    for param in &signature.params {
        let kind = param.kind;
        let kind = kind.with_context(|| format!("`{kernel}` has a parameter of no known type"))?;
        let name = match &listed.names {
            Some(_) if !is_result(kind) => names.next().copied(),
            _ => Some(&*param.name),
        };
        let name = name.with_context(|| format!("`{kernel}` has more parameters than listed"))?;
        params.push(format!("\"{name}\": {kind}"));
    }
    if let Some(name) = names.next() {
        bail!("`{kernel}` has no parameter for `{name}`");
    }
    let row = listed.row.map(|row| format!("(\"{row}\") ")).unwrap_or_default();
    Ok(format!("{row}{} => ({});", listed.dtypes, params.join(", ")))
}

/// The lines of the table for one release, by kernel.
fn entries(
    kernels: &str,
    version: &str,
    signatures: &Signatures,
) -> Result<BTreeMap<String, String>> {
    let by_name: BTreeMap<String, &Signature> =
        signatures.iter().map(|(name, signature)| (name.to_lowercase(), signature)).collect();
    let mut found = BTreeMap::new();
    // Releases are ordered as their names are.
    let is_in = |listed: &Listed<'_>| listed.since.is_none_or(|since| since <= version);
    for listed in listed(kernels)?.into_iter().filter(is_in) {
        let signature = by_name.get(&listed.header);
        let signature =
            signature.with_context(|| format!("the headers have no kernel `{}`", listed.kernel))?;
        found.insert(listed.kernel.to_owned(), entry(&listed, signature)?);
    }
    Ok(found)
}

/// The text of the table.
fn table(kernels: &str, releases: &BTreeMap<String, Signatures>) -> Result<String> {
    // The versions of each line, in the order of kernels.
    let mut lines: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
    for (version, signatures) in releases {
        let entries =
            entries(kernels, version, signatures).with_context(|| format!("Paddle {version}"))?;
        for entry in entries {
            lines.entry(entry).or_default().insert(version);
        }
    }
    let mut text = "// Generated by `cargo xtask paddle-headers` from `kernels.txt` and the headers in Paddle's wheels.\n\n".to_owned();
    text.push_str("super::entries::signatures! {\n");
    for ((kernel, entry), versions) in lines {
        let versions: Vec<String> =
            versions.iter().map(|version| format!("\"{version}\"")).collect();
        writeln!(text, "    \"{kernel}\" [{}] {entry}", versions.join(", "))?;
    }
    text.push_str("}\n");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::Venv;

    /// Folders in which supported releases are installed, if this machine has any.
    fn installed() -> Vec<PathBuf> {
        let named = std::env::var_os("TRIDENT_PADDLE_WHEELS");
        let mut found: Vec<PathBuf> =
            named.iter().flat_map(std::env::split_paths).filter(|path| path.exists()).collect();
        let venv = Venv::Paddle.folder().unwrap().join("lib/python3.11/site-packages");
        if found.is_empty() && venv.join(HEADERS).is_dir() {
            found.push(venv);
        }
        found
    }

    #[test]
    fn the_table_is_that_of_the_wheels() {
        let wheels = installed();
        if wheels.is_empty() {
            eprintln!(
                "skipped: Paddle is not installed; `cargo xtask env paddle` installs it, and TRIDENT_PADDLE_WHEELS names others"
            );
        }
        let (kernels, table) = (read(&kernels_file()).unwrap(), read(&table_file()).unwrap());
        for wheel in wheels {
            let (version, signatures) = release(&wheel).unwrap();
            let quoted = format!("\"{version}\"");
            let lines = table.lines().filter(|line| line.contains(&quoted));
            let committed: Vec<String> = lines
                .map(|line| {
                    let (kernel, rest) = line.trim().split_once(" [").unwrap();
                    format!("{kernel} {}", rest.split_once("] ").unwrap().1)
                })
                .collect();
            let fresh = entries(&kernels, &version, &signatures).unwrap().into_iter();
            let fresh: Vec<String> =
                fresh.map(|(kernel, entry)| format!("\"{kernel}\" {entry}")).collect();
            assert_eq!(committed, fresh, "run `cargo xtask paddle-headers`: Paddle {version}");
        }
    }

    #[test]
    fn a_list_that_does_not_fit_a_signature_is_an_error() {
        let header = "template <typename T, typename Context>
            void AbsKernel(const Context& c, const DenseTensor& x, float scale, DenseTensor* out);";
        let signatures = parse::kernels(header).unwrap();
        let error = |list: &str| entries(list, "3.3.1", &signatures).unwrap_err().to_string();
        let fine = entries("[f32 f64]\nabs: y _", "3.3.1", &signatures).unwrap();
        assert_eq!(fine["abs"], r#"f32 f64 => ("y": Tensor, "_": F32, "out": Result);"#);
        let other = entries("[f32]\nfoo header=Abs row=bar: x _", "3.3.1", &signatures).unwrap();
        assert_eq!(other["foo"], r#"("bar") f32 => ("x": Tensor, "_": F32, "out": Result);"#);
        assert!(entries("[f32]\nexp since=3.3.2", "3.3.1", &signatures).unwrap().is_empty());
        assert_eq!(error("[f32]\nabs x"), "`x` of `abs` is none of `header=`, `row=` and `since=`");
        assert_eq!(error("[f32]\nabs: x"), "`abs` has more parameters than listed");
        assert_eq!(error("[f32]\nabs: x a b"), "`abs` has no parameter for `b`");
        assert_eq!(error("[f32]\nexp"), "the headers have no kernel `exp`");
        assert_eq!(error("abs"), "`abs` is not in a section");
        assert_eq!(error("[f32]\nabs\nabs"), "kernel `abs` is listed twice");
    }
}
