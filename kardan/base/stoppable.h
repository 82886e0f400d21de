#pragma once
/// Stop points (stop.h) for libraries that have none.

#include <functional>

namespace kardan {

/// Has a thread of its own do `work` of a tenth of a second and more, while this one waits at stop
/// points. After Stopped that thread goes on, with nobody waiting, until the work is done: what
/// `work` uses must be its own copies, which it keeps alive. Throws what `work` throws.
void run_stoppably(const std::function<void()>& work);

}  // namespace kardan
