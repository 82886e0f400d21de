#pragma once
/// Counts every allocation of a test program: `allocations`. To be included by one file of it.
///
/// The C library's own entry points let the replacements below pass calls on. operator new is built
/// on malloc and therefore counted as well. Sanitizers bring their own malloc: there nothing is
/// counted.

#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KARDAN_COUNTS_ALLOCATIONS 1
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {
long allocations = 0;
}

extern "C" {
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
}
#else
#define KARDAN_COUNTS_ALLOCATIONS 0
namespace {
long allocations = 0;
}
#endif
