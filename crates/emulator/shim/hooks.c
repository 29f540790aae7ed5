// What a kernel calls: each function passes on to the emulator, through a table that it sets after loading.
typedef unsigned int uint;
typedef unsigned long ulong;

struct exchange {
    const char* slots;
    uint mask, lane;
};
struct table {
    void (*access)(const void* p, ulong bytes, uint flags, void* pc);
    struct exchange (*simd)(
        const void* in, uint size, uint argument, uint line, const char* file, const char* name, void* pc,
        void* frame);
    void (*barrier)(uint flags, uint simd, uint line, const char* file, void* pc, void* frame);
    void (*bad_lane)(uint lane, uint line, const char* file, const char* name);
    void* (*threadgroup)(uint id);
    void* (*threadgroup_argument)(uint index);
    void (*reached_end)(void);
    void (*bad_index)(long index, ulong count, uint line, const char* file);
    uint (*lane)(void);
    void (*fence)(void);
    uint checked;
};
static void ignore(const void* p, ulong bytes, uint flags, void* pc) {}
// Before the emulator has set the table, only initialisers of constants run.
static const struct table idle = {.access = ignore};
static const struct table* hooks = &idle;

// As `exec::hooks` numbers them.
enum { WRITE = 1, ATOMIC = 2, UNALIGNED = 4, READ = 8 };
#define PC __builtin_return_address(0)
// Checked kernels keep frame pointers: a place is a line and the calls that led there.
#define FRAME (hooks->checked ? __builtin_frame_address(0) : 0)
#define HOOK __attribute__((visibility("hidden")))

__attribute__((visibility("default"))) void msl_bind(const struct table* table) { hooks = table; }

HOOK struct exchange msl_simd(
    const void* in, uint size, uint argument, uint line, const char* file, const char* name) {
    return hooks->simd(in, size, argument, line, file, name, PC, FRAME);
}
HOOK void msl_barrier(uint flags, uint line, const char* file) { hooks->barrier(flags, 0, line, file, PC, FRAME); }
HOOK void msl_simd_barrier(uint flags, uint line, const char* file) { hooks->barrier(flags, 1, line, file, PC, FRAME); }
HOOK void msl_bad_lane(uint lane, uint line, const char* file, const char* name) {
    hooks->bad_lane(lane, line, file, name);
}
HOOK void* msl_threadgroup(uint id) { return hooks->threadgroup(id); }
HOOK void* msl_threadgroup_argument(uint index) { return hooks->threadgroup_argument(index); }
HOOK uint msl_lane(void) { return hooks->lane(); }
HOOK void msl_reached_end(void) { hooks->reached_end(); }

// ---- atomics
static void checked(const void* p, uint bytes, uint flags, void* pc) {
    if (hooks->checked) hooks->access(p, bytes, flags | ATOMIC, pc);
}
enum { LOAD, STORE, EXCHANGE, ADD, SUB, AND, OR, XOR, MIN_INT, MAX_INT, MIN_UINT, MAX_UINT, ADD_FLOAT, SUB_FLOAT };

static uint updated(uint old, uint v, uint operation) {
    float a, b;
    switch (operation) {
    case MIN_INT: return (int)v < (int)old ? v : old;
    case MAX_INT: return (int)v > (int)old ? v : old;
    case MIN_UINT: return v < old ? v : old;
    case MAX_UINT: return v > old ? v : old;
    }
    __builtin_memcpy(&a, &old, 4);
    __builtin_memcpy(&b, &v, 4);
    a = operation == ADD_FLOAT ? a + b : a - b;
    __builtin_memcpy(&old, &a, 4);
    return old;
}
HOOK uint msl_atomic_32(void* p, uint v, uint operation) {
    uint* at = p;
    checked(p, 4, operation == LOAD ? READ : operation == STORE ? WRITE : READ | WRITE, PC);
    switch (operation) {
    case LOAD: return __atomic_load_n(at, __ATOMIC_RELAXED);
    case STORE: __atomic_store_n(at, v, __ATOMIC_RELAXED); return 0;
    case EXCHANGE: return __atomic_exchange_n(at, v, __ATOMIC_RELAXED);
    case ADD: return __atomic_fetch_add(at, v, __ATOMIC_RELAXED);
    case SUB: return __atomic_fetch_sub(at, v, __ATOMIC_RELAXED);
    case AND: return __atomic_fetch_and(at, v, __ATOMIC_RELAXED);
    case OR: return __atomic_fetch_or(at, v, __ATOMIC_RELAXED);
    case XOR: return __atomic_fetch_xor(at, v, __ATOMIC_RELAXED);
    }
    uint old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        at, &old, updated(old, v, operation), 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
HOOK uint msl_atomic_exchange_if_32(void* p, uint expected, uint v) {
    checked(p, 4, READ | WRITE, PC);
    __atomic_compare_exchange_n((uint*)p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
HOOK void msl_fence(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    hooks->fence();
}
HOOK void msl_atomic_64(void* p, ulong v, uint operation) {
    ulong* at = p;
    checked(p, 8, READ | WRITE, PC);
    ulong old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while ((operation == MIN_UINT ? v < old : v > old) &&
           !__atomic_compare_exchange_n(at, &old, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

// ---- functions of the C library
#define FUNCTION(name) \
    float name(float); \
    HOOK float msl_##name(float x) { return name(x); }
FUNCTION(acosf)
FUNCTION(acoshf)
FUNCTION(asinf)
FUNCTION(asinhf)
FUNCTION(atanf)
FUNCTION(atanhf)
FUNCTION(cosf)
FUNCTION(coshf)
FUNCTION(expf)
FUNCTION(exp2f)
FUNCTION(exp10f)
FUNCTION(logf)
FUNCTION(log2f)
FUNCTION(log10f)
FUNCTION(sinf)
FUNCTION(sinhf)
FUNCTION(tanf)
FUNCTION(tanhf)
#define FUNCTION_2(name) \
    float name(float, float); \
    HOOK float msl_##name(float x, float y) { return name(x, y); }
FUNCTION_2(atan2f)
FUNCTION_2(powf)
FUNCTION_2(fmodf)
float frexpf(float, int*);
HOOK float msl_frexpf(float x, int* e) { return frexpf(x, e); }

// ---- conversions that the processor may lack, to nearest even
static uint bits(float x) {
    uint u;
    __builtin_memcpy(&u, &x, 4);
    return u;
}
HOOK __bf16 __truncsfbf2(float x) {
    uint u = bits(x);
    unsigned short r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    // Compiled code carries `bfloat` in `float`: one that is only moved keeps all bits, also of a signalling NaN.
    if ((u & 0x7fffffff) > 0x7f800000) r = u >> 16 | (u & 0xffff ? 0x40 : 0);
    __bf16 b;
    __builtin_memcpy(&b, &r, 2);
    return b;
}
HOOK __bf16 __truncdfbf2(double x) {
    // Rounded to odd first, so that the second rounding sees what the first has lost.
    float f = (float)x;
    uint u = bits(f);
    if ((double)f != x && x == x && (u & 0x7fffffff) < 0x7f800000) {
        if ((f < 0 ? -(double)f : (double)f) > (x < 0 ? -x : x)) u--;
        u |= 1;
        __builtin_memcpy(&f, &u, 4);
    }
    return __truncsfbf2(f);
}

// ---- what instrumented code calls before each access
#define ACCESSES(n) \
    HOOK void __tsan_read##n(void* p) { hooks->access(p, n, READ, PC); } \
    HOOK void __tsan_write##n(void* p) { hooks->access(p, n, WRITE, PC); } \
    HOOK void __tsan_read_write##n(void* p) { hooks->access(p, n, READ | WRITE, PC); } \
    HOOK void __tsan_unaligned_read##n(void* p) { hooks->access(p, n, READ | UNALIGNED, PC); } \
    HOOK void __tsan_unaligned_write##n(void* p) { hooks->access(p, n, WRITE | UNALIGNED, PC); } \
    HOOK void __tsan_unaligned_read_write##n(void* p) { hooks->access(p, n, READ | WRITE | UNALIGNED, PC); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
HOOK void __tsan_init(void) {}
HOOK void __tsan_func_entry(void* pc) { (void)pc; }
HOOK void __tsan_func_exit(void) {}
HOOK void* __tsan_memcpy(void* to, const void* from, ulong n) {
    if (n) {
        hooks->access(from, n, READ | UNALIGNED, PC);
        hooks->access(to, n, WRITE | UNALIGNED, PC);
    }
    return __builtin_memcpy(to, from, n);
}
HOOK void* __tsan_memmove(void* to, const void* from, ulong n) {
    if (n) {
        hooks->access(from, n, READ | UNALIGNED, PC);
        hooks->access(to, n, WRITE | UNALIGNED, PC);
    }
    return __builtin_memmove(to, from, n);
}
HOOK void* __tsan_memset(void* to, int v, ulong n) {
    if (n) hooks->access(to, n, WRITE | UNALIGNED, PC);
    return __builtin_memset(to, v, n);
}

// Where clang describes an array and the index that lies outside.
struct type {
    unsigned short kind, info;
    char name[];
};
struct outside {
    const char* file;
    uint line, column;
    const struct type *array, *index;
};
HOOK void __ubsan_handle_out_of_bounds(struct outside* data, ulong index) {
    hooks->bad_index((long)index, 0, data->line, data->file);
}

// ---- the sizes of threadgroup variables: triples of number, bytes and alignment
extern const uint __start_msl_tg[] __attribute__((weak, visibility("hidden")));
extern const uint __stop_msl_tg[] __attribute__((weak, visibility("hidden")));
__attribute__((visibility("default"))) const uint* msl_variables(ulong* count) {
    *count = (ulong)(__stop_msl_tg - __start_msl_tg) / 3;
    return __start_msl_tg;
}
