// bellows apply, add, deploy, remove, rollback, split and revisions: change services while Bellows
// runs.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "base/duration_text.hpp"
#include "cli/commands.hpp"
#include "cli/services/service_control.hpp"
#include "cli/services/service_flags.hpp"
#include "command/input.hpp"
#include "config/route_json.hpp"
#include "config/text_formats.hpp"
#include "json/object.hpp"
#include "json/texts.hpp"
#include "json/writer.hpp"
#include "report/text_table.hpp"

namespace bellows::cli {
namespace {

constexpr int kInterrupted = 130;  // as for a program that SIGINT ended

/// Returns the name, if it is that of a service.
Result<std::string> checked_name(const std::string& word) {
  if (auto name = config::name_format().read(word)) return *std::move(name);
  return fail(ErrorKind::kInvalidSetting, "\"" + word + "\"", "want " + config::name_format().want);
}

void add_texts(json::Writer& out, std::string_view key,
               const std::map<std::string, std::string>& texts) {
  if (texts.empty()) return;
  out.open(key);
  for (const auto& [name, value] : texts) out.text(name, value);
  out.close();
}

void add_content(json::Writer& out, const Invocation& invocation, const ServiceFlags& flags) {
  if (!invocation.arguments.rest.empty()) {
    out.open_list("command");
    for (const std::string& word : invocation.arguments.rest) out.text(word);
    out.close();
  }
  add_texts(out, "environment", values_of(invocation.arguments, "environment"));
  add_texts(out, "settings", values_of(invocation.arguments, "set"));
  if (!flags.working_directory.empty()) out.text("working_directory", flags.working_directory);
  out.flag("probe", !flags.no_probe);
}

/// Requires valid flags.
void add_canary(json::Writer& out, const ServiceFlags& flags) {
  const auto shares = read_percents(flags.canary);
  out.open("canary").open_list("shares");
  for (const std::int32_t share : *shares) out.number(share);
  out.close()
      .integer("step_ms", to_milliseconds(flags.step))
      .number("max_errors", read_percents(flags.max_errors)->front() / 100.0)
      .integer("min_requests", flags.min_requests);
  if (!flags.max_latency.empty()) out.text("max_latency", flags.max_latency);
  out.close();
}

/// Rejects flags that have no effect without --canary: their user expects a deploy by steps.
Result<void> check_canary_flags(const Invocation& invocation, const ServiceFlags& flags) {
  if (!flags.canary.empty()) return {};
  for (const config::Entry& entry : invocation.arguments.flags()) {
    for (const std::string_view name : {"step", "max-errors", "max-latency", "min-requests"}) {
      if (entry.key != name) continue;
      return fail(ErrorKind::kInvalidSetting, config::origin(entry),
                  "\"" + entry.value + "\": want --canary with it, as in --canary 5%,25%,100%");
    }
  }
  return {};
}

void print_outcome(const std::string& service, const RolloutState& state) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f s", state.seconds);
  if (state.stage == "done") {
    std::cout << service << ": done in " << seconds << "\n";
    return;
  }
  if (state.stage == kStageLeft) {
    std::cout << service << ": continues without this command; `bellows revisions " << service
              << "` shows it, `bellows rollback " << service << "` undoes it\n";
    return;
  }
  std::cerr << service << ": failed after " << seconds << ": " << state.message << "\n";
  for (const std::string& line : state.last_lines) std::cerr << "  | " << line << "\n";
  std::cerr << service
            << (state.cause == "add" ? ": it is not added"
                                     : ": the previous revisions serve as before")
            << "\n";
}

/// Sends the order, prints what it does and follows it to the end.
int carry_out(const Invocation& invocation, const ServiceFlags& flags, const std::string& target,
              json::Writer& body) {
  http::net::io_context io(1);
  ServiceControl control(io, flags.admin);
  const auto reply = control.order(target, body.flag("dry_run", flags.dry_run).end());
  if (!reply) {
    const int code = report_failure(invocation, reply.error());
    return reply.error().kind() == ErrorKind::kInvalidSetting ? kUsageError : code;
  }
  for (const std::string& line : reply->lines) std::cout << line << "\n";
  if (reply->lines.empty()) std::cout << "nothing differs\n";
  for (const std::string& setting : reply->after_restart) {
    std::cout << setting << ": takes effect after a restart\n";
  }
  if (flags.no_wait) return kSuccess;
  int code = kSuccess;
  for (const std::string& service : reply->rolling_out) {
    std::cout.flush();
    const auto state = control.follow(service);
    if (!state) return report_failure(invocation, state.error());
    print_outcome(service, *state);
    if (state->stage == kStageLeft) return kInterrupted;
    if (state->stage == "failed") code = kFailure;
  }
  return code;
}

int order_on(const Invocation& invocation, const ServiceFlags& flags, std::string_view action,
             json::Writer& body) {
  const auto& names = invocation.arguments.positional;
  if (names.empty()) return usage_error(invocation, "want the NAME of a service");
  const auto name = checked_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  return carry_out(invocation, flags, "/v1/services/" + *name + "/" + std::string(action), body);
}

/// Parses "web-00002=10" of `bellows split`.
Result<std::pair<std::string, int>> share_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string number = equals == std::string::npos ? "" : word.substr(equals + 1);
  const bool is_number = !number.empty() && number.size() <= 3 &&
                         number.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || equals == 0 || std::stoi(number) > 100) {
    return fail(ErrorKind::kInvalidSetting, "\"" + word + "\"",
                "want REVISION=PERCENT, as in web-00002=10");
  }
  return std::pair(word.substr(0, equals), std::stoi(number));
}

std::vector<std::string> any_unless(std::vector<std::string> given) {
  if (given.empty()) given.emplace_back();
  return given;
}

/// Combines each --host with each --path-prefix and all of --header.
Result<config::Route> route_of(const Invocation& invocation) {
  std::vector<config::HeaderMatch> headers;
  for (const std::string& text : all_of(invocation.arguments, {"header"})) {
    BELLOWS_TRY(config::HeaderMatch match, config::read_header_match(text));
    headers.push_back(std::move(match));
  }
  put_in_order(headers);
  std::vector<config::RouteRule> rules;
  for (const std::string& host : any_unless(all_of(invocation.arguments, {"host"}))) {
    for (const std::string& prefix : any_unless(all_of(invocation.arguments, {"path-prefix"}))) {
      config::RouteRule rule{.host = host, .path_prefix = prefix, .headers = headers};
      if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(std::move(rule));
    }
  }
  return config::route_of(rules);
}

}  // namespace

int apply_file(const Invocation& invocation) {
  const auto flags = apply_schema().apply(invocation.arguments.layers);
  if (!flags) return usage_error(invocation, flags.error());
  if (!invocation.arguments.positional.empty()) return usage_error(invocation, "want -f FILE");
  const auto text = command::read_input(flags->file, "the settings");
  if (!text) return usage_error(invocation, text.error());
  json::Writer body;
  body.text("file", command::input_name(flags->file)).text("text", *text);
  return carry_out(invocation, *flags, "/v1/apply", body);
}

int add_service(const Invocation& invocation) {
  const auto flags = read_flags(add_schema(), invocation.arguments);
  if (!flags) return usage_error(invocation, flags.error());
  if (invocation.arguments.positional.size() != 1 || invocation.arguments.rest.empty()) {
    return usage_error(invocation, "want the NAME of a service, and its COMMAND after \"--\"");
  }
  json::Writer body;
  add_content(body, invocation, *flags);
  const auto route = route_of(invocation);
  if (!route) return usage_error(invocation, route.error());
  config::write_route(body, *route);
  if (flags->ttl) body.text("ttl", duration_text(*flags->ttl));
  return order_on(invocation, *flags, "add", body);
}

int deploy_service(const Invocation& invocation) {
  const auto flags = read_flags(deploy_schema(), invocation.arguments);
  if (!flags) return usage_error(invocation, flags.error());
  if (invocation.arguments.positional.size() != 1) {
    return usage_error(invocation, "want the NAME of one service; its COMMAND follows \"--\"");
  }
  if (const auto checked = check_canary_flags(invocation, *flags); !checked) {
    return usage_error(invocation, checked.error());
  }
  json::Writer body;
  add_content(body, invocation, *flags);
  if (!flags->canary.empty()) add_canary(body, *flags);
  if (!flags->tag.empty()) body.text("tag", flags->tag);
  return order_on(invocation, *flags, "deploy", body);
}

int remove_service(const Invocation& invocation) {
  const auto flags = service_order_schema().apply(invocation.arguments.layers);
  if (!flags) return usage_error(invocation, flags.error());
  if (invocation.arguments.positional.size() != 1) {
    return usage_error(invocation, "want the NAME of one service");
  }
  json::Writer body;
  return order_on(invocation, *flags, "remove", body);
}

int roll_back(const Invocation& invocation) {
  const auto flags = rollback_schema().apply(invocation.arguments.layers);
  if (!flags) return usage_error(invocation, flags.error());
  if (invocation.arguments.positional.size() != 1) {
    return usage_error(invocation, "want the NAME of one service");
  }
  json::Writer body;
  if (!flags->to.empty()) body.text("to", flags->to);
  return order_on(invocation, *flags, "rollback", body);
}

namespace {

/// Returns the tags that a split sets and removes, as the body of an order; empty: none.
Result<std::map<std::string, std::string>> tag_changes(const Invocation& invocation) {
  std::map<std::string, std::string> tags = values_of(invocation.arguments, "tag");
  for (const std::string& tag : all_of(invocation.arguments, {"untag"})) {
    if (tags.contains(tag) && !tags.at(tag).empty()) {
      return fail(ErrorKind::kInvalidSetting, "--untag",
                  "\"" + tag + "\" is also given a revision by --tag; want one of them");
    }
    tags[tag] = "";
  }
  return tags;
}

/// Writes NAME REVISION=PERCENT... as a part of the body of an order.
Result<void> add_shares(const std::vector<std::string>& words, json::Writer& body) {
  body.open("shares");
  std::map<std::string, int> shares;
  for (std::size_t i = 1; i < words.size(); ++i) {
    BELLOWS_TRY(const auto share, share_of(words[i]));
    if (!shares.insert(share).second) {
      return fail(ErrorKind::kInvalidSetting, share.first, "want each revision once, not twice");
    }
    body.integer(share.first, share.second);
  }
  body.close();
  return {};
}

}  // namespace

int split_requests(const Invocation& invocation) {
  const auto flags = read_flags(split_schema(), invocation.arguments);
  if (!flags) return usage_error(invocation, flags.error());
  const auto& words = invocation.arguments.positional;
  const auto tags = tag_changes(invocation);
  if (!tags) return usage_error(invocation, tags.error());
  if (words.empty() || (words.size() == 1 && tags->empty())) {
    return usage_error(invocation, "want NAME REVISION=PERCENT..., or NAME --tag TAG=REVISION");
  }
  json::Writer body;
  if (!tags->empty()) {
    body.open("tags");
    for (const auto& [tag, revision] : *tags) body.text(tag, revision);
    body.close();
  }
  if (words.size() == 1) return order_on(invocation, *flags, "tag", body);
  if (const auto added = add_shares(words, body); !added) {
    return usage_error(invocation, added.error());
  }
  return order_on(invocation, *flags, "split", body);
}

namespace {

/// Joins the texts of a list with blanks.
Result<std::string> joined(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const std::vector<std::string> words, json::texts(object, key));
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

/// Returns the row of one revision in the table.
Result<std::vector<std::string>> row_of(const json::Object& revision) {
  BELLOWS_TRY(const std::string name, revision.text("name"));
  BELLOWS_TRY(const std::int64_t share, revision.integer("share", 0, 100));
  BELLOWS_TRY(const std::string state, revision.text("state"));
  BELLOWS_TRY(const std::int64_t ready, revision.integer("ready", 0, 1'000'000'000));
  BELLOWS_TRY(const std::string failure, revision.text("failure"));
  BELLOWS_TRY(const std::string command, joined(revision, "command"));
  BELLOWS_TRY(const std::string tags, joined(revision, "tags"));
  return std::vector<std::string>{name,
                                  std::to_string(share) + "%",
                                  or_dash(tags),
                                  state,
                                  std::to_string(ready),
                                  command,
                                  or_dash(failure)};
}

/// Returns "1d2h" of a time whose seconds do not matter.
std::string days_text(Duration left) {
  using std::chrono::hours;
  constexpr Duration kDay = hours(24);
  if (left < kDay) return rounded_duration_text(left);
  const auto days = left / kDay;
  const auto more = std::chrono::floor<hours>(left % kDay).count();
  return std::to_string(days) + "d" + (more > 0 ? std::to_string(more) + "h" : "");
}

/// Returns when a service expires, the state of its canary, or that it was retired or removed;
/// empty: none.
Result<std::string> note_of(const json::Object& service) {
  BELLOWS_TRY(const std::string name, service.text("name"));
  if (service.has("rollout")) {
    BELLOWS_TRY(const json::Object rollout, service.object("rollout"));
    BELLOWS_TRY(const std::string cause, rollout.text("cause"));
    BELLOWS_TRY(const std::string message, rollout.text("message"));
    if (cause == "canary") return name + ": canary: " + message;
  }
  if (service.has("retired")) {
    return name + ": it is retired: requests get 410 Gone; `bellows resume " + name +
           "` brings it back";
  }
  if (service.has("expires_in_ms")) {
    BELLOWS_TRY(const double left, service.number("expires_in_ms"));
    return name + ": is removed in " + days_text(from_seconds(std::max(left, 0.0) / 1e3));
  }
  if (!service.has("revisions")) return std::string();
  BELLOWS_TRY(const std::vector<json::Object> revisions, service.objects("revisions"));
  if (!revisions.empty()) return std::string();
  return name + ": removed; `bellows apply` or a change of its entry in the file adds it again";
}

/// Returns the reason if the page tells only of an addition that failed.
Result<void> is_added(const json::Object& service) {
  if (service.has("revisions") || !service.has("rollout")) return {};
  BELLOWS_TRY(const std::string name, service.text("name"));
  BELLOWS_TRY(const json::Object rollout, service.object("rollout"));
  BELLOWS_TRY(const std::string message, rollout.text("message"));
  return fail(ErrorKind::kNotFound, "service \"" + name + "\"", "is not added: " + message);
}

Result<std::vector<std::string>> revision_lines(const std::string& page) {
  BELLOWS_TRY(const json::Object whole, json::parse(page, "/v1/services"));
  BELLOWS_TRY(const std::vector<json::Object> services, whole.objects("services"));
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;
  if (services.size() == 1) BELLOWS_CHECKED(is_added(services.front()));
  for (const json::Object& service : services) {
    BELLOWS_TRY(std::string note, note_of(service));
    if (!note.empty()) notes.push_back(std::move(note));
    if (!service.has("revisions")) continue;
    BELLOWS_TRY(const std::vector<json::Object> revisions, service.objects("revisions"));
    for (const json::Object& revision : revisions) {
      BELLOWS_TRY(std::vector<std::string> row, row_of(revision));
      rows.push_back(std::move(row));
    }
  }
  std::vector<std::string> lines = report::table_lines({{"REVISION"},
                                                        {"SHARE", report::Align::kRight},
                                                        {"TAG"},
                                                        {"STATE"},
                                                        {"READY", report::Align::kRight},
                                                        {"COMMAND"},
                                                        {"FAILED"}},
                                                       rows);
  lines.insert(lines.end(), notes.begin(), notes.end());
  return lines;
}

}  // namespace

int show_revisions(const Invocation& invocation) {
  const auto flags = revisions_schema().apply(invocation.arguments.layers);
  if (!flags) return usage_error(invocation, flags.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() > 1) return usage_error(invocation, "want at most one NAME");
  std::string target = "/v1/services";
  if (!names.empty()) {
    const auto name = checked_name(names.front());
    if (!name) return usage_error(invocation, name.error());
    target += "/" + *name;
  }
  http::net::io_context io(1);
  const auto page = ServiceControl(io, flags->admin).page(target);
  if (!page) return report_failure(invocation, page.error());
  if (flags->json) {
    std::cout << *page;
    return kSuccess;
  }
  const auto lines = revision_lines(*page);
  if (!lines) return report_failure(invocation, lines.error());
  for (const std::string& line : *lines) std::cout << line << "\n";
  return kSuccess;
}

}  // namespace bellows::cli
