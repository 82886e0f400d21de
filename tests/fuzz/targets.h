#pragma once
/// What reads bytes of strangers, each as a function of the bytes. A target answers every input;
/// what must not happen (a crash, a broken promise) ends in an exception or an abort. libFuzzer
/// drives them by coverage (tools/fuzz), the tests by stored inputs and fixed mutations.

#include <span>
#include <string_view>

namespace kardan::fuzz {

struct Target {
  std::string_view name;
  void (*feed)(std::string_view bytes);
};

/// A new target is one file and one line in targets.cpp.
[[nodiscard]] std::span<const Target> targets();
/// Null if there is none of that name.
[[nodiscard]] const Target* find_target(std::string_view name);

/// Throws std::logic_error unless `good`.
void require(bool good, const char* promise);

void feed_checkpoint(std::string_view bytes);
void feed_dataset(std::string_view bytes);
void feed_expression(std::string_view bytes);
void feed_model(std::string_view bytes);
void feed_result(std::string_view bytes);

}  // namespace kardan::fuzz
