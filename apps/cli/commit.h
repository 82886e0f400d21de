#pragma once

namespace kardan::cli {

/// What the program was built from, as "1a2b3c4d5e" or "1a2b3c4d5e, changed"; empty where the sources were no
/// repository. Written by the build (cmake/Commit.cmake).
extern const char* const commit;

}  // namespace kardan::cli
