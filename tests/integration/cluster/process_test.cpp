#include "cluster/local/process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <csignal>
#include <fstream>
#include <optional>

#include "cluster/local/line_splitter.hpp"
#include "cluster/local/pipe.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::test {
namespace {

using cluster::Process;
using cluster::ProcessEnd;
using cluster::ProcessSpec;
using cluster::Stream;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using How = ProcessEnd::How;
using Words = std::vector<std::string>;

ProcessSpec app(const Words& arguments) {
  ProcessSpec spec;
  spec.shim = SHIM;
  spec.command = {TEST_APP};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  return spec;
}

/// A process that is not a child of this one, watched with a pidfd so that its pid is not reused.
class Stranger {
 public:
  explicit Stranger(pid_t pid) : pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  bool is_known() const { return pidfd_.get() >= 0; }
  /// Waits up to a minute.
  bool ends() const {
    pollfd watched{pidfd_.get(), POLLIN, 0};
    return ::poll(&watched, 1, 60'000) == 1;
  }
  bool is_alive() const {
    pollfd watched{pidfd_.get(), POLLIN, 0};
    return ::poll(&watched, 1, 0) == 0;
  }

 private:
  sys::Descriptor pidfd_;
};

/// State ('S': it sleeps) and parent of a process; nullopt: it is gone, and was reaped.
std::optional<std::pair<char, pid_t>> state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  text.erase(0, text.rfind(')') + 2);  // the name may have blanks
  return std::pair(text[0], static_cast<pid_t>(std::atoi(text.c_str() + 2)));
}

class ProcessTest : public testing::Test {
 protected:
  void start(const ProcessSpec& spec) {
    auto started = Process::start(
        io_, spec,
        {[this] { is_started_ = true; },
         [this](Stream stream, std::string_view line) { lines(stream).emplace_back(line); },
         [this](const ProcessEnd& end) { end_ = end; }, nullptr,
         [this](const ProcessEnd& end) { stop_end_ = end; }});
    ASSERT_TRUE(started.has_value()) << to_string(started.error());
    process_ = std::move(*started);
  }
  Words& lines(Stream stream) { return lines_[static_cast<std::size_t>(stream)]; }
  Words& output() { return lines(Stream::kOutput); }
  bool wait_for(const std::function<bool()>& is_true) { return run_until(io_, is_true); }
  bool wait_for_end() {
    return wait_for([this] { return end_.has_value(); });
  }
  /// The pid in a line such as "daemon 4711".
  pid_t wait_for_pid(const std::string& word) {
    pid_t pid = 0;
    EXPECT_TRUE(wait_for([&] {
      for (const std::string& line : output()) {
        if (line.starts_with(word + " ")) pid = std::atoi(line.c_str() + word.size() + 1);
      }
      return pid != 0;
    }));
    return pid;
  }

  http::net::io_context io_;
  std::unique_ptr<Process> process_;
  Words lines_[3];
  bool is_started_ = false;
  std::optional<ProcessEnd> end_;
  std::optional<ProcessEnd> stop_end_;
};

TEST_F(ProcessTest, ReportsItsLinesAndItsEnd) {
  start(app({"say", "hello", "complain", "oh no", "say", "bye", "exit", "3"}));
  ASSERT_TRUE(wait_for_end());
  EXPECT_TRUE(is_started_);
  EXPECT_THAT(output(), ElementsAre("hello", "bye"));
  EXPECT_THAT(lines(Stream::kError), ElementsAre("oh no"));
  EXPECT_EQ(*end_, (ProcessEnd{How::kExited, 3, ""}));
}

TEST_F(ProcessTest, ReportsTheSignalThatKilledIt) {
  start(app({"abort"}));
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(*end_, (ProcessEnd{How::kKilled, 0, "SIGABRT"}));
}

TEST_F(ProcessTest, GetsSignalsWithItsWholeGroup) {
  start(app({"child", "wait"}));
  const Stranger child(wait_for_pid("child"));
  process_->signal(SIGTERM);
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(*end_, (ProcessEnd{How::kKilled, 0, "SIGTERM"}));
  EXPECT_TRUE(child.ends());
}

TEST_F(ProcessTest, HasItsEnvironmentItsDirectoryAndNoInheritedDescriptor) {
  const TemporaryFolder folder;
  const sys::Descriptor leak(::open("/dev/null", O_RDONLY));  // without close-on-exec
  ASSERT_GE(leak.get(), 0);
  ProcessSpec spec = app({"show", "PORT", "show", "HOME", "where", "descriptors"});
  spec.environment = {{"PORT", "24001"}, {"HOME", "/nowhere"}};
  spec.working_directory = folder.path("");
  start(spec);
  ASSERT_TRUE(wait_for_end());
  std::string where = "where " + folder.path("");
  if (where.ends_with('/')) where.pop_back();
  EXPECT_THAT(output(), ElementsAre("PORT=24001", "HOME=/nowhere", where, "descriptors:"));
}

TEST_F(ProcessTest, HasItsOwnLimitOfDescriptors) {
  ProcessSpec spec = app({});
  spec.command = {"/bin/sh", "-c", "ulimit -Sn; ulimit -Sn $(ulimit -Hn) && echo raised"};
  spec.descriptors = 200;
  start(spec);
  ASSERT_TRUE(wait_for_end());
  EXPECT_THAT(output(), ElementsAre("200", "raised"));
}

TEST_F(ProcessTest, InheritsTheNotifyPipeThroughTheShim) {
  ProcessSpec spec = app({});
  spec.command = {"/bin/sh", "-c", "eval \"echo ready >&$TOLD_HERE\""};
  spec.notify_variable = "TOLD_HERE";
  start(spec);
  ASSERT_TRUE(wait_for_end());
  EXPECT_THAT(lines(Stream::kNotify), ElementsAre("ready"));
}

TEST_F(ProcessTest, WithMuchOutputIsReadToTheLastLine) {
  ProcessSpec spec = app({});
  spec.command = {
      "/bin/sh", "-c",
      "i=0; while [ $i -lt 5000 ]; do echo line-$i-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; "
      "i=$((i+1)); done; printf unfinished"};
  start(spec);
  ASSERT_TRUE(wait_for_end());
  ASSERT_THAT(output(), SizeIs(5001));
  EXPECT_TRUE(output()[4999].starts_with("line-4999-"));
  EXPECT_EQ(output()[5000], "unfinished");
}

TEST_F(ProcessTest, ThatCannotBeExecutedReportsTheReason) {
  const TemporaryFolder folder;
  const auto end_of = [&](const std::string& path, mode_t mode, const std::string& text) {
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    end_.reset();
    ProcessSpec spec = app({});
    spec.command = {path};
    start(spec);
    EXPECT_TRUE(wait_for_end());
    return end_.value_or(ProcessEnd{}).name;
  };
  EXPECT_EQ(end_of(folder.path("plain"), 0644, "text"), "EACCES");
  EXPECT_EQ(end_of(folder.path("bad-shebang"), 0755, "#!/no/such/interpreter\n"), "ENOENT");
  EXPECT_EQ(end_of(folder.path("nosuch/file"), 0755, ""), "ENOENT");
  EXPECT_EQ(end_->how, How::kNotStarted);
  EXPECT_FALSE(is_started_);
}

TEST_F(ProcessTest, InAMissingFolderIsAnErrorAtOnce) {
  ProcessSpec spec = app({"wait"});
  spec.working_directory = "/no/such/folder";
  const auto started = Process::start(io_, spec, {});
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(to_string(started.error()), "shim " + spec.shim +
                                            ": cannot be run in /no/such/folder: No such file or "
                                            "directory (ENOENT)");
}

TEST_F(ProcessTest, KilledEndsItsDaemonsToo) {
  start(app({"daemon", "deaf", "wait"}));
  const Stranger daemon(wait_for_pid("daemon"));
  ASSERT_TRUE(daemon.is_known());
  process_->kill();
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(*end_, (ProcessEnd{How::kKilled, 0, "SIGKILL"}));
  EXPECT_TRUE(daemon.ends());
}

TEST_F(ProcessTest, EndedByItselfLeavesNoDaemon) {
  start(app({"daemon", "say", "x", "deaf", "wait"}));
  const Stranger daemon(wait_for_pid("daemon"));
  EXPECT_TRUE(daemon.is_alive());
  process_->signal(SIGINT);
  ASSERT_TRUE(wait_for_end());
  EXPECT_TRUE(daemon.ends());
}

TEST_F(ProcessTest, DestroyedKillsAllDescendantsAndCallsNoHandler) {
  start(app({"daemon", "deaf", "wait"}));
  const Stranger daemon(wait_for_pid("daemon"));
  const Stranger shim(process_->shim_pid());
  process_.reset();
  EXPECT_TRUE(daemon.ends());
  EXPECT_TRUE(shim.ends());
  EXPECT_TRUE(wait_for([this] { return io_.stopped(); })) << "the shim was reaped";
  EXPECT_FALSE(end_.has_value());
}

TEST_F(ProcessTest, WhoseShimIsKilledEndsWithItsGroup) {
  start(app({"child", "say", "ready", "wait"}));
  const Stranger child(wait_for_pid("child"));
  ASSERT_TRUE(wait_for([this] { return is_started_; }));
  ::kill(process_->shim_pid(), SIGKILL);
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(end_->how, How::kLost);
  EXPECT_TRUE(child.ends());
}

/// Acts as Bellows: starts an app that starts a daemon, prints their output, and never ends.
[[noreturn]] void be_bellows(int words) {
  http::net::io_context io;
  const auto process = Process::start(
      io, app({"daemon", "child", "wait"}),
      {[] {},
       [&](Stream, std::string_view line) { ::dprintf(words, "%s\n", std::string(line).c_str()); },
       [](const ProcessEnd&) {}});
  ::dprintf(words, "shim %d\n", (*process)->shim_pid());
  for (;;) run_until(io, [] { return false; });
}

TEST(BellowsKilledBySigkill, LeavesNoProcess) {
  auto words = cluster::make_pipe().value();
  const pid_t bellows = ::fork();
  if (bellows == 0) be_bellows(words.write.get());
  words.write.close();
  std::vector<Stranger> all;
  std::array<char, 256> buffer{};
  cluster::LineSplitter splitter;
  while (all.size() < 3) {
    const ssize_t got = ::read(words.read.get(), buffer.data(), buffer.size());
    ASSERT_GT(got, 0);
    splitter.feed({buffer.data(), static_cast<std::size_t>(got)}, [&](std::string_view line) {
      all.emplace_back(std::atoi(std::string(line.substr(line.find(' '))).c_str()));
    });
  }
  for (const Stranger& one : all) EXPECT_TRUE(one.is_known() && one.is_alive());
  ::kill(bellows, SIGKILL);
  ::waitpid(bellows, nullptr, 0);
  for (const Stranger& one : all) EXPECT_TRUE(one.ends());
}

ProcessSpec shell(const std::string& command, const std::string& stop) {
  ProcessSpec spec = app({});
  spec.command = {"/bin/sh", "-c", command};
  spec.stop = {"/bin/sh", "-c", stop};
  spec.stop_time = std::chrono::seconds(60);
  return spec;
}

ProcessSpec starter(const std::string& command, const std::string& stop) {
  ProcessSpec spec = shell(command, stop);
  spec.is_starter = true;
  return spec;
}

TEST_F(ProcessTest, AnAppElsewhereEndsByItsStopCommand) {
  const TemporaryFolder folder;
  ProcessSpec spec = starter("echo up > app", "echo asked; echo why >&2; rm app");
  spec.working_directory = folder.path("");
  start(spec);
  ASSERT_TRUE(wait_for([&] { return std::ifstream(folder.path("app")).good(); }));
  process_->signal(SIGTERM);
  ASSERT_TRUE(wait_for_end());
  EXPECT_FALSE(std::ifstream(folder.path("app")).good());
  EXPECT_THAT(output(), ElementsAre("asked", "why"));
  EXPECT_EQ(stop_end_, (ProcessEnd{How::kExited, 0, ""}));
  EXPECT_EQ(*end_, (ProcessEnd{How::kExited, 0, ""}));
}

TEST_F(ProcessTest, TheStopCommandRunsAfterAKillAndWhenBellowsIsGone) {
  const TemporaryFolder folder;
  const auto is_there = [&](const char* name) { return std::ifstream(folder.path(name)).good(); };
  for (const bool is_gone : {false, true}) {
    ProcessSpec spec = starter("echo up > app", "rm app");
    spec.working_directory = folder.path("");
    start(spec);
    ASSERT_TRUE(wait_for([&] { return is_there("app"); }));
    is_gone ? process_.reset() : process_->kill();
    EXPECT_TRUE(wait_for([&] { return !is_there("app"); })) << is_gone;
  }
}

TEST_F(ProcessTest, AFailedStartIsReportedAsOne) {
  start(starter("echo no >&2; exit 3", "echo ignored >&2; exit 4"));
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(*end_, (ProcessEnd{How::kExited, 3, "", true}));
  EXPECT_THAT(lines(Stream::kError), ElementsAre("no"));
  EXPECT_EQ(stop_end_, (ProcessEnd{How::kExited, 4, ""}));
}

TEST_F(ProcessTest, TheEndOfADaemonBelowIsThatOfTheApp) {
  start(starter("echo starter $$; sh -c 'echo daemon $$; exec sleep 600' &", "true"));
  const pid_t starter = wait_for_pid("starter");
  const pid_t daemon = wait_for_pid("daemon");
  // The shim has reaped the starter, has seen that the daemon is there, and waits again.
  ASSERT_TRUE(wait_for([&] { return !state_of(starter); }));
  const pid_t shim = state_of(daemon)->second;
  ASSERT_TRUE(wait_for([&] { return state_of(shim)->first == 'S'; }));
  EXPECT_FALSE(end_.has_value());
  ::kill(daemon, SIGKILL);
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(*end_, (ProcessEnd{How::kKilled, 0, "SIGKILL"}));
}

TEST_F(ProcessTest, AStopCommandThatHangsIsKilledAtItsTime) {
  ProcessSpec spec = starter("echo up", "echo stop $$; exec sleep 600");
  spec.stop_time = std::chrono::milliseconds(100);
  start(spec);
  ASSERT_TRUE(wait_for([&] { return !output().empty(); }));
  process_->kill();
  ASSERT_TRUE(wait_for_end());
}

TEST_F(ProcessTest, ACommandThatItsStopCommandLeavesGetsSigterm) {
  ProcessSpec spec = shell("echo up; exec sleep 600", "echo asked");
  spec.stop_time = std::chrono::milliseconds(400);
  start(spec);
  ASSERT_TRUE(wait_for([&] { return !output().empty(); }));
  process_->signal(SIGTERM);
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(*end_, (ProcessEnd{How::kKilled, 0, "SIGTERM"}));
  EXPECT_THAT(output(), ElementsAre("up", "asked"));
}

TEST_F(ProcessTest, ATakenPortPreventsTheStart) {
  http::net::ip::tcp::acceptor other(io_, {http::net::ip::address_v4::loopback(), 0});
  ProcessSpec spec = app({"say", "hello"});
  spec.port = other.local_endpoint().port();
  start(spec);
  ASSERT_TRUE(wait_for_end());
  EXPECT_FALSE(is_started_);
  EXPECT_EQ(*end_, (ProcessEnd{How::kPortTaken, spec.port, ""}));
}

}  // namespace
}  // namespace bellows::test
