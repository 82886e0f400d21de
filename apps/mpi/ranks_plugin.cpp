/// Ranks of MPI: a counter in a window of rank 0, which every rank adds to without its help, so that
/// blocks of runs go to whoever is ready; and one reduction at either end.

#include "apps/mpi/ranks_plugin.h"

#include <mpi.h>

namespace {

struct Shared {
  MPI_Win window = MPI_WIN_NULL;
  unsigned long long* counter = nullptr;
  KardanRanks table{};
};

Shared& shared() {
  static Shared all;
  return all;
}

unsigned long long next() {
  const unsigned long long one = 1;
  unsigned long long out = 0;
  MPI_Win window = shared().window;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Fetch_and_op(&one, &out, MPI_UNSIGNED_LONG_LONG, 0, 0, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  return out;
}

int all(int yes) {
  int out = 0;
  MPI_Allreduce(&yes, &out, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return out;
}

void finish() {
  MPI_Win_free(&shared().window);
  MPI_Finalize();
}

void give_up() {
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

extern "C" const KardanRanks* kardan_ranks() {
  int there = 0;
  MPI_Initialized(&there);
  if (there) return &shared().table;
  int level = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS ||
      level < MPI_THREAD_SERIALIZED)
    return nullptr;
  Shared& s = shared();
  s.table = {kardan_ranks_version, 0, 0, next, all, finish, give_up};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.table.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.table.size);
  const MPI_Aint bytes = s.table.rank == 0 ? sizeof *s.counter : 0;
  MPI_Win_allocate(bytes, sizeof *s.counter, MPI_INFO_NULL, MPI_COMM_WORLD, &s.counter, &s.window);
  if (s.table.rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, s.window);
    *s.counter = 0;
    MPI_Win_unlock(0, s.window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return &s.table;
}
