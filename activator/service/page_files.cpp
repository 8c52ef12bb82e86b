#include "activator/service/page_files.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/sys/file.hpp"
#include "base/sys/log.hpp"
#include "config/waiting_page.hpp"
#include "http/io/side_thread.hpp"
#include "http/io/task_group.hpp"

namespace bellows::activator {

namespace {

constexpr Duration kPageLookInterval = std::chrono::seconds(1);

/// One page during a check: the input of the side thread, and its result.
struct Look {
  std::shared_ptr<PageFile> page;
  std::string path;
  sys::FileStamp read;
  sys::FileStamp latest;
  std::optional<Result<std::string>> text = {};

  void run() {
    const sys::FileStamp now = sys::stamp_of(path);
    const bool is_settled = now == latest;
    latest = now;
    if (is_settled && now != read) text = read_page(path);
  }
  /// Runs on the io thread.
  void show(WorkerLock& lock) {
    page->latest = latest;
    if (!text) return;
    page->read = latest;
    if (*text) {
      WorkerLock::Hold hold(lock);
      page->text.swap(**text);
      hold.release();
      sys::log::info("waiting page read again", {{"file", path}});
    } else {
      sys::log::warning("the waiting page stays unchanged", {{"error", to_string(text->error())}});
    }
  }
};

}  // namespace

Result<std::string> read_page(const std::string& path) {
  BELLOWS_TRY(std::string text,
              sys::read_regular_file(path, "waiting-page", config::kMaxPageBytes));
  if (!text.empty()) return text;
  return fail(ErrorKind::kInvalidSetting, "waiting-page " + path, "is empty");
}

std::shared_ptr<const PageFile> PageFiles::open(const std::string& path) {
  std::weak_ptr<PageFile>& kept = pages_[path];
  if (auto page = kept.lock()) return page;
  auto page = std::make_shared<PageFile>();
  page->path = path;
  page->read = page->latest = sys::stamp_of(path);
  if (auto text = read_page(path)) {
    const WorkerLock::Hold hold(lock_);
    page->text = *std::move(text);
  } else {
    sys::log::warning("the built-in waiting page is used", {{"error", to_string(text.error())}});
  }
  kept = page;
  return page;
}

http::Awaitable<void> PageFiles::look() {
  std::vector<Look> looks;
  for (auto entry = pages_.begin(); entry != pages_.end();) {
    auto page = entry->second.lock();
    if (page == nullptr) {
      entry = pages_.erase(entry);
      continue;
    }
    looks.push_back({.page = page, .path = page->path, .read = page->read, .latest = page->latest});
    ++entry;
  }
  if (looks.empty()) co_return;
  co_await http::on_side_thread(io_, [&looks] {
    for (Look& look : looks) look.run();
  });
  for (Look& look : looks) look.show(lock_);
}

http::Awaitable<void> PageFiles::keep_looking() {
  for (;;) {
    const bool slept = co_await http::sleep_for(kPageLookInterval);
    if (!slept) co_return;
    co_await look();
  }
}

}  // namespace bellows::activator
