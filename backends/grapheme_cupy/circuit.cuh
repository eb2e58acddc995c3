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

// Gates that a warp takes at once: all are read before the first is written, so their loads wait for memory together.
constexpr int TOGETHER = 2;

// Evaluate all gates on values (row, lane). wires (gate): rows of a, b and out, and the parameter, level by level;
// levels (levels + 1): where each begins. Rows that are written in a level are not read in it.
template <class T>
__device__ inline void evaluate(const Circuit& circuit, const int4* __restrict__ wires, const int* __restrict__ levels,
                                const Four<T>* __restrict__ coefficients, T* values) {
  for (int level = 0; level < circuit.levels; level++) {
    const int end = __ldg(&levels[level + 1]);
    for (int first = __ldg(&levels[level]) + warp(); first < end; first += TOGETHER * warps()) {
      T out[TOGETHER];
      int row[TOGETHER];
#pragma unroll
      for (int k = 0; k < TOGETHER; k++) {
        const int4 wire = __ldg(&wires[min(first + k * warps(), end - 1)]);  // the last gate again, where there is none
        row[k] = wire.z * LANES + lane();
        out[k] = gate(coefficients[wire.w], values[wire.x * LANES + lane()], values[wire.y * LANES + lane()]);
      }
#pragma unroll
      for (int k = 0; k < TOGETHER; k++)
        if (first + k * warps() < end) values[row[k]] = out[k];
    }
    __syncthreads();
  }
}
