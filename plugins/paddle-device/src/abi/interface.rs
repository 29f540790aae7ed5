//! The callbacks of `C_DeviceInterface`: devices, streams, events, memory, copies.
//!
//! Results of kernels are complete when a kernel returns, as a session waits for them. So streams have nothing in flight, copies
//! are done at once, and an event has passed when it is recorded; streams and events are nevertheless objects of their own.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

use trident_runtime::{Fence, Stream};

use super::Ptr;
use super::throw::{guarded, throw};
use crate::device::{PaddleDevice, device, device_count};
use crate::failure::Failure;

/// `C_Status`.
type Status = c_int;
const SUCCESS: Status = 0;
const FAILED: Status = 2;

/// `C_Device`.
type DeviceHandle = *mut DeviceNumber;

/// The number of a device.
#[repr(C)]
pub(super) struct DeviceNumber {
    id: c_int,
}

/// A stream of Paddle.
struct StreamHandle(Arc<dyn Stream>);

/// An event of Paddle: the fence after what was submitted before it was recorded.
struct EventHandle(Mutex<Fence>);

impl EventHandle {
    fn fence(&self) -> Fence {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The device that Paddle has chosen on this thread.
pub(super) fn current_device() -> usize {
    CURRENT.get()
}

fn status(result: bool) -> Status {
    if result { SUCCESS } else { FAILED }
}

/// The device of a handle.
///
/// # Safety
/// The handle is null or points to a device's number.
unsafe fn of(handle: DeviceHandle) -> Option<&'static PaddleDevice> {
    // SAFETY: the caller promises the number.
    let number = unsafe { number(handle) };
    device(number?)
}

/// The number of a handle.
///
/// # Safety
/// As for [`of`].
unsafe fn number(handle: DeviceHandle) -> Option<usize> {
    // SAFETY: the caller promises the number.
    let number = unsafe { handle.as_ref() };
    usize::try_from(number?.id).ok().filter(|number| *number < device_count())
}

// The callbacks. Paddle passes valid handles and addresses; each says `Safety` by its part of the interface.

extern "C" fn initialize() -> Status {
    SUCCESS
}

extern "C" fn no_device_state(_: DeviceHandle) -> Status {
    SUCCESS
}

unsafe extern "C" fn set_device(handle: DeviceHandle) -> Status {
    // SAFETY: the handle is Paddle's.
    match unsafe { number(handle) } {
        Some(number) => {
            CURRENT.set(number);
            SUCCESS
        }
        None => FAILED,
    }
}

unsafe extern "C" fn get_device(handle: DeviceHandle) -> Status {
    // SAFETY: the handle is Paddle's, to be filled in.
    match unsafe { handle.as_mut() } {
        Some(device) => {
            device.id = c_int::try_from(CURRENT.get()).unwrap_or(0);
            SUCCESS
        }
        None => FAILED,
    }
}

unsafe extern "C" fn create_stream(handle: DeviceHandle, stream: *mut Ptr) -> Status {
    // SAFETY: the handle is Paddle's.
    let Some(device) = (unsafe { of(handle) }) else { return FAILED };
    let made = Box::new(StreamHandle(device.device.stream()));
    // SAFETY: Paddle gives a place for the stream.
    unsafe { *stream = Box::into_raw(made).cast() };
    SUCCESS
}

unsafe extern "C" fn destroy_stream(_: DeviceHandle, stream: Ptr) -> Status {
    if !stream.is_null() {
        // SAFETY: the stream is one of `create_stream`, and Paddle uses it no more.
        drop(unsafe { Box::from_raw(stream.cast::<StreamHandle>()) });
    }
    SUCCESS
}

/// The stream of a handle, if there is one.
///
/// # Safety
/// The handle is null or one of `create_stream`.
unsafe fn stream_of<'a>(stream: Ptr) -> Option<&'a StreamHandle> {
    // SAFETY: the caller promises the handle.
    unsafe { stream.cast::<StreamHandle>().as_ref() }
}

/// The event of a handle, if there is one.
///
/// # Safety
/// The handle is null or one of `create_event`.
unsafe fn event_of<'a>(event: Ptr) -> Option<&'a EventHandle> {
    // SAFETY: the caller promises the handle.
    unsafe { event.cast::<EventHandle>().as_ref() }
}

unsafe extern "C" fn query_stream(_: DeviceHandle, stream: Ptr) -> Status {
    // SAFETY: the stream is Paddle's.
    status(unsafe { stream_of(stream) }.is_none_or(|stream| stream.0.fence().is_passed()))
}

unsafe extern "C" fn synchronize_stream(_: DeviceHandle, stream: Ptr) -> Status {
    // SAFETY: the stream is Paddle's.
    status(unsafe { stream_of(stream) }.is_none_or(|stream| stream.0.fence().wait().is_ok()))
}

/// `C_Callback`: device, stream, the caller's data, and a status to fill in.
type Callback = unsafe extern "C" fn(DeviceHandle, Ptr, Ptr, *mut Status);

unsafe extern "C" fn stream_add_callback(
    device: DeviceHandle,
    stream: Ptr,
    callback: Option<Callback>,
    data: Ptr,
) -> Status {
    let Some(callback) = callback else { return FAILED };
    // SAFETY: the stream is Paddle's; what was submitted has ended, so the callback is due.
    unsafe {
        let mut ended = synchronize_stream(device, stream);
        callback(device, stream, data, &mut ended);
        ended
    }
}

unsafe extern "C" fn create_event(_: DeviceHandle, event: *mut Ptr) -> Status {
    let made = Box::new(EventHandle(Mutex::new(Fence::PASSED)));
    // SAFETY: Paddle gives a place for the event.
    unsafe { *event = Box::into_raw(made).cast() };
    SUCCESS
}

unsafe extern "C" fn record_event(_: DeviceHandle, stream: Ptr, event: Ptr) -> Status {
    // SAFETY: both are Paddle's.
    let (stream, event) = unsafe { (stream_of(stream), event_of(event)) };
    let Some(event) = event else { return FAILED };
    let fence = stream.map_or(Fence::PASSED, |stream| stream.0.fence());
    *event.0.lock().unwrap_or_else(PoisonError::into_inner) = fence;
    SUCCESS
}

unsafe extern "C" fn destroy_event(_: DeviceHandle, event: Ptr) -> Status {
    if !event.is_null() {
        // SAFETY: the event is one of `create_event`, and Paddle uses it no more.
        drop(unsafe { Box::from_raw(event.cast::<EventHandle>()) });
    }
    SUCCESS
}

unsafe extern "C" fn query_event(_: DeviceHandle, event: Ptr) -> Status {
    // SAFETY: the event is Paddle's.
    status(unsafe { event_of(event) }.is_none_or(|event| event.fence().is_passed()))
}

unsafe extern "C" fn synchronize_event(_: DeviceHandle, event: Ptr) -> Status {
    // SAFETY: the event is Paddle's.
    status(unsafe { event_of(event) }.is_none_or(|event| event.fence().wait().is_ok()))
}

unsafe extern "C" fn stream_wait_event(device: DeviceHandle, _: Ptr, event: Ptr) -> Status {
    // SAFETY: both are Paddle's. Launches of a stream begin when they are submitted, so the wait is here.
    unsafe { synchronize_event(device, event) }
}

/// # Panics
/// Not at all: if there is too little memory it throws Paddle's exception, which Python gets as `MemoryError`. Paddle itself makes
/// an `OSError` of a failed allocation.
unsafe extern "C-unwind" fn allocate(
    handle: DeviceHandle,
    place: *mut Ptr,
    bytes: usize,
) -> Status {
    // SAFETY: the handle is Paddle's.
    let device = unsafe { of(handle) }.or_else(|| device(0));
    let exhausted = || Failure::exhausted(format!("{bytes} bytes for tensors on device mps"));
    let allocated =
        guarded(|| device.and_then(|device| device.allocate(bytes)).ok_or_else(exhausted));
    match allocated {
        Ok(address) => {
            // SAFETY: Paddle gives a place for the address.
            unsafe { *place = std::ptr::with_exposed_provenance_mut::<u8>(address).cast() };
            SUCCESS
        }
        // SAFETY: nothing is left to drop here; Paddle calls allocators from code that exceptions may pass.
        Err(failure) => unsafe { throw(failure) },
    }
}

unsafe extern "C" fn deallocate(handle: DeviceHandle, address: Ptr, _: usize) -> Status {
    // SAFETY: the handle is Paddle's.
    let device = unsafe { of(handle) }.or_else(|| device(0));
    status(device.is_some_and(|device| device.free(address.addr())))
}

unsafe extern "C" fn fill(_: DeviceHandle, to: *mut u8, byte: u8, bytes: usize) -> Status {
    if bytes > 0 {
        // SAFETY: Paddle has this many bytes there.
        unsafe { to.write_bytes(byte, bytes) };
    }
    SUCCESS
}

unsafe extern "C" fn copy(_: DeviceHandle, to: *mut u8, from: *const u8, bytes: usize) -> Status {
    if bytes > 0 {
        // SAFETY: Paddle has this many bytes at both places.
        unsafe { to.copy_from(from, bytes) };
    }
    SUCCESS
}

unsafe extern "C" fn copy_on_stream(
    device: DeviceHandle,
    stream: Ptr,
    to: *mut u8,
    from: *const u8,
    bytes: usize,
) -> Status {
    // SAFETY: the stream is Paddle's, which has this many bytes at both places.
    unsafe {
        match synchronize_stream(device, stream) {
            SUCCESS => copy(device, to, from, bytes),
            failed => failed,
        }
    }
}

unsafe extern "C" fn copy_between(
    to_device: DeviceHandle,
    _: DeviceHandle,
    to: *mut u8,
    from: *const u8,
    bytes: usize,
) -> Status {
    // SAFETY: Paddle has this many bytes at both places; memory is shared by all devices.
    unsafe { copy(to_device, to, from, bytes) }
}

unsafe extern "C" fn copy_between_on_stream(
    to_device: DeviceHandle,
    _: DeviceHandle,
    stream: Ptr,
    to: *mut u8,
    from: *const u8,
    bytes: usize,
) -> Status {
    // SAFETY: the stream is Paddle's, which has this many bytes at both places.
    unsafe { copy_on_stream(to_device, stream, to, from, bytes) }
}

unsafe extern "C" fn get_device_count(count: *mut usize) -> Status {
    // SAFETY: Paddle gives a place for the number.
    unsafe { *count = device_count() };
    SUCCESS
}

unsafe extern "C" fn get_device_list(list: *mut usize) -> Status {
    for number in 0..device_count() {
        // SAFETY: Paddle gives places for as many numbers as there are devices.
        unsafe { *list.add(number) = number };
    }
    SUCCESS
}

unsafe extern "C" fn memory_stats(
    handle: DeviceHandle,
    total: *mut usize,
    free: *mut usize,
) -> Status {
    // SAFETY: the handle is Paddle's.
    let Some(device) = (unsafe { of(handle) }) else { return FAILED };
    let memory = device.memory();
    // SAFETY: Paddle gives places for both numbers.
    unsafe { (*total, *free) = (memory.total, memory.free) };
    SUCCESS
}

/// Bytes that all sizes of allocations are multiples of.
const CHUNK: usize = 256;

unsafe extern "C" fn min_chunk_size(_: DeviceHandle, bytes: *mut usize) -> Status {
    // SAFETY: Paddle gives a place for the number.
    unsafe { *bytes = CHUNK };
    SUCCESS
}

unsafe extern "C" fn is_supported(_: DeviceHandle, supported: *mut bool) -> Status {
    // SAFETY: Paddle gives a place for the answer.
    unsafe { *supported = true };
    SUCCESS
}

/// Offsets of callbacks in bytes of the interface, the same in all supported releases.
pub(super) fn callbacks() -> [(usize, *const ()); 37] {
    [
        (8, initialize as *const ()),
        (16, initialize as *const ()),
        (24, no_device_state as *const ()),
        (32, set_device as *const ()),
        (40, get_device as *const ()),
        (48, no_device_state as *const ()),
        (56, create_stream as *const ()),
        (64, destroy_stream as *const ()),
        (72, query_stream as *const ()),
        (80, stream_add_callback as *const ()),
        (88, create_event as *const ()),
        (96, record_event as *const ()),
        (104, destroy_event as *const ()),
        (112, query_event as *const ()),
        (120, no_device_state as *const ()),
        (128, synchronize_stream as *const ()),
        (136, synchronize_event as *const ()),
        (144, stream_wait_event as *const ()),
        (216, allocate as *const ()),
        (224, deallocate as *const ()),
        (232, fill as *const ()),
        (240, allocate as *const ()),
        (248, deallocate as *const ()),
        (272, copy as *const ()),
        (280, copy as *const ()),
        (288, copy as *const ()),
        (296, copy_between as *const ()),
        (304, copy_on_stream as *const ()),
        (312, copy_on_stream as *const ()),
        (320, copy_on_stream as *const ()),
        (328, copy_between_on_stream as *const ()),
        (400, get_device_count as *const ()),
        (408, get_device_list as *const ()),
        (416, memory_stats as *const ()),
        (424, min_chunk_size as *const ()),
        // Of f16 and bf16.
        (536, is_supported as *const ()),
        (544, is_supported as *const ()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::open_devices;

    #[test]
    fn callbacks_have_slots_of_their_own() {
        let offsets: Vec<usize> = callbacks().iter().map(|slot| slot.0).collect();
        assert!(offsets.is_sorted_by(|a, b| a < b), "{offsets:?}");
        assert!(offsets.iter().all(|offset| offset % 8 == 0));
    }

    #[test]
    fn memory_and_events_are_given_and_taken() {
        open_devices().unwrap();
        let (mut device, mut absent) = (DeviceNumber { id: 0 }, DeviceNumber { id: 9 });
        let mut place = std::ptr::null_mut();
        let (mut total, mut free) = (0, 0);
        // SAFETY: the handles and places are those of this test.
        unsafe {
            assert_eq!(allocate(&mut device, &mut place, 100), SUCCESS);
            assert_eq!(fill(&mut device, place.cast(), 7, 100), SUCCESS);
            let mut bytes = [0u8; 100];
            assert_eq!(copy(&mut device, bytes.as_mut_ptr(), place.cast(), 100), SUCCESS);
            assert_eq!(bytes, [7; 100]);
            assert_eq!(deallocate(&mut device, place, 100), SUCCESS);
            assert_eq!(deallocate(&mut device, place, 100), FAILED);
            assert_eq!((set_device(&mut absent), set_device(&mut device)), (FAILED, SUCCESS));
            assert_eq!(memory_stats(&mut device, &mut total, &mut free), SUCCESS);
            assert!(free <= total && total > 1 << 20);
            let (mut stream, mut event) = (std::ptr::null_mut(), std::ptr::null_mut());
            assert_eq!(create_stream(&mut device, &mut stream), SUCCESS);
            assert_eq!(create_event(&mut device, &mut event), SUCCESS);
            assert_eq!(record_event(&mut device, stream, event), SUCCESS);
            assert_eq!(query_event(&mut device, event), SUCCESS);
            assert_eq!(stream_wait_event(&mut device, stream, event), SUCCESS);
            assert_eq!(destroy_event(&mut device, event), SUCCESS);
            assert_eq!(destroy_stream(&mut device, stream), SUCCESS);
        }
    }
}
