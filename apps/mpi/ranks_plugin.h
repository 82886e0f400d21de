#pragma once
/// What a launcher's processes tell each other, as a table of C functions: `kardan study` loads it
/// from kardan_mpi.so beside the program where it is started as one of several ranks. So neither the
/// program nor anything built without MPI depends on it.

extern "C" {

struct KardanRanks {
  int version;  ///< of this table
  int rank, size;
  /// Numbers from 0 on, each given to one caller of all ranks. From one thread at a time.
  unsigned long long (*next)(void);
  /// 1 where all ranks say 1: none goes on before all have.
  int (*all)(int yes);
  /// Nothing may be called after it.
  void (*finish)(void);
  /// Ends all ranks: for one that cannot go on.
  void (*give_up)(void);
};

enum { kardan_ranks_version = 1 };

/// Null where there are no ranks.
const struct KardanRanks* kardan_ranks(void);
using KardanRanksFunction = const KardanRanks* (*)();
}
