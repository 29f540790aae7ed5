//! Kernels: compilation of tile modules to native code, and launches.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use trident_ir::tile::{Origin, Origins};
use trident_ir::{Level, Module, Type};
use trident_kernels::aligned::Scratch;
use trident_kernels::threads::Threads;
use trident_runtime::{
    Checks, CompileError, Declined, DeviceInfo, Kernel, KernelCompiler, KernelImage, KernelLaunch,
    KernelOptions, LaunchError, Listing, ProgramPoint,
};
use trident_simd::Isa;

use super::abi::{Context, FUEL, FULL, HEAD, Kind, ProgramFault};
use super::check::{self, Access, Checker, Extents};
use super::code::Code;
use super::emit::{Condition, Emitted};
use super::spread::LaunchCost;
use super::stop::Stop;
use super::target::{self, Compiled};
use super::{image, machine, routine};

/// Facts that a kernel's native code needs besides the code itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) params: Vec<Type>,
    pub(super) emitted: Emitted,
    pub(super) checks: Checks,
    /// For each parameter, whether the kernel may write through it.
    pub(super) written: Vec<bool>,
}

/// A kernel in machine code.
struct Native {
    header: Header,
    code: Code,
    threads: Arc<Threads>,
    isa: Isa,
    cost: LaunchCost,
    /// The module it was compiled from; `None` for a kernel loaded from an image.
    module: Option<Module>,
}

/// Compiles the entry of a `tile` module for an instruction set of this machine. Launches of its kernels are spread
/// over its threads.
#[derive(Clone, Debug)]
pub struct Compiler {
    isa: Isa,
    threads: Arc<Threads>,
}

impl Compiler {
    /// A compiler for this instruction set.
    pub fn new(isa: Isa, threads: Arc<Threads>) -> Compiler {
        Compiler { isa, threads }
    }

    /// A compiler for the best instruction set of this machine, with `threads` threads; 0 means one for each core.
    pub fn for_machine(threads: usize) -> Compiler {
        let threads = if threads == 0 { Threads::all_cores() } else { Threads::new(threads) };
        Compiler::new(Isa::detect(), Arc::new(threads))
    }

    /// The threads that launches are spread over.
    pub fn threads(&self) -> &Arc<Threads> {
        &self.threads
    }

    /// Facts about this machine, as the device `cpu` reports them.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo {
            name: "cpu".into(),
            description: machine::name(),
            threads: self.threads.count(),
            features: machine::features(),
        }
    }
}

impl KernelCompiler for Compiler {
    fn compile_kernel(
        &self,
        module: &Module,
        options: &KernelOptions,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        Ok(compile(module, self.isa, options.checks, &self.threads)?)
    }

    fn load_kernel(&self, image: &KernelImage) -> Result<Arc<dyn Kernel>, Declined> {
        let (header, code) = image::read(image.bytes(), self.isa)
            .map_err(|reason| Declined::Image { reason: reason.to_string() })?;
        native(header, code, None, self.isa, &self.threads)
    }
}

fn compile(
    module: &Module,
    isa: Isa,
    checks: Checks,
    threads: &Arc<Threads>,
) -> Result<Arc<dyn Kernel>, Declined> {
    let entry = module.entry().filter(|f| f.level == Level::Tile);
    let Some(entry) = entry else {
        return Err(Declined::module("it has no entry that is a kernel"));
    };
    let Compiled { code, emitted, .. } = target::compile(module, isa, checks, None)?;
    let params = entry.body.params.iter().map(|&p| entry.ty(p).clone()).collect();
    let (name, written) = (entry.name.clone(), Origins::new(module).written());
    let header = Header { name, params, emitted, checks, written };
    native(header, &code, Some(module.clone()), isa, threads)
}

fn native(
    header: Header,
    code: &[u8],
    module: Option<Module>,
    isa: Isa,
    threads: &Arc<Threads>,
) -> Result<Arc<dyn Kernel>, Declined> {
    let code = Code::new(code).map_err(|e| {
        let reason = format!("no memory for machine code: {e}");
        Declined::kernel(header.name.as_str(), reason)
    })?;
    let (threads, cost) = (Arc::clone(threads), LaunchCost::default());
    Ok(Arc::new(Native { header, code, threads, isa, cost, module }))
}

/// Maximum scratch of a thread, in bytes: more is assumed to be a mistake.
const MOST_SCRATCH: usize = 1 << 31;

/// Records a fault, keeping that of the first program in grid order.
fn note(context: *const Context<'_>, fault: ProgramFault) {
    // SAFETY: native code passes the context that its launch gave it, which outlives the launch.
    let context = unsafe { &*context };
    let mut first = context.fault.lock().unwrap_or_else(PoisonError::into_inner);
    if first.as_ref().is_none_or(|f| fault.program < f.program) {
        *first = Some(fault);
    }
}

extern "C" fn fail(context: *const Context<'_>, program: u64, site: u64, value: u64) {
    note(context, ProgramFault { program, site, value, access: None });
}

extern "C" fn refuel(context: *const Context<'_>, scratch: *mut u8) -> u64 {
    // SAFETY: native code passes its thread's scratch and the context of its launch, which outlives the launch.
    let context = unsafe {
        fill(scratch);
        &*context
    };
    u64::from(context.stop.is_asked(&context.launch))
}

/// Gives a thread fuel.
///
/// # Safety
/// Scratch of a kernel begins at the address, and no other thread uses it.
unsafe fn fill(scratch: *mut u8) {
    // SAFETY: the first `HEAD` bytes of scratch, which is aligned to 64 bytes, are reserved, and the fuel is in them.
    unsafe { scratch.add(FUEL).cast::<i64>().write(FULL) };
}

/// Takes fuel from a thread, and refills it if there is not enough; returns whether it was refilled.
///
/// # Safety
/// As for [`fill`], which has been called.
unsafe fn spend(scratch: *mut u8, units: i64) -> bool {
    // SAFETY: the fuel is in the first `HEAD` bytes of scratch, aligned, and `fill` has written it. No other thread uses the
    // scratch.
    unsafe {
        let fuel = scratch.add(FUEL).cast::<i64>();
        fuel.write(fuel.read() - units);
        let empty = fuel.read() < 0;
        if empty {
            fill(scratch);
        }
        empty
    }
}

/// Decodes the kind of access passed by native code.
fn access(kind: u64) -> Access {
    match kind {
        Kind::READ => Access::Read,
        Kind::WRITE => Access::Write,
        _ => Access::Atomic {
            acquire: kind & Kind::ACQUIRE != 0,
            release: kind & Kind::RELEASE != 0,
            writes: kind & Kind::WRITES != 0,
        },
    }
}

/// [`Context::check`] with all checks on.
extern "C" fn check_all(
    context: *const Context<'_>,
    program: u64,
    site: u64,
    address: u64,
    bytes: u64,
    kind: u64,
    mask: u64,
) -> u64 {
    if mask == 0 {
        return 0;
    }
    let found = {
        // SAFETY: native code passes the context that its launch gave it, which outlives the launch; the checker is behind a lock.
        let checker = unsafe { &(*context).checker };
        let mut checker = checker.lock().unwrap_or_else(PoisonError::into_inner);
        checker.as_mut().map_or(Ok(()), |c| {
            // SAFETY: native code calls this before it performs the access.
            unsafe { c.access(site, address, bytes as usize, access(kind)) }
        })
    };
    let Err(fault) = found else { return 0 };
    note(context, ProgramFault { program, site, value: 0, access: Some(fault.to_string()) });
    1
}

/// [`Context::check`] with bounds checks.
extern "C" fn check_bounds(
    context: *const Context<'_>,
    program: u64,
    site: u64,
    address: u64,
    bytes: u64,
    kind: u64,
    _mask: u64,
) -> u64 {
    // SAFETY: native code passes the context that its launch gave it, which outlives the launch.
    let (launch, sites) = unsafe { (&(*context).launch, (*context).sites) };
    let anywhere = Origin { params: vec![], open: true };
    let origin = sites.get(site as usize).map_or(&anywhere, |s| &s.origin);
    let (access, bytes) = (access(kind), bytes as usize);
    let Err(fault) = Extents::new(launch).access(origin, address, bytes, access) else { return 0 };
    note(context, ProgramFault { program, site, value: 0, access: Some(fault.to_string()) });
    1
}

impl Native {
    fn scratch(&self) -> Scratch<u8> {
        let mut scratch = Scratch::take(self.header.emitted.scratch.max(HEAD));
        // SAFETY: the scratch is this thread's, and has that many bytes.
        unsafe { fill(scratch.as_mut_ptr()) };
        scratch
    }

    /// Runs programs one after another; returns whether none had a fault.
    fn run(
        &self,
        context: &Context<'_>,
        args: &[u64],
        programs: Range<usize>,
        scratch: &mut Scratch<u8>,
    ) -> bool {
        let (args, scratch) = (args.as_ptr(), scratch.as_mut_ptr());
        let (first, count) = (programs.start as u64, programs.len() as u64);
        // SAFETY: the code was generated for this machine and these parameters; as documented, the launching program is
        // responsible for what its pointers point to.
        let status = unsafe {
            (self.code.entry(self.header.emitted.entry))(context, args, first, count, scratch)
        };
        status == 0
    }

    /// Checks that the kernel's accesses are confined to the memory of a bounded launch.
    fn suits(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError> {
        let kernel = || self.header.name.clone();
        if self.header.checks == Checks::None {
            return Err(LaunchError::Unchecked { kernel: kernel() });
        }
        for (index, ty) in self.header.params.iter().enumerate() {
            let is_memory = launch.extents().iter().any(|e| e.param == index);
            let reason = match ty {
                Type::Pointer(_) if is_memory => continue,
                Type::Pointer(_) => "needs memory",
                Type::Descriptor(_) => "is a descriptor, which is an address",
                _ if !is_memory => continue,
                _ => "is a number, not memory",
            };
            return Err(LaunchError::Argument { kernel: kernel(), index, reason: reason.into() });
        }
        Ok(())
    }

    fn error(&self, fault: ProgramFault, grid: [u32; 3]) -> LaunchError {
        let [x, y] = [grid[0], grid[1]].map(|n| u64::from(n.max(1)));
        let id = [fault.program % x, fault.program / x % y, fault.program / x / y];
        let site = self.header.emitted.sites.get(fault.site as usize).cloned().unwrap_or_default();
        let at = ProgramPoint { program: id.map(|i| i as u32), loc: site.loc };
        let signed = i128::from(fault.value as i64);
        match site.condition {
            Condition::Access => {
                LaunchError::Access { at, access: fault.access.unwrap_or_default() }
            }
            Condition::Assert(message) => LaunchError::Assert { at, message },
            Condition::Assume => LaunchError::Assume { at },
            Condition::Step => LaunchError::Step { at, step: signed },
            Condition::Index(length) => LaunchError::Index { at, index: signed, length },
            Condition::Wait => LaunchError::Wait { at, expected: fault.value },
        }
    }
}

impl Kernel for Native {
    fn name(&self) -> &str {
        &self.header.name
    }

    fn params(&self) -> &[Type] {
        &self.header.params
    }

    fn written(&self) -> Option<&[bool]> {
        Some(&self.header.written)
    }

    fn temporary_bytes(&self, programs: usize) -> usize {
        let threads = self.threads.count().min(programs);
        self.header.emitted.scratch.saturating_mul(threads)
    }

    fn launch(&self, launch: &KernelLaunch<'_>) -> Result<(), LaunchError> {
        let (expected, actual) = (self.header.params.len(), launch.args().len());
        if expected != actual {
            let kernel = self.header.name.clone();
            return Err(LaunchError::Arguments { kernel, expected, actual });
        }
        if launch.is_bounded() {
            self.suits(launch)?;
        }
        if self.header.emitted.scratch > MOST_SCRATCH {
            let (kernel, bytes) = (self.header.name.clone(), self.header.emitted.scratch);
            return Err(LaunchError::Memory { kernel, bytes });
        }
        let grid = launch.grid();
        let programs = grid.iter().map(|&n| n as usize).try_fold(1usize, usize::checked_mul);
        let programs = match programs {
            Some(0) => return Ok(()),
            Some(n) => n,
            None => {
                let kernel = self.header.name.clone();
                return Err(LaunchError::Grid { kernel, grid });
            }
        };
        let sites = &self.header.emitted.sites;
        let bounds = match self.header.checks {
            Checks::Bounds => check::bounds(launch),
            Checks::None | Checks::All => vec![],
        };
        let all = self.header.checks == Checks::All;
        let context = Context {
            table: routine::table(self.isa).as_ptr(),
            code: self.code.bytes().as_ptr(),
            grid,
            fail,
            refuel,
            check: if all { check_all } else { check_bounds },
            bounds: bounds.as_ptr(),
            stop: Stop::new(),
            fault: Mutex::new(None),
            checker: Mutex::new(all.then(|| Checker::new(launch, sites))),
            launch: *launch,
            sites,
        };
        // The first program that failed: those before it still run, so that the same one is reported every time.
        let failed = AtomicUsize::new(usize::MAX);
        let work = self.header.emitted.work.max(1);
        let most = (FULL / work).max(1) as usize;
        let run = |mut programs: Range<usize>, scratch: &mut Scratch<u8>| {
            let first = programs.start;
            while !programs.is_empty() && first <= failed.load(Ordering::Relaxed) {
                let now = programs.start..programs.end.min(programs.start + most);
                // SAFETY: the scratch is this thread's.
                let empty = unsafe { spend(scratch.as_mut_ptr(), now.len() as i64 * work) };
                if context.stop.has_stopped() || empty && context.stop.is_asked(launch) {
                    return;
                }
                programs.start = now.end;
                if !self.run(&context, launch.args(), now, scratch) {
                    failed.fetch_min(first, Ordering::Relaxed);
                }
            }
        };
        if all {
            let mut scratch = self.scratch();
            for program in 0..programs {
                if let Some(c) =
                    &mut *context.checker.lock().unwrap_or_else(PoisonError::into_inner)
                {
                    c.begin(program as u32);
                }
                run(program..program + 1, &mut scratch);
                if failed.load(Ordering::Relaxed) <= program || context.stop.has_stopped() {
                    break;
                }
            }
        } else {
            let work = |pieces: &mut dyn Iterator<Item = Range<usize>>| {
                // A thread that arrives late and finds no work needs no memory.
                let mut scratch = None;
                pieces.for_each(|p| run(p, scratch.get_or_insert_with(|| self.scratch())));
            };
            // No other thread polls the watch.
            let idle = || _ = context.stop.is_asked(launch);
            self.cost.spread(&self.threads, programs, &work, &idle);
        }
        let stopped = context.stop.has_stopped();
        let fault = context.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        match fault {
            Some(fault) => Err(self.error(fault, grid)),
            None if stopped => Err(LaunchError::Stopped { kernel: self.header.name.clone() }),
            None => Ok(()),
        }
    }

    fn listings(&self) -> &'static [Listing] {
        target::LISTINGS
    }

    fn listing(&self, name: &str) -> Option<String> {
        let listing = target::LISTINGS.iter().find(|listing| listing.name == name)?;
        let module = self.module.as_ref()?;
        let compiled =
            target::compile(module, self.isa, self.header.checks, Some(*listing)).ok()?;
        compiled.listing
    }

    fn image(&self) -> Option<KernelImage> {
        let bytes = image::write(&self.header, self.isa, self.code.bytes());
        // SAFETY: a kernel holds code that this device compiled, or loaded from another such image.
        Some(unsafe { KernelImage::new(bytes) })
    }
}
