//! The compiler: stock clang with our own headers, and a cache of its results.

mod diagnostics;
mod ptx;

use crate::text::{Constant, Kernel, Program};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use trident_apple::metal::{CompileOptions, ConstantValue, FunctionConstant, MetalError};

use diagnostics::diagnose;
pub(crate) use diagnostics::{is_header, strip};

/// The headers and the file of hooks.
const FILES: [(&str, &str); 11] = [
    ("metal_shim.h", include_str!("../../shim/metal_shim.h")),
    ("types.h", include_str!("../../shim/types.h")),
    ("emulated.h", include_str!("../../shim/emulated.h")),
    ("ptx.h", include_str!("../../shim/ptx.h")),
    ("math.h", include_str!("../../shim/math.h")),
    ("simd.h", include_str!("../../shim/simd.h")),
    ("atomic.h", include_str!("../../shim/atomic.h")),
    ("matrix.h", include_str!("../../shim/matrix.h")),
    ("tensor.h", include_str!("../../shim/tensor.h")),
    ("entry.h", include_str!("../../shim/entry.h")),
    ("hooks.c", include_str!("../../shim/hooks.c")),
];

/// Apple's Metal Performance Primitives, among them the tensor operations.
pub(crate) const PRIMITIVES: &str = "MetalPerformancePrimitives/MetalPerformancePrimitives.h";

/// The headers of the Metal standard library and its companions. Their declarations are always available; the lint
/// requires the first header.
pub(crate) const HEADERS: [&str; 16] = [
    "metal_stdlib",
    "metal_atomic",
    "metal_common",
    "metal_compute",
    "metal_geometric",
    "metal_integer",
    "metal_limits",
    "metal_math",
    "metal_matrix",
    "metal_relational",
    "metal_simdgroup",
    "metal_simdgroup_matrix",
    "metal_tensor",
    "metal_type_traits",
    "metal_uniform",
    PRIMITIVES,
];

/// The most compiled kernels that are kept, of about 30 kB each.
const MAX_KERNELS: usize = 8192;

/// The processor's features that kernels use.
const MACHINE: &str = "-march=x86-64-v3";

/// A thread whose variables exceed its stack touches the page before it, not the stack of another thread.
const PROBES: &str = "-fstack-clash-protection";

/// Bytes of a text from which on optimising it takes longer than it saves: what is checked runs on little data.
const LARGE: usize = 64 << 10;

/// clang and the folder of its results.
#[derive(Debug)]
pub(crate) struct Clang {
    program: PathBuf,
    cache: PathBuf,
    /// Digest of what all results depend on.
    version: blake3::Hash,
}

impl Clang {
    /// Finds clang: `$TRIDENT_CLANG`, or `clang-22` on the path. Results are kept in `cache`, which is made.
    ///
    /// # Errors
    /// [`MetalError::Unavailable`] if clang is missing or of another version, or the folder cannot be written.
    pub(crate) fn find(cache: &Path) -> Result<Clang, MetalError> {
        let named = std::env::var_os("TRIDENT_CLANG").filter(|name| !name.is_empty());
        let program = PathBuf::from(named.unwrap_or_else(|| "clang-22".into()));
        let unavailable = |reason: String| MetalError::Unavailable {
            device: "metal-emulated",
            reason,
            hint: "install clang 22 (`apt-get install clang-22`) or set TRIDENT_CLANG to its path"
                .to_owned(),
        };
        let version = Command::new(&program).arg("--version").output();
        let version = version.map_err(|error| {
            unavailable(format!("`{}` does not run: {error}", program.display()))
        })?;
        let text = String::from_utf8_lossy(&version.stdout);
        if !text.contains("clang version 22.") {
            let first = text.lines().next().unwrap_or_default();
            let reason = format!("`{}` is not clang 22 but `{first}`", program.display());
            return Err(unavailable(reason));
        }
        let mut hash = blake3::Hasher::new();
        hash.update(text.as_bytes());
        hash.update(MACHINE.as_bytes()).update(PROBES.as_bytes());
        for (name, content) in FILES {
            hash.update(name.as_bytes()).update(content.as_bytes());
        }
        let version = hash.finalize();
        let cache = cache.join(&version.to_hex()[..16]);
        let clang = Clang { program, cache, version };
        clang.prepare().map_err(|error| MetalError::Unavailable {
            device: "metal-emulated",
            reason: format!("`{}` cannot be written: {error}", clang.cache.display()),
            hint: "set XDG_CACHE_HOME to a folder that can be written".to_owned(),
        })?;
        Ok(clang)
    }

    /// Removes the older half of the compiled kernels if there are many. Kernels in use stay mapped.
    fn prune(&self) -> io::Result<()> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.cache)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "so") {
                found.push((path.metadata().and_then(|data| data.modified())?, path));
            }
        }
        if found.len() > MAX_KERNELS {
            found.sort();
            for (_, path) in &found[..found.len() / 2] {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Writes the headers, and compiles the hooks.
    fn prepare(&self) -> io::Result<()> {
        if self.cache.join("hooks.o").exists() {
            // Another process may remove the same files.
            let _ = self.prune();
            return Ok(());
        }
        fs::create_dir_all(&self.cache)?;
        let folder = tempfile::tempdir_in(&self.cache)?;
        for (name, content) in FILES {
            place(folder.path(), &self.cache, name, content)?;
        }
        for name in HEADERS {
            place(folder.path(), &self.cache, name, "#pragma once\n")?;
        }
        let object = folder.path().join("hooks.o");
        let mut command = Command::new(&self.program);
        command.args([
            "-O2",
            "-fPIC",
            "-ffp-contract=off",
            "-fno-omit-frame-pointer",
            MACHINE,
            "-c",
        ]);
        let output = command.arg(self.cache.join("hooks.c")).arg("-o").arg(&object).output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        fs::rename(object, self.cache.join("hooks.o"))
    }

    /// Compiles a text, to a shared object in the cache.
    ///
    /// # Errors
    /// [`MetalError::Compile`] with clang's diagnostics; [`MetalError::Memory`] if files cannot be written.
    pub(crate) fn build(
        &self,
        program: &Program,
        constants: &[FunctionConstant],
        options: &CompileOptions,
        checked: bool,
    ) -> Result<PathBuf, MetalError> {
        let text = full_text(program, constants, Kernel::emulated_entry);
        let mut hash = blake3::Hasher::new();
        hash.update(self.version.as_bytes()).update(text.as_bytes());
        hash.update(format!("{options:?} {checked}").as_bytes());
        let name = format!("{}.so", hash.finalize().to_hex());
        let result = self.cache.join(&name);
        if result.exists() {
            return Ok(result);
        }
        let failed = |error: io::Error| MetalError::Memory {
            what: "a compiled kernel".to_owned(),
            reason: error.to_string(),
        };
        let folder = tempfile::tempdir_in(&self.cache).map_err(failed)?;
        let source = folder.path().join("kernel.metal");
        fs::write(&source, &text).map_err(failed)?;
        let object = folder.path().join("kernel.o");
        let mut front = Command::new(&self.program);
        self.front_end(&mut front, options);
        front.arg(format!("-DMSL_CHECKED={}", u8::from(checked)));
        if checked {
            // Accesses are instrumented as they stand in the text, and optimised afterwards.
            let bitcode = folder.path().join("kernel.bc");
            front.args([
                "-O0",
                "-Xclang",
                "-disable-O0-optnone",
                "-fsanitize=thread,array-bounds",
                "-fno-omit-frame-pointer",
                "-emit-llvm",
                "-mllvm",
                "-tsan-instrument-func-entry-exit=0",
                "-mllvm",
                "-tsan-compound-read-before-write=1",
            ]);
            diagnose(front.arg("-c").arg(&source).arg("-o").arg(&bitcode))?;
            let optimisation = if text.len() > LARGE { "-O0" } else { "-O1" };
            let mut back = Command::new(&self.program);
            back.args(["-x", "ir", optimisation, "-g1", "-fPIC", "-fno-optimize-sibling-calls"]);
            back.args(["-Wno-override-module", "-ffp-contract=off", MACHINE, "-c"]);
            diagnose(back.arg(&bitcode).arg("-o").arg(&object))?;
        } else {
            front.args(["-O2", "-fno-optimize-sibling-calls", "-c"]);
            diagnose(front.arg(&source).arg("-o").arg(&object))?;
        }
        let linked = folder.path().join(&name);
        let mut link = Command::new(&self.program);
        link.arg("-shared").arg(&object).arg(self.cache.join("hooks.o"));
        diagnose(link.args(["-lm", "-Wl,-z,noexecstack", "-o"]).arg(&linked))?;
        fs::rename(&linked, &result).map_err(failed)?;
        Ok(result)
    }

    /// Compiles a text without a result, with zero for each function constant.
    ///
    /// # Errors
    /// As [`Clang::build`].
    pub(crate) fn verify(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<(), MetalError> {
        let failed = |error: io::Error| MetalError::Memory {
            what: "a text to compile".to_owned(),
            reason: error.to_string(),
        };
        let folder = tempfile::tempdir_in(&self.cache).map_err(failed)?;
        let source = folder.path().join("kernel.metal");
        let text = full_text(program, &[], Kernel::emulated_entry);
        fs::write(&source, text).map_err(failed)?;
        let mut front = Command::new(&self.program);
        self.front_end(&mut front, options);
        diagnose(front.arg("-fsyntax-only").arg(&source))
    }

    fn front_end(&self, command: &mut Command, options: &CompileOptions) {
        command.args(["-target", "x86_64-unknown-linux-gnu", MACHINE, PROBES, "-g1", "-fPIC"]);
        self.language(command, options);
    }

    /// Adds the arguments that do not depend on the machine.
    fn language(&self, command: &mut Command, options: &CompileOptions) {
        command.args([
            "-x",
            "clcpp",
            "-cl-std=CLC++2021",
            "-cl-no-stdinc",
            "-Xclang",
            "-cl-ext=+all",
            "-cl-single-precision-constant",
        ]);
        command.args(["-Wno-everything", "-fno-caret-diagnostics", "-fno-color-diagnostics"]);
        command.args(["-ferror-limit=20", "-ffile-compilation-dir=."]);
        // The arithmetic of Metal: nothing contracted, each operation of half and bfloat rounded, conversions to
        // integers that saturate.
        command.args(["-ffp-contract=off", "-fno-strict-float-cast-overflow"]);
        command.args(["-Xclang", "-fbfloat16-excess-precision=none"]);
        command.args(["-Xclang", "-ffloat16-excess-precision=none"]);
        // Overflow of integers wraps and pointers of different types may meet, as on Apple's GPUs.
        command.args(["-fwrapv", "-fno-strict-aliasing", "-fvisibility=hidden"]);
        command.arg(format!("-DMSL_LANGUAGE={}", options.language.number()));
        command.arg("-I").arg(&self.cache).arg("-include").arg(self.cache.join("metal_shim.h"));
    }
}

/// Writes a file as a whole: other processes may read it meanwhile.
fn place(temporary: &Path, folder: &Path, name: &str, content: &str) -> io::Result<()> {
    let (file, place) = (temporary.join(name), folder.join(name));
    for path in [&file, &place] {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
    }
    fs::write(&file, content)?;
    fs::rename(file, place)
}

/// The text with the values of function constants, and entry points.
fn full_text(
    program: &Program,
    constants: &[FunctionConstant],
    entry: fn(&Kernel) -> String,
) -> String {
    let mut text = String::new();
    for Constant { index, name, .. } in &program.constants {
        let value = constants.iter().find(|constant| constant.index == *index);
        let number = value.map_or("0".to_owned(), |constant| literal(constant.value));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "#define MSL_CONSTANT_{index} {number}");
        let _ = writeln!(text, "#define msl_defined_{name} {}", u8::from(value.is_some()));
    }
    if !program.constants.is_empty() {
        text.push_str("#define is_function_constant_defined(name) (bool)msl_defined_##name\n");
    }
    text.push_str("#line 1 \"msl\"\n");
    text.push_str(&program.text);
    text.push_str("\n#line 1 \"entry points\"\n");
    text.extend(program.kernels.iter().map(entry));
    text
}

fn literal(value: ConstantValue) -> String {
    match value {
        ConstantValue::Bool(v) => v.to_string(),
        ConstantValue::Short(v) => v.to_string(),
        ConstantValue::UShort(v) => v.to_string(),
        // The least integer has no literal.
        ConstantValue::Int(v) => format!("(int){}u", v as u32),
        ConstantValue::UInt(v) => format!("{v}u"),
        ConstantValue::Float(v) => format!("__builtin_bit_cast(float, {}u)", v.to_bits()),
    }
}
