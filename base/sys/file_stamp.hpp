// Identifies the state of a file, to detect a change.
#pragma once

#include <sys/stat.h>

#include <ctime>
#include <string>

namespace bellows::sys {

/// The state of a file. A symbolic link is followed, so a swapped link is a change.
struct FileStamp {
  ino_t inode = 0;
  off_t size = -1;  ///< -1: the file does not exist
  timespec changed_at{};

  bool operator==(const FileStamp& other) const {
    return inode == other.inode && size == other.size &&
           changed_at.tv_sec == other.changed_at.tv_sec &&
           changed_at.tv_nsec == other.changed_at.tv_nsec;
  }
};

inline FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {.inode = status.st_ino, .size = status.st_size, .changed_at = status.st_mtim};
}

}  // namespace bellows::sys
