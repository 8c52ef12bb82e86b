// Whole files: read at once, or replaced so that a crash leaves the old content or the new.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::sys {

/// The content of the file at `path`. The culprit of an error is `name` and the path ("state file
/// /var/lib/x"), or the path alone. kNotFound if there is no such file.
Result<std::string> read_whole_file(const std::string& path, std::string_view name = {});

/// Replaces the file at `path` with `content`: writes PATH.new, syncs it to the disk, renames it to
/// `path` and syncs the folder. After an error, and after a crash at any point, `path` holds its
/// old content or the new one, whole; PATH.new may be left behind and is overwritten by the next
/// call. Blocks until the disk has it. `mode` holds for the new file, less the umask. The caller
/// allows one call per path at a time. Errors are named as by read_whole_file().
Result<void> replace_file(const std::string& path, std::string_view content,
                          std::string_view name = {}, mode_t mode = 0666);

}  // namespace bellows::sys
