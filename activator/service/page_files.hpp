// The pages of users, as they are in their files now.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "activator/service/worker_lock.hpp"
#include "base/result.hpp"
#include "base/sys/file_stamp.hpp"
#include "http/io/net.hpp"

namespace bellows::activator {

/// One page. Owners: PageFiles, and the revisions that show it.
struct PageFile {
  std::string path;
  std::string text BELLOWS_GUARDED_BY(kWorkerData);  ///< empty: it was never readable
  sys::FileStamp read = {};                          ///< of the file when it was read
  sys::FileStamp latest = {};                        ///< at the last look
};

/// Reads the file of a waiting-page. Who sets it need not be the operator, so it is a regular file
/// of at most config::kMaxPageBytes. The error names waiting-page and the path.
Result<std::string> read_page(const std::string& path);

/// Reads a page again when its file has changed and the next check finds it unchanged, because then
/// its writer has finished. A missing, empty or too large file is logged once, and the page stays.
/// Owner: the ActivatorService. Thread: the io thread, which serves requests while files are read.
class PageFiles {
 public:
  /// `lock` is that of the readers of a page.
  PageFiles(http::net::io_context& io, WorkerLock& lock) : io_(io), lock_(lock) {}

  /// Returns the page of the file, which is read now unless another revision already shows it.
  std::shared_ptr<const PageFile> open(const std::string& path);

  /// Checks the files of all pages that are shown.
  http::Awaitable<void> look();

  /// Checks every second until it is stopped.
  http::Awaitable<void> keep_looking();

 private:
  http::net::io_context& io_;
  WorkerLock& lock_;
  std::map<std::string, std::weak_ptr<PageFile>> pages_;  // by path
};

}  // namespace bellows::activator
