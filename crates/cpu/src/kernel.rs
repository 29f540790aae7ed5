//! Kernels: how they are made, and the calls that they answer.

use crate::tile::Functions;
use std::sync::Arc;
use trident_ir::{DType, Element, Op, OpKind, counted};
use trident_kernels::threads::Threads;
use trident_runtime::{
    Declined, ForkMutex, KernelError, Launch, Pool, Tensor, TensorView, TensorViewMut, Unit, Value,
};

/// An op made ready to run: attributes read, constant operands packed.
pub(crate) trait CpuKernel: Send + Sync {
    /// Name for reports: `conv.gemm.avx512`.
    fn name(&self) -> &str;

    /// Operands (by place) whose constant contents the kernel has packed and does not need at run time.
    fn packed(&self) -> &[usize] {
        &[]
    }

    /// Bytes of packed operands and of everything else that the kernel has made from the model outside of the unit's
    /// pool.
    fn packed_bytes(&self) -> usize {
        0
    }

    /// Computes the results of one call.
    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError>;

    /// Computes the results of a short call, see
    /// [`Executable::direct`](trident_runtime::Executable::direct).
    fn direct(
        &self,
        inputs: &[TensorView<'_>],
        outputs: &mut [TensorViewMut<'_>],
        threads: &Threads,
    ) -> bool {
        let _ = (inputs, outputs, threads);
        false
    }
}

/// The facts by which a kernel is chosen: the op, its operand types, constants.
pub(crate) struct Compile<'a> {
    /// The op.
    pub(crate) op: &'a Op,
    /// The unit around it.
    pub(crate) unit: &'a Unit<'a>,
    /// The device's threads.
    pub(crate) threads: &'a Arc<Threads>,
    /// The device's tile functions.
    pub(crate) functions: &'a Arc<Functions>,
}

impl<'a> Compile<'a> {
    /// The typed view of the op, by its `of`: `cx.view(Conv::of)?`.
    pub(crate) fn view<V>(&self, of: fn(&'a Op) -> Option<V>) -> Result<V, Declined> {
        of(self.op).ok_or_else(|| self.declined("its inputs or attributes do not fit it"))
    }

    /// The element type of operand `i`, if it is a tensor.
    pub(crate) fn dtype(&self, i: usize) -> Option<DType> {
        self.unit.dtype(self.op.input(i)?)
    }

    /// Operand `i` if it is constant.
    pub(crate) fn constant(&self, i: usize) -> Option<Tensor> {
        (self.unit.constant)(self.op.input(i)?)
    }

    /// The dimensions of operand `i` as far as all are known.
    pub(crate) fn dims(&self, i: usize) -> Option<Vec<usize>> {
        self.unit.func.ty(self.op.input(i)?).dims()
    }

    /// The element type of operand `i`, which must be a tensor.
    pub(crate) fn element(&self, i: usize) -> Result<DType, Declined> {
        self.dtype(i)
            .ok_or_else(|| self.declined(format!("{} is not a tensor", self.operand_name(i))))
    }

    /// A refusal of the op for the error that every run of it would end with.
    pub(crate) fn refused(&self, error: KernelError) -> Declined {
        self.declined(error.with_names(|i| self.operand_name(i)))
    }

    /// The name of operand `i` in errors: the tensor's, or the op's own where the operand is absent.
    fn operand_name(&self, i: usize) -> String {
        if let Some(value) = self.op.input(i) {
            return format!("`{}`", self.unit.func.info(value).name);
        }
        let declared = self.op.kind.decl().operand(i);
        declared.map_or_else(|| format!("input {i}"), |operand| format!("input `{}`", operand.name))
    }

    /// A refusal of the op.
    pub(crate) fn declined(&self, reason: impl Into<String>) -> Declined {
        Declined::op(self.op, reason)
    }
}

/// The kernel of one kind of op.
pub(crate) struct Entry {
    /// The op that it computes.
    pub(crate) kind: OpKind,
    /// Makes the kernel of an op of this kind.
    pub(crate) make: Make,
}

/// A kernel, or why there is none.
pub(crate) type Made = Result<Box<dyn CpuKernel>, Declined>;

/// Makes the kernel of an op: reads its attributes, chooses by element types, packs constant operands.
pub(crate) type Make = fn(&Compile<'_>) -> Made;

/// An entry of a family's list.
pub(crate) const fn entry(kind: OpKind, make: Make) -> Entry {
    Entry { kind, make }
}

/// A kernel that is a function, which holds the values that it has read from the op.
pub(crate) struct Prepared<F> {
    name: &'static str,
    bytes: usize,
    run: F,
}

impl<F> Prepared<F>
where
    F: Fn(&mut Call<'_, '_>) -> Result<(), KernelError> + Send + Sync + 'static,
{
    /// A kernel of the op's name that runs `run`.
    pub(crate) fn boxed(cx: &Compile<'_>, run: F) -> Made {
        Prepared::holding(cx, 0, run)
    }

    /// A kernel of the op's name that runs `run`, which holds `bytes` of memory outside of the unit's pool.
    pub(crate) fn holding(cx: &Compile<'_>, bytes: usize, run: F) -> Made {
        Ok(Box::new(Prepared { name: cx.op.decl().name, bytes, run }))
    }
}

impl<F> CpuKernel for Prepared<F>
where
    F: Fn(&mut Call<'_, '_>) -> Result<(), KernelError> + Send + Sync,
{
    fn name(&self) -> &str {
        self.name
    }

    fn packed_bytes(&self) -> usize {
        self.bytes
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        (self.run)(call)
    }
}

/// A kernel's preparation for operands of certain dimensions, kept for the last ones.
pub(crate) struct Last<T>(ForkMutex<Option<(Vec<usize>, Arc<T>)>>);

impl<T> Default for Last<T> {
    fn default() -> Last<T> {
        Last(ForkMutex::new(|| None))
    }
}

impl<T> Last<T> {
    /// The preparation for these dimensions, a list for each operand: the last one if it fits, or else a new one.
    pub(crate) fn of<E>(
        &self,
        dims: &[&[usize]],
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        // The ranks keep [2, 3] and [4] from looking like [2] and [3, 4].
        let key = || dims.iter().flat_map(|d| [d.len()].into_iter().chain(d.iter().copied()));
        if let Some((known, made)) = &*self.0.lock()
            && known.iter().copied().eq(key())
        {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(make()?);
        *self.0.lock() = Some((key().collect(), Arc::clone(&made)));
        Ok(made)
    }
}

/// One run of a kernel: operands in, results out.
pub(crate) struct Call<'a, 'l> {
    /// The device's threads.
    pub(crate) threads: &'a Threads,
    launch: &'a mut Launch<'l>,
    /// For each result, whether it is in use.
    wanted: &'a [bool],
    outputs: Vec<Option<Value>>,
}

impl<'a, 'l> Call<'a, 'l> {
    /// A call with operands and memory from `launch`. `wanted` says for each result whether it is in use.
    pub(crate) fn new(
        wanted: &'a [bool],
        launch: &'a mut Launch<'l>,
        threads: &'a Threads,
    ) -> Call<'a, 'l> {
        Call { threads, launch, wanted, outputs: vec![None; wanted.len()] }
    }

    /// The results set so far.
    pub(crate) fn finish(self) -> Vec<Option<Value>> {
        self.outputs
    }

    /// Number of operands, absent ones included.
    pub(crate) fn inputs(&self) -> usize {
        self.launch.inputs.len()
    }

    /// Operand `i`, `None` if absent.
    pub(crate) fn value(&self, i: usize) -> Option<&Value> {
        self.launch.inputs.get(i)?.as_ref()
    }

    /// Operand `i` as a tensor, `None` if absent.
    pub(crate) fn opt(&self, i: usize) -> Result<Option<Tensor>, KernelError> {
        match self.value(i) {
            None => Ok(None),
            Some(Value::Tensor(t)) => Ok(Some(t.clone())),
            Some(other) => {
                let actual = other.describe();
                Err(KernelError::Kind { index: i, actual, expected: "a tensor" })
            }
        }
    }

    /// Operand `i` as a tensor.
    pub(crate) fn tensor(&self, i: usize) -> Result<Tensor, KernelError> {
        self.opt(i)?.ok_or(KernelError::Missing(i))
    }

    /// Takes operand `i` out of the call. Unless others share it, it can be written without a copy.
    pub(crate) fn take(&mut self, i: usize) -> Result<Tensor, KernelError> {
        let tensor = self.tensor(i)?;
        self.launch.inputs[i] = None;
        Ok(tensor)
    }

    /// Takes operand `i` if its memory may hold a result of this type and shape: it is not shared.
    pub(crate) fn reuse(&mut self, i: usize, dtype: DType, dims: &[usize]) -> Option<Tensor> {
        let slot = self.launch.inputs.get_mut(i)?;
        match slot {
            Some(Value::Tensor(t)) if t.dtype() == dtype && t.dims() == dims && t.is_unique() => {
                match slot.take() {
                    Some(Value::Tensor(t)) => Some(t),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Takes operand `i` if it is lent, so that parts of it can be replaced ([`Tensor::patch`]).
    pub(crate) fn take_lent(&mut self, i: usize) -> Option<Tensor> {
        let slot = self.launch.inputs.get_mut(i)?;
        match slot.take_if(|value| value.as_tensor().is_some_and(Tensor::is_lent))? {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// A result of these dimensions that begins with the elements of operand `i`, in place or moved to larger memory.
    /// `fill` writes the bytes of the other elements. `None` unless the operand is lent ([`Tensor::extended`]).
    pub(crate) fn extend(
        &mut self,
        i: usize,
        dims: &[usize],
        fill: impl FnOnce(&mut [u8]),
    ) -> Result<Option<Tensor>, KernelError> {
        let lent = self.take_lent(i);
        lent.map(|tensor| tensor.extended(self.launch.pool, dims, fill)).transpose()
    }

    /// Operand `i` as integers of any width; `None` if absent.
    pub(crate) fn ints(&self, i: usize) -> Result<Option<Vec<i64>>, KernelError> {
        self.opt(i)?.map(|t| t.to_i64s()).transpose()
    }

    /// Operand `i` as integers of any width.
    pub(crate) fn required_ints(&self, i: usize) -> Result<Vec<i64>, KernelError> {
        self.ints(i)?.ok_or(KernelError::Missing(i))
    }

    /// Operand `i` as one number of type `T`; `None` if absent.
    pub(crate) fn scalar<T: Element>(&self, i: usize) -> Result<Option<T>, KernelError> {
        let Some(t) = self.opt(i)? else { return Ok(None) };
        match t.slice::<T>()? {
            [v] => Ok(Some(*v)),
            other => {
                let given = counted(other.len(), "element");
                Err(KernelError::operand(i, format!("has {given}, expected one")))
            }
        }
    }

    /// Whether result `i` is in use.
    pub(crate) fn wants(&self, i: usize) -> bool {
        self.wanted.get(i).is_some_and(|&wanted| wanted)
    }

    /// Memory for result `i`, with arbitrary contents.
    pub(crate) fn alloc(
        &mut self,
        i: usize,
        dtype: DType,
        dims: &[usize],
    ) -> Result<Tensor, KernelError> {
        (self.launch.alloc)(i, dtype, dims)
    }

    /// Memory for a temporary.
    pub(crate) fn temp(&self, dtype: DType, dims: &[usize]) -> Result<Tensor, KernelError> {
        Tensor::alloc(self.launch.pool, dtype, dims)
    }

    /// The pool for temporaries.
    pub(crate) fn pool(&self) -> &Pool {
        self.launch.pool
    }

    /// Sets result `i`.
    pub(crate) fn set(&mut self, i: usize, value: impl Into<Value>) {
        if let Some(slot) = self.outputs.get_mut(i) {
            *slot = Some(value.into());
        }
    }
}

/// Runs a block with `$T` bound to the Rust type of a dtype among those listed, e.g.
/// `dispatch!(dtype, [F32, F64] as T => f::<T>(x), else => Err(…))`. Lists: `floats`, `ints`, `numbers`, `all` (every type but strings).
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, floats as $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!($dtype, [F32, F64, F16, BF16] as $T => $body, else => $other)
    };
    ($dtype:expr, ints as $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!($dtype, [I64, I32, I16, I8, U64, U32, U16, U8] as $T => $body, else => $other)
    };
    ($dtype:expr, numbers as $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!($dtype, [F32, F64, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8] as $T => $body, else => $other)
    };
    ($dtype:expr, [$($d:ident),*] as $T:ident => $body:expr, else => $other:expr) => {
        match $dtype {
            $( trident_ir::DType::$d => { type $T = $crate::rust_type!($d); $body } )*
            #[allow(unreachable_patterns)]
            _ => $other,
        }
    };
}

/// The Rust type that stores an element type.
#[macro_export]
macro_rules! rust_type {
    (F64) => {
        f64
    };
    (F32) => {
        f32
    };
    (F16) => {
        half::f16
    };
    (BF16) => {
        half::bf16
    };
    (I64) => {
        i64
    };
    (I32) => {
        i32
    };
    (I16) => {
        i16
    };
    (I8) => {
        i8
    };
    (U64) => {
        u64
    };
    (U32) => {
        u32
    };
    (U16) => {
        u16
    };
    (U8) => {
        u8
    };
    (Bool) => {
        trident_ir::element::B8
    };
    ($other:ident) => {
        trident_ir::element::$other
    };
}

/// By element size, for kernels that only move elements: runs a block with `$T` bound to an unsigned integer (or pair)
/// of the same width; strings go to `else`.
#[macro_export]
macro_rules! dispatch_width {
    ($dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        match $dtype.size() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            16 => {
                type $T = [u64; 2];
                $body
            }
            _ => $other,
        }
    };
}
