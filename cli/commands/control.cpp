// bellows logs, page, scale, restart, reload and down: orders to a Bellows on this machine.
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "command/admin/run_blocking.hpp"
#include "http/io/task_group.hpp"
#include "json/object.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kLogInterval = std::chrono::milliseconds(300);
constexpr Duration kStopInterval = std::chrono::milliseconds(100);
/// The time of a stop besides the drain: the apps get some seconds after their last request.
constexpr Duration kStopMargin = std::chrono::seconds(15);
constexpr double kMaxMilliseconds = 1e12;

/// A running Bellows that accepts changes. Owner: a command.
class Control {
 public:
  static Result<Control> open(const ClientSettings& settings) {
    Control control;
    BELLOWS_TRY(Target target, Target::open(*control.io_, settings));
    BELLOWS_TRY(control.server_, target.control_of_machine());
    return control;
  }

  Result<std::string> post(const std::string& page) {
    BELLOWS_TRY(http::Response response, command::request_admin(*io_, server_, "POST", page));
    return std::move(response.body);
  }

  /// Fails unless there is a service of this name; an empty one means none.
  Result<void> check(const std::string& service) {
    if (service.empty()) return {};
    BELLOWS_TRY([[maybe_unused]] const http::Response page,
                command::request_admin(*io_, server_, "GET", "/v1/services/" + service));
    return {};
  }

  /// Returns false if nothing listens there.
  bool is_there() {
    return command::run_blocking(*io_, server_.send("GET", "/healthz")).has_value();
  }

  void pause(Duration time) { command::run_blocking(*io_, http::sleep_for(time)); }

 private:
  std::unique_ptr<http::net::io_context> io_ = std::make_unique<http::net::io_context>(1);
  command::AdminServer server_;
};

int order(const Invocation& invocation, const ClientSettings& settings, const std::string& page,
          const std::string& said) {
  auto control = Control::open(settings);
  if (!control) return report_failure(invocation, control.error());
  const auto done = control->post(page);
  if (!done) return report_failure(invocation, done.error());
  std::cout << said << "\n";
  return kSuccess;
}

/// What has been printed: the lines of a revision until the one with that number.
struct Printed {
  std::string revision;
  std::int64_t last = 0;
};

/// Prints the lines of one page. After a deploy the page is that of another revision, whose lines
/// are counted from 1 again: then nothing is printed, and the next page is to be that from its
/// beginning.
Result<Printed> print_lines(const std::string& page, const Printed& before) {
  BELLOWS_TRY(const json::Object object, json::parse(page, "logs"));
  BELLOWS_TRY(std::string revision, object.text("revision"));
  const bool is_deployed = !before.revision.empty() && before.revision != revision;
  if (is_deployed) return Printed{.revision = std::move(revision), .last = 0};
  BELLOWS_TRY(const std::vector<json::Object> lines, object.objects("lines"));
  for (const json::Object& line : lines) {
    BELLOWS_TRY(const std::string replica, line.text("replica"));
    BELLOWS_TRY(const std::string text, line.text("text"));
    BELLOWS_TRY(const std::string at, line.text("at"));
    std::cout << at << " " << replica << " | " << text << "\n";
  }
  std::cout.flush();
  BELLOWS_TRY(const std::int64_t last,
              object.integer("last", 0, std::numeric_limits<std::int64_t>::max()));
  return Printed{.revision = std::move(revision), .last = last};
}

}  // namespace

int show_logs(const Invocation& invocation) {
  const auto settings = logs_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");
  const auto name = service_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  auto control = Control::open(*settings);
  if (!control) return report_failure(invocation, control.error());
  Printed printed;
  while (true) {
    const auto page = control->post("/v1/control/services/" + *name +
                                    "/logs?after=" + std::to_string(printed.last));
    if (!page) return report_failure(invocation, page.error());
    const auto next = print_lines(*page, printed);
    if (!next) return report_failure(invocation, next.error());
    if (!settings->follow || !std::cout) return kSuccess;
    printed = *next;
    control->pause(kLogInterval);
  }
}

int show_page(const Invocation& invocation) {
  const auto settings = control_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() > 1) return usage_error(invocation, "want the NAME of one service, or none");
  const auto name = names.empty() ? Result<std::string>("") : service_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  if (settings->admin.is_unix()) {
    return usage_error(invocation, "the page needs a port; want --admin HOST:PORT");
  }
  auto control = Control::open(*settings);
  if (!control) return report_failure(invocation, control.error());
  if (const auto known = control->check(*name); !known) {
    return report_failure(invocation, known.error());
  }
  const auto page = control->post("/v1/control/page");
  if (!page) return report_failure(invocation, page.error());
  const auto object = json::parse(*page, "page");
  const auto key = object ? object->text("key") : Result<std::string>(fail(object.error()));
  if (!key) return report_failure(invocation, key.error());
  std::cout << "http://" << to_string(settings->admin) << "/#key=" << *key
            << (name->empty() ? "" : "/" + *name) << "\n";
  return kSuccess;
}

int scale_service(const Invocation& invocation) {
  const auto settings = control_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& words = invocation.arguments.positional;
  if (words.size() != 2) return usage_error(invocation, "want the NAME of a service and a number");
  const auto name = service_name(words[0]);
  if (!name) return usage_error(invocation, name.error());
  if (words[1].empty() || words[1].find_first_not_of("0123456789") != std::string::npos) {
    return usage_error(invocation, "\"" + words[1] + "\": want a number of replicas");
  }
  const std::string waits = words[1] == "0" ? "; requests wait until then" : "";
  return order(invocation, *settings,
               "/v1/control/services/" + *name + "/scale?replicas=" + words[1],
               *name + ": " + words[1] + (words[1] == "1" ? " replica" : " replicas") +
                   ", whatever the load, until `bellows resume " + *name + "`" + waits);
}

int restart_service(const Invocation& invocation) {
  const auto settings = control_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");
  const auto name = service_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  return order(invocation, *settings, "/v1/control/services/" + *name + "/restart",
               *name +
                   ": its replicas are replaced one after the other, each once a new one is "
                   "ready");
}

int reload_settings(const Invocation& invocation) {
  const auto settings = control_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty()) return usage_error(invocation, "want no argument");
  auto control = Control::open(*settings);
  if (!control) return report_failure(invocation, control.error());
  const auto page = control->post("/v1/control/reload");
  if (!page) return report_failure(invocation, page.error());
  const auto object = json::parse(*page, "reload");
  if (!object) return report_failure(invocation, object.error());
  bool is_rejected = false;
  bool is_done = false;
  for (const char* const list : {"done", "errors"}) {
    const auto lines = object->list(list);
    if (!lines) return report_failure(invocation, lines.error());
    const bool is_error = std::string_view(list) == "errors";
    (is_error ? is_rejected : is_done) = lines->size() > 0;
    for (std::size_t i = 0; i < lines->size(); ++i) {
      (is_error ? std::cerr : std::cout) << lines->text(i).value_or("") << "\n";
    }
  }
  if (is_rejected && !is_done) std::cerr << "nothing was changed\n";
  return is_rejected ? kUsageError : kSuccess;
}

int stop_machine(const Invocation& invocation) {
  const auto settings = control_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty()) return usage_error(invocation, "want no argument");
  auto control = Control::open(*settings);
  if (!control) return report_failure(invocation, control.error());
  const auto page = control->post("/v1/control/stop");
  if (!page) return report_failure(invocation, page.error());
  const auto object = json::parse(*page, "stop");
  const auto at_most = object ? object->number("at_most_ms", {.min = 0, .max = kMaxMilliseconds})
                              : Result<double>(fail(object.error()));
  if (!at_most) return report_failure(invocation, at_most.error());
  const Duration drain = from_seconds(*at_most / 1000);
  std::cout << "stopping: requests in flight get up to " << rounded_duration_text(drain)
            << std::endl;
  const TimePoint deadline = sys::system_clock().now() + drain + kStopMargin;
  while (control->is_there()) {
    if (sys::system_clock().now() > deadline) {
      return report_failure(invocation, {ErrorKind::kTimeout, "Bellows", "still runs"});
    }
    control->pause(kStopInterval);
  }
  std::cout << "stopped\n";
  return kSuccess;
}

}  // namespace bellows::cli
