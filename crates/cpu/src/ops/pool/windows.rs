//! Pooling over sliding windows and over whole planes.

use crate::dispatch;
use crate::kernel::Call;
use crate::real::{Real, in_real, produce, read};
use trident_ir::geometry::{window_sizes, windows};
use trident_ir::{DType, Element};
use trident_kernels::pooling::{
    PoolElement, PoolFloat, PoolSpec, average_pool, global_average as planes_average,
    global_max as planes_max, lp_pool, max_pool, max_pool_with_indices,
};
use trident_runtime::{KernelError, Tensor};
use trident_simd::Isa;

/// A pooling op's geometry: windows, number of planes, spatial sizes and result dimensions.
struct Pooling {
    spec: PoolSpec,
    planes: usize,
    image: Vec<usize>,
    dims: Vec<usize>,
}

impl Pooling {
    /// Of an op with `kernel_shape`.
    fn sliding(call: &Call<'_, '_>, x: &Tensor) -> Result<Pooling, KernelError> {
        let op = call.op;
        let image = spatial(x)?;
        let kernel = op.ints("kernel_shape").unwrap_or(&[]);
        let kernel = window_sizes("kernel_shape", kernel, image.len())?;
        let windows = windows(
            &image,
            &kernel,
            op.ints("strides"),
            op.ints("dilations"),
            op.ints("pads"),
            op.str("auto_pad").unwrap_or("NOTSET"),
            op.flag("ceil_mode"),
        )?;
        let each = |f: fn(&trident_ir::geometry::Window) -> usize| windows.iter().map(f).collect();
        let spec = PoolSpec {
            kernel: each(|w| w.kernel),
            strides: each(|w| w.stride),
            dilations: each(|w| w.dilation),
            pads_begin: each(|w| w.before),
            pads_end: each(|w| w.after),
        };
        Ok(Pooling::new(x, image, spec, windows.iter().map(|w| w.out)))
    }

    /// Of one window over the whole plane.
    fn whole(x: &Tensor) -> Result<Pooling, KernelError> {
        let image = spatial(x)?;
        let n = image.len();
        let spec = PoolSpec {
            kernel: image.iter().map(|&d| d.max(1)).collect(),
            strides: vec![1; n],
            dilations: vec![1; n],
            pads_begin: vec![0; n],
            pads_end: vec![0; n],
        };
        Ok(Pooling::new(x, image, spec, std::iter::repeat_n(1, n)))
    }

    fn new(
        x: &Tensor,
        image: Vec<usize>,
        spec: PoolSpec,
        out: impl Iterator<Item = usize>,
    ) -> Pooling {
        let lead = &x.dims()[..2];
        let dims = lead.iter().copied().chain(out).collect();
        Pooling { spec, planes: lead.iter().product(), image, dims }
    }

    /// Whether the only window is the whole plane.
    fn is_whole(&self) -> bool {
        let spec = &self.spec;
        let no_border = spec.pads_begin.iter().chain(&spec.pads_end).all(|&p| p == 0);
        no_border && spec.kernel == self.image && spec.dilations.iter().all(|&d| d == 1)
    }

    fn out(&self) -> &[usize] {
        &self.dims[2..]
    }
}

fn spatial(x: &Tensor) -> Result<Vec<usize>, KernelError> {
    match x.dims() {
        [_, _, spatial @ ..] => Ok(spatial.to_vec()),
        other => Err(KernelError::shape(format!("{other:?} has no batch and channel axis"))),
    }
}

/// MaxPool.
pub(super) fn max(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    dispatch!(x.dtype(), numbers as T => max_of::<T>(call, &x),
        else => Err(KernelError::Unsupported(x.dtype())))
}

fn max_of<T: Element + PoolElement>(
    call: &mut Call<'_, '_>,
    x: &Tensor,
) -> Result<(), KernelError> {
    let p = Pooling::sliding(call, x)?;
    let mut out = call.alloc(0, T::DTYPE, &p.dims)?;
    let (threads, data) = (call.threads, x.slice::<T>()?);
    if call.wants(1) {
        let mut indices = call.alloc(1, DType::I64, &p.dims)?;
        max_pool_with_indices(
            threads,
            &p.spec,
            p.planes,
            &p.image,
            p.out(),
            call.op.int("storage_order") != Some(1),
            data,
            out.slice_mut::<T>()?,
            indices.slice_mut::<i64>()?,
        );
        call.set(1, indices);
    } else {
        let y = out.slice_mut::<T>()?;
        max_pool(threads, Isa::detect(), &p.spec, p.planes, &p.image, p.out(), data, y);
    }
    call.set(0, out);
    Ok(())
}

/// AveragePool.
pub(super) fn average(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let p = Pooling::sliding(call, &x)?;
    if p.is_whole() {
        return average_of_planes(call, &x, &p);
    }
    let count_pads = call.op.flag("count_include_pad");
    in_real!(x.dtype(), R => average_of::<R>(call, &x, &p, count_pads))
}

/// GlobalAveragePool.
pub(super) fn global_average(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let p = Pooling::whole(&x)?;
    average_of_planes(call, &x, &p)
}

fn average_of_planes(call: &mut Call<'_, '_>, x: &Tensor, p: &Pooling) -> Result<(), KernelError> {
    if x.dtype() == DType::F64 || p.image.contains(&0) {
        return in_real!(x.dtype(), R => average_of::<R>(call, x, p, false));
    }
    let threads = call.threads;
    let data = read::<f32>(x)?;
    produce::<f32>(call, 0, x.dtype(), &p.dims, |y| {
        planes_average(threads, Isa::detect(), &data, y);
        Ok(())
    })
}

fn average_of<R: Real + PoolFloat>(
    call: &mut Call<'_, '_>,
    x: &Tensor,
    p: &Pooling,
    count_pads: bool,
) -> Result<(), KernelError> {
    let (threads, data) = (call.threads, read::<R>(x)?);
    produce::<R>(call, 0, x.dtype(), &p.dims, |y| {
        let isa = Isa::detect();
        average_pool(threads, isa, &p.spec, count_pads, p.planes, &p.image, p.out(), &data, y);
        Ok(())
    })
}

/// GlobalMaxPool.
pub(super) fn global_max(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let p = Pooling::whole(&x)?;
    dispatch!(x.dtype(), numbers as T => {
        let mut out = call.alloc(0, T::DTYPE, &p.dims)?;
        planes_max(call.threads, x.slice::<T>()?, out.slice_mut::<T>()?);
        call.set(0, out);
        Ok(())
    }, else => Err(KernelError::Unsupported(x.dtype())))
}

/// LpPool.
pub(super) fn lp(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let p = Pooling::sliding(call, &x)?;
    in_real!(x.dtype(), R => lp_of::<R>(call, &x, &p))
}

/// GlobalLpPool.
pub(super) fn global_lp(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let p = Pooling::whole(&x)?;
    in_real!(x.dtype(), R => lp_of::<R>(call, &x, &p))
}

fn lp_of<R: Real + PoolFloat>(
    call: &mut Call<'_, '_>,
    x: &Tensor,
    p: &Pooling,
) -> Result<(), KernelError> {
    let power = call.op.int("p").unwrap_or(2);
    let power = i32::try_from(power).ok().filter(|&p| p > 0);
    let power = power.ok_or_else(|| KernelError::attr("p", "is not positive"))?;
    let (threads, data) = (call.threads, read::<R>(x)?);
    produce::<R>(call, 0, x.dtype(), &p.dims, |y| {
        lp_pool(threads, &p.spec, power, p.planes, &p.image, p.out(), &data, y);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_on, tensor};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn maximum_and_its_place() {
        let x = tensor(&[1, 1, 2, 3], &[1.0f32, 5.0, 2.0, 4.0, 3.0, 6.0]);
        let attrs = [("kernel_shape", Attr::Ints(vec![2, 2]))];
        let y = run_on(1, OpKind::MaxPool, &attrs, vec![Some(x)], 2).unwrap();
        assert_eq!(elements::<f32>(&y[0]), [5.0, 6.0]);
        assert_eq!(elements::<i64>(&y[1]), [1, 5]);
    }

    #[test]
    fn averages_with_and_without_the_border() {
        let x = || tensor(&[1, 1, 2], &[2.0f32, 4.0]);
        let attrs = |pad| {
            [
                ("kernel_shape", Attr::Ints(vec![2])),
                ("pads", Attr::Ints(vec![1, 0])),
                ("count_include_pad", Attr::Int(pad)),
            ]
        };
        let y = run(OpKind::AveragePool, &attrs(0), vec![x()]).unwrap();
        assert_eq!(elements::<f32>(&y), [2.0, 3.0]);
        let y = run(OpKind::AveragePool, &attrs(1), vec![x()]).unwrap();
        assert_eq!(elements::<f32>(&y), [1.0, 3.0]);
    }

    #[test]
    fn whole_planes() {
        let x = || tensor(&[1, 2, 2], &[3.0f64, 4.0, 0.0, -2.0]);
        let y = run(OpKind::GlobalLpPool, &[], vec![x()]).unwrap();
        assert_eq!(elements::<f64>(&y), [5.0, 2.0]);
        let y = run(OpKind::GlobalAveragePool, &[], vec![x()]).unwrap();
        assert_eq!(elements::<f64>(&y), [3.5, -1.0]);
        let y = run(OpKind::GlobalMaxPool, &[], vec![x()]).unwrap();
        assert_eq!(elements::<f64>(&y), [4.0, 0.0]);
        assert!(run(OpKind::GlobalMaxPool, &[], vec![tensor(&[2], &[0.0f32; 2])]).is_err());
    }
}
