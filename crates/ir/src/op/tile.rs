//! The part of the op table for `tile` functions: blocks of elements, pointers and their memory effects; `lane` functions
//! use some of it ([`super::OpDecl::allowed_at`]). The meaning is that of Triton's ops (<https://triton-lang.org>);
//! conventions are in `conventions.md`.

macro_rules! with_tile_ops {
    ($then:ident! { $($table:tt)* }) => { with_lane_ops! { $then! { $($table)*

    // ---------------------------------------------------------------- the program and its blocks
    /// Which program of the grid this is, along `axis` (0, 1, 2 are x, y, z).
    ProgramId "program_id" Tile () -> (y: Is(DType::I32)) { axis: Int };
    /// Number of programs of the grid along `axis`.
    NumPrograms "num_programs" Tile () -> (y: Is(DType::I32)) { axis: Int };
    /// The integers start … end − 1.
    Arange "arange" Tile () -> (y: Is(DType::I32)) { start: Int, end: Int } cost 0 class Element;
    /// A block with the scalar in each place.
    Splat "splat" Tile (x) -> (y: Element(0)) {} cost 0 class View;
    /// The only element of a block.
    Unsplat "unsplat" Tile (x) -> (y: Element(0)) {};
    /// Inserts an axis of length 1 at place `axis` of the result.
    ExpandDims "expand_dims" Tile (x) -> (y: Element(0)) { axis: Int } cost 0 class View;
    /// Repeats along axes of length 1 up to the result's dimensions; ranks are equal.
    Broadcast "broadcast" Tile (x) -> (y: Element(0)) {} cost 0 class View;
    /// The same elements in row-major order under other dimensions. `reorder` allows any order.
    View "view" Tile (x) -> (y: Element(0)) { reorder: Flag = false } cost 0 class View;
    /// Axis i of the result is axis `order[i]` of the operand.
    Permute "permute" Tile (x) -> (y: Element(0)) { order: Ints } class View;
    /// One block of rank 1 behind the other.
    Cat "cat" Tile (a, b) -> (c: Element(0)) {} class Element;
    /// Both blocks along a last axis of length 2.
    Join "join" Tile (a, b) -> (c: Element(0)) {} class Element;
    /// The two halves of a last axis of length 2.
    Unjoin "unjoin" Tile (x) -> (a: Element(0), b: Element(0)) {} class View;
    /// result[…, i, …] = x[…, indices[…, i, …], …] along `axis`. An index outside is an error in checked runs, else its
    /// element is arbitrary.
    TakeAlongAxis "take_along_axis" Tile (x, indices) -> (y: Element(0)) { axis: Int } cost 8 class Element;
    /// How many elements (where `mask` holds) have each of the values 0 … bins − 1; others are not counted.
    Histogram "histogram" Tile (x, mask[opt]) -> (y: Is(DType::I32)) {};
    /// Folds the blocks along `axis`, which disappears; the region combines two elements: parameters are the left
    /// ones of all operands, then the right ones. The order of combinations is open.
    Reduce "reduce" Tile (xs[many]) -> (ys[many]: Regions) { axis: Int } regions 1;
    /// Inclusive prefixes along `axis`, from its end with `reverse`; the region is as that of `reduce`, the left
    /// elements being the prefix so far.
    PrefixScan "prefix_scan" Tile (xs[many]) -> (ys[many]: Regions)
        { axis: Int, reverse: Flag = false } regions 1;
    /// Runs the region for each run of `pack` consecutive elements: parameters are the `pack` elements of the first
    /// operand, then of the next; what it yields likewise.
    Map "map" Tile (xs[many]) -> (ys[many]: Declared) { pack: Int = 1 } regions 1;
    /// a·b + c for [m, k], [k, n], [m, n], or with a leading batch axis. `precision` (`ieee`, `tf32`,
    /// `tf32x3`, `bf16x3`, `bf16x6`) allows f32 factors to be rounded; the interpreter and all devices keep all of their bits.
    /// The sum is of c's element type.
    Dot "dot" Tile (a, b, c) -> (y: Same(2)) { precision: Str = "ieee" };
    /// a·b + c where groups of 32 (or 16) factors along k share a scale 2^(s − 127) (e8m0, NaN for 0xff) or an e4m3 one.
    /// Formats are `e4m3`, `e5m2`, `e2m1`, `bf16`, `fp16`; e2m1 holds two values a byte, the low half first, along k, or
    /// along m (n) where `a_k_pack` (`b_k_pack`) is 0. Scales are [m, k/32] and [n, k/32]; a missing one is 1.
    DotScaled "dot_scaled" Tile (a, b, c, a_scale[opt], b_scale[opt]) -> (y: Same(2)) {
        a_format: Str, b_format: Str, a_k_pack: Flag = true, b_k_pack: Flag = true,
        fast_math: Flag = false,
    };
    /// Any value of the type.
    Poison "poison" Tile () -> (y: Declared) {} cost 0 class Element;
    /// The operand, of which the program promises: along each axis, a first element divisible by `divisibility` in
    /// runs of `contiguity` elements that rise by 1, runs of `constancy` equal ones.
    Hint "hint" Tile (x) -> (y: Same(0)) { contiguity[opt]: Ints, constancy[opt]: Ints, divisibility[opt]: Ints } cost 0 class View;

    // ---------------------------------------------------------------- pointers and memory
    /// Moves pointers by a number of elements, a signed integer.
    PtrAdd "ptr_add" Tile (ptr, offset) -> (y: Same(0)) {} class Element;
    /// The same addresses as pointers to another type.
    PtrCast "ptr_cast" Tile (ptr) -> (y: Declared) {} cost 0 class View;
    /// Addresses as pointers.
    IntToPtr "int_to_ptr" Tile (x) -> (y: Declared) {} cost 0 class Element;
    /// Addresses of pointers.
    PtrToInt "ptr_to_int" Tile (ptr) -> (y: Is(DType::I64)) {} cost 0 class Element;
    /// Reads where `mask` holds; elsewhere memory is not touched and the element is that of `other`, or arbitrary.
    /// `cache` and `eviction` are hints. At level lane there is no mask, and a pointer gives `width` elements (1, 2 or 4) that
    /// follow each other; the program promises that its address is a multiple of `align` bytes, 0 being one element's.
    Load "load" Memory (ptr, mask[opt], other[opt]) -> (y: Pointee(0))
        { cache: Str = "none", eviction: Str = "normal", volatile: Flag = false, width: Int = 1, align: Int = 0 } cost 8 class Element;
    /// Writes where `mask` holds. Of several elements for one place any may be the last. At level lane there is no mask, and
    /// a vector (of 2 or 4) is written to elements that follow each other; `align` is as that of `load`.
    Store "store" Memory (ptr, value, mask[opt]) -> () { cache: Str = "none", eviction: Str = "normal", align: Int = 0 };
    /// Atomically replaces the element by `op`(element, value) where `mask` holds and gives the former one (arbitrary
    /// elsewhere). `op` is `add`, `fadd`, `and`, `or`, `xor`, `max`, `min`, `umax`, `umin` or `exchange`;
    /// `order` is `relaxed`, `acquire`, `release` or `acq_rel`; `scope` is `cta`, `gpu` or `sys`.
    AtomicRmw "atomic_rmw" Memory (ptr, value, mask[opt]) -> (former: Element(1))
        { op: Str, order: Str = "acq_rel", scope: Str = "gpu" };
    /// Atomically replaces the element by `value` where its bits are those of `expected`, and gives the former one.
    AtomicCas "atomic_cas" Memory (ptr, expected, value) -> (former: Element(2))
        { order: Str = "acq_rel", scope: Str = "gpu" };
    /// Reads atomically where `mask` holds.
    AtomicLoad "atomic_load" Memory (ptr, mask[opt]) -> (y: Pointee(0)) { order: Str = "acquire", scope: Str = "gpu" };
    /// Writes atomically where `mask` holds.
    AtomicStore "atomic_store" Memory (ptr, value, mask[opt]) -> () { order: Str = "release", scope: Str = "gpu" };
    /// Reads again and again until each element is the expected one or `timeout` nanoseconds (i64, one budget for
    /// all; at least one read) are over; gives which elements were seen equal.
    AtomicPoll "atomic_poll" Memory (ptr, expected, timeout[opt]) -> (done: BOOL)
        { order: Str = "acquire", scope: Str = "gpu" };
    /// All memory effects before it come before those behind it, for every thread of the program.
    Barrier "barrier" Memory () -> () {};
    /// Prints a line for each element: `pid (x, y, z) idx (i, j)`, `prefix`, `(operand n) ` where there are several, and the
    /// element; of no operands one line. `signed` tells which operands are signed integers, else their types do. At level lane
    /// elements of a block of `dims`, if that is not empty, are printed one by one: the last operand (i32) is the place.
    Print "print" Memory (xs[many]) -> ()
        { prefix: Str, hex: Flag = false, signed[opt]: Ints, dims[opt]: Ints };
    /// Stops the launch with `message` if an element of the condition is false.
    Assert "assert" Memory (condition) -> () { message: Str };
    /// A condition that the program promises to hold.
    Assume "assume" Memory (condition) -> () {};

    // ---------------------------------------------------------------- descriptors
    /// A view of a tensor in memory: base pointer, r lengths (i32), r strides in elements (i64, the last 1). Reads
    /// outside give `padding`: `zero` or `nan`.
    MakeDescriptor "make_descriptor" Tile (base, dims[many]) -> (y: Declared) { padding: Str = "zero" };
    /// The block that starts at the offsets (i32); outside the tensor the padding.
    DescriptorLoad "descriptor_load" Memory (descriptor, offsets[many]) -> (y: Declared)
        { cache: Str = "none", eviction: Str = "normal" } cost 8 class Element;
    /// Writes the block that starts at the offsets as far as it is inside.
    DescriptorStore "descriptor_store" Memory (descriptor, value, offsets[many]) -> () {};
    /// As `descriptor_store`, combining atomically by `op`: `add`, `min`, `max`, `and`, `or`, `xor`.
    DescriptorReduce "descriptor_reduce" Memory (descriptor, value, offsets[many]) -> () { op: Str };
    /// Rows of the tensor by number, from a column on.
    DescriptorGather "descriptor_gather" Memory (descriptor, rows, column) -> (y: Declared) {} cost 8 class Element;
    /// Writes rows of the tensor by number, from a column on.
    DescriptorScatter "descriptor_scatter" Memory (descriptor, value, rows, column) -> () {};

    // ---------------------------------------------------------------- control
    /// Runs the region for lower, lower + step, … below upper (signed; step is positive). Its parameters are the
    /// counter and the carried values, which it yields anew; the results are the last ones.
    For "for" Control (lower, upper, step, init[many]) -> (outputs[many]: Regions) {} regions 1 shape given;
    /// The first region takes the carried values and yields a condition and values; while it holds, the second takes
    /// these and yields carried values. The results are the values of the first region's last run.
    While "while" Control (init[many]) -> (outputs[many]: Declared) {} regions 2 shape given;
    /// Calls function `callee` of the module.
    Call "call" Control (args[many]) -> (results[many]: Declared) { callee: Str } shape given;

    } } };
}

pub(super) use with_tile_ops;
