#include "cli/services/service_control.hpp"

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <utility>

#include "base/sys/clock.hpp"
#include "cli/screen/live_area.hpp"
#include "command/admin/admin_client.hpp"
#include "command/admin/run_blocking.hpp"
#include "http/io/client.hpp"
#include "http/io/task_group.hpp"
#include "json/error_page.hpp"
#include "json/object.hpp"
#include "json/texts.hpp"

namespace bellows::cli {
namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(100);

Error error_of(const http::Response& response, const std::string& name) {
  if (auto error = json::parse_error_page(response.body)) return *std::move(error);
  return {ErrorKind::kUnavailable, name,
          "responded " + std::to_string(response.status) + ": " + response.body};
}

volatile std::sig_atomic_t is_interrupted = 0;  // NOLINT: set by a signal handler

/// While it exists SIGINT only sets is_interrupted.
class InterruptWatch {
 public:
  InterruptWatch() {
    is_interrupted = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { is_interrupted = 1; };
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptWatch() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace

ServiceControl::ServiceControl(http::net::io_context& io, Endpoint admin)
    : io_(io), admin_(std::move(admin)) {}

Result<std::string> ServiceControl::page(const std::string& target) {
  BELLOWS_TRY(http::Response response,
              command::request_admin(io_, command::admin_server_at(admin_), "GET", target));
  return std::move(response.body);
}

Result<Endpoint> ServiceControl::socket() {
  BELLOWS_TRY(const std::string text, page("/v1/control"));
  BELLOWS_TRY(const json::Object control, json::parse(text, "/v1/control"));
  if (control.has("trouble")) {
    return fail(ErrorKind::kUnavailable, to_string(admin_), control.text("trouble").value_or(""));
  }
  BELLOWS_TRY(std::string path, control.text("socket"));
  return Endpoint{.host = {}, .port = 0, .unix_path = std::move(path)};
}

Result<std::string> ServiceControl::post(const std::string& target, const std::string& body) {
  BELLOWS_TRY(const Endpoint to, socket());
  auto response = command::run_blocking(io_, http::fetch(to, "POST", target, body));
  if (!response && response.error().kind() == ErrorKind::kTimeout) {
    return fail(command::no_answer(to_string(to), response.error()));
  }
  if (!response) {
    return fail(Error(response.error().kind(), to_string(to),
                      "only the user that runs Bellows, and root, may change something")
                    .caused_by(response.error()));
  }
  if (response->status / 100 != 2) return fail(error_of(*response, to_string(to)));
  return std::move(response->body);
}

Result<OrderReply> ServiceControl::order(const std::string& target, const std::string& body) {
  BELLOWS_TRY(const std::string answer, post(target, body));
  BELLOWS_TRY(const json::Object reply, json::parse(answer));
  OrderReply order;
  BELLOWS_TRY(order.lines, json::texts(reply, "lines"));
  BELLOWS_TRY(order.rolling_out, json::texts(reply, "rolling_out"));
  BELLOWS_TRY(order.after_restart, json::texts(reply, "after_restart"));
  return order;
}

Result<RolloutState> ServiceControl::rollout(const std::string& service) {
  BELLOWS_TRY(const std::string text, page("/v1/services/" + service));
  BELLOWS_TRY(const json::Object whole, json::parse(text, "/v1/services"));
  BELLOWS_TRY(const std::vector<json::Object> services, whole.objects("services"));
  RolloutState state;
  if (services.empty() || !services.front().has("rollout")) return state;
  BELLOWS_TRY(const json::Object rollout, services.front().object("rollout"));
  BELLOWS_TRY(state.cause, rollout.text("cause"));
  BELLOWS_TRY(state.stage, rollout.text("stage"));
  BELLOWS_TRY(state.message, rollout.text("message"));
  BELLOWS_TRY(state.seconds, rollout.number("seconds"));
  BELLOWS_TRY(state.last_lines, json::texts(rollout, "last_lines"));
  if (!rollout.has("share")) return state;
  BELLOWS_TRY(const std::int64_t share, rollout.integer("share", 0, 100));
  BELLOWS_TRY(const bool is_in_force, rollout.flag("in_force"));
  state.step = std::to_string(share) + (is_in_force ? " %" : " % next");
  return state;
}

namespace {

/// Prints the states of a rollout for a pipe: each stage; of a canary the first and the last line
/// of a step, which has the counts of its verdict, and one in kLinePeriod between them.
class ProgressLines {
 public:
  void add(const std::string& line, const std::string& step) {
    const bool is_new_step = step.empty() || step != step_;
    if (is_new_step) finish();
    step_ = step;
    last_ = line;
    if (is_new_step || sys::system_clock().now() - printed_at_ >= ServiceControl::kLinePeriod) {
      finish();
    }
  }

  /// Prints what was held back.
  void finish() {
    if (last_ == printed_) return;
    std::cout << last_ << std::endl;  // NOLINT(performance-avoid-endl): a reader follows it
    printed_ = last_;
    printed_at_ = sys::system_clock().now();
  }

 private:
  std::string last_;
  std::string printed_;
  std::string step_;
  TimePoint printed_at_{};
};

}  // namespace

Result<RolloutState> ServiceControl::follow(const std::string& service) {
  const Terminal terminal = detect_terminal();
  LiveArea area(terminal);
  const InterruptWatch interrupts;
  ProgressLines lines;
  std::optional<std::string> followed;
  while (true) {
    BELLOWS_TRY(RolloutState state, rollout(service));
    if (!followed) followed = state.cause;
    if (state.cause != *followed) {
      state.stage = "failed";
      state.message = "a " + state.cause + " has replaced it";
    }
    if (is_interrupted != 0 && !state.is_over()) state.stage = kStageLeft;
    if (state.is_over()) {
      area.clear();
      lines.finish();
      return state;
    }
    const std::string line = service + ": " + state.message;
    if (terminal.is_interactive) {
      area.draw({line + ", " + std::to_string(static_cast<int>(state.seconds)) + " s"});
    } else {
      lines.add(line, state.step);
    }
    (void)command::run_blocking(io_, http::sleep_for(kPollInterval));
  }
}

}  // namespace bellows::cli
