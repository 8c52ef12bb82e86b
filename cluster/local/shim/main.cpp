// replica-shim: runs one command and ends it with all its descendants when Bellows has ended.
//
//   replica-shim LIFELINE_FD STATUS_FD [--descriptors N] [--user UID] [--group-id GID]
//   [--no-new-privileges yes] [--port PORT] [--starts yes] [--stop-time MS]
//   [--stop N STOP_COMMAND [ARGS...] .] [--group PROCS_FILE]... -- COMMAND [ARGS...]
//
// LIFELINE_FD is the read end of a pipe; only Bellows holds the write end. When the pipe closes
// (Bellows removes this replica or has ended, even by SIGKILL), or when COMMAND has ended, every
// descendant of COMMAND gets SIGKILL, daemons included: this process is their subreaper, so orphans
// become its children. STATUS_FD gets one line per event:
// "started PID", "exec-failed ENOENT", "exited CODE", "killed SIGSEGV", "port-taken PORT",
// "start-over 0", "start-exited CODE", "start-killed SIGSEGV", "stop-exited CODE", "stop-killed
// SIGSEGV". SIGTERM, SIGINT and SIGHUP of Bellows are passed on to COMMAND's process group. Those
// of others are ignored: a service manager that signals every process at once would make COMMAND
// end before Bellows has drained.
//
// With --starts COMMAND starts the app and ends. The app is what it leaves behind: descendants,
// whose end is that of the app, or something outside, such as a unit of systemd.
//
// STOP_COMMAND has N words. It runs once: instead of the passing on of SIGTERM, when the lifeline
// has closed, or when the app has ended by itself. A COMMAND that is still there a quarter of the
// stop time after its end gets SIGTERM: many a stop command returns before the app has ended, and
// `podman run --rm` still removes its container then, which it leaves for good if SIGTERM meets it
// there. If nobody else could end it any more, STOP_COMMAND has the stop time. Its output goes
// through a pipe of this process to standard output, errors too, because their last line explains
// the end of the app. Written there by itself, it would kill the stop command halfway when Bellows
// has ended: a program in Go ends by SIGPIPE even if it inherits that as ignored.
//
// PORT must be free before COMMAND starts. If it is not, STOP_COMMAND runs first: an earlier
// Bellows that was killed with its shims may have left the app.
//
// COMMAND may have N descriptors open: Bellows has raised its own limit, and programs that use
// select(), or that iterate over all possible descriptors, should not inherit it.
//
// Both commands run as UID and GID without further groups, and with --no-new-privileges they gain
// none by set-user-ID programs. If that fails, exec fails: neither runs with more than it should.
//
// COMMAND, not the shim, enters each control group before it is executed: PROCS_FILE is the
// group's cgroup.procs. A group that cannot be entered is reported ("ungrouped EACCES"), and
// COMMAND runs outside of it. If the lifeline has closed, no other process can remove the groups,
// so the shim removes them, and their parent folder if that has become empty.
//
// There is one for every app and queue-proxy, so it uses only the C library: linked statically it
// needs about as much memory as its stack. Its parent starts it with those signals blocked, so none
// is lost or kills it before it handles them.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <initializer_list>

#include "cluster/local/shim/job.hpp"
#include "cluster/local/shim/processes.hpp"

namespace {

using namespace bellows::shim;

constexpr int kUsage = 2;
constexpr unsigned long kRestOfStop = 4;  // a command gets SIGTERM after this part of the stop time

int timer_in_ms(unsigned long ms) {
  constexpr unsigned long kMsPerSecond = 1000;
  itimerspec time{};
  time.it_value.tv_sec = static_cast<time_t>(ms / kMsPerSecond);
  time.it_value.tv_nsec = static_cast<long>(ms % kMsPerSecond * 1'000'000 + 1);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  timerfd_settime(timer, 0, &time, nullptr);
  return timer;
}

sigset_t listened_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, signal);
  return signals;
}

/// The command, the app and the stop command until they have ended. Owner: main().
class Watch {
 public:
  Watch(const Job& job, int signals) : job_(job), signals_(signals) {}

  /// Returns when the app has ended or the lifeline has closed. If there is a stop command, returns
  /// when that and all others have ended, or when nobody but this process waits and its time is
  /// over.
  void run();
  /// Runs the stop command alone, before the command has started.
  void run_stop();

  bool is_command_over() const { return is_command_over_; }
  bool is_app_over() const { return is_app_over_; }

 private:
  bool wait();
  void on_signal();
  void begin_stop();
  void relay_output();
  void leave_soon();
  void reap();
  void end_command();
  void command_ended(int status);

  const Job& job_;
  const int signals_;
  const unsigned bellows_ = static_cast<unsigned>(getppid());
  bool is_lifeline_closed_ = false;
  bool is_command_over_ = false;  // reaped
  bool is_app_over_ = false;
  bool is_app_below_ = false;  // the app of a starter consists of descendants
  pid_t stop_ = 0;             // of the stop command; 0: it has not begun
  int stop_output_ = -1;       // what the stop command writes; -1: it has not begun, or closed it
  bool is_stop_over_ = false;
  bool has_children_ = false;
  int sigterm_timer_ = -1;   // expires some time after the end of the stop command
  int stop_timer_ = -1;      // expires at the end of the time of the stop command
  bool is_leaving_ = false;  // only the stop command is waited for, until stop_timer_ expires
};

void Watch::run() {
  reap();
  while (true) {
    if (is_app_over_ || is_lifeline_closed_) leave_soon();
    if (is_leaving_ && job_.stop == nullptr) return;
    if (is_stop_over_ && !has_children_) return;  // what is left ends by itself, or at its time
    if (!wait()) return;
  }
}

void Watch::run_stop() {
  leave_soon();
  while (!is_stop_over_ && wait()) {
  }
  if (!is_stop_over_ && stop_ > 0) kill(-stop_, SIGKILL);
}

/// From now on nobody but this process ends the stop command.
void Watch::leave_soon() {
  if (is_leaving_) return;
  is_leaving_ = true;
  if (job_.stop != nullptr) begin_stop();
}

void Watch::begin_stop() {
  if (stop_ != 0) return;
  stop_timer_ = timer_in_ms(job_.stop_time);
  stop_ = start_stop(job_, stop_output_);
  if (stop_ < 0) is_stop_over_ = true;
}

/// Reads at most what a pipe holds, so that what writes without end does not keep this process.
void Watch::relay_output() {
  constexpr int kPieces = 16;
  char text[4096];
  for (int i = 0; i < kPieces && stop_output_ >= 0; ++i) {
    const ssize_t length = read(stop_output_, text, sizeof text);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) {
      close(stop_output_);
      stop_output_ = -1;
      return;
    }
    // Fails if the reader has gone.
    [[maybe_unused]] const ssize_t written =
        write(STDOUT_FILENO, text, static_cast<size_t>(length));
  }
}

/// Waits for the next event. Returns false when the time of the stop command is over.
bool Watch::wait() {
  // poll() ignores negative descriptors.
  pollfd watched[5] = {{signals_, POLLIN, 0},
                       {is_lifeline_closed_ ? -1 : job_.lifeline, POLLIN, 0},
                       {is_leaving_ ? stop_timer_ : -1, POLLIN, 0},
                       {sigterm_timer_, POLLIN, 0},
                       {stop_output_, POLLIN, 0}};
  if (poll(watched, 5, -1) < 0 && errno != EINTR) return false;
  if (watched[4].revents != 0) relay_output();
  if (watched[0].revents != 0) on_signal();
  if (watched[1].revents != 0) is_lifeline_closed_ = true;
  if (watched[3].revents != 0) end_command();
  return watched[2].revents == 0;
}

void Watch::end_command() {
  close(sigterm_timer_);
  sigterm_timer_ = -1;
  if (!is_command_over_) kill(-job_.pid, SIGTERM);
}

void Watch::on_signal() {
  signalfd_siginfo info;
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGCHLD) return reap();
  if (info.ssi_pid != bellows_) return;
  if (signal == SIGTERM && job_.stop != nullptr) return begin_stop();
  if (!is_command_over_ && job_.pid > 0) kill(-job_.pid, signal);
}

/// Reaps every ended child, and reports the ends that matter.
void Watch::reap() {
  int status = 0;
  int last = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == job_.pid) {
      command_ended(status);
    } else if (pid == stop_) {
      is_stop_over_ = true;
      relay_output();
      report_end(job_, "stop-", status);
      if (!is_command_over_ && job_.pid > 0)
        sigterm_timer_ = timer_in_ms(job_.stop_time / kRestOfStop);
    } else {
      last = status;
    }
  }
  has_children_ = pid == 0;
  if (!job_.is_starter || !is_command_over_ || is_app_over_ || stop_ != 0) return;
  if (has_children_) is_app_below_ = true;
  if (has_children_ || !is_app_below_) return;
  is_app_over_ = true;
  report_end(job_, "", last);
}

void Watch::command_ended(int status) {
  is_command_over_ = true;
  const bool has_started = job_.is_starter && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (has_started) return report(job_, "start-over", 0UL);
  is_app_over_ = true;
  report_end(job_, job_.is_starter ? "start-" : "", status);
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
    if (pid == job.pid) report_end(job, "", status);
  }
}

/// Returns false if another process has the port of the app, and the stop command does not end it.
bool has_port(const Job& job, const sigset_t& listened) {
  if (job.port == 0 || is_port_free(job.port)) return true;
  if (job.stop == nullptr) return false;
  const int signals = signalfd(-1, &listened, SFD_CLOEXEC);
  Watch(job, signals).run_stop();
  close(signals);
  // What it has ended may need a moment until its socket is closed.
  constexpr int kMoments = 50;
  constexpr int kMomentMs = 20;
  for (int i = 0; i < kMoments && !is_port_free(job.port); ++i) poll(nullptr, 0, kMomentMs);
  return is_port_free(job.port);
}

}  // namespace

int main(int argc, char** argv) {
  Job job;
  if (!read_arguments(argc, argv, job)) {
    std::fprintf(stderr,
                 "usage: replica-shim LIFELINE_FD STATUS_FD [OPTIONS] [--group PROCS_FILE]... -- "
                 "COMMAND [ARGS...]\n");
    return kUsage;
  }
  fcntl(job.lifeline, F_SETFD, FD_CLOEXEC);
  fcntl(job.status, F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  const sigset_t listened = listened_signals();
  sigprocmask(SIG_BLOCK, &listened, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);

  if (!has_port(job, listened)) {
    report(job, "port-taken", job.port);
    return kExecFailed;
  }
  if (const int reason = start(job); reason != 0) {
    report(job, "exec-failed", strerrorname_np(reason));
    return kExecFailed;
  }
  report(job, "started", static_cast<unsigned long>(job.pid));
  close_inherited(job);
  Watch watch(job, signalfd(-1, &listened, SFD_CLOEXEC));
  watch.run();
  end_everything(job, watch.is_command_over());
  if (job.is_starter && !watch.is_app_over()) report(job, "exited", 0UL);
  pollfd lifeline = {job.lifeline, POLLIN, 0};
  if (poll(&lifeline, 1, 0) > 0) remove_groups(job);
  return 0;
}
