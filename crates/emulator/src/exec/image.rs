//! Compiled texts in memory: a shared object with an entry point for each kernel.

use super::hooks::{self, Table};
use super::machine::Entry;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::ffi::c_void;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The size and alignment of a threadgroup variable, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub bytes: usize,
    pub align: usize,
}

/// A loaded text.
pub(crate) struct Image {
    library: Library,
    path: PathBuf,
    code: Range<usize>,
    variables: Vec<Extent>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image").field("path", &self.path).finish()
    }
}

impl Image {
    /// Loads a file that `clang::build` has made.
    ///
    /// # Errors
    /// The loader's message.
    ///
    /// # Safety
    /// The file is a shared object made from the text and `shim/hooks.c`.
    pub(crate) unsafe fn load(path: &Path, checked: bool) -> Result<Image, String> {
        let message = |error: libloading::Error| error.to_string();
        // SAFETY: the object has no initialisers; its undefined symbols are those of the C library's functions.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(message)?;
        // SAFETY: `shim/hooks.c` declares it so.
        let bind: Symbol<unsafe extern "C" fn(*const Table)> =
            unsafe { library.get(b"msl_bind\0") }.map_err(message)?;
        // SAFETY: the table lives as long as the process and has the layout that `hooks.c` declares.
        unsafe { bind(hooks::table(checked)) };
        // SAFETY: `shim/hooks.c` declares it so.
        let list: Symbol<unsafe extern "C" fn(*mut u64) -> *const u32> =
            unsafe { library.get(b"msl_variables\0") }.map_err(message)?;
        let mut count = 0;
        // SAFETY: `shim/hooks.c` defines the function: it sets `count` and returns as many triples, which live as long as the
        // library.
        let triples = unsafe {
            let start = list(&raw mut count);
            if count == 0 { &[] } else { std::slice::from_raw_parts(start, 3 * count as usize) }
        };
        let mut variables = Vec::new();
        for triple in triples.chunks_exact(3) {
            let index = triple[0] as usize;
            if variables.len() <= index {
                variables.resize(index + 1, Extent::default());
            }
            variables[index] = Extent { bytes: triple[1] as usize, align: triple[2] as usize };
        }
        let code =
            addresses(*bind as usize).ok_or("the loader does not know the object's addresses")?;
        Ok(Image { library, path: path.to_owned(), code, variables })
    }

    /// The entry point of a kernel.
    pub(crate) fn entry(&self, kernel: &str) -> Option<Entry> {
        let name = format!("msl_entry_{kernel}\0");
        // SAFETY: `text::rewrite` declares entry points so.
        let entry: Symbol<Entry> = unsafe { self.library.get(name.as_bytes()) }.ok()?;
        Some(*entry)
    }

    /// The extents of threadgroup variables by their number in the text.
    pub(crate) fn variables(&self) -> &[Extent] {
        &self.variables
    }

    /// The addresses of code and constants.
    pub(crate) fn code(&self) -> Range<usize> {
        self.code.clone()
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The addresses of the object that holds an address.
fn addresses(inside: usize) -> Option<Range<usize>> {
    struct Search {
        inside: usize,
        found: Option<Range<usize>>,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> i32 {
        // SAFETY: the loader passes a valid description, and the pointer given to `dl_iterate_phdr`.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: the loader's description has the address and the number of the object's program headers, which stay loaded
        // meanwhile.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let end = loaded.map(|header| header.p_vaddr + header.p_memsz).max().unwrap_or(0);
        let range = info.dlpi_addr as usize..(info.dlpi_addr + end) as usize;
        if range.contains(&search.inside) {
            search.found = Some(range);
            return 1;
        }
        0
    }
    let mut search = Search { inside, found: None };
    // SAFETY: the callback has the signature, and the pointer is what it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}
