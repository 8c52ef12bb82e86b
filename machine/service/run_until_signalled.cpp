#include "machine/service/run_until_signalled.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/sys/clock.hpp"
#include "base/sys/entropy.hpp"
#include "base/sys/service_manager.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "http/io/task_group.hpp"

namespace bellows::machine {

namespace {

constexpr Duration kCancelTimeout = std::chrono::seconds(1);

bool has_terminal() {
  const int descriptor = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

/// Returns true under nohup, which lets the program outlive its terminal.
bool is_hangup_ignored() {
  struct sigaction action = {};
  return ::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// A machine in the foreground, its background task, and the signals that stop it.
class Foreground {
 public:
  Foreground(http::net::io_context& io, Machine& machine, const sys::ServiceManager& manager,
             OnReload on_reload)
      : io_(io),
        machine_(machine),
        manager_(manager),
        stop_requested_(io),
        stopped_(io),
        background_(io),
        stopping_(io),
        signals_(io, {SIGINT, SIGTERM}, [this](int, int count) { on_signal(count); }),
        on_reload_(std::move(on_reload)),
        ends_with_terminal_(!is_hangup_ignored()),
        had_terminal_(has_terminal()) {
    if (!on_reload_ && !ends_with_terminal_) return;
    hangups_.emplace(io, std::initializer_list<int>{SIGHUP}, [this](int, int) { on_sighup(); });
  }

  MachineControls controls() {
    MachineControls controls{.stop = [this] { stop_requested_.set(); }, .reload = nullptr};
    if (on_reload_) {
      controls.reload = [this] { return reload(); };
    }
    return controls;
  }

  /// Waits until `background` completes or the first signal arrives, then stops the machine. Fails
  /// if a second signal killed it.
  http::Awaitable<Result<void>> run(MachineAddresses addresses, BackgroundTask background) {
    if (background) {
      background_.spawn("background task", [this, &addresses, &background] {
        return run_background(addresses, background);
      });
    }
    is_running_ = true;
    manager_.ready();
    co_await stop_requested_.wait();
    is_running_ = false;
    manager_.stopping(machine_.stop_time());
    background_.stop();
    stopping_.spawn("stop the machine", [this] { return stop(); });
    co_await stopped_.wait();
    if (was_killed_) {
      stopping_.stop();
      (void)co_await stopping_.join(sys::system_clock().now() + kCancelTimeout);
      co_await machine_.abort();
      co_return fail(ErrorKind::kCancelled, "second signal",
                     "stopped immediately; requests in flight were aborted");
    }
    co_return Result<void>();
  }

 private:
  http::Awaitable<void> run_background(const MachineAddresses& addresses,
                                       const BackgroundTask& background) {
    co_await background(io_, machine_, addresses);
    stop_requested_.set();
  }

  http::Awaitable<void> stop() {
    co_await machine_.stop();
    stopped_.set();
  }

  void on_signal(int count) {
    stop_requested_.set();
    if (count == 1) return;
    was_killed_ = true;
    machine_.kill_now();
    stopped_.set();
  }

  /// Sets the event even if the enclosing task is ended, or fails: the next reload waits for it.
  struct SetAtEnd {
    explicit SetAtEnd(http::net::io_context& io) : event(std::make_shared<http::Event>(io)) {}
    ~SetAtEnd() { event->set(); }
    SetAtEnd(const SetAtEnd&) = delete;
    SetAtEnd& operator=(const SetAtEnd&) = delete;

    const std::shared_ptr<http::Event> event;  // shared with last_reload_ and its waiters
  };

  void on_sighup() {
    const bool is_terminal_closed = ends_with_terminal_ && had_terminal_ && !has_terminal();
    if (!on_reload_ || is_terminal_closed) {
      stop_requested_.set();
    } else if (!is_hangup_waiting_) {
      is_hangup_waiting_ = true;
      background_.spawn("reload", [this]() -> http::Awaitable<void> {
        const std::function<void()> on_begin = [this] { is_hangup_waiting_ = false; };
        (void)co_await reload(on_begin);
      });
    }
  }

  /// Runs one reload after the other: each reads the file after the previous one has ended.
  http::Awaitable<Reloaded> reload(std::function<void()> on_begin = [] {}) {
    const SetAtEnd over(io_);
    const auto before = std::exchange(last_reload_, over.event);
    if (before) co_await before->wait();
    on_begin();
    Reloaded reloaded;
    if (is_running_) {
      manager_.reloading(sys::system_clock().now());
      const Result<void> certificates = machine_.reload_certificates();
      reloaded = co_await on_reload_(io_, machine_);
      if (!certificates) reloaded.errors.push_back(to_string(certificates.error()));
      manager_.ready();
    }
    co_return reloaded;
  }

  http::net::io_context& io_;
  Machine& machine_;
  const sys::ServiceManager& manager_;
  bool is_running_ = false;
  bool was_killed_ = false;
  http::Event stop_requested_;
  http::Event stopped_;
  http::TaskGroup background_;
  http::TaskGroup stopping_;
  http::Signals signals_;
  const OnReload on_reload_;
  bool is_hangup_waiting_ = false;            // for a reload before it
  std::shared_ptr<http::Event> last_reload_;  // set when it is over; shared with its waiters
  const bool ends_with_terminal_;
  const bool had_terminal_;
  std::optional<http::Signals> hangups_;
};

/// What this program got from the service manager that started it.
struct Given {
  sys::ServiceManager manager;
  MachineSockets sockets;
};

/// A socket named "admin" is that of the admin port; any other takes requests.
Result<MachineSockets> machine_sockets() {
  BELLOWS_TRY(std::vector<sys::PassedSocket> passed, sys::take_passed_sockets());
  MachineSockets sockets;
  for (sys::PassedSocket& each : passed) {
    const bool is_admin = each.name == "admin";
    std::optional<http::BoundSocket>& place = is_admin ? sockets.admin : sockets.listen;
    if (place) {
      return fail(ErrorKind::kInvalidSetting, "$LISTEN_FDS",
                  std::to_string(passed.size()) +
                      " sockets: want one for requests, and one more with the name \"admin\" "
                      "(FileDescriptorName=admin)");
    }
    BELLOWS_TRY(place, http::take_over(std::move(each.socket), "$LISTEN_FDS"));
  }
  return sockets;
}

http::Awaitable<int> run_machine(http::net::io_context& io, const config::RunSettings& settings,
                                 std::vector<config::Service>& services, Given& given,
                                 const BackgroundTask& background, const OnReload& on_reload,
                                 const ReadSettings& read_settings, Result<void>& outcome) {
  SeededRandom random(sys::random_seed());
  Machine machine(io, sys::system_clock(), random, settings, std::move(services), read_settings);
  Foreground foreground(io, machine, given.manager, on_reload);
  machine.offer(foreground.controls());
  auto addresses = machine.start(std::move(given.sockets));
  if (!addresses) {
    outcome = fail(std::move(addresses).error());
    co_return 1;
  }
  outcome = co_await foreground.run(std::move(*addresses), background);
  co_return outcome ? 0 : 1;
}

}  // namespace

Result<void> run_until_signalled(config::RunSettings settings,
                                 std::vector<config::Service> services, BackgroundTask background,
                                 OnReload on_reload, ReadSettings read_settings) {
  Given given{sys::ServiceManager::from_environment(), {}};
  BELLOWS_TRY(given.sockets, machine_sockets());
  Result<void> outcome;
  http::run_program([&](http::net::io_context& io) {
    return run_machine(io, settings, services, given, background, on_reload, read_settings,
                       outcome);
  });
  return outcome;
}

}  // namespace bellows::machine
