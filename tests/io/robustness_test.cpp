#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "io/reading.h"
#include "support/places.h"

namespace kardan {
namespace {

std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder()))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Models, AreReadWithoutDiagnostics) {
  ASSERT_GE(model_files().size(), 18u);
  for (const auto& path : model_files()) {
    Diagnostics diagnostics;
    const auto model = read_model_file(path.string(), {}, diagnostics);
    EXPECT_TRUE(model) << path;
    EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  }
}

TEST(Models, StartWithACommentAndTheVersion) {
  for (const auto& path : model_files()) {
    const std::string text = contents(path);
    EXPECT_TRUE(text.starts_with("# ")) << path;
    EXPECT_THAT(text, testing::HasSubstr("\nkardan: 1\n")) << path;
  }
}

/// Reading either gives a model or says why not.
void expect_answer(const std::string& text) {
  const Reading r = read(text);
  ASSERT_NE(r.model.has_value(), r.diagnostics.has_errors()) << text;
}

TEST(Robustness, EveryPrefixOfAModelGetsAnAnswer) {
  const std::string text = contents(models_folder() + "/n_four_bar.yaml");
  for (std::size_t n = 0; n <= text.size(); ++n) expect_answer(text.substr(0, n));
}

TEST(Robustness, MutatedModelsGetAnAnswer) {
  std::mt19937 random(20240611);
  const std::string special = "{}[]:,'\"&*!|>-?%@`#~$\n\t \\0129.eE+ij\xc3\xff";
  for (const char* file : {"/chain.yaml", "/andrews.yaml", "/truck.yaml"}) {
    const std::string text = contents(models_folder() + file);
    for (int round = 0; round < 400; ++round) {
      std::string mutated = text;
      const int changes = 1 + static_cast<int>(random() % 8);
      for (int k = 0; k < changes; ++k) {
        const std::size_t at = random() % mutated.size();
        const char letter = special[random() % special.size()];
        switch (random() % 4) {
          case 0:
            mutated[at] = letter;
            break;
          case 1:
            mutated.insert(at, 1 + random() % 3, letter);
            break;
          case 2:
            mutated.erase(at, 1 + random() % 20);
            break;
          default:
            mutated.insert(at, mutated.substr(random() % mutated.size(), random() % 60));
        }
        if (mutated.empty()) mutated.push_back(' ');
      }
      expect_answer(mutated);
    }
  }
}

TEST(Robustness, RandomPunctuationGetsAnAnswer) {
  std::mt19937 random(7);
  const std::string special = "{}[]:,'\"&*!|>-?%@#~$\n\n  ab1:: - ";
  for (int round = 0; round < 3000; ++round) {
    std::string text(round % 2 ? "kardan: 1\nbodies: " : "");
    for (std::size_t n = random() % 80; n > 0; --n) text += special[random() % special.size()];
    expect_answer(text);
  }
}

}  // namespace
}  // namespace kardan
