#include "types.h"
// All that depends on what runs the kernels.
#if MSL_PTX
#include "ptx.h"
#else
#include "emulated.h"
#endif
#include "math.h"
#include "simd.h"
#include "atomic.h"
#include "matrix.h"
#include "tensor.h"
#include "entry.h"
