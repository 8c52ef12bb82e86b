// Whole files: read at once, or replaced so that a crash leaves the old content or the new; and
// files that grow.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/sys/descriptor.hpp"

namespace bellows::sys {

/// Returns the content of the file at `path`. No file has a path with a NUL in it. The culprit of
/// an error is `name` and the path
/// ("state file /var/lib/x"), or the path alone. Returns kNotFound if the file does not exist.
Result<std::string> read_whole_file(const std::string& path, std::string_view name = {});

/// Returns the absolute path without links of a file, which need not exist: two paths of one file
/// give the same. Returns `path` itself where that cannot be found out.
std::string resolved_path(const std::string& path);

/// The treatment of a link at the end of a path.
enum class Links : std::uint8_t { kFollow, kRefuse };

/// Returns the content of a regular file of at most `most` bytes, for paths that a tenant may set:
/// a device, a pipe, a folder and a larger file are errors, and none of them blocks. Errors are
/// named as by read_whole_file().
Result<std::string> read_regular_file(const std::string& path, std::string_view name,
                                      std::size_t most, Links links = Links::kFollow);

/// Replaces the file at `path` with `content`: writes PATH.new, syncs it to the disk, renames it to
/// `path` and syncs the folder. After an error, and after a crash at any point, `path` holds its
/// old content or the new one, whole; PATH.new may be left behind and is overwritten by the next
/// call. Blocks until the disk has it. `mode` holds for the new file, less the umask. The caller
/// allows one call per path at a time. Errors are named as by read_whole_file().
Result<void> replace_file(const std::string& path, std::string_view content,
                          std::string_view name = {}, mode_t mode = 0666);

/// A file that is written piece by piece. Errors are named as by read_whole_file(). Thread: one.
class GrowingFile {
 public:
  /// Creates the file at `path`, or empties it.
  static Result<GrowingFile> create(std::string path, std::string_view name);

  /// Appends `content`. After an error the file may end with a part of it.
  Result<void> append(std::string_view content);
  /// Waits until the appended content is on the disk.
  Result<void> sync();
  /// Syncs the file, renames it to `path`, and syncs the folder. After a crash `path` holds its old
  /// content or this file, whole.
  Result<void> move_to(const std::string& path);

  std::size_t size() const { return size_; }

 private:
  GrowingFile(std::string path, std::string_view name, Descriptor file)
      : path_(std::move(path)), name_(name), file_(std::move(file)) {}

  std::string path_;
  std::string name_;
  Descriptor file_;
  std::size_t size_ = 0;
};

}  // namespace bellows::sys
