//! Results of launches that have not ended.

use crate::{Fence, KernelError, Tensor, Value};
use std::sync::{Arc, OnceLock};
use trident_ir::DType;

/// The future contents of a tensor. Reading waits for the launch that produces them.
#[derive(Debug)]
pub(crate) struct Pending {
    fence: Fence,
    /// Set before the fence is passed, unless the launch fails.
    tensor: OnceLock<Tensor>,
}

impl Pending {
    pub(crate) fn fence(&self) -> &Fence {
        &self.fence
    }

    /// The tensor that will have the contents, if the promise was kept before the launch ended.
    pub(crate) fn memory(&self) -> Option<&Tensor> {
        self.tensor.get()
    }

    /// The contents, once the launch has ended; an error if it failed.
    pub(crate) fn wait(&self) -> Result<&Tensor, KernelError> {
        self.fence.wait().map_err(KernelError::dependency)?;
        self.tensor.get().ok_or_else(KernelError::not_given)
    }

    /// Like [`Pending::wait`], by value: the last owner gets the tensor unshared.
    pub(crate) fn take(self: Arc<Pending>) -> Result<Tensor, KernelError> {
        let shared = self.wait()?.clone();
        match Arc::try_unwrap(self) {
            Ok(own) => {
                // The clone would make the contents appear shared.
                drop(shared);
                own.tensor.into_inner().ok_or_else(KernelError::not_given)
            }
            Err(_) => Ok(shared),
        }
    }
}

/// The obligation to provide the contents of a pending tensor; if it is dropped, reading the tensor is an error.
#[derive(Debug)]
pub struct Promise {
    pending: Arc<Pending>,
    dtype: DType,
    dims: Vec<usize>,
}

impl Promise {
    /// A tensor of this type whose contents are available once `fence` is passed, and the promise to provide them.
    pub fn new(dtype: DType, dims: &[usize], fence: Fence) -> (Tensor, Promise) {
        let pending = Arc::new(Pending { fence, tensor: OnceLock::new() });
        let tensor = Tensor::from_pending(dtype, dims, pending.clone());
        (tensor, Promise { pending, dtype, dims: dims.to_vec() })
    }

    /// Provides the contents, or the memory that the launch will have written when its fence is passed: no one reads it
    /// before. An error if the type differs from the promised one.
    pub fn keep(self, tensor: Tensor) -> Result<(), KernelError> {
        if (tensor.dtype(), tensor.dims()) != (self.dtype, self.dims.as_slice()) {
            let (given, promised) = (tensor.ty(), trident_ir::Type::fixed(self.dtype, &self.dims));
            return Err(KernelError::domain(format!(
                "internal error: a device returned {given} where {promised} was predicted; please report it with the model"
            )));
        }
        // Only a promise sets it, and `keep` consumes the promise.
        let _ = self.pending.tensor.set(tensor);
        Ok(())
    }
}

/// Outputs of a launch whose types are known only after it.
#[derive(Clone, Debug)]
pub struct Later {
    fence: Fence,
    outputs: Arc<OnceLock<Vec<Option<Value>>>>,
}

impl Later {
    /// Outputs that are available once `fence` is passed.
    pub fn new(fence: Fence) -> Later {
        Later { fence, outputs: Arc::default() }
    }

    /// Provides the outputs.
    pub fn keep(self, outputs: Vec<Option<Value>>) {
        // A second call would be a bug in the device, and the first outputs may have been read.
        let _ = self.outputs.set(outputs);
    }

    /// The outputs, once the launch has ended.
    pub fn wait(self) -> Result<Vec<Option<Value>>, KernelError> {
        self.fence.wait()?;
        let outputs = match Arc::try_unwrap(self.outputs) {
            Ok(own) => own.into_inner(),
            Err(shared) => shared.get().cloned(),
        };
        outputs.ok_or_else(KernelError::not_given)
    }
}

#[cfg(all(test, not(feature = "models")))]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed unwrap fails the test
    use super::*;
    use crate::{Pool, Timeline};

    fn numbers(values: &[f32]) -> Tensor {
        Tensor::from_slice(&Pool::new(), &[values.len()], values).unwrap()
    }

    #[test]
    fn reading_a_pending_tensor_waits_for_its_contents() {
        let timeline = Timeline::new();
        let (tensor, promise) = Promise::new(DType::F32, &[2], timeline.submit());
        assert!(tensor.fence().is_some() && !tensor.is_unique());
        let reshaped = tensor.clone().reshaped(&[2, 1]).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                promise.keep(numbers(&[1.0, 2.0])).unwrap();
                timeline.end(Ok(()));
            });
            assert_eq!(tensor.slice::<f32>().unwrap(), [1.0, 2.0]);
        });
        assert_eq!(
            (reshaped.dims(), reshaped.slice::<f32>().unwrap()),
            (&[2, 1][..], &[1.0, 2.0][..])
        );
    }

    #[test]
    fn the_last_owner_may_write_without_a_copy() {
        let timeline = Timeline::new();
        let (mut tensor, promise) = Promise::new(DType::F32, &[2], timeline.submit());
        let contents = numbers(&[1.0, 2.0]);
        let at = contents.bytes().unwrap().as_ptr();
        promise.keep(contents).unwrap();
        timeline.end(Ok(()));
        let other = tensor.clone();
        tensor.settle().unwrap();
        assert!(tensor.fence().is_none() && !tensor.is_unique());
        drop(other);
        assert!(tensor.is_unique());
        assert_eq!(tensor.bytes_mut().unwrap().as_ptr().addr(), at.addr());
    }

    #[test]
    fn what_a_launch_fails_to_give_cannot_be_read() {
        let timeline = Timeline::new();
        let (failed, promise) = Promise::new(DType::F32, &[2], timeline.submit());
        let (forgotten, nothing) = Promise::new(DType::F32, &[2], timeline.submit());
        assert!(promise.keep(numbers(&[1.0])).is_err(), "of another size");
        drop(nothing);
        timeline.end(Err(KernelError::shape("wrong")));
        timeline.end(Ok(()));
        let cause = Box::new(KernelError::shape("wrong"));
        assert_eq!(failed.bytes().map(<[u8]>::len), Err(KernelError::Dependency(cause)));
        assert_eq!(forgotten.bytes().map(<[u8]>::len), Err(KernelError::not_given()));
    }
}
