#pragma once
/// The answer of every evaluation, factorization and callback:
/// ok; recoverable (try a smaller step); fatal (stop and report).

namespace kardan {

enum class [[nodiscard]] Eval{ok, recoverable, fatal};

}  // namespace kardan
