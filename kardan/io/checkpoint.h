#pragma once
/// Checkpoints: a run at a restart point with everything that decides how it goes on, in a file
/// that is replaced as a whole or not at all.
///
///   KARDAN CHECKPOINT 5
///   bytes 1234            behind the empty line
///   checksum 0123abcd     CRC-32 of them
///                         empty line
///   ...                   numbers (little endian) and texts
///
/// Beside it, FILE.rows holds the rows so far (row_journal.h).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kardan/base/expected.h"
#include "kardan/io/row_journal.h"
#include "kardan/model/model.h"
#include "kardan/run/prepare.h"
#include "kardan/run/simulate.h"

namespace kardan {

/// Values by name, as a user writes them.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

struct Checkpoint {
  std::string program;      ///< the version that wrote it
  std::uint64_t model = 0;  ///< model_hash
  NamedTexts set;           ///< parameters replaced
  NamedTexts options;       ///< option_texts
  NamedTexts command;       ///< what the command line said, for whoever goes on with it
  JournalMark rows;
  RunMemory memory;
};

/// Of everything the equations of a model come from; its name, its comments and `simulate:` do not
/// count.
[[nodiscard]] std::uint64_t model_hash(const Model& model, const ParameterValues& overrides);

/// Every option by name; those a run may change when it goes on (t_end, max_steps) are left out.
[[nodiscard]] NamedTexts option_texts(const SimulateOptions& options);

/// The bytes of the file.
[[nodiscard]] std::string to_bytes(const Checkpoint& checkpoint);
/// Whatever the bytes are: a checkpoint or a message, without a place.
[[nodiscard]] Expected<Checkpoint, Diagnostic> read_checkpoint(std::string_view bytes);

/// From a file; nothing after reporting why not.
[[nodiscard]] std::optional<Checkpoint> load_checkpoint(const std::string& path,
                                                        Diagnostics& diagnostics);

/// The file with the rows of a checkpoint.
[[nodiscard]] std::string rows_path(const std::string& checkpoint);

/// Reports everything that makes a run another one than that of the checkpoint.
void check_same_run(const Checkpoint& checkpoint, const std::string& path, std::uint64_t model,
                    const System& system, const SimulateOptions& options, Diagnostics& diagnostics);

}  // namespace kardan
