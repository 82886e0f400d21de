#pragma once
/// Counts the instructions of this thread, where the system lets it.

#include <cstdint>
#include <optional>

namespace kardan {

class InstructionCounter {
 public:
  /// Starts to count.
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  /// Since the start; nothing where they cannot be counted.
  std::optional<std::uint64_t> count() const;

 private:
  int file_ = -1;
};

}  // namespace kardan
