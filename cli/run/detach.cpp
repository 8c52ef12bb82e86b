#include "cli/run/detach.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace bellows::cli {

namespace {

/// Reads until the other end is closed.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 512> part{};
  while (true) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

Result<Detached> wait_for_report(int pipe, pid_t pid, const std::string& log) {
  const std::string report = read_all(pipe);
  if (report.starts_with('+')) {
    return Detached{.report = std::nullopt,
                    .said = "started in the background, process " + std::to_string(pid) + ": " +
                            report.substr(1) + "\nlog: " + log};
  }
  ::waitpid(pid, nullptr, 0);
  const std::string why = report.starts_with('-') ? report.substr(1) : "it ended; see " + log;
  return fail(ErrorKind::kUnavailable, "not started", why);
}

}  // namespace

std::string StartReport::text_of(const machine::MachineAddresses& addresses) {
  std::string text;
  if (addresses.listen.port != 0) text = "requests at " + to_string(addresses.listen) + ", ";
  return text + "admin at " + to_string(addresses.admin);
}

void StartReport::send(const std::string& text) {
  if (!pipe_.is_open()) return;
  // Less than PIPE_BUF, so the write is atomic.
  [[maybe_unused]] const ssize_t written = ::write(pipe_.get(), text.data(), text.size());
  pipe_.close();
}

Result<Detached> detach(const std::string& log) {
  constexpr int kLogMode = 0600;
  sys::Descriptor output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kLogMode));
  if (!output.is_open()) {
    return fail(system_error(
        "--detach-log", "\"" + log + "\": want a file in a folder that is there; open", errno));
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("pipe", "pipe2", errno));
  sys::Descriptor reading(ends[0]);
  sys::Descriptor writing(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail(system_error("bellows", "fork", errno));
  if (pid > 0) {
    writing.close();
    return wait_for_report(reading.get(), pid, log);
  }
  ::setsid();
  const sys::Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing.is_open()) ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
  return Detached{.report = StartReport(std::move(writing)), .said = {}};
}

Result<std::string> detached_log(const std::string& given, const std::string& state_folder,
                                 const Endpoint& admin) {
  if (!given.empty()) return given;
  std::error_code error;
  std::filesystem::create_directories(state_folder, error);
  if (error) {
    return fail(ErrorKind::kSystem, state_folder,
                "cannot be made (" + error.message() + "); --detach-log names another file");
  }
  return state_folder + "/bellows-" + std::to_string(admin.port) + ".log";
}

}  // namespace bellows::cli
