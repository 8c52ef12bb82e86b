// The pages that users wrote, as they are in their files now.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "activator/service/worker_lock.hpp"
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

/// Reads a page again when its file has changed and the next look finds it as it was: then nobody
/// writes to it any more. A file that is gone, empty or too large is logged once, and the page
/// stays as it was. Owner: the ActivatorService. Thread: the io thread, which serves requests while
/// files are read.
class PageFiles {
 public:
  /// `lock`: of those who read a page.
  PageFiles(http::net::io_context& io, WorkerLock& lock) : io_(io), lock_(lock) {}

  /// The page of the file, which is read now unless another revision shows it already.
  std::shared_ptr<const PageFile> open(const std::string& path);

  /// Looks at the files of all pages that are shown.
  http::Awaitable<void> look();

  /// Looks every second until it is stopped.
  http::Awaitable<void> keep_looking();

 private:
  http::net::io_context& io_;
  WorkerLock& lock_;
  std::map<std::string, std::weak_ptr<PageFile>> pages_;  // by path
};

}  // namespace bellows::activator
