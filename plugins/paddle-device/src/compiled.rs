//! Compiled functions of kernels, and their cache.
//!
//! A function is selected by the kernel, the element types and ranks of its tensors, and the values of its attributes. Its sizes
//! are open, unless the kernel's row needs to know them: then each combination of sizes has a function of its own. A thread finds
//! functions that it has used in a table of its own, without a lock.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use trident_engine::{Options, Session};
use trident_ir::DType;
use trident_paddle::{KernelArgument, KernelResult, kernel, kernel_results};

use crate::argument::{Argument, Operand};
use crate::device::PaddleDevice;
use crate::element::Element;
use crate::failure::Failure;
use crate::kernel::Kernel;

/// The most functions that are kept.
const MOST: usize = 2_048;

/// The places of a thread's table, a power of two.
const PLACES: usize = 256;

/// A call as far as it selects a function.
pub(crate) struct Call<'a> {
    /// The kernel.
    pub(crate) kernel: &'static Kernel,
    /// The number of the device in Paddle, and the device.
    pub(crate) device: (usize, &'static PaddleDevice),
    /// Inputs and attributes by the names that the row gives them, in the order of the kernel.
    pub(crate) arguments: &'a [(&'static str, Argument<'a>)],
    /// Results: tensors with element types, in the order of the kernel.
    pub(crate) results: &'a [Argument<'a>],
}

impl Call<'_> {
    /// Whether sizes of results that the function gives are not known before it has run.
    pub(crate) fn finds_sizes(&self, function: &Function) -> bool {
        let given = self.results.iter().flat_map(Argument::operands).take(function.results.len());
        any_open(given)
    }
}

fn any_open<'o>(mut results: impl Iterator<Item = &'o Operand>) -> bool {
    results.any(|operand| operand.dims.sizes().is_none())
}

/// A compiled function.
pub(crate) struct Function {
    session: Session,
    results: Box<[Option<Element>]>,
}

impl Function {
    /// The session that runs it.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The element types of the tensors that it gives, where they are known. The kernel's results after them are for training: they
    /// get no memory.
    pub(crate) fn results(&self) -> impl Iterator<Item = Option<Element>> {
        self.results.iter().copied()
    }
}

/// The cache's entry of a key.
#[derive(Clone)]
enum Cached {
    /// A function.
    Function(Arc<Function>),
    /// The kernel does not support these types, attributes or sizes.
    Refused(Arc<Failure>),
    /// The kernel needs to know the sizes: the function has another key, which includes them.
    BySizes,
}

#[derive(Default)]
struct Shared {
    functions: HashMap<Box<[u8]>, Cached>,
    /// Keys from the oldest to the newest.
    order: VecDeque<Box<[u8]>>,
}

impl Shared {
    fn insert(&mut self, key: &[u8], cached: Cached) {
        if self.functions.insert(key.into(), cached).is_none() {
            self.order.push_back(key.into());
        }
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.functions.remove(&oldest);
            }
        }
    }
}

static SHARED: LazyLock<Mutex<Shared>> = LazyLock::new(Mutex::default);

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A key, and what the cache has for it; nothing at first.
type Place = Option<(Box<[u8]>, Cached)>;

/// The functions that a thread has used last, each at the place of its key's hash.
struct Recent {
    key: Vec<u8>,
    places: Vec<Place>,
}

thread_local! {
    static RECENT: RefCell<Recent> =
        const { RefCell::new(Recent { key: Vec::new(), places: Vec::new() }) };
}

/// The function of a call.
///
/// # Errors
/// If the kernel does not support the types or attributes of the call.
pub(crate) fn function(call: &Call<'_>) -> Result<Arc<Function>, Failure> {
    RECENT.with(|recent| {
        let Recent { key, places } = &mut *recent.borrow_mut();
        if places.len() < PLACES {
            places.resize_with(PLACES, || None);
        }
        key.clear();
        write_key(call, key);
        let found = match cached(call, false, key, places)? {
            Cached::BySizes => {
                write_sizes(call, key);
                cached(call, true, key, places)?
            }
            found => found,
        };
        match found {
            Cached::Function(function) => Ok(function),
            Cached::Refused(failure) => Err((*failure).clone()),
            Cached::BySizes => Err(Failure::fatal("a function that is never compiled")),
        }
    })
}

fn write_key(call: &Call<'_>, key: &mut Vec<u8>) {
    key.extend((std::ptr::from_ref(call.kernel).addr() as u64).to_le_bytes());
    key.extend((call.device.0 as u64).to_le_bytes());
    for argument in call.arguments.iter().map(|(_, argument)| argument).chain(call.results) {
        argument.write_key(key);
    }
}

fn write_sizes(call: &Call<'_>, key: &mut Vec<u8>) {
    for operand in call.arguments.iter().flat_map(|(_, argument)| argument.operands()) {
        operand.dims.as_slice().iter().for_each(|dim| key.extend(dim.to_le_bytes()));
    }
}

/// The place of a key in a thread's table: a hash by the method of rustc's tables, of words of the key.
fn place(key: &[u8]) -> usize {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let (words, rest) = key.as_chunks::<8>();
    let last = rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain([last]);
    let hash = words.fold(0u64, |hash, word| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR));
    (hash >> (64 - PLACES.ilog2())) as usize
}

/// The cached function of a key, which is compiled if there is none.
fn cached(
    call: &Call<'_>,
    with_sizes: bool,
    key: &[u8],
    places: &mut [Place],
) -> Result<Cached, Failure> {
    let place = &mut places[place(key)];
    if let Some((own, cached)) = place
        && **own == *key
    {
        return Ok(cached.clone());
    }
    let known = shared().functions.get(key).cloned();
    let cached = match known {
        Some(cached) => cached,
        None => {
            let made = match compile(call, with_sizes) {
                Ok(function) => Cached::Function(Arc::new(function)),
                // The failure is that of the function with sizes, if there is one.
                Err(_) if !with_sizes => Cached::BySizes,
                // Other failures, such as too little memory, may be gone the next time.
                Err(failure) if failure.is_refusal() => Cached::Refused(Arc::new(failure)),
                Err(failure) => return Err(failure),
            };
            shared().insert(key, made.clone());
            made
        }
    };
    *place = Some((key.into(), cached.clone()));
    Ok(cached)
}

fn compile(call: &Call<'_>, with_sizes: bool) -> Result<Function, Failure> {
    let unknown =
        |element| Failure::unimplemented(format!("elements of type {element} are not supported"));
    let mut arguments = vec![];
    for (name, argument) in call.arguments {
        if let Some(described) = argument.described(with_sizes).map_err(unknown)? {
            arguments.push((*name, described));
        }
    }
    let (mut results, mut count) = (vec![], 0);
    let given = call.results.iter().take(kernel_results(call.kernel.row));
    let is_open = any_open(given.clone().flat_map(Argument::operands));
    for result in given {
        count += result.operands().len();
        results.push(match result.described(false).map_err(unknown)? {
            // Nobody reads it.
            None if is_open => {
                count += 1;
                KernelResult::Tensor(DType::I64)
            }
            Some(KernelArgument::Tensor(tensor)) => KernelResult::Tensor(tensor.dtype),
            Some(KernelArgument::Tensors(tensors)) => {
                KernelResult::Tensors(tensors.iter().map(|tensor| tensor.dtype).collect())
            }
            _ => return Err(Failure::unimplemented("a call without all of its results")),
        });
    }
    let module = kernel(call.kernel.row, &arguments, &results)?;
    let PaddleDevice { device, folder, .. } = call.device.1;
    let options = Options {
        name: Some(format!("paddle.{}", call.kernel.name)),
        folder: Some(folder.clone()),
        ..Options::default()
    };
    let session = Session::new(module, std::slice::from_ref(device), &options)?;
    let outputs = session.signature().outputs.iter().take(count);
    let element = |dtype: DType| Element::named(dtype.name());
    let results = outputs.map(|output| output.ty.dtype().and_then(element)).collect();
    Ok(Function { session, results })
}

/// Drops all functions that no call is using, but for those that threads have used last. Returns their number.
pub(crate) fn forget() -> usize {
    let dropped = std::mem::take(&mut *shared());
    RECENT.with(|recent| recent.borrow_mut().places.clear());
    dropped.order.len()
}
