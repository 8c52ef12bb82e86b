#include "kubernetes/io/exec_plugin.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duration_text.hpp"
#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/descriptor.hpp"

namespace bellows::kubernetes {

namespace {

using http::Awaitable;
using AsioDescriptor = http::net::posix::basic_stream_descriptor<http::Executor>;

/// Capacity of a pipe in the kernel: a plugin that prints more blocks, and is killed in the end.
constexpr std::size_t kPipeBytes = std::size_t{64} * 1024;

/// The output of the child, stored in the pipe until it has ended.
struct Output {
  sys::Descriptor read;
  sys::Descriptor write;
};

Result<Output> make_output() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail(system_error("pipe", "cannot be made", errno));
  }
  Output output{sys::Descriptor(ends[0]), sys::Descriptor(ends[1])};
  ::fcntl(ends[1], F_SETFL, 0);  // blocking writes for the child
  return output;
}

/// Returns the bytes in the pipe.
std::string drain(const sys::Descriptor& pipe) {
  std::string text(kPipeBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(pipe.get(), text.data() + size, text.size() - size);
    if (got <= 0 && errno != EINTR) break;
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (got == 0) break;
  }
  text.resize(size);
  return text;
}

/// Returns the environment of this process with `additions`, which replace variables of the same
/// name.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced = std::any_of(additions.begin(), additions.end(),
                                         [name](const auto& each) { return each.first == name; });
    if (!is_replaced) environment.emplace_back(text);
  }
  for (const auto& [name, value] : additions) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A process with a process group of its own. The destructor kills the group unless the process has
/// ended.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until it has ended, which it has or is about to, and returns its wait status.
  int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }
  /// Returns a descriptor that is readable once the process has ended; -1 and errno if there is
  /// none. It uses the system call, because glibc 2.36 declares pidfd_open for C only.
  sys::Descriptor open_pidfd() const {
    return sys::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }

 private:
  pid_t pid_;
};

/// Returns 0, or an errno.
int spawn(const ExecPlugin& plugin, const std::string& asked, const Output& output,
          const Output& errors, pid_t& pid) {
  std::vector<std::string> arguments{plugin.command};
  arguments.insert(arguments.end(), plugin.args.begin(), plugin.args.end());
  auto additions = plugin.env;
  additions.emplace_back("KUBERNETES_EXEC_INFO", asked);
  std::vector<std::string> environment = environment_with(additions);
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t all;
  sigfillset(&all);
  // The child gets the default action for SIGPIPE, which we ignore.
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawnp(&pid, plugin.command.c_str(), &actions, &attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

std::string culprit_of(const ExecPlugin& plugin) {
  return "exec plugin " + plugin.command;
}

Error spawn_error(const ExecPlugin& plugin, int error) {
  const Error made = system_error(culprit_of(plugin), "cannot be started", error);
  if (plugin.install_hint.empty()) return made;
  return Error(made.kind(), made.culprit(), made.message() + "; " + plugin.install_hint);
}

/// Returns its standard error on one line: ": no credentials, run login".
std::string quoted(std::string errors) {
  constexpr std::size_t kQuoted = 500;
  while (!errors.empty() && (errors.back() == '\n' || errors.back() == ' ')) errors.pop_back();
  if (errors.empty()) return {};
  if (errors.size() > kQuoted) errors = "..." + errors.substr(errors.size() - kQuoted);
  std::replace_if(
      errors.begin(), errors.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return ": " + errors;
}

std::string status_text(int status) {
  return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                             : "exit code " + std::to_string(WEXITSTATUS(status));
}

/// Waits until the child has ended; returns false at `until`, or if the task is stopped.
Awaitable<Result<bool>> wait_for_end(const Child& child, TimePoint until) {
  const auto executor = co_await http::net::this_coro::executor;
  sys::Descriptor descriptor = child.open_pidfd();
  if (!descriptor.is_open()) co_return fail(system_error("exec plugin", "pidfd_open", errno));
  AsioDescriptor process(executor, descriptor.release());
  http::AsioTimer timer(executor, http::to_steady(until));
  const Lifetime waiting;
  timer.async_wait(waiting.bind([&process](const boost::system::error_code& cancelled) {
    boost::system::error_code ignored;
    if (!cancelled) process.close(ignored);
  }));
  boost::system::error_code error;
  co_await process.async_wait(AsioDescriptor::wait_read, http::awaiting(error));
  co_return !error;
}

}  // namespace

Awaitable<Result<std::string>> run_exec_plugin(ExecPlugin plugin, std::string asked,
                                               TimePoint deadline) {
  constexpr Duration kLongest = std::chrono::seconds(60);
  const TimePoint begin = sys::system_clock().now();
  const TimePoint until = std::min(deadline, begin + kLongest);
  BELLOWS_CO_TRY(Output output, make_output());
  BELLOWS_CO_TRY(Output errors, make_output());
  pid_t pid = -1;
  const int error = spawn(plugin, asked, output, errors, pid);
  if (error != 0) co_return fail(spawn_error(plugin, error));
  Child child(pid);
  output.write.close();
  errors.write.close();
  BELLOWS_CO_TRY(const bool has_ended, co_await wait_for_end(child, until));
  if (!has_ended) {
    const Duration waited = sys::system_clock().now() - begin;
    co_return fail(ErrorKind::kTimeout, culprit_of(plugin),
                   "not ended within " + duration_text(waited) + quoted(drain(errors.read)));
  }
  const int status = child.reap();
  if (status != 0) {
    co_return fail(ErrorKind::kUnavailable, culprit_of(plugin),
                   status_text(status) + quoted(drain(errors.read)));
  }
  std::string text = drain(output.read);
  if (text.size() < kPipeBytes) co_return text;
  co_return fail(ErrorKind::kTooLarge, culprit_of(plugin), "prints more than 64 KB");
}

}  // namespace bellows::kubernetes
