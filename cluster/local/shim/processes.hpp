// The processes of a replica-shim: their start, and their end by SIGKILL.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "cluster/local/shim/job.hpp"

namespace bellows::shim {

inline constexpr int kExecFailed = 127;

/// Calls `use` for each cgroup.procs that the command enters.
template <class Use>
void for_each_group(const Job& job, Use use) {
  for (std::size_t i = 1; i < job.groups.size(); i += 2) use(job.groups[i]);
}

/// Enters each group; "0" means the process that writes it.
inline void enter_groups(const Job& job) {
  for_each_group(job, [&job](const char* procs) {
    const int file = open(procs, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) report(job, "ungrouped", strerrorname_np(errno));
    if (file >= 0) close(file);
  });
}

/// Removes the groups, which have no processes any more.
inline void remove_groups(const Job& job) {
  for_each_group(job, [](const char* procs) {
    char path[4096];
    std::snprintf(path, sizeof path, "%s", procs);
    for (int level = 0; level < 2; ++level) {
      // The group, then its parent; the latter fails while there are other groups in it.
      char* const slash = std::strrchr(path, '/');
      if (slash == nullptr) return;
      *slash = '\0';
      if (level == 0 && std::strcmp(slash + 1, "cgroup.procs") != 0) return;
      if (rmdir(path) != 0) return;
    }
  });
}

inline void limit_descriptors(unsigned long max) {
  rlimit limit{};
  if (max == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = max < limit.rlim_max ? max : limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Changes the group first: only root may change it. Returns false with errno set.
inline bool drop_privileges(const Job& job) {
  if (job.user != kUnchanged || job.group_id != kUnchanged) {
    if (getuid() == 0 && setgroups(0, nullptr) != 0) return false;
  }
  if (job.group_id != kUnchanged && setgid(static_cast<gid_t>(job.group_id)) != 0) return false;
  if (job.user != kUnchanged && setuid(static_cast<uid_t>(job.user)) != 0) return false;
  return !job.no_new_privileges || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

inline void unblock_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Runs in the child: executes the command, or writes errno to `failure`.
[[noreturn]] inline void become_command(const Job& job, pid_t shim, int failure) {
  setpgid(0, 0);
  unblock_signals();
  signal(SIGPIPE, SIG_DFL);
  enter_groups(job);
  limit_descriptors(job.descriptors);
  if (drop_privileges(job)) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);           // a change of the user would clear it
    if (getppid() != shim) _exit(kExecFailed);  // it ended before PDEATHSIG was set
    execvp(job.command[0], job.command);
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &reason, sizeof reason);
  _exit(kExecFailed);
}

/// Forks the command and waits until exec has worked or failed. Returns errno of the failure, or 0.
inline int start(Job& job) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return errno;
  const pid_t shim = getpid();
  job.pid = fork();
  if (job.pid < 0) return errno;
  if (job.pid == 0) become_command(job, shim, failure[1]);
  setpgid(job.pid, job.pid);  // parent and child do it, because either may run first
  close(failure[1]);
  int reason = 0;
  const ssize_t got = read(failure[0], &reason, sizeof reason);
  close(failure[0]);
  return got == sizeof reason ? reason : 0;
}

/// Gives this process an empty standard input, and a pipe for what it writes: {reader, writer},
/// {-1, -1} is none. It keeps a reader too, so that a write never finds the pipe without one.
inline void set_streams_of_stop(const int (&pipe)[2]) {
  constexpr int kFirst = STDERR_FILENO + 1;  // the standard streams may be closed, and get reused
  fcntl(pipe[0], F_DUPFD, kFirst);
  const int writer = fcntl(pipe[1], F_DUPFD_CLOEXEC, kFirst);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(writer < 0 ? null : writer, STDOUT_FILENO);
  dup2(STDOUT_FILENO, STDERR_FILENO);
  if (null > STDERR_FILENO) close(null);
}

/// Forks the stop command, and sets `output` to where its output is read, without waiting; -1:
/// nowhere. It outlives a killed shim.
inline pid_t start_stop(const Job& job, int& output) {
  int pipe[2] = {-1, -1};
  if (pipe2(pipe, O_CLOEXEC) == 0) fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  const pid_t pid = fork();
  if (pid != 0) {
    if (pid > 0) setpgid(pid, pid);
    close(pipe[1]);
    output = pipe[0];
    return pid;
  }
  setpgid(0, 0);
  unblock_signals();
  set_streams_of_stop(pipe);
  limit_descriptors(job.descriptors);
  if (drop_privileges(job)) execvp(job.stop[0], job.stop);
  _exit(kExecFailed);
}

/// Returns false if a process listens at the port. Connections of an earlier app that are closed
/// already (TIME_WAIT) do not count.
inline bool is_port_free(unsigned long port) {
  const int trial = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (trial < 0) return true;  // the app finds out
  const int yes = 1;
  setsockopt(trial, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  const int bound = bind(trial, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool is_taken = bound != 0 && errno == EADDRINUSE;
  close(trial);
  return !is_taken;
}

/// Only the command keeps its output and other inherited pipes, so that they close when it ends. A
/// stop command needs standard output.
inline void close_inherited(const Job& job) {
  const int low = job.lifeline < job.status ? job.lifeline : job.status;
  const int high = job.lifeline < job.status ? job.status : job.lifeline;
  for (int i = 0; i < low; ++i) {
    if (job.stop == nullptr || i != STDOUT_FILENO) close(i);
  }
  if (high > low + 1) {
    close_range(static_cast<unsigned>(low) + 1, static_cast<unsigned>(high) - 1, 0);
  }
  close_range(static_cast<unsigned>(high) + 1, ~0U, 0);
}

/// Sends SIGKILL to each child, and only to children: their pids cannot be reused until this
/// process reaps them, but those of their children can.
inline void kill_children() {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  char text[4096];
  const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text);
  close(file);
  const char* const end = text + (length > 0 ? length : 0);
  for (const char* at = text; at < end;) {
    pid_t child = 0;
    const auto [stop, error] = std::from_chars(at, end, child);
    if (error != std::errc() || stop == end)
      return;  // truncated by the buffer: left for the next round
    kill(child, SIGKILL);
    at = stop + 1;
  }
}

}  // namespace bellows::shim
