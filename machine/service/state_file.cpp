#include "machine/service/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>
#include <utility>

#include "base/read_number.hpp"
#include "base/sys/file.hpp"
#include "machine/core/state_text.hpp"

namespace bellows::machine {
namespace {

constexpr std::string_view kStateFile = "state file";
/// Only the owner may read the file, because the environment of apps may have secrets.
constexpr mode_t kStateFileMode = 0600;

/// Returns true if `path` still names the open file: its last owner may have removed it meanwhile.
bool is_named(const std::string& path, const sys::Descriptor& file) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Error is_taken(const std::string& state_file, const std::string& lock) {
  const auto pid = read_number<pid_t>(sys::read_whole_file(lock).value_or(""));
  const std::string other = pid ? "process " + std::to_string(*pid) : "another process";
  return {ErrorKind::kConflict, std::string(kStateFile) + " " + state_file,
          other +
              ", a running Bellows, uses it; want another --state-file, or end that one "
              "(`bellows down`)"};
}

}  // namespace

Result<StateLock> StateLock::take(const std::string& state_file) {
  const std::string path = state_file + ".lock";
  while (true) {
    sys::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kStateFileMode));
    if (!file.is_open()) return StateLock();
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return fail(is_taken(state_file, path));
      return StateLock();  // a file system without locks
    }
    if (!is_named(path, file)) continue;
    const std::string pid = std::to_string(::getpid());
    [[maybe_unused]] const bool is_empty = ::ftruncate(file.get(), 0) == 0;
    [[maybe_unused]] const ssize_t written = ::write(file.get(), pid.data(), pid.size());
    return StateLock(path, std::move(file));
  }
}

StateLock& StateLock::operator=(StateLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::move(other.path_);
  file_ = std::move(other.file_);
  return *this;
}

void StateLock::release() {
  if (!file_.is_open()) return;
  ::unlink(path_.c_str());
  file_.close();
}

Result<Records> read_state_file(const std::string& path) {
  const auto text = sys::read_whole_file(path, kStateFile);
  if (!text && text.error().kind() == ErrorKind::kNotFound) return Records();
  if (!text) return fail(text.error());
  auto records = read_state(*text);
  if (records) return records;
  return fail(Error(records.error().kind(), std::string(kStateFile) + " " + path,
                    "cannot be read, so the revisions to run are unknown; restore it, or remove it "
                    "to start with those of the settings file")
                  .caused_by(records.error()));
}

StateFile::StateFile(std::string path, const Records& records) : path_(std::move(path)) {
  for (const auto& [name, record] : records) {
    if (!is_as_declared(record)) lines_.emplace(name, state_line(record));
  }
}

Result<void> StateFile::save(const Edits& edits) {
  if (path_.empty()) return {};
  std::map<RevisionId, std::string> before;  // empty: there was none
  for (const auto& [name, record] : edits) {
    const std::string line =
        record && !is_as_declared(*record) ? state_line(*record) : std::string();
    if (std::string now = std::exchange(lines_[name], line); now != line) {
      before.emplace(name, std::move(now));
    }
    if (line.empty()) lines_.erase(name);
  }
  if (before.empty()) return {};
  auto written = sys::replace_file(path_, state_text(lines_), kStateFile, kStateFileMode);
  if (written) return written;
  for (auto& [name, line] : before) {
    if (line.empty()) {
      lines_.erase(name);
    } else {
      lines_[name] = std::move(line);
    }
  }
  return written;
}

}  // namespace bellows::machine
