#pragma once
/// Kernels that are compiled twice, and chosen by the processor they run on.

// Run-time dispatch needs the linker's help (ifunc), which sanitizers do not stand.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KARDAN_DISPATCHED __attribute__((target_clones("avx2", "default")))
#else
#define KARDAN_DISPATCHED
#endif
// What a dispatched function calls must be compiled with it.
#define KARDAN_INLINE inline __attribute__((always_inline))
