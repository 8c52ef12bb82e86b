#include "cluster/local/command_line.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace bellows::cluster {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWithPort, HasTheNumberForBothSpellings) {
  EXPECT_EQ(with_port({"serve", "$PORT", "--listen=127.0.0.1:${PORT}", "$PORT/$PORT"}, 24001),
            (Words{"serve", "24001", "--listen=127.0.0.1:24001", "24001/24001"}));
  EXPECT_EQ(with_port({"run$PORT", "$PORT-x", "$PORT.log"}, 7), (Words{"run7", "7-x", "7.log"}));
}

TEST(CommandWithOtherDollars, KeepsThem) {
  const Words command = {"$PORTX", "$PORT_2", "$PORT2", "${PORT:-1}", "$$PORT",
                         "$port",  "$",       "$$",     "${POR}",     "$HOME",
                         "",       "PORT",    "${PORT", "cost: 5$"};
  EXPECT_EQ(with_port(command, 24001), command);
}

/// A folder with an executable `tool`, a plain file `notes` and a folder `folder`.
class ProgramLookup : public testing::Test {
 protected:
  ProgramLookup() {
    std::string pattern = testing::TempDir() + "bellows_lookup_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    std::ofstream(folder_ + "/tool") << "#!/bin/sh\n";
    std::ofstream(folder_ + "/notes") << "text\n";
    ::chmod((folder_ + "/tool").c_str(), 0755);
    ::chmod((folder_ + "/notes").c_str(), 0644);
    std::filesystem::create_directory(folder_ + "/folder");
  }
  ~ProgramLookup() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(ProgramLookup, FindsTheFirstExecutableInThePath) {
  const auto found = find_program("tool", "", "/nonexistent:relative:" + folder_ + ":/bin");
  ASSERT_TRUE(found.has_value()) << to_string(found.error());
  EXPECT_EQ(*found, folder_ + "/tool");
}

TEST_F(ProgramLookup, ResolvesANameWithASlashInTheWorkingDirectory) {
  EXPECT_EQ(find_program("./tool", folder_, "").value(), folder_ + "/tool");
  EXPECT_EQ(find_program("../" + std::filesystem::path(folder_).filename().string() + "/tool",
                         folder_, "")
                .value(),
            folder_ + "/tool");
  EXPECT_EQ(find_program(folder_ + "/tool", "/", "").value(), folder_ + "/tool");
}

TEST_F(ProgramLookup, FailsWithTheReasonInOneLine) {
  const auto error = [&](const std::string& program) {
    return to_string(find_program(program, folder_, folder_).error());
  };
  EXPECT_EQ(error("nonexistent"), "nonexistent: no such program in PATH");
  EXPECT_EQ(error("./nonexistent"), "./nonexistent: no such program");
  EXPECT_EQ(error("notes"), "notes: not executable");
  EXPECT_EQ(error("./notes"), "./notes: not executable");
  EXPECT_EQ(error("./folder"), "./folder: is a directory, not a program");
  EXPECT_EQ(error("folder"), "folder: no such program in PATH");
  EXPECT_EQ(error(""), "command: is empty");
}

}  // namespace
}  // namespace bellows::cluster
