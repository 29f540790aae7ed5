// Tensor operations of a simdgroup: products of matrices in memory whose sums are cooperative tensors. This is the part of Metal 4 and
// of its Metal Performance Primitives that generated kernels use.
#if MSL_LANGUAGE >= 400
namespace metal {

template <class I, int R> struct dextents;
template <class I> struct dextents<I, 2> {
    I of[2];
    MSL_F constexpr dextents(I across, I down) : of{across, down} {}
};
struct tensor_inline {};
template <int N> struct execution_simdgroups;
typedef execution_simdgroups<1> execution_simdgroup;

template <class T> struct without_space { typedef T type; };
template <class T> struct without_space<device T> { typedef T type; };
template <class T> struct without_space<threadgroup T> { typedef T type; };

// Elements in memory. What is undefined is not a number: elements outside of it, and all if neighbours are not side by side.
template <class T, class E, class D> struct tensor;
template <class T> struct tensor<T, dextents<int, 2>, tensor_inline> {
    typedef typename without_space<T>::type element;
    T* data;
    int extents[2];
    int strides[2];
    MSL_F tensor(T* data, dextents<int, 2> e, array<int, 2> s)
        : data(data), extents{e.of[0], e.of[1]}, strides{s[0], s[1]} {}
    MSL_F bool has(int across, int down) const {
        return strides[0] == 1 && (uint)across < (uint)extents[0] && (uint)down < (uint)extents[1];
    }
    MSL_F float get(int across, int down) const {
        return has(across, down) ? (float)data[across + down * strides[1]] : __builtin_nanf("");
    }
};

}  // namespace metal

namespace mpp { namespace tensor_ops {

using metal::site;

struct matmul2d_descriptor {
    enum class mode { multiply, multiply_accumulate };
    // As one number, for parameters of templates.
    ulong bits;
    MSL_F constexpr matmul2d_descriptor(int m, int n, int k, bool transpose_left = false, bool transpose_right = false,
        bool relaxed_precision = false, mode what = mode::multiply)
        : bits((ulong)m | (ulong)n << 12 | (ulong)k << 24 | (ulong)transpose_left << 36 | (ulong)transpose_right << 37
              | (ulong)relaxed_precision << 38 | (ulong)what << 39) {}
    MSL_F constexpr operator ulong() const { return bits; }
};

// The places of a lane's elements are scattered, and depend on the operation, so that a kernel which takes them for granted fails;
// two places in between hold none.
template <ulong Descriptor, class Left, class Right, class T> struct cooperative_tensor {
    static constexpr int rows = Descriptor & 4095, columns = Descriptor >> 12 & 4095;
    static constexpr int count = rows * columns, capacity = count / 32 + 2;
    static_assert(rows % 16 == 0 && columns % 16 == 0 && (count & (count - 1)) == 0, "sides are powers of two from 16 on");
    T e[capacity];
    MSL_F cooperative_tensor() {
        for (int i = 0; i < capacity; i++) e[i] = (T)__builtin_nanf("");
    }
    MSL_F ushort get_capacity() const { return capacity; }
    MSL_F bool is_valid_element(ushort i) const { return i != 3 && i != 11 && i < capacity; }
    MSL_F T& operator[](ushort i) __private { return e[i]; }
    MSL_F metal::array<int, 2> get_multidimensional_index(ushort i) const {
        uint own = i - (i > 3) - (i > 11), lane = msl_lane();
        uint at = ((own * 32 + lane) * 629 + 217 + 101 * (uint)(Descriptor >> 36 & 3)) & (count - 1);
        return metal::array<int, 2>{(int)(at % columns), (int)(at / columns)};
    }
    template <class S> MSL_F void load(S from, site s = site::here()) __private {
        metal::meet(s, "cooperative_tensor::load");
        for (int i = 0; i < capacity; i++) {
            if (!is_valid_element(i)) continue;
            metal::array<int, 2> at = get_multidimensional_index(i);
            e[i] = (T)from.get(at[0], at[1]);
        }
    }
    template <class S> MSL_F void store(S to, site s = site::here()) __private {
        metal::meet(s, "cooperative_tensor::store");
        for (int i = 0; i < capacity; i++) {
            if (!is_valid_element(i)) continue;
            metal::array<int, 2> at = get_multidimensional_index(i);
            if (to.has(at[0], at[1])) to.data[at[0] + at[1] * to.strides[1]] = e[i];
        }
    }
};

template <ulong Descriptor, class Scope> class matmul2d;
template <ulong Descriptor> class matmul2d<Descriptor, metal::execution_simdgroup> {
    static constexpr int depth = Descriptor >> 24 & 4095;
    static constexpr bool left_down = Descriptor >> 36 & 1, right_down = Descriptor >> 37 & 1;
    static constexpr bool adds = (Descriptor >> 39) == (ulong)matmul2d_descriptor::mode::multiply_accumulate;
public:
    template <class Left, class Right, class T>
    MSL_F cooperative_tensor<Descriptor, Left, Right, T> get_destination_cooperative_tensor() const {
        return cooperative_tensor<Descriptor, Left, Right, T>();
    }
    // One fused multiply and add after the other, in float.
    template <class Left, class Right, class T>
    MSL_F void run(thread Left& left, thread Right& right, thread cooperative_tensor<Descriptor, Left, Right, T>& to,
        site s = site::here()) const {
        static_assert(__is_same(T, float) && __is_same(typename Left::element, typename Right::element)
                && (__is_same(typename Left::element, half) || __is_same(typename Left::element, bfloat)),
            "products of half or bfloat have sums of float here");
        metal::meet(s, "matmul2d::run");
        for (int i = 0; i < to.capacity; i++) {
            if (!to.is_valid_element(i)) continue;
            metal::array<int, 2> at = to.get_multidimensional_index(i);
            float sum = adds ? to.e[i] : 0.0f;
            for (int k = 0; k < depth; k++) {
                float a = left_down ? left.get(at[1], k) : left.get(k, at[1]);
                float b = right_down ? right.get(k, at[0]) : right.get(at[0], k);
                sum = __builtin_fmaf(a, b, sum);
            }
            to.e[i] = sum;
        }
    }
};

} }  // namespace mpp::tensor_ops
#endif
