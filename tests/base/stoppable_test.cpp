#include "kardan/base/stoppable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "kardan/base/stop.h"

namespace kardan {
namespace {

using std::chrono::milliseconds;

TEST(Stoppable, WorkIsDoneWhereNobodyAsks) {
  const auto done = std::make_shared<bool>(false);
  run_stoppably([done] { *done = true; });
  EXPECT_TRUE(*done);
}

TEST(Stoppable, WorkThrowsWhereItIsWaitedFor) {
  EXPECT_THROW(run_stoppably([] { throw std::length_error("mine"); }), std::length_error);
}

TEST(Stoppable, WorkThatIsStoppedEndsByItself) {
  struct Shared {
    std::atomic<bool> may_end = false, ended = false;
  };
  const auto shared = std::make_shared<Shared>();
  const StopQuestion yes = [] { return std::string("now"); };
  const StopScope scope(yes);
  EXPECT_THROW(run_stoppably([shared] {
                 while (!shared->may_end) std::this_thread::sleep_for(milliseconds(1));
                 shared->ended = true;
               }),
               Stopped);
  EXPECT_FALSE(shared->ended);
  shared->may_end = true;
  for (int i = 0; i < 10'000 && !shared->ended; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(shared->ended);
}

}  // namespace
}  // namespace kardan
