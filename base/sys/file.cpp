#include "base/sys/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/sys/descriptor.hpp"

namespace bellows::sys {

namespace {

/// Names a file in errors.
struct FileName {
  const std::string& path;
  std::string_view name;

  /// Makes an error from errno.
  tl::unexpected<Error> failed(std::string_view what) const {
    const int number = errno;
    return fail(system_error(culprit(), what, number));
  }

  tl::unexpected<Error> is_unfit(std::string how) const {
    return fail(ErrorKind::kInvalidSetting, culprit(), std::move(how));
  }

 private:
  std::string culprit() const { return (name.empty() ? "" : std::string(name) + " ") + path; }
};

/// Writes all of `text`; returns false with errno set on failure.
bool write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(file.get(), text.data(), text.size());
    if (done < 0 && errno != EINTR) return false;
    if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

/// Returns the path for the system, which reads up to a NUL: "/etc/shadow\0.html" would pass for a
/// page. No file has the empty path.
const char* system_path(const std::string& path) {
  return path.find('\0') == std::string::npos ? path.c_str() : "";
}

/// An open file that closes in the destructor.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags, mode_t mode = 0)
      : descriptor_(::open(system_path(path), flags | O_CLOEXEC, mode)) {}

  bool is_open() const { return descriptor_.is_open(); }

  bool is_regular() const {
    struct stat status {};
    return ::fstat(descriptor_.get(), &status) == 0 && S_ISREG(status.st_mode);
  }

  /// Returns the number of bytes read, 0 at the end, or a negative number with errno set.
  ssize_t read(char* buffer, std::size_t size) const {
    ssize_t done = 0;
    do {
      done = ::read(descriptor_.get(), buffer, size);
    } while (done < 0 && errno == EINTR);
    return done;
  }

  /// Writes all of `text`; returns false with errno set on failure.
  bool write(std::string_view text) const { return write_all(descriptor_, text); }

  bool sync() const { return ::fsync(descriptor_.get()) == 0; }

 private:
  const Descriptor descriptor_;
};

Result<std::string> content_of(const OpenFile& file, const FileName& error, std::size_t most) {
  std::string content;
  std::array<char, 16384> buffer;  // NOLINT: read() fills it
  for (;;) {
    const ssize_t size = file.read(buffer.data(), buffer.size());
    if (size < 0) return error.failed("cannot be read");
    if (size == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(size));
    if (content.size() > most) {
      return error.is_unfit("has more than " + std::to_string(most) + " bytes");
    }
  }
}

/// Returns the folder that holds `path`.
std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Returns true if the folder of `path` is on the disk. File systems that cannot sync a folder
/// (EINVAL) ensure the order themselves.
bool sync_folder_of(const std::string& path) {
  const OpenFile folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  return folder.is_open() && (folder.sync() || errno == EINVAL);
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::string_view name) {
  const FileName error{path, name};
  const OpenFile file(path, O_RDONLY);
  if (!file.is_open()) return error.failed("cannot be read");
  return content_of(file, error, std::numeric_limits<std::size_t>::max());
}

std::string resolved_path(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as Linux
  std::error_code error;
  fs::path file(path);
  // A link may name a file that does not exist yet.
  for (int links = 0; fs::is_symlink(file, error) && links < kMostLinks; ++links) {
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  if (error && error != std::errc::no_such_file_or_directory) return path;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const fs::path real = fs::canonical(folder, error);
  return error ? path : (real / file.filename()).string();
}

Result<std::string> read_regular_file(const std::string& path, std::string_view name,
                                      std::size_t most, Links links) {
  const FileName error{path, name};
  const int refused = links == Links::kRefuse ? O_NOFOLLOW : 0;
  const OpenFile file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | refused);
  if (!file.is_open()) return error.failed("cannot be read");
  if (!file.is_regular()) return error.is_unfit("is not a regular file");
  return content_of(file, error, most);
}

Result<void> replace_file(const std::string& path, std::string_view content, std::string_view name,
                          mode_t mode) {
  const std::string fresh = path + ".new";
  const FileName error{path, name};
  const FileName fresh_error{fresh, name};
  struct stat left {};
  const bool is_left = ::lstat(fresh.c_str(), &left) == 0 && S_ISREG(left.st_mode);
  if (is_left) ::unlink(fresh.c_str());  // it may have another mode
  const OpenFile file(fresh, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (!file.is_open() || !file.write(content) || !file.sync()) {
    return fresh_error.failed("cannot be written");
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return error.failed("cannot be replaced");
  if (!sync_folder_of(path)) return error.failed("cannot be synced with its folder");
  return {};
}

Result<GrowingFile> GrowingFile::create(std::string path, std::string_view name) {
  constexpr mode_t kMode = 0666;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
  if (!file.is_open()) return FileName{path, name}.failed("cannot be written");
  return GrowingFile(std::move(path), name, std::move(file));
}

Result<void> GrowingFile::append(std::string_view content) {
  if (!write_all(file_, content)) return FileName{path_, name_}.failed("cannot be written");
  size_ += content.size();
  return {};
}

Result<void> GrowingFile::sync() {
  if (::fdatasync(file_.get()) != 0) return FileName{path_, name_}.failed("cannot be synced");
  return {};
}

Result<void> GrowingFile::move_to(const std::string& path) {
  if (::fsync(file_.get()) != 0) return FileName{path_, name_}.failed("cannot be synced");
  const FileName error{path, name_};
  if (std::rename(path_.c_str(), path.c_str()) != 0) return error.failed("cannot be replaced");
  path_ = path;
  if (!sync_folder_of(path)) return error.failed("cannot be synced with its folder");
  return {};
}

}  // namespace bellows::sys
