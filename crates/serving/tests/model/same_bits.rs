//! Batches on a device that computes few rows in another way than many.

use crate::models::*;
use std::sync::{Arc, Mutex, PoisonError};
use trident_runtime::{
    Cost, Declined, Device, DeviceInfo, Executable, Fence, KernelError, Launch, OutputShape,
    Stream, Submitted, Unit, Value,
};
use trident_serving::{DataType, Hardware};

/// The number of rows of each launch.
type Launches = Arc<Mutex<Vec<usize>>>;

/// The kernels of another device, whose results are said to depend on the number of rows.
struct Varying {
    inner: Arc<dyn Device>,
    info: DeviceInfo,
    launches: Launches,
}

impl Device for Varying {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn estimate(&self, func: &trident_ir::Func, ops: &[&trident_ir::Op]) -> Option<Cost> {
        self.inner.estimate(func, ops)
    }

    fn compile(&self, unit: &Unit<'_>) -> Result<Arc<dyn Executable>, Declined> {
        let launches = Arc::clone(&self.launches);
        Ok(Arc::new(VaryingKernel { inner: self.inner.compile(unit)?, launches }))
    }
}

struct VaryingKernel {
    inner: Arc<dyn Executable>,
    launches: Launches,
}

impl Executable for VaryingKernel {
    fn kernel(&self) -> &str {
        self.inner.kernel()
    }

    fn depends_on_rows(&self) -> bool {
        true
    }

    fn shapes(&self, inputs: &[Option<Value>]) -> Result<Vec<OutputShape>, KernelError> {
        self.inner.shapes(inputs)
    }

    fn submit(
        &self,
        stream: &dyn Stream,
        launch: &mut Launch<'_>,
        after: &[Fence],
    ) -> Result<Submitted, KernelError> {
        let x = launch.inputs.first().and_then(Option::as_ref).and_then(Value::as_tensor);
        let rows = x.and_then(|x| x.dims().first().copied()).unwrap_or_default();
        self.launches.lock().unwrap_or_else(PoisonError::into_inner).push(rows);
        self.inner.submit(stream, launch, after)
    }
}

/// The rows of each launch for two requests of one row, and the log of loading.
fn launches(parameter: &str, largest: usize) -> (Vec<usize>, Vec<String>) {
    let plain = hardware();
    let launches = Launches::default();
    let info = DeviceInfo { name: "varying".into(), ..plain.folder.info().clone() };
    let inner = Arc::clone(&plain.folder);
    let varying = Varying { inner, info, launches: Arc::clone(&launches) };
    let hardware = Hardware { devices: vec![Arc::new(varying)], ..plain };
    let config = format!("name: 'm' max_batch_size: {largest} {parameter}");
    let (model, log) = load_on(&config, add(), &hardware).unwrap();
    let data = bytes(&[1.0f32; 3]);
    let x = || request(vec![input("x", DataType::Fp32, &[1, 3], &[&data])]);
    for response in model.execute([x(), x()]).responses {
        assert_eq!(floats(&response.unwrap().outputs[0].data), [11.0, 21.0, 31.0]);
    }
    let launched = launches.lock().unwrap().clone();
    (launched, log)
}

const REQUIRED: &str = "parameters { key: 'same_bits' value { string_value: 'required' } }";

#[test]
fn the_log_names_the_ops_whose_bits_depend_on_the_batch() {
    let (launched, log) = launches("", 4);
    assert_eq!(launched, [2]);
    assert_eq!(
        log,
        [
            "Info: the last bits of answers of model 'm' may depend on the batch, because the number of rows decides how these ops are computed: add `y` on varying. The parameter 'same_bits' = 'required' keeps requests apart"
        ]
    );
    // Without batches, there is nothing to tell.
    assert_eq!(launches("", 1), (vec![1, 1], vec![]));
}

#[test]
fn requests_are_kept_apart_where_the_same_bits_are_required() {
    let (launched, log) = launches(REQUIRED, 4);
    assert_eq!(launched, [1, 1]);
    assert_eq!(
        log,
        [
            "Info: requests of model 'm' are not merged into batches, as 'same_bits' requires: the last bits of a row may depend on the number of rows in add `y` on varying"
        ]
    );
}

#[test]
fn on_the_cpu_nothing_stands_against_batches() {
    let config = format!("name: 'm' max_batch_size: 4 {REQUIRED}");
    let (_, log) = load_on(&config, add(), &hardware()).unwrap();
    assert_eq!(log, [""; 0]);
    let wrong = REQUIRED.replace("required", "yes");
    let error = load(&format!("name: 'm' {wrong}"), add()).err().unwrap().to_string();
    assert!(error.contains("same_bits") && error.contains("`required` or `optional`"), "{error}");
}
