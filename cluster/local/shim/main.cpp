// replica-shim: runs one command and ends it with all its descendants when Bellows has ended.
//
//   replica-shim LIFELINE_FD STATUS_FD [--descriptors N] [--user UID] [--group-id GID]
//   [--no-new-privileges yes] [--group PROCS_FILE]... -- COMMAND [ARGS...]
//
// LIFELINE_FD is the read end of a pipe; only Bellows holds the write end. When the pipe closes
// (Bellows removes this replica or has ended, even by SIGKILL), or when COMMAND has ended, every
// descendant of COMMAND gets SIGKILL, daemons included: this process is their subreaper, so orphans
// become its children. STATUS_FD gets one line per event:
// "started PID", "exec-failed ENOENT", "exited CODE", "killed SIGSEGV". SIGTERM, SIGINT and SIGHUP
// of Bellows are passed on to COMMAND's process group. Those of others are ignored: a service
// manager that signals every process at once would make COMMAND end before Bellows has drained.
//
// COMMAND may have N descriptors open: Bellows has raised its own limit, and programs that use
// select(), or that iterate over all possible descriptors, should not inherit it.
//
// COMMAND runs as UID and GID without further groups, and with --no-new-privileges it gains none by
// set-user-ID programs. If that fails, exec fails: COMMAND never runs with more than it should.
//
// COMMAND, not the shim, enters each control group before it is executed: PROCS_FILE is the
// group's cgroup.procs. A group that cannot be entered is reported ("ungrouped EACCES"), and
// COMMAND runs outside of it. If the lifeline has closed, no other process can remove the groups,
// so the shim removes them, and their parent folder if that has become empty.
//
// There is one for every app and queue-proxy, so it uses only the C library: linked statically it
// needs about as much memory as its stack. Its parent starts it with those signals blocked, so none
// is lost or kills it before it handles them.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

constexpr int kUsage = 2;
constexpr int kExecFailed = 127;

constexpr unsigned long kUnchanged = static_cast<unsigned long>(-1);

struct Job {
  int lifeline = -1;
  int status = -1;
  unsigned long descriptors = 0;  // 0: unlimited
  unsigned long user = kUnchanged;
  unsigned long group_id = kUnchanged;
  bool no_new_privileges = false;
  char** command = nullptr;  // ends with nullptr
  char** groups = nullptr;   // "--group", file, "--group", file, ..., "--"
  pid_t pid = -1;            // of the command, also its process group
};

bool read_descriptor(const char* text, int& descriptor) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, descriptor);
  return error == std::errc() && stop == end && fcntl(descriptor, F_GETFD) >= 0;
}

bool read_number(const char* text, unsigned long& number) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end;
}

bool read_arguments(int argc, char** argv, Job& job) {
  if (argc < 5 || !read_descriptor(argv[1], job.lifeline) ||
      !read_descriptor(argv[2], job.status)) {
    return false;
  }
  char** at = argv + 3;
  for (; at + 2 < argv + argc; at += 2) {
    if (std::strcmp(*at, "--descriptors") == 0) {
      if (!read_number(at[1], job.descriptors)) return false;
    } else if (std::strcmp(*at, "--user") == 0) {
      if (!read_number(at[1], job.user)) return false;
    } else if (std::strcmp(*at, "--group-id") == 0) {
      if (!read_number(at[1], job.group_id)) return false;
    } else if (std::strcmp(*at, "--no-new-privileges") == 0) {
      job.no_new_privileges = true;
    } else {
      break;
    }
  }
  job.groups = at;
  while (at + 2 < argv + argc && std::strcmp(*at, "--group") == 0) at += 2;
  job.command = at + 1;
  return std::strcmp(*at, "--") == 0 && job.command < argv + argc;
}

/// Ignores errors: the end is the same if the reader has gone.
void report(const Job& job, const char* word, const char* what) {
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%s %s\n", word, what);
  [[maybe_unused]] const ssize_t written = write(job.status, line, static_cast<size_t>(length));
}

void report(const Job& job, const char* word, int number) {
  char text[16];
  std::snprintf(text, sizeof text, "%d", number);
  report(job, word, text);
}

sigset_t listened_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, signal);
  return signals;
}

/// Calls `use` for each cgroup.procs that the command enters.
template <class Use>
void for_each_group(const Job& job, Use use) {
  for (char** at = job.groups; at + 1 < job.command; at += 2) use(at[1]);
}

/// Enters each group; "0" means the process that writes it.
void enter_groups(const Job& job) {
  for_each_group(job, [&job](const char* procs) {
    const int file = open(procs, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) report(job, "ungrouped", strerrorname_np(errno));
    if (file >= 0) close(file);
  });
}

/// Removes the groups, which have no processes any more.
void remove_groups(const Job& job) {
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

void limit_descriptors(unsigned long max) {
  rlimit limit{};
  if (max == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = max < limit.rlim_max ? max : limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Changes the group first: only root may change it. Returns false with errno set.
bool drop_privileges(const Job& job) {
  if (job.user != kUnchanged || job.group_id != kUnchanged) {
    if (getuid() == 0 && setgroups(0, nullptr) != 0) return false;
  }
  if (job.group_id != kUnchanged && setgid(static_cast<gid_t>(job.group_id)) != 0) return false;
  if (job.user != kUnchanged && setuid(static_cast<uid_t>(job.user)) != 0) return false;
  return !job.no_new_privileges || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/// Runs in the child: executes the command, or writes errno to `failure`.
[[noreturn]] void become_command(const Job& job, pid_t shim, int failure) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
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
int start(Job& job) {
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

/// Only the command keeps its output and other inherited pipes, so that they close when it ends.
void close_inherited(const Job& job) {
  const int low = job.lifeline < job.status ? job.lifeline : job.status;
  const int high = job.lifeline < job.status ? job.status : job.lifeline;
  if (low > 0) close_range(0, static_cast<unsigned>(low) - 1, 0);
  if (high > low + 1) {
    close_range(static_cast<unsigned>(low) + 1, static_cast<unsigned>(high) - 1, 0);
  }
  close_range(static_cast<unsigned>(high) + 1, ~0U, 0);
}

void report_end(const Job& job, int status) {
  if (WIFEXITED(status)) {
    report(job, "exited", WEXITSTATUS(status));
    return;
  }
  const char* name = sigabbrev_np(WTERMSIG(status));
  char text[24];
  std::snprintf(text, sizeof text, "SIG%s", name != nullptr ? name : "?");
  report(job, "killed", text);
}

/// Reaps every ended child. Returns true if the command is one of them; its end is reported.
bool reap(const Job& job) {
  bool is_over = false;
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid != job.pid) continue;
    is_over = true;
    report_end(job, status);
  }
  return is_over;
}

/// Returns true when the command has ended and was reaped, false when the lifeline has closed.
bool watch(const Job& job, int signals) {
  const auto bellows = static_cast<unsigned>(getppid());
  pollfd watched[2] = {{job.lifeline, POLLIN, 0}, {signals, POLLIN, 0}};
  for (;;) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) return false;
    if (watched[0].revents != 0) return false;
    if (watched[1].revents == 0) continue;
    signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info) continue;
    if (info.ssi_signo != SIGCHLD) {
      if (info.ssi_pid == bellows) kill(-job.pid, static_cast<int>(info.ssi_signo));
    } else if (reap(job)) {
      return true;
    }
  }
}

/// Sends SIGKILL to each child, and only to children: their pids cannot be reused until this
/// process reaps them, but those of their children can.
void kill_children() {
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

/// Kills until all children have ended. The children of a killed process become children of this
/// one, so each round reaches the next generation.
void end_everything(const Job& job, bool is_command_over) {
  if (!is_command_over) kill(-job.pid, SIGKILL);
  int status = 0;
  for (;;) {
    kill_children();
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == ECHILD) return;
    if (pid == job.pid) report_end(job, status);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  if (!read_arguments(argc, argv, job)) {
    std::fprintf(stderr,
                 "usage: replica-shim LIFELINE_FD STATUS_FD [--group PROCS_FILE]... -- COMMAND "
                 "[ARGS...]\n");
    return kUsage;
  }
  fcntl(job.lifeline, F_SETFD, FD_CLOEXEC);
  fcntl(job.status, F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  const sigset_t listened = listened_signals();
  sigprocmask(SIG_BLOCK, &listened, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);

  if (const int reason = start(job); reason != 0) {
    report(job, "exec-failed", strerrorname_np(reason));
    return kExecFailed;
  }
  report(job, "started", job.pid);
  close_inherited(job);
  const int signals = signalfd(-1, &listened, SFD_CLOEXEC);
  const bool is_command_over = watch(job, signals);
  end_everything(job, is_command_over);
  pollfd lifeline = {job.lifeline, POLLIN, 0};
  if (poll(&lifeline, 1, 0) > 0) remove_groups(job);
  return 0;
}
