#pragma once
/// Kernels that are compiled twice, and chosen by the processor they run on.

#include <type_traits>

// Run-time dispatch needs the linker's help (ifunc), which sanitizers do not stand.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KARDAN_DISPATCHED __attribute__((target_clones("avx2", "default")))
#else
#define KARDAN_DISPATCHED
#endif
// What a dispatched function calls must be compiled with it.
#define KARDAN_INLINE inline __attribute__((always_inline))

namespace kardan {

/// Four neighbouring numbers; loads and stores need no alignment.
using Four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)))) = double;

/// Calls `use` with a count from 1 to 4 as a constant, so that loops over it are unrolled.
template <class Use>
KARDAN_INLINE auto with_constant(int count, Use&& use) {
  switch (count) {
    case 1:
      return use(std::integral_constant<int, 1>());
    case 2:
      return use(std::integral_constant<int, 2>());
    case 3:
      return use(std::integral_constant<int, 3>());
    default:
      return use(std::integral_constant<int, 4>());
  }
}

}  // namespace kardan
