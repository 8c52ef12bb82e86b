#include "cluster/local/process_end.hpp"

#include <gtest/gtest.h>

namespace bellows::cluster {
namespace {

using How = ProcessEnd::How;

TEST(ShimLine, ReportsStartAndEnd) {
  EXPECT_EQ(std::get<ProcessStarted>(*parse_shim_line("started 4711")), ProcessStarted{4711});
  EXPECT_EQ(std::get<ProcessUngrouped>(*parse_shim_line("ungrouped EACCES")),
            ProcessUngrouped{"EACCES"});
  EXPECT_EQ(std::get<ProcessEnd>(*parse_shim_line("exited 3")), (ProcessEnd{How::kExited, 3, ""}));
  EXPECT_EQ(std::get<ProcessEnd>(*parse_shim_line("killed SIGSEGV")),
            (ProcessEnd{How::kKilled, 0, "SIGSEGV"}));
  EXPECT_EQ(std::get<ProcessEnd>(*parse_shim_line("exec-failed ENOENT")),
            (ProcessEnd{How::kNotStarted, 0, "ENOENT"}));
}

TEST(ShimLineThatIsMalformed, IsIgnored) {
  for (const char* line : {"", "started", "started ", "started soon", "exited 1x", "hello 1",
                           "stop-exited", "stop-started 1", "start-exited x", "port-taken none"}) {
    EXPECT_FALSE(parse_shim_line(line).has_value()) << line;
  }
}

TEST(ProcessEndText, DescribesEachEnd) {
  EXPECT_EQ(to_string(ProcessEnd{How::kExited, 1, ""}), "exited with code 1");
  EXPECT_EQ(to_string(ProcessEnd{How::kKilled, 0, "SIGSEGV"}), "was killed by SIGSEGV");
  EXPECT_EQ(to_string(ProcessEnd{How::kNotStarted, 0, "E2BIG"}), "cannot be started: E2BIG");
  EXPECT_EQ(to_string(ProcessEnd{}), "ended because its shim was killed");
}

TEST(ShimLine, ReportsEndsOfStartAndStopCommandsApart) {
  EXPECT_EQ(std::get<ProcessEnd>(*parse_shim_line("start-exited 3")),
            (ProcessEnd{How::kExited, 3, "", true}));
  EXPECT_TRUE(std::holds_alternative<ProcessLaunched>(*parse_shim_line("start-over 0")));
  EXPECT_EQ(std::get<ProcessStopped>(*parse_shim_line("stop-killed SIGKILL")).end,
            (ProcessEnd{How::kKilled, 0, "SIGKILL"}));
  EXPECT_EQ(std::get<ProcessEnd>(*parse_shim_line("port-taken 3000")),
            (ProcessEnd{How::kPortTaken, 3000, ""}));
}

TEST(ProcessEndText, NamesTheStartCommandAndThePort) {
  EXPECT_EQ(to_string(ProcessEnd{How::kExited, 3, "", true}),
            "was not started: its start command exited with code 3");
  EXPECT_EQ(to_string(ProcessEnd{How::kPortTaken, 3000, ""}),
            "cannot be started: port 3000 is taken");
}

}  // namespace
}  // namespace bellows::cluster
