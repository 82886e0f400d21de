/// Pieces of work on several threads.

#include "kardan/base/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace kardan {
namespace {

TEST(Crew, DoesEveryPieceOnceByMembersThatDoOneAtATime) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(1000), busy(static_cast<std::size_t>(threads));
    std::atomic<int> overlaps = 0;
    for_each_piece(done.size(), threads, [&](std::uint64_t i, int member) {
      overlaps += busy[static_cast<std::size_t>(member)]++ > 0 ? 1 : 0;
      ++done[i];
      --busy[static_cast<std::size_t>(member)];
      return true;
    });
    for (const std::atomic<int>& n : done) EXPECT_EQ(n, 1);
    EXPECT_EQ(overlaps, 0);
  }
  for_each_piece(0, 3, [](std::uint64_t, int) -> bool { throw std::logic_error("no piece"); });
}

TEST(Crew, EndsWhenAskedAndThrowsWhatAMemberHasThrown) {
  std::atomic<int> done = 0;
  for_each_piece(1000, 2, [&](std::uint64_t, int) { return ++done < 10; });
  EXPECT_GE(done, 10);
  EXPECT_LE(done, 12) << "what was begun comes to its end";
  EXPECT_THROW(for_each_piece(1000, 3,
                              [&](std::uint64_t i, int) -> bool {
                                if (i == 5) throw std::runtime_error("five");
                                return true;
                              }),
               std::runtime_error);
}

}  // namespace
}  // namespace kardan
