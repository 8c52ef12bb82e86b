#include "cli/machine/run_until_told.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>

#include "base/sys/entropy.hpp"
#include "http/io/event.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

namespace {

bool has_terminal() {
  const int descriptor = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

/// A machine in the foreground: what goes on beside it, then what ends it.
class Foreground {
 public:
  Foreground(http::net::io_context& io, Machine& machine, OnHangUp on_hang_up)
      : io_(io),
        machine_(machine),
        end_wanted_(io),
        over_(io),
        beside_(io),
        stopping_(io),
        signals_(io, {SIGINT, SIGTERM}, [this](int, int count) { told(count); }),
        on_hang_up_(std::move(on_hang_up)),
        had_terminal_(has_terminal()) {
    if (on_hang_up_)
      hang_ups_.emplace(io, std::initializer_list<int>{SIGHUP}, [this](int, int) { hung_up(); });
  }

  /// Ends when `beside` has ended or the first signal came, and the machine was stopped. An error
  /// if a second signal cut that short.
  http::Awaitable<Result<void>> run(MachineAddresses addresses, Beside beside) {
    if (beside) {
      beside_.spawn("beside the machine",
                    [this, &addresses, &beside] { return play(addresses, beside); });
    }
    is_running_ = true;
    co_await end_wanted_.wait();
    is_running_ = false;
    beside_.stop();
    stopping_.spawn("stop the machine", [this] { return stop(); });
    co_await over_.wait();
    if (was_cut_) {
      co_return fail(ErrorKind::kCancelled, "told twice",
                     "ended at once; requests in flight were cut");
    }
    co_return Result<void>();
  }

 private:
  http::Awaitable<void> play(const MachineAddresses& addresses, const Beside& beside) {
    co_await beside(io_, machine_, addresses);
    end_wanted_.set();
  }

  http::Awaitable<void> stop() {
    co_await machine_.stop();
    over_.set();
  }

  void told(int count) {
    end_wanted_.set();
    if (count == 1) return;
    was_cut_ = true;
    machine_.kill_now();
    over_.set();
  }

  void hung_up() {
    const bool is_terminal_gone = had_terminal_ && !has_terminal();
    if (is_terminal_gone) {
      end_wanted_.set();
    } else if (is_running_) {
      on_hang_up_(machine_);
    }
  }

  http::net::io_context& io_;
  Machine& machine_;
  bool is_running_ = false;
  bool was_cut_ = false;
  http::Event end_wanted_;
  http::Event over_;
  http::TaskGroup beside_;
  http::TaskGroup stopping_;
  http::Signals signals_;
  const OnHangUp on_hang_up_;
  const bool had_terminal_;
  std::optional<http::Signals> hang_ups_;
};

http::Awaitable<int> run_machine(http::net::io_context& io, const config::RunSettings& settings,
                                 const std::vector<config::Service>& services, const Beside& beside,
                                 const OnHangUp& on_hang_up, Result<void>& outcome) {
  SeededRandom random(sys::random_seed());
  Machine machine(io, sys::system_clock(), random, settings, services);
  Foreground foreground(io, machine, on_hang_up);
  auto addresses = machine.start();
  if (!addresses) {
    outcome = fail(std::move(addresses).error());
    co_return 1;
  }
  outcome = co_await foreground.run(std::move(*addresses), beside);
  co_return outcome ? 0 : 1;
}

}  // namespace

Result<void> run_until_told(config::RunSettings settings, std::vector<config::Service> services,
                            Beside beside, OnHangUp on_hang_up) {
  Result<void> outcome;
  http::run_program([&](http::net::io_context& io) {
    return run_machine(io, settings, services, beside, on_hang_up, outcome);
  });
  return outcome;
}

}  // namespace bellows::cli
