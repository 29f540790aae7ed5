//! The part of the op table that only `lane` functions use: one thread of a threadgroup, and what threads do together.
//! The meaning is that of Metal's functions (Metal Shading Language Specification, sections 5.2.3.6 and 6.7 to 6.9);
//! conventions are in `conventions.md`.

macro_rules! with_lane_ops {
    ($then:ident! { $($table:tt)* }) => { $then! { $($table)*

    // ---------------------------------------------------------------- the thread and its place
    /// Which threadgroup of the grid this thread is in, along `axis` (0, 1, 2 are x, y, z).
    ThreadgroupId "threadgroup_id" Lane () -> (y: Is(DType::I32)) { axis: Int };
    /// Number of threadgroups of the grid along `axis`.
    NumThreadgroups "num_threadgroups" Lane () -> (y: Is(DType::I32)) { axis: Int };
    /// Which thread of its threadgroup this is.
    ThreadIndex "thread_index" Lane () -> (y: Is(DType::I32)) {};
    /// Which simdgroup of its threadgroup the thread is in: the thread's index / 32.
    SimdgroupIndex "simdgroup_index" Lane () -> (y: Is(DType::I32)) {};
    /// Which lane of its simdgroup the thread is: the thread's index mod 32.
    LaneIndex "lane_index" Lane () -> (y: Is(DType::I32)) {};

    // ---------------------------------------------------------------- short vectors
    /// The vector of these scalars, 2 to 4.
    Vector "vector" Lane (xs[many]) -> (y: Element(0)) {} cost 0;
    /// The element of a vector at place `at`.
    Extract "extract" Lane (x) -> (y: Element(0)) { at: Int } cost 0;
    /// The vector with the element at place `at` replaced.
    Insert "insert" Lane (x, element) -> (y: Element(0)) { at: Int } cost 0;

    // ---------------------------------------------------------------- memory of a threadgroup or a thread
    /// An array of `len` elements of type `dtype`, unwritten, in `space` `threadgroup`, where all threads get the same
    /// one, or `thread`. It stands outside of regions and lives until the function ends; only a kernel has arrays in
    /// threadgroup memory.
    Alloc "alloc" Memory () -> (ptr: Declared)
        { space: Str, dtype: DType, len: Int };

    /// Accesses to the device's memory before it, this thread's and those that barriers put before it, come before those
    /// behind it also for threads of other threadgroups, if these learn of it by an atomic op and have a fence behind that.
    DeviceFence "device_fence" Memory () -> () {};

    // ---------------------------------------------------------------- all threads of a threadgroup or simdgroup together
    /// All threads of the threadgroup wait for each other. Their accesses before it to the memory it names
    /// (`threadgroup`, `device`, `both` or `none`) come before those behind it.
    ThreadgroupBarrier "threadgroup_barrier" Together () -> () { memory: Str = "threadgroup" };
    /// As `threadgroup_barrier`, for the threads of a simdgroup.
    SimdgroupBarrier "simdgroup_barrier" Together () -> () { memory: Str = "threadgroup" };
    /// The value of the lane that `lane` (i32) names, for each lane its own choice.
    SimdShuffle "simd_shuffle" Together (x, lane) -> (y: Same(0)) {};
    /// The value of the lane whose index is this one's xor `mask` (i32, equal in all lanes).
    SimdShuffleXor "simd_shuffle_xor" Together (x, mask) -> (y: Same(0)) {};
    /// The value of the lane `delta` (i32, equal in all lanes, 0 … 31) below; the first `delta` lanes keep their own.
    SimdShuffleUp "simd_shuffle_up" Together (x, delta) -> (y: Same(0)) {};
    /// The value of the lane `delta` (i32, equal in all lanes, 0 … 31) above; the last `delta` of 32 lanes keep their own.
    SimdShuffleDown "simd_shuffle_down" Together (x, delta) -> (y: Same(0)) {};
    /// The values of all lanes combined by `op`: `add`, `mul`, `min`, `max` (of NaN and a number the number), or of
    /// integers `and`, `or`, `xor`. The order of combinations is open.
    SimdReduce "simd_reduce" Together (x) -> (y: Same(0)) { op: Str };
    /// The values of the lanes up to this one, itself left out if `exclusive`, combined by `op`: `add` or `mul`. The order
    /// of combinations is open.
    SimdPrefix "simd_prefix" Together (x) -> (y: Same(0)) { op: Str, exclusive: Flag = false };
    /// Bit i tells whether the condition holds in lane i.
    SimdBallot "simd_ballot" Together (condition: Bool) -> (mask: Is(DType::U32)) {};
    /// Whether the condition holds in all lanes.
    SimdAll "simd_all" Together (condition: Bool) -> (y: BOOL) {};
    /// Whether the condition holds in some lane.
    SimdAny "simd_any" Together (condition: Bool) -> (y: BOOL) {};

    // ---------------------------------------------------------------- 8×8 matrices of a simdgroup
    /// The matrix with this scalar, equal in all lanes, at every place.
    MatrixFill "matrix_fill" Together (x) -> (y: Declared) {};
    /// The matrix whose element (i, j) lies `stride`·i + j elements behind the pointer, or with `transpose` `stride`·j + i.
    /// Pointer (to device or threadgroup memory) and stride (i32) are equal in all lanes.
    MatrixLoad "matrix_load" Together (ptr, stride) -> (y: Declared) { transpose: Flag = false };
    /// Writes a matrix to where `matrix_load` would read it.
    MatrixStore "matrix_store" Together (ptr, value, stride) -> () { transpose: Flag = false };
    /// a·b + c. Factors have one element type, c has it too or has f32. How often a sum is rounded is open.
    MatrixMultiplyAdd "matrix_multiply_add" Together (a, b, c) -> (y: Same(2)) {};

    // ---------------------------------------------------------------- 32×32 sums of a simdgroup, for tensor operations
    /// The accumulator with this scalar (f32), equal in all lanes, at every place.
    AccumulatorFill "accumulator_fill" Together (x) -> (y: Declared) {};
    /// The accumulator whose element (i, j), of f32, lies `stride`·i + j elements behind the pointer. Pointer (to device or
    /// threadgroup memory) and stride (i32) are equal in all lanes.
    AccumulatorLoad "accumulator_load" Together (ptr, stride) -> (y: Declared) {};
    /// Writes an accumulator to where `accumulator_load` would read it.
    AccumulatorStore "accumulator_store" Together (ptr, value, stride) -> () {};
    /// a·b + c of 32×32 factors in threadgroup memory: element (i, j) of a lies `a_stride`·i + j elements behind `a`, or
    /// `a_stride`·j + i if the type of c has it transposed; b likewise. Pointers and strides are equal in all lanes. How often a
    /// sum is rounded is open.
    AccumulatorMultiplyAdd "accumulator_multiply_add" Together (a, a_stride, b, b_stride, c) -> (y: Same(4)) {};

    } };
}

pub(super) use with_lane_ops;
