#pragma once
/// Work that consists of independent pieces, on several threads. Which thread does which piece is
/// left open: a piece may depend on its index only.

#include <cstdint>
#include <functional>

namespace kardan {

/// As many as asked for; 0: as many as there are processors.
[[nodiscard]] int crew_size(int asked);

/// Calls `work(index, member)` for every index below `count`, in order of their start; members are
/// 0 to threads - 1, and each does one piece at a time. The caller is member 0. What `work` throws
/// first ends the work and is thrown here. `work` answering false: no further piece is begun.
void for_each_piece(std::uint64_t count, int threads,
                    const std::function<bool(std::uint64_t index, int member)>& work);

}  // namespace kardan
