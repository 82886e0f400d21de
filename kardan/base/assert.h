#pragma once
/// KARDAN_ASSERT(condition, message): what must hold whatever the user does. If it does not, the
/// program says where and why on standard error and aborts. It is for faults of the program only;
/// a bad model or an unsolvable step is answered by Eval, Expected or a Report.
///
/// Active in all builds, NDEBUG or not, so keep the condition cheap; KARDAN_NO_ASSERT leaves it
/// out. The message is anything a std::string_view can be made of, and is made only on failure.

#include <string_view>

namespace kardan {

[[noreturn]] void assertion_failed(const char* file, int line, const char* condition,
                                   std::string_view message) noexcept;

}  // namespace kardan

#ifdef KARDAN_NO_ASSERT
// Compiled, not evaluated: names used only here stay used.
#define KARDAN_ASSERT(condition, message) \
  (static_cast<void>(sizeof(!(condition))), static_cast<void>(sizeof(message)))
#else
#define KARDAN_ASSERT(condition, message) \
  ((condition) ? static_cast<void>(0)     \
               : ::kardan::assertion_failed(__FILE__, __LINE__, #condition, (message)))
#endif
