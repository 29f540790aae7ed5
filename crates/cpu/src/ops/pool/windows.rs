//! Pooling over sliding windows and over whole planes.

use crate::dispatch;
use crate::kernel::{Call, Compile, Last, Made, Prepared};
use crate::ops::window::WindowSpec;
use crate::real::{Real, for_real, produce, read};
use trident_ir::geometry;
use trident_ir::ops::{
    AutoPadded, AveragePool, Dilated, GlobalAveragePool, GlobalLpPool, GlobalMaxPool, LpPool,
    MaxPool, Rounded, Window,
};
use trident_ir::{DType, Element};
use trident_kernels::pooling::{
    PoolElement, PoolFloat, PoolSpec, average_pool, global_average as planes_average,
    global_max as planes_max, lp_pool, max_pool, max_pool_with_indices,
};
use trident_runtime::{Declined, KernelError, Tensor};
use trident_simd::Isa;

/// Pooling of an image: windows, number of planes, spatial sizes and result dimensions.
struct Pooling {
    spec: PoolSpec,
    planes: usize,
    image: Vec<usize>,
    dims: Vec<usize>,
    /// Whether the only window is the whole plane.
    whole: bool,
}

impl Pooling {
    /// Of windows that slide.
    fn sliding(windows: &WindowSpec, x: &[usize]) -> Result<Pooling, KernelError> {
        let image = spatial(x)?;
        let windows = windows.over(&image)?;
        let each = |f: fn(&geometry::Window) -> usize| windows.iter().map(f).collect();
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
    fn whole(x: &[usize]) -> Result<Pooling, KernelError> {
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
        x: &[usize],
        image: Vec<usize>,
        spec: PoolSpec,
        out: impl Iterator<Item = usize>,
    ) -> Pooling {
        let lead = &x[..2];
        let dims = lead.iter().copied().chain(out).collect();
        let no_border = spec.pads_begin.iter().chain(&spec.pads_end).all(|&p| p == 0);
        let whole = no_border && spec.kernel == image && spec.dilations.iter().all(|&d| d == 1);
        Pooling { spec, planes: lead.iter().product(), image, dims, whole }
    }

    fn out(&self) -> &[usize] {
        &self.dims[2..]
    }
}

fn spatial(x: &[usize]) -> Result<Vec<usize>, KernelError> {
    match x {
        [_, _, spatial @ ..] => Ok(spatial.to_vec()),
        other => Err(KernelError::shape(format!(
            "an input of dimensions {other:?} has no batch and channel axis"
        ))),
    }
}

/// Sliding windows, laid over the last image.
struct Sliding {
    windows: WindowSpec,
    last: Last<Pooling>,
}

impl Sliding {
    fn new(w: Window<'_>, dilated: Dilated<'_>, pad: AutoPadded<'_>, ceil: Rounded<'_>) -> Sliding {
        let windows = WindowSpec::new(w, dilated, pad.auto_pad()).ceiling(ceil.ceil_mode());
        Sliding { windows, last: Last::default() }
    }

    fn over(&self, x: &Tensor) -> Result<std::sync::Arc<Pooling>, KernelError> {
        self.last.of(&[x.dims()], || Pooling::sliding(&self.windows, x.dims()))
    }
}

pub(super) fn max(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(MaxPool::of)?, MaxPool::AT);
    let sliding = Sliding::new(op.window(), op.dilated(), op.auto_padded(), op.rounded());
    let row_major = op.storage_order() != 1;
    let dtype = cx.element(at.x)?;
    dispatch!(dtype, numbers as T => Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        max_of::<T>(call, &x, &*sliding.over(&x)?, row_major)
    }), else => Err(cx.refused(KernelError::Unsupported(dtype))))
}

fn max_of<T: Element + PoolElement>(
    call: &mut Call<'_, '_>,
    x: &Tensor,
    p: &Pooling,
    row_major: bool,
) -> Result<(), KernelError> {
    let at = MaxPool::AT;
    let mut out = call.alloc(at.y, T::DTYPE, &p.dims)?;
    let (threads, data) = (call.threads, x.slice::<T>()?);
    if call.wants(at.indices) {
        let mut indices = call.alloc(at.indices, DType::I64, &p.dims)?;
        max_pool_with_indices(
            threads,
            &p.spec,
            p.planes,
            &p.image,
            p.out(),
            row_major,
            data,
            out.slice_mut::<T>()?,
            indices.slice_mut::<i64>()?,
        );
        call.set(at.indices, indices);
    } else {
        let y = out.slice_mut::<T>()?;
        max_pool(threads, Isa::detect(), &p.spec, p.planes, &p.image, p.out(), data, y);
    }
    call.set(at.y, out);
    Ok(())
}

pub(super) fn average(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(AveragePool::of)?, AveragePool::AT);
    let sliding = Sliding::new(op.window(), op.dilated(), op.auto_padded(), op.rounded());
    let count_pads = op.count_include_pad();
    for_real!(cx, at.x, R => Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let p = sliding.over(&x)?;
        if p.whole {
            return average_of_planes::<R>(call, &x, &p);
        }
        average_of::<R>(call, &x, &p, count_pads)
    }))
}

pub(super) fn global_average(cx: &Compile<'_>) -> Made {
    for_real!(cx, GlobalAveragePool::AT.x, R => Prepared::boxed(cx, move |call| {
        let x = call.tensor(GlobalAveragePool::AT.x)?;
        average_of_planes::<R>(call, &x, &Pooling::whole(x.dims())?)
    }))
}

fn average_of_planes<R: Real + PoolFloat>(
    call: &mut Call<'_, '_>,
    x: &Tensor,
    p: &Pooling,
) -> Result<(), KernelError> {
    if R::DTYPE == DType::F64 || p.image.contains(&0) {
        return average_of::<R>(call, x, p, false);
    }
    let threads = call.threads;
    let data = read::<f32>(x)?;
    produce::<f32>(call, AveragePool::AT.y, x.dtype(), &p.dims, |y| {
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
    produce::<R>(call, AveragePool::AT.y, x.dtype(), &p.dims, |y| {
        let isa = Isa::detect();
        average_pool(threads, isa, &p.spec, count_pads, p.planes, &p.image, p.out(), &data, y);
        Ok(())
    })
}

pub(super) fn global_max(cx: &Compile<'_>) -> Made {
    let (at, dtype) = (GlobalMaxPool::AT, cx.element(GlobalMaxPool::AT.x)?);
    dispatch!(dtype, numbers as T => Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        let mut out = call.alloc(at.y, T::DTYPE, &Pooling::whole(x.dims())?.dims)?;
        planes_max(call.threads, x.slice::<T>()?, out.slice_mut::<T>()?);
        call.set(at.y, out);
        Ok(())
    }), else => Err(cx.refused(KernelError::Unsupported(dtype))))
}

pub(super) fn lp(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(LpPool::of)?, LpPool::AT);
    let sliding = Sliding::new(op.window(), op.dilated(), op.auto_padded(), op.rounded());
    let power = power(cx, op.p())?;
    for_real!(cx, at.x, R => Prepared::boxed(cx, move |call| {
        let x = call.tensor(at.x)?;
        lp_of::<R>(call, &x, &*sliding.over(&x)?, power)
    }))
}

pub(super) fn global_lp(cx: &Compile<'_>) -> Made {
    let power = power(cx, cx.view(GlobalLpPool::of)?.p())?;
    for_real!(cx, GlobalLpPool::AT.x, R => Prepared::boxed(cx, move |call| {
        let x = call.tensor(GlobalLpPool::AT.x)?;
        lp_of::<R>(call, &x, &Pooling::whole(x.dims())?, power)
    }))
}

fn power(cx: &Compile<'_>, p: i64) -> Result<i32, Declined> {
    let power = i32::try_from(p).ok().filter(|&p| p > 0);
    power.ok_or_else(|| cx.refused(KernelError::attr("p", format!("{p} is not positive"))))
}

fn lp_of<R: Real + PoolFloat>(
    call: &mut Call<'_, '_>,
    x: &Tensor,
    p: &Pooling,
    power: i32,
) -> Result<(), KernelError> {
    let (threads, data) = (call.threads, read::<R>(x)?);
    produce::<R>(call, LpPool::AT.y, x.dtype(), &p.dims, |y| {
        lp_pool(threads, &p.spec, power, p.planes, &p.image, p.out(), &data, y);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, run_in_turn, run_on, tensor};
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

    #[test]
    fn one_kernel_takes_images_of_any_size() {
        let attrs = [("kernel_shape", Attr::Ints(vec![2])), ("strides", Attr::Ints(vec![2]))];
        let image = |v: &[f32]| vec![tensor(&[1, 1, v.len()], v)];
        let calls = vec![image(&[1.0, 3.0]), image(&[1.0, 3.0, 5.0, 9.0]), image(&[4.0, 2.0])];
        let y = run_in_turn(OpKind::AveragePool, &attrs, calls).unwrap();
        let y: Vec<Vec<f32>> = y.iter().map(elements).collect();
        assert_eq!(y, [vec![2.0], vec![2.0, 7.0], vec![3.0]]);
    }

    #[test]
    fn a_power_below_1_is_refused_when_the_model_is_compiled() {
        for kind in [OpKind::LpPool, OpKind::GlobalLpPool] {
            let window = [("kernel_shape", Attr::Ints(vec![1])), ("p", Attr::Int(0))];
            let attrs = if kind == OpKind::LpPool { &window[..] } else { &window[1..] };
            let error = run(kind, attrs, vec![tensor(&[1, 1, 1], &[1.0f32])]).unwrap_err();
            assert!(error.to_string().contains("attribute `p`: 0 is not positive"), "{error}");
        }
    }
}
