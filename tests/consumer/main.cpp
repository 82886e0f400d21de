// A program outside the repository: it sees only what is installed.
#include <cstdio>

#include "kardan/base/assert.h"
#include "kardan/base/eval.h"

int main() {
  const kardan::Eval answer = kardan::Eval::ok;
  KARDAN_ASSERT(answer == kardan::Eval::ok, "the installed library does not link");
  std::puts("consumer: ok");
}
