// Finds the processes that listen on the app's port, in small steps.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/sys/descriptor.hpp"

namespace bellows::queue_proxy {

/// Searches in steps of well under a millisecond, because requests and probes are due meanwhile.
/// The kernel's table has a line for each socket of the network namespace, and a process may have
/// many thousand descriptors. The whole search takes a tenth of a second of a core with 20,000
/// sockets, and many seconds on a busy machine. Owner: an AppUsage. Thread: the io thread.
class AppSearch {
 public:
  /// `root` is a prefix of "/proc".
  AppSearch(std::uint16_t app_port, std::string root);

  /// Does one step; returns false when the search is over.
  bool step();
  /// Returns the result once the search is over; empty if no process is visible.
  const std::vector<pid_t>& found() const { return found_; }

 private:
  /// Each state lists the states that may follow.
  enum class State : std::uint8_t {
    kSockets,    ///< reads the tables of listening sockets -> kProcesses, kOver
    kProcesses,  ///< searches for processes that hold one of them -> kOver
    kOver,
  };
  struct CloseFolder {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  using Folder = std::unique_ptr<DIR, CloseFolder>;

  void open_table();
  void read_table();
  void next_table();
  void next_process();
  void look_at_descriptors();

  const std::uint16_t app_port_;
  const std::string proc_;
  State state_ = State::kSockets;
  std::size_t tables_ = 0;  // number of tables begun
  sys::Descriptor table_;
  std::string rest_;                  // beginning of an incomplete line
  std::vector<std::string> sockets_;  // "socket:[INODE]"
  Folder processes_;
  pid_t process_ = 0;
  std::string folder_;  // folder of that process's descriptors
  Folder descriptors_;
  std::vector<pid_t> found_;
};

}  // namespace bellows::queue_proxy
