// A netlist on 32 lanes: every gate of a level is one warp's, and the warps meet after each level.

// Sizes of a circuit; circuit.py fills the fields in this order.
struct Circuit {
  int inputs, outputs, gates, levels;
  int rows;        // rows of values while a circuit only runs forwards
  int value_rows;  // rows when every value is kept
  int grad_rows;
  int parameters;
};

// Coefficients of (1, a, b, ab); four words that are loaded at once.
template <class T>
struct alignas(16) Four {
  T k0, k1, k2, k3;
};

// Fused on purpose: the compiler may not fuse by itself, so that all cards and compilers round alike.
template <class T>
__device__ inline T gate(const Four<T>& c, T a, T b) {
  return fma(b, fma(c.k3, a, c.k2), fma(c.k1, a, c.k0));
}

// The same polynomial over words of bits, where XOR is plus and AND is times.
__device__ inline unsigned gate(const Four<unsigned>& c, unsigned a, unsigned b) {
  return (b & ((c.k3 & a) ^ c.k2)) ^ (c.k1 & a) ^ c.k0;
}

// Evaluate all gates on values (row, lane). wires (gate): rows of a, b and out, and the parameter, level by level;
// levels (levels + 1): where each begins. Rows that are written in a level are not read in it.
template <class T>
__device__ inline void evaluate(const Circuit& circuit, const int4* __restrict__ wires, const int* __restrict__ levels,
                                const Four<T>* __restrict__ coefficients, T* values) {
  for (int level = 0; level < circuit.levels; level++) {
    const int end = __ldg(&levels[level + 1]);
    for (int g = __ldg(&levels[level]) + warp(); g < end; g += warps()) {
      const int4 wire = __ldg(&wires[g]);
      const T a = values[wire.x * LANES + lane()], b = values[wire.y * LANES + lane()];
      values[wire.z * LANES + lane()] = gate(coefficients[wire.w], a, b);
    }
    __syncthreads();
  }
}
