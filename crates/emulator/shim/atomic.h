// Atomics. Only what Metal has compiles: `atomic_float` and `atomic_ulong` lie in device memory, the latter takes min and max
// without a result.
namespace metal {

enum memory_order { memory_order_relaxed = 0 };
// Another type: atomics take the relaxed order only.
enum msl_fence_order { memory_order_acquire = 2, memory_order_release = 3, memory_order_acq_rel = 4, memory_order_seq_cst = 5 };
enum thread_scope { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };
// Memory is coherent.
#define coherent(scope)

template <class T> struct msl_atomic { T v; };
template <class T> using atomic = msl_atomic<T>;
#define atomic_int metal_atomic_int
#define atomic_uint metal_atomic_uint
#define atomic_float metal_atomic_float
#define atomic_ulong metal_atomic_ulong
#define atomic_bool metal_atomic_bool
typedef msl_atomic<int> atomic_int;
typedef msl_atomic<uint> atomic_uint;
typedef msl_atomic<float> atomic_float;
typedef msl_atomic<ulong> atomic_ulong;

template <class T> constexpr bool atomic_integer = __is_same(T, int) || __is_same(T, uint);
#define MSL_NO_PLACE(AS) \
    static_assert(__is_same(AS char, device char) || !__is_same(T, float), \
        "atomic_float exists in device memory only; use a compare-exchange loop on atomic_uint")
#define MSL_RMW(AS, name, INTEGER, FLOATING) \
    template <class T> MSL_F T atomic_##name##_explicit(volatile AS msl_atomic<T>* p, __type_identity_t<T> v, memory_order) { \
        MSL_NO_PLACE(AS); \
        static_assert(atomic_integer<T> || (__is_same(T, float) && FLOATING != 0), \
            "there is no atomic_" #name "_explicit of this type"); \
        return as_type<T>(msl_atomic_32((void*)p, as_type<uint>(v), __is_same(T, float) ? FLOATING : INTEGER)); \
    }
#define MSL_ATOMICS(AS) \
    MSL_RMW(AS, exchange, msl_exchange_op, msl_exchange_op) \
    MSL_RMW(AS, fetch_add, msl_add, msl_add_float) \
    MSL_RMW(AS, fetch_sub, msl_sub, msl_sub_float) \
    MSL_RMW(AS, fetch_and, msl_and, 0) \
    MSL_RMW(AS, fetch_or, msl_or, 0) \
    MSL_RMW(AS, fetch_xor, msl_xor, 0) \
    MSL_RMW(AS, fetch_min, (__is_same(T, int) ? msl_min_int : msl_min_uint), 0) \
    MSL_RMW(AS, fetch_max, (__is_same(T, int) ? msl_max_int : msl_max_uint), 0) \
    template <class T> MSL_F T atomic_load_explicit(const volatile AS msl_atomic<T>* p, memory_order) { \
        MSL_NO_PLACE(AS); \
        static_assert(sizeof(T) == 4, "atomic_load_explicit takes 32-bit types"); \
        return as_type<T>(msl_atomic_32((void*)p, 0, msl_load)); \
    } \
    template <class T> MSL_F void atomic_store_explicit(volatile AS msl_atomic<T>* p, __type_identity_t<T> v, memory_order) { \
        MSL_NO_PLACE(AS); \
        static_assert(sizeof(T) == 4, "atomic_store_explicit takes 32-bit types"); \
        msl_atomic_32((void*)p, as_type<uint>(v), msl_store); \
    } \
    template <class T> MSL_F bool atomic_compare_exchange_weak_explicit( \
        volatile AS msl_atomic<T>* p, thread T* expected, __type_identity_t<T> v, memory_order, memory_order) { \
        MSL_NO_PLACE(AS); \
        static_assert(sizeof(T) == 4, "atomic_compare_exchange_weak_explicit takes 32-bit types"); \
        uint want = as_type<uint>(*expected); \
        uint old = msl_atomic_exchange_if_32((void*)p, want, as_type<uint>(v)); \
        *expected = as_type<T>(old); \
        return old == want; \
    }
template <class T> using __type_identity_t = typename conditional<true, T, T>::type;
MSL_ATOMICS(device)
MSL_ATOMICS(threadgroup)
#undef MSL_ATOMICS
#undef MSL_RMW
#undef MSL_NO_PLACE

MSL_F void atomic_min_explicit(volatile device msl_atomic<ulong>* p, ulong v, memory_order) {
    msl_atomic_64((void*)p, v, msl_min_uint);
}
MSL_F void atomic_max_explicit(volatile device msl_atomic<ulong>* p, ulong v, memory_order) {
    msl_atomic_64((void*)p, v, msl_max_uint);
}

// Metal 3.2.
MSL_F void atomic_thread_fence(mem_flags, msl_fence_order, thread_scope = thread_scope_device) { msl_fence(); }

}  // namespace metal
