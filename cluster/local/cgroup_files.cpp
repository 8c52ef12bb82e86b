#include "cluster/local/cgroup_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/sys/descriptor.hpp"

namespace bellows::cluster {

namespace {

class SystemCgroupFiles final : public CgroupFiles {
 public:
  Result<void> make_group(const std::string& path) const override {
    constexpr mode_t kMode = 0755;
    if (::mkdir(path.c_str(), kMode) == 0 || errno == EEXIST) return {};
    return fail(system_error(path, "the group cannot be made", errno));
  }

  Result<void> remove_group(const std::string& path) const override {
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
    return fail(system_error(path, "the group cannot be removed", errno));
  }

  std::vector<std::string> groups_in(const std::string& path) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->is_directory(error)) names.push_back(entry->path().filename().string());
    }
    return names;
  }

  Result<std::string> read(const std::string& path) const override {
    const sys::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return fail(system_error(path, "cannot be read", errno));
    std::string text;
    std::array<char, 4096> buffer;  // NOLINT: filled by read
    for (;;) {
      const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
      if (got < 0) return fail(system_error(path, "cannot be read", errno));
      if (got == 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  Result<void> write(const std::string& path, const std::string& text) const override {
    const sys::Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    // One write: the kernel treats each write as one command.
    if (file.get() >= 0 &&
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
      return {};
    }
    return fail(system_error(path, "\"" + text + "\" cannot be written", errno));
  }
};

}  // namespace

const CgroupFiles& system_cgroup_files() {
  static const SystemCgroupFiles files;
  return files;
}

}  // namespace bellows::cluster
