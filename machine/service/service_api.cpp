#include "machine/service/service_api.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/duration_text.hpp"
#include "base/sys/free_memory.hpp"
#include "config/revision_schema.hpp"
#include "config/route_json.hpp"
#include "config/run_settings.hpp"
#include "config/static_answers.hpp"
#include "config/suggestion.hpp"
#include "config/text_formats.hpp"
#include "http/core/status.hpp"
#include "http/io/side_thread.hpp"
#include "json/error_page.hpp"
#include "json/object.hpp"
#include "json/texts.hpp"
#include "json/writer.hpp"
#include "machine/service/route_test.hpp"
#include "machine/service/waiting_page.hpp"

namespace bellows::machine {
namespace {

constexpr std::string_view kServices = "/v1/services/";
/// The members of the body of an order; docs/revisions.md describes them.
constexpr std::array<std::string_view, 16> kOrderMembers = {
    "command", "environment", "settings", "working_directory",
    "host",    "path_prefix", "headers",  "more",
    "to",      "shares",      "tag",      "tags",
    "canary",  "dry_run",     "probe",    "ttl"};

http::Response error_page(const Error& error) {
  return http::json_response(json::error_page(error), http::status_of_order(error));
}

http::Response answer_page(const Result<ServiceAnswer>& answer,
                           const std::vector<std::string>& after_restart = {}) {
  if (!answer) return error_page(answer.error());
  json::Writer out;
  out.open_list("lines");
  for (const std::string& line : answer->lines) out.text(line);
  out.close().open_list("rolling_out");
  for (const RevisionId& service : answer->rolling_out) out.text(service.text());
  out.close().open_list("after_restart");
  for (const std::string& setting : after_restart) out.text(setting);
  return http::json_response(out.close().end_line());
}

Result<std::string> optional_text(const json::Object& body, std::string_view key) {
  if (!body.has(key)) return std::string();
  return body.text(key);
}

Result<bool> optional_flag(const json::Object& body, std::string_view key, bool otherwise) {
  if (!body.has(key)) return otherwise;
  return body.flag(key);
}

/// Rejects an unknown member, because its sender would believe that it took effect.
Result<void> check_members(const json::Object& object, std::span<const std::string_view> known) {
  for (const std::string_view key : object.keys()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return fail(object.invalid(key, "one of the members " + names));
  }
  return {};
}

/// Returns a hint: "target" for "targte", or the command that lists all.
std::string unknown_text(std::string_view key) {
  const std::string_view instead = config::instead_of(key);
  if (!instead.empty()) return "unknown; " + std::string(instead);
  std::vector<std::string> names;
  for (const config::Declaration& each : config::revision_schema().declarations()) {
    names.push_back(each.name);
  }
  const std::string meant = config::suggestion(key, names);
  if (!meant.empty()) return "unknown; did you mean " + meant + "?";
  return "unknown; `bellows run --help-all` describes all";
}

/// Reads a setting of `bellows deploy --set NAME=VALUE`. The problem may be about a part of a
/// value.
Result<config::Entry> read_setting(std::string_view key, std::string text) {
  if (find(config::revision_schema().declarations(), key) == nullptr) {
    const bool is_of_all = find(config::up_schema().declarations(), key) != nullptr;
    return fail(ErrorKind::kInvalidSetting, "setting " + std::string(key),
                is_of_all ? "it is a setting of all services; want it at the top of bellows.yaml"
                          : unknown_text(key));
  }
  if (key == "static-answers") {
    BELLOWS_CHECKED(config::read_static_answers(text));
  }
  return config::Entry{.source = config::Source::kJson,
                       .key = std::string(key),
                       .value = std::move(text),
                       .place = "setting "};
}

/// Reads settings by name over the existing ones.
Result<config::RevisionSettings> read_settings_above(const json::Object& body,
                                                     const config::RevisionSettings& before) {
  if (!body.has("settings")) return before;
  const auto& schema = config::revision_schema();
  BELLOWS_TRY(const json::Object given, body.object("settings"));
  config::Layer below;
  for (auto& [key, text] : schema.texts(before)) {
    // A new port implies a max-scale.
    const bool is_implied = key == "max-scale" && given.text("port").value_or("0") != "0";
    if (!is_implied) below.push_back(config::flag(key, text));
  }
  config::Layer above;
  for (const std::string_view key : given.keys()) {
    BELLOWS_TRY(std::string text, given.text(key));
    BELLOWS_TRY(config::Entry entry, read_setting(key, std::move(text)));
    above.push_back(std::move(entry));
  }
  auto settings = schema.apply({below, above});
  if (!settings) return fail(settings.error().front());
  BELLOWS_CHECKED(autoscaler::policies_of(*settings));
  return *std::move(settings);
}

Result<CanaryPlan> read_canary(const json::Object& given) {
  constexpr std::array<std::string_view, 5> kMembers = {"shares", "step_ms", "max_errors",
                                                        "max_latency", "min_requests"};
  BELLOWS_CHECKED(check_members(given, kMembers));
  CanaryPlan plan;
  BELLOWS_TRY(const json::List shares, given.list("shares"));
  plan.shares.clear();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    BELLOWS_TRY(const double share, shares.number(i, {.min = 0, .max = 100}));
    if (share != std::floor(share)) return fail(given.invalid("shares", "whole percents"));
    plan.shares.push_back(static_cast<std::int32_t>(share));
  }
  constexpr std::int64_t kMost = 1'000'000'000;
  BELLOWS_TRY(const std::int64_t step, given.integer("step_ms", 0, kMost));
  plan.step = std::chrono::milliseconds(step);
  BELLOWS_TRY(plan.max_errors, given.number("max_errors"));
  BELLOWS_TRY(plan.min_requests, given.integer("min_requests", 0, kMost));
  if (given.has("max_latency")) {
    BELLOWS_TRY(const std::string text, given.text("max_latency"));
    plan.max_latency = read_latency_limit(text);
    if (!plan.max_latency) return fail(given.invalid("max_latency", "as in p99=300ms"));
  }
  return plan;
}

/// Applies the differences in the body to `service`.
Result<config::Service> read_content(const json::Object& body, config::Service service) {
  if (body.has("command")) {
    BELLOWS_TRY(service.command, json::texts(body, "command"));
    if (service.command.empty() || service.command.front().empty()) {
      return fail(body.invalid("command", "a program and its arguments"));
    }
  }
  if (body.has("environment")) {
    BELLOWS_TRY(const json::Object environment, body.object("environment"));
    for (const std::string_view name : environment.keys()) {
      if (name == "PORT" || name.empty()) {
        return fail(environment.invalid(name, "another variable: Bellows sets PORT"));
      }
      BELLOWS_TRY(service.environment[std::string(name)], environment.text(name));
    }
  }
  if (body.has("working_directory")) {
    BELLOWS_TRY(service.working_directory, body.text("working_directory"));
  }
  if (body.has("host") || body.has("path_prefix") || body.has("headers") || body.has("more")) {
    BELLOWS_TRY(service.route, config::read_asked_route(body));
  }
  BELLOWS_TRY(service.settings, read_settings_above(body, service.settings));
  BELLOWS_CHECKED(check_waiting_page(service.settings));
  return service;
}

Result<config::Service> read_new(const json::Object& body, const RevisionId& name) {
  if (!config::name_format().read(name.text())) {
    return fail(ErrorKind::kInvalidSetting, "service \"" + name.text() + "\"",
                "want " + config::name_format().want);
  }
  config::Service service;
  service.name = name;
  service.settings = config::one_machine_settings();
  if (!body.has("command")) return fail(body.invalid("command", "a program and its arguments"));
  return read_content(body, std::move(service));
}

/// Keeps the route of the service, which belongs to no revision.
Result<config::Service> read_change(const json::Object& body, const Deployer& deployer,
                                    const RevisionId& name) {
  BELLOWS_TRY(const ServiceRecord* record, deployer.store().find_running(name));
  config::Service content = record->current()->content.whole();
  content.route = record->route;
  return read_content(body, std::move(content));
}

Result<std::map<std::string, std::int32_t>> read_split(const json::Object& body) {
  BELLOWS_TRY(const json::Object given, body.object("shares"));
  std::map<std::string, std::int32_t> shares;
  for (const std::string_view key : given.keys()) {
    BELLOWS_TRY(const std::int64_t share, given.integer(key, 0, 100));
    shares.emplace(key, static_cast<std::int32_t>(share));
  }
  return shares;
}

Result<Duration> read_ttl(const json::Object& body) {
  constexpr Duration kMost = std::chrono::hours(24 * 3650);
  BELLOWS_TRY(const std::string text, body.text("ttl"));
  const auto ttl = parse_duration(text);
  if (ttl && *ttl > Duration::zero() && *ttl <= kMost) return *ttl;
  return fail(body.invalid("ttl", "a duration above 0 and up to ten years, as in 2d"));
}

/// Reads the revision of each tag; empty: the tag is removed.
Result<std::map<std::string, std::string>> read_tags(const json::Object& body) {
  BELLOWS_TRY(const json::Object given, body.object("tags"));
  std::map<std::string, std::string> tags;
  for (const std::string_view tag : given.keys()) {
    BELLOWS_TRY(tags[std::string(tag)], given.text(tag));
  }
  return tags;
}

PageDetail detail_for(const http::Request& request) {
  return request.may_see_detail ? PageDetail::kShown : PageDetail::kWithheld;
}

class ServiceApi {
 public:
  ServiceApi(http::net::io_context& io, Deployer& deployer, ReadSettings read_settings)
      : io_(io), deployer_(deployer), read_settings_(std::move(read_settings)) {}

  http::Response page_of(const http::Request& request) const {
    const RevisionId name(request.path.substr(kServices.size()));
    const std::string page = deployer_.page().page(name, detail_for(request));
    if (page.find("\"services\":[]") == std::string::npos) return http::json_response(page);
    const auto found = deployer_.store().find_running(name);
    return found ? http::json_response(page) : error_page(found.error());
  }

  http::Response order(const http::Request& request) {
    const std::string rest = request.path.substr(kServices.size());
    const std::size_t slash = rest.find('/');
    const RevisionId name(rest.substr(0, slash));
    const std::string action = slash == std::string::npos ? "" : rest.substr(slash + 1);
    const auto body = json::parse(request.body.empty() ? "{}" : request.body);
    if (!body) return error_page(body.error());
    return answer_page(deployer_.take([&](ServiceOrders& orders, TagOrders& tags) {
      return carry_out(orders, tags, name, action, *body);
    }));
  }

  http::Response route_test(const http::Request& request) const {
    const auto body = json::parse(request.body);
    if (!body) return error_page(body.error());
    const auto asked = read_test_request(*body);
    if (!asked) return error_page(asked.error());
    const auto report = route_report(deployer_.store().records(), *asked);
    if (!report) return error_page(report.error());
    return http::json_response(report_text(*report));
  }

  http::Awaitable<http::Response> apply(http::Request request) {
    std::optional<Result<std::pair<SettingsRead, bool>>> read_beside;
    FileServices file = deployer_.declared();
    co_await http::on_side_thread(io_, [&] {
      read_beside = read_file(request.body);
      if (!*read_beside) return;
      file = file_services(std::move((*read_beside)->first.services), file);
    });
    const auto& read = *read_beside;
    if (!read) co_return error_page(read.error());
    ServiceOrder order;
    order.dry_run = read->second;
    order.cause = "apply";
    const auto answer = deployer_.take([&](ServiceOrders& orders, TagOrders& /*tags*/) {
      return orders.apply(file, Scope::kEverything, order);
    });
    http::Response response = answer_page(answer, read->first.after_restart);
    // Thousands of services take milliseconds to free.
    co_await http::on_side_thread(io_, [&file] {
      file.clear();
      sys::give_back_free_memory();
    });
    co_return response;
  }

 private:
  Result<ServiceAnswer> carry_out(ServiceOrders& orders, TagOrders& tags, const RevisionId& name,
                                  const std::string& action, const json::Object& body) const {
    ServiceOrder order{.dry_run = false, .probe = true, .cause = action};
    BELLOWS_CHECKED(check_members(body, kOrderMembers));
    BELLOWS_TRY(order.dry_run, optional_flag(body, "dry_run", false));
    BELLOWS_TRY(order.probe, optional_flag(body, "probe", true));
    if (action == "deploy") {
      BELLOWS_TRY(order.tag, optional_text(body, "tag"));
      BELLOWS_TRY(const config::Service content, read_change(body, deployer_, name));
      if (body.has("canary")) {
        BELLOWS_TRY(const json::Object given, body.object("canary"));
        BELLOWS_TRY(order.canary, read_canary(given));
      }
      return orders.deploy(content, order);
    }
    if (action == "add") {
      if (body.has("ttl")) {
        BELLOWS_TRY(const Duration ttl, read_ttl(body));
        order.expires = deployer_.wall_time_in(ttl);
      }
      BELLOWS_TRY(const config::Service service, read_new(body, name));
      return orders.add(service, order);
    }
    if (action == "remove") return orders.remove(name, order);
    if (action == "rollback") {
      BELLOWS_TRY(const std::string to, optional_text(body, "to"));
      return orders.roll_back(name, to, order);
    }
    if (action == "split") return split(orders, tags, name, body, order);
    if (action == "tag") {
      BELLOWS_TRY(const auto asked, read_tags(body));
      return tags.tag(name, asked, order);
    }
    return fail(ErrorKind::kNotFound, "\"" + action + "\"",
                "want POST /v1/services/NAME/deploy, add, remove, rollback, split or tag");
  }

  /// Changes shares, and tags with them: both are checked before one of them takes effect. If then
  /// only the shares cannot be saved, the tags stay and the error is reported.
  static Result<ServiceAnswer> split(ServiceOrders& orders, TagOrders& tags, const RevisionId& name,
                                     const json::Object& body, const ServiceOrder& order) {
    BELLOWS_TRY(const auto shares, read_split(body));
    if (!body.has("tags")) return orders.split(name, shares, order);
    BELLOWS_TRY(const auto asked, read_tags(body));
    ServiceOrder test = order;
    test.dry_run = true;
    BELLOWS_TRY(ServiceAnswer answer, tags.tag(name, asked, test));
    BELLOWS_TRY(const ServiceAnswer of_shares, orders.split(name, shares, test));
    answer.lines.insert(answer.lines.end(), of_shares.lines.begin(), of_shares.lines.end());
    if (order.dry_run) return answer;
    BELLOWS_CHECKED(tags.tag(name, asked, order));
    BELLOWS_TRY(const ServiceAnswer begun, orders.split(name, shares, order));
    answer.rolling_out = begun.rolling_out;
    return answer;
  }

  Result<std::pair<SettingsRead, bool>> read_file(const std::string& text) const {
    if (!read_settings_) {
      return fail(ErrorKind::kUnsupported, "apply",
                  "this Bellows was started without a settings file; want `bellows up`");
    }
    BELLOWS_TRY(const json::Object body, json::parse(text));
    BELLOWS_TRY(const std::string name, body.text("file"));
    BELLOWS_TRY(const std::string yaml, body.text("text"));
    BELLOWS_TRY(const bool dry_run, optional_flag(body, "dry_run", false));
    BELLOWS_TRY(SettingsRead read, read_settings_(name, yaml));
    return std::pair(std::move(read), dry_run);
  }

  http::net::io_context& io_;
  Deployer& deployer_;
  const ReadSettings read_settings_;
};

}  // namespace

void add_service_routes(http::net::io_context& io, http::ServiceServer& server, Deployer& deployer,
                        ReadSettings read_settings) {
  using http::Awaitable;
  using http::Request;
  using http::Response;
  // Owners: the routes below.
  const auto api = std::make_shared<ServiceApi>(io, deployer, std::move(read_settings));
  server.route("GET", "/v1/services", [&deployer](Request request) -> Awaitable<Response> {
    co_return http::json_response(deployer.page().page({}, detail_for(request)));
  });
  server.route("GET", std::string(kServices),
               [api](Request request) -> Awaitable<Response> { co_return api->page_of(request); });
  server.route("POST", std::string(kServices),
               [api](Request request) -> Awaitable<Response> { co_return api->order(request); });
  server.route("POST", "/v1/route-test", [api](Request request) -> Awaitable<Response> {
    co_return api->route_test(request);
  });
  server.route("POST", "/v1/apply",
               [api](Request request) { return api->apply(std::move(request)); });
}

}  // namespace bellows::machine
