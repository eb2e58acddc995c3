// Ascending lists.

// The first place in the ascending values[low], ..., values[high - 1] that holds more than wanted, or high.
template <class T>
__device__ inline long long after(const T* __restrict__ values, long long low, long long high, T wanted) {
  while (low < high) {
    const long long middle = (low + high) / 2;
    if (values[middle] <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Whether wanted is among the ascending values[low], ..., values[high - 1].
__device__ inline bool holds(const int* __restrict__ values, long long low, long long high, int wanted) {
  const long long place = after(values, low, high, wanted);
  return place > low && values[place - 1] == wanted;
}
