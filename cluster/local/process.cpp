#include "cluster/local/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cerrno>
#include <csignal>
#include <optional>
#include <set>
#include <utility>

#include "base/sys/clock.hpp"
#include "cluster/local/line_splitter.hpp"
#include "cluster/local/output_budget.hpp"
#include "cluster/local/pipe.hpp"

namespace bellows::cluster {

namespace {

using AsioDescriptor = http::net::posix::basic_stream_descriptor<http::Executor>;

/// The arguments of posix_spawn; the destructor frees them.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void standard_input(const char* path) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, path, O_RDONLY, 0);
  }
  void pass(const sys::Descriptor& ours, int number) {
    posix_spawn_file_actions_adddup2(&actions_, ours.get(), number);
  }
  /// Closes all further descriptors, those that this process inherited included.
  void close_from(int number) { posix_spawn_file_actions_addclosefrom_np(&actions_, number); }

  void change_directory(const std::string& path) {
    if (!path.empty()) posix_spawn_file_actions_addchdir_np(&actions_, path.c_str());
  }

  /// Gives the child a process group of its own, so that Ctrl-C in the terminal reaches only this
  /// process. Signals have their default actions; those that a shim handles are blocked until it
  /// does.
  void as_shim() {
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&blocked, signal);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  /// Returns 0 or an errno.
  int run(pid_t& pid, std::vector<std::string>& arguments, std::vector<std::string>& environment) {
    return posix_spawn(&pid, arguments[0].c_str(), &actions_, &attributes_,
                       pointers(arguments).data(), pointers(environment).data());
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// Returns the environment of this process with `additions`, which replace variables of the same
/// name.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& additions) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string name(text.substr(0, text.find('=')));
    if (!additions.contains(name)) environment.emplace_back(text);
  }
  for (const auto& [name, value] : additions) environment.push_back(name + "=" + value);
  return environment;
}

/// The pipes between this process and a shim.
struct Pipes {
  Pipe output, error, status, lifeline;
  std::optional<Pipe> notify;
};

Result<Pipes> make_pipes(bool with_notify) {
  Pipes pipes;
  for (Pipe* pipe : {&pipes.output, &pipes.error, &pipes.status, &pipes.lifeline}) {
    BELLOWS_TRY(*pipe, make_pipe());
  }
  if (with_notify) {
    BELLOWS_TRY(pipes.notify, make_pipe());
  }
  return pipes;
}

constexpr int kLifeline = 3;
constexpr int kStatusDescriptor = 4;
constexpr int kNotifyDescriptor = 5;

/// Returns the arguments of the shim up to those of the control groups.
std::vector<std::string> shim_arguments(const ProcessSpec& spec) {
  std::vector<std::string> arguments = {spec.shim, std::to_string(kLifeline),
                                        std::to_string(kStatusDescriptor)};
  if (spec.descriptors) {
    arguments.insert(arguments.end(), {"--descriptors", std::to_string(*spec.descriptors)});
  }
  if (!spec.user.empty()) arguments.insert(arguments.end(), {"--user", spec.user});
  if (!spec.group.empty()) arguments.insert(arguments.end(), {"--group-id", spec.group});
  if (spec.no_new_privileges) arguments.insert(arguments.end(), {"--no-new-privileges", "yes"});
  if (spec.port != 0) arguments.insert(arguments.end(), {"--port", std::to_string(spec.port)});
  if (spec.is_starter) arguments.insert(arguments.end(), {"--starts", "yes"});
  if (!spec.stop.empty()) {
    arguments.insert(arguments.end(),
                     {"--stop-time", std::to_string(to_milliseconds(spec.stop_time)), "--stop",
                      std::to_string(spec.stop.size())});
    arguments.insert(arguments.end(), spec.stop.begin(), spec.stop.end());
    arguments.emplace_back(".");
  }
  return arguments;
}

Result<pid_t> spawn_shim(const ProcessSpec& spec, const Pipes& pipes) {
  static_assert(kNotifyDescriptor == kLastInherited);
  std::vector<std::string> arguments = shim_arguments(spec);
  for (const std::string& group : spec.groups) {
    arguments.insert(arguments.end(), {"--group", group});
  }
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), spec.command.begin(), spec.command.end());
  std::map<std::string, std::string> additions = spec.environment;
  SpawnPlan plan;
  plan.standard_input("/dev/null");
  plan.pass(pipes.output.write, STDOUT_FILENO);
  plan.pass(pipes.error.write, STDERR_FILENO);
  plan.pass(pipes.lifeline.read, kLifeline);
  plan.pass(pipes.status.write, kStatusDescriptor);
  if (pipes.notify) {
    plan.pass(pipes.notify->write, kNotifyDescriptor);
    additions[spec.notify_variable] = std::to_string(kNotifyDescriptor);
  }
  plan.close_from(pipes.notify ? kNotifyDescriptor + 1 : kNotifyDescriptor);
  plan.change_directory(spec.working_directory);
  plan.as_shim();
  std::vector<std::string> environment = environment_with(additions);
  pid_t pid = -1;
  if (const int reason = plan.run(pid, arguments, environment); reason != 0) {
    const std::string where = spec.working_directory.empty() ? "" : " in " + spec.working_directory;
    return fail(system_error("shim " + spec.shim, "cannot be run" + where, reason));
  }
  return pid;
}

/// Shims that are not reaped yet.
std::set<pid_t>& shims() {
  static std::set<pid_t> running;
  return running;
}

}  // namespace

void reap_orphans() {
  for (;;) {
    siginfo_t ended{};
    const int failed = ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT);
    // A shim is reaped after its status pipe has been read to the end; then the search continues.
    if (failed != 0 || ended.si_pid == 0 || shims().contains(ended.si_pid)) return;
    ::waitpid(ended.si_pid, nullptr, 0);
  }
}

/// Four pipes of the shim. Pending waits own it until the shim has been reaped, even
/// after the Process is destroyed.
struct Process::State : std::enable_shared_from_this<State> {
  enum Source : std::uint8_t { kOutput, kError, kNotify, kStatus };

  struct Channel {
    AsioDescriptor descriptor;
    LineSplitter lines = {};
  };

  State(http::net::io_context& io, ProcessHandlers its_handlers)
      : channels{Channel{AsioDescriptor(io)}, Channel{AsioDescriptor(io)},
                 Channel{AsioDescriptor(io)}, Channel{AsioDescriptor(io)}},
        next_read(io),
        handlers(std::move(its_handlers)) {}

  void adopt(pid_t pid, Pipes pipes) {
    shim = pid;
    shims().insert(pid);
    lifeline = std::move(pipes.lifeline.write);
    attach(kOutput, std::move(pipes.output.read));
    attach(kError, std::move(pipes.error.read));
    attach(kStatus, std::move(pipes.status.read));
    if (pipes.notify) attach(kNotify, std::move(pipes.notify->read));
  }

  void attach(Source source, sys::Descriptor pipe) {
    ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
    channels[source].descriptor.assign(pipe.release());
  }

  void start() {
    for (const Source source : {kOutput, kError, kNotify, kStatus}) wait_for_bytes(source);
  }

  void wait_for_bytes(Source source) {
    if (!channels[source].descriptor.is_open()) return;
    channels[source].descriptor.async_wait(
        AsioDescriptor::wait_read,
        [self = shared_from_this(), source](boost::system::error_code error) {
          if (error || (self->is_detached && source != kStatus)) return;
          if (self->read(source, 1)) {
            self->wait_for_turn(source);
          } else if (source == kStatus) {
            // Only the shim holds the other end, which shows its end. A pidfd would need another
            // descriptor, and some sandboxes have none.
            self->shim_ended();
          }
        });
  }

  /// Waits, so that the output of a process that floods it is read at the rate of its budget.
  void wait_for_turn(Source source) {
    if (pause == Duration::zero() || (source != kOutput && source != kError)) {
      return wait_for_bytes(source);
    }
    is_paused[source] = true;
    if (std::exchange(has_timer, true)) return;
    next_read.expires_after(pause);
    next_read.async_wait([self = shared_from_this()](boost::system::error_code error) {
      self->has_timer = false;
      if (error || self->is_detached) return;
      self->pause = Duration::zero();
      for (const Source paused : {kOutput, kError}) {
        if (std::exchange(self->is_paused[paused], false)) self->wait_for_bytes(paused);
      }
    });
  }

  /// Reads at most `rounds` times 16 KB, so that a child with much output does not delay the
  /// others. Returns false at the end of the pipe, after closing it.
  bool read(Source source, int rounds) {
    std::array<char, 16 * 1024> buffer;  // NOLINT: filled by read
    Channel& channel = channels[source];
    while (rounds-- > 0 && channel.descriptor.is_open()) {
      const ssize_t got = ::read(channel.descriptor.native_handle(), buffer.data(), buffer.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (got <= 0) {
        channel.lines.finish([&](std::string_view line) { hand_over(source, line); });
        channel.descriptor.close();
        return false;
      }
      if (source == kOutput || source == kError) {
        pause = budget.take(static_cast<std::size_t>(got), sys::system_clock().now());
      }
      channel.lines.feed({buffer.data(), static_cast<std::size_t>(got)},
                         [&](std::string_view line) { hand_over(source, line); });
    }
    return channel.descriptor.is_open();
  }

  void hand_over(Source source, std::string_view line) {
    if (is_detached) return;
    if (source != kStatus) {
      handlers.line(static_cast<Stream>(source), line);
      return;
    }
    const auto event = parse_shim_line(line);
    if (!event) return;
    if (const auto* started = std::get_if<ProcessStarted>(&*event)) {
      if (!is_starter) command = started->pid;
      handlers.started();
    } else if (const auto* outside = std::get_if<ProcessUngrouped>(&*event)) {
      if (handlers.ungrouped) handlers.ungrouped(outside->reason);
    } else if (std::holds_alternative<ProcessLaunched>(*event)) {
      if (handlers.launched) handlers.launched();
    } else if (const auto* stopped = std::get_if<ProcessStopped>(&*event)) {
      if (handlers.stopped) handlers.stopped(stopped->end);
    } else {
      end = std::get<ProcessEnd>(*event);
    }
  }

  /// Reads the rest of the pipes, but not to their end, since a daemon that escaped may hold one
  /// open. Then reports the end.
  void shim_ended() {
    ::waitpid(shim, nullptr, 0);  // its descriptors are closed, so it is gone within microseconds
    shims().erase(shim);
    shim = -1;
    if (::getpid() == 1) reap_orphans();
    lifeline.close();
    constexpr int kMaxRounds = 64;  // more than a pipe holds
    for (const Source source : {kStatus, kNotify, kOutput, kError}) {
      if (!is_detached) read(source, kMaxRounds);
    }
    // A shim that was killed could not clean up; its command ended with it (PR_SET_PDEATHSIG).
    if (!end && command > 0) ::kill(-command, SIGKILL);
    close_pipes();
    if (!is_detached) handlers.ended(end.value_or(ProcessEnd{}));
  }

  void close_pipes() {
    boost::system::error_code ignored;
    for (Channel& channel : channels) channel.descriptor.close(ignored);
    next_read.cancel();
  }

  /// Stops the handlers, but still waits for the end of the shim.
  void detach() {
    is_detached = true;
    lifeline.close();
    boost::system::error_code ignored;
    for (const Source source : {kOutput, kError, kNotify}) {
      channels[source].descriptor.close(ignored);
    }
    next_read.cancel();
  }

  std::array<Channel, 4> channels;  // by Source
  http::AsioTimer next_read;        // of the streams that are paused
  OutputBudget budget{sys::system_clock().now()};
  Duration pause{};
  std::array<bool, 2> is_paused{};  // kOutput, kError
  bool has_timer = false;
  ProcessHandlers handlers;
  sys::Descriptor lifeline;
  pid_t shim = -1;     // -1 once reaped
  pid_t command = -1;  // -1 until it has started, and that of a starter, which ends before the app
  bool is_starter = false;
  std::optional<ProcessEnd> end;
  bool is_detached = false;
};

Result<std::unique_ptr<Process>> Process::start(http::net::io_context& io, const ProcessSpec& spec,
                                                ProcessHandlers handlers) {
  BELLOWS_TRY(Pipes pipes, make_pipes(!spec.notify_variable.empty()));
  BELLOWS_TRY(const pid_t shim, spawn_shim(spec, pipes));
  auto state = std::make_shared<State>(io, std::move(handlers));
  state->is_starter = spec.is_starter;
  state->adopt(shim, std::move(pipes));
  state->start();
  return std::unique_ptr<Process>(new Process(std::move(state)));
}

Process::Process(std::shared_ptr<State> state) : state_(std::move(state)) {}

Process::~Process() {
  state_->detach();
}

void Process::signal(int number) {
  if (state_->shim > 0) ::kill(state_->shim, number);
}

void Process::kill() {
  state_->lifeline.close();
}

pid_t Process::shim_pid() const {
  return state_->shim;
}

}  // namespace bellows::cluster
