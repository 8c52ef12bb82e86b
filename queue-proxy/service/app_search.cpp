#include "queue-proxy/service/app_search.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/read_number.hpp"
#include "base/sys/tcp_listeners.hpp"

namespace bellows::queue_proxy {
namespace {

constexpr std::array<const char*, 2> kTables{"/net/tcp", "/net/tcp6"};
constexpr std::size_t kPart = 4096;  // bytes of a table per step: 27 sockets
constexpr int kDescriptors = 32;     // descriptors of a process per step

}  // namespace

AppSearch::AppSearch(std::uint16_t app_port, std::string root)
    : app_port_(app_port), proc_(std::move(root) + "/proc") {
  open_table();
}

bool AppSearch::step() {
  switch (state_) {
    case State::kSockets:
      read_table();
      break;
    case State::kProcesses:
      if (descriptors_) {
        look_at_descriptors();
      } else {
        next_process();
      }
      break;
    case State::kOver:
      break;
  }
  return state_ != State::kOver;
}

void AppSearch::open_table() {
  const std::string path = proc_ + kTables.at(tables_++);
  table_ = sys::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  rest_.clear();
}

void AppSearch::read_table() {
  std::array<char, kPart> part;  // NOLINT: filled by read
  const ssize_t got = table_.is_open() ? ::read(table_.get(), part.data(), part.size()) : 0;
  if (got <= 0) return next_table();
  rest_.append(part.data(), static_cast<std::size_t>(got));
  const std::size_t end = rest_.rfind('\n') + 1;
  for (const sys::TcpListener& each :
       sys::parse_tcp_listeners(std::string_view(rest_).substr(0, end))) {
    if (each.port == app_port_) sockets_.push_back("socket:[" + std::to_string(each.inode) + "]");
  }
  rest_.erase(0, end);
}

void AppSearch::next_table() {
  if (tables_ < kTables.size()) return open_table();
  table_.close();
  processes_.reset(sockets_.empty() ? nullptr : ::opendir(proc_.c_str()));
  state_ = processes_ ? State::kProcesses : State::kOver;
}

void AppSearch::next_process() {
  const dirent* const entry = ::readdir(processes_.get());
  if (entry == nullptr) {
    processes_.reset();
    state_ = State::kOver;
    return;
  }
  const std::string_view name(static_cast<const char*>(entry->d_name));
  const auto pid = read_number<pid_t>(name);
  if (!pid || *pid == ::getpid()) return;
  process_ = *pid;
  folder_ = proc_ + "/" + std::string(name) + "/fd";
  descriptors_.reset(::opendir(folder_.c_str()));
}

void AppSearch::look_at_descriptors() {
  for (int i = 0; i < kDescriptors; ++i) {
    const dirent* const entry = ::readdir(descriptors_.get());
    if (entry == nullptr) return descriptors_.reset();
    std::array<char, 64> target{};
    const std::string path = folder_ + "/" + static_cast<const char*>(entry->d_name);
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    const std::string_view text(target.data(),
                                static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (std::ranges::find(sockets_, text) == sockets_.end()) continue;
    found_.push_back(process_);
    return descriptors_.reset();
  }
}

}  // namespace bellows::queue_proxy
