// bellows explain and bellows journal: the reasons of the replica count and of the path of
// requests, and the decisions as JSON lines.
#include <algorithm>
#include <ctime>
#include <iostream>
#include <optional>
#include <sstream>

#include "autoscaler/explain/text.hpp"
#include "autoscaler/service/history_page.hpp"
#include "base/duration_text.hpp"
#include "base/read_number.hpp"
#include "base/sys/clock.hpp"
#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "cli/explain/explain.hpp"
#include "cli/explain/failed_request.hpp"
#include "cli/explain/route.hpp"
#include "cli/explain/time_spec.hpp"
#include "cli/slow/curve.hpp"
#include "cli/status/status_items.hpp"
#include "cli/target.hpp"
#include "command/input.hpp"

namespace bellows::cli {

namespace {

using autoscaler::journal::JournalContents;

LocalTime local_time_now() {
  const WallTime now = sys::system_clock().wall_now();
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm local{};
  localtime_r(&seconds, &local);
  return {.now = now, .utc_offset = std::chrono::seconds(local.tm_gmtoff)};
}

std::int64_t unix_milliseconds(WallTime at) {
  return to_milliseconds(at.time_since_epoch());
}

/// The fetched data of one service.
struct Fetched {
  std::string journal;
  std::string revision;  // its object on a cluster, as JSON; empty: none
};

/// Returns nothing without the right to read it; its path is left out then.
std::string fetch_revision(ClusterClient& cluster, const std::string& word) {
  const auto name = namespaced_name(word, cluster.ns());
  return name ? cluster.revision(*name).value_or("") : std::string();
}

/// `until`: the decisions made until then; unset: the last ones.
Result<Fetched> fetch(const ClientSettings& settings, const std::string& service,
                      std::optional<WallTime> until) {
  http::net::io_context io(1);
  BELLOWS_TRY(Target target, Target::open(io, settings));
  BELLOWS_TRY(const std::string name, target.page_name(service));
  std::string page = "/v1/revisions/" + name + "/journal";
  // The present millisecond has not ended.
  if (until) page += "?until=" + std::to_string(unix_milliseconds(*until) + 1);
  BELLOWS_TRY(http::Response response, target.request("GET", page));
  Fetched fetched{.journal = std::move(response.body), .revision = {}};
  if (target.is_cluster()) fetched.revision = fetch_revision(target.cluster(), service);
  return fetched;
}

/// Returns the value of a header, or nothing.
std::string header_of(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

/// Warns on standard error if the decisions start later than requested.
void note_beginning(const Invocation& invocation, const std::string& unix_milliseconds) {
  const auto begins = read_number<std::int64_t>(unix_milliseconds);
  if (!begins) return;
  const LocalTime local = local_time_now();
  std::cerr << command::full_name(invocation) << ": note: the stored decisions start at "
            << local_time_text(WallTime(std::chrono::milliseconds(*begins)), local.now,
                               local.utc_offset)
            << "\n";
}

/// Prints the decisions from `from` on, part by part.
Result<void> print_since(const Invocation& invocation, const ClientSettings& settings,
                         const std::string& service, WallTime from) {
  http::net::io_context io(1);
  BELLOWS_TRY(Target target, Target::open(io, settings));
  BELLOWS_TRY(const std::string name, target.page_name(service));
  const std::string page = "/v1/revisions/" + name + "/journal?";
  std::string part = "from=" + std::to_string(unix_milliseconds(from));
  while (!part.empty()) {
    BELLOWS_TRY(const http::Response response, target.request("GET", page + part));
    std::cout << response.body;
    if (const std::string begins = header_of(response, autoscaler::kBeginsAt); !begins.empty()) {
      note_beginning(invocation, begins);
    }
    const std::string next = header_of(response, autoscaler::kNextPart);
    part = next.empty() ? "" : "next=" + next;
  }
  return {};
}

/// Returns what the slow brain reports about its target; empty if it is off or has learned nothing
/// yet, or if the autoscaler is an older one.
std::string fetch_learned(const ClientSettings& settings, const std::string& service) {
  http::net::io_context io(1);
  auto target = Target::open(io, settings);
  const auto name = target ? target->page_name(service) : Result<std::string>("");
  if (!target || !name) return "";
  const auto answer = target->request("GET", "/v1/revisions/" + *name + "/slow");
  if (!answer) return "";
  const auto page = read_learned_page(answer->body);
  return page ? page->sentence : "";
}

/// The target of the slow brain is the whole of which a decision plans a share.
std::string planned_share(const JournalContents& journal) {
  if (journal.decisions.empty()) return "";
  const autoscaler::ScalingSpec& spec = journal.decisions.back().spec;
  if (spec.total <= 0 || spec.target == spec.total) return "";
  using autoscaler::explain::number_text;
  return " Planned per replica is " + number_text(spec.target) + ", " +
         number_text(spec.target / spec.total * 100) + " % of the target " +
         number_text(spec.total) + ".";
}

/// Returns the present state of the service; nullopt if it cannot be read.
std::optional<ServiceStatus> fetch_present(const ClientSettings& settings,
                                           const std::string& service) {
  http::net::io_context io(1);
  auto target = Target::open(io, settings);
  const auto name = target ? target->page_name(service) : Result<std::string>("");
  if (!target || !name) return std::nullopt;
  const auto answer = target->request("GET", "/v1/status");
  const auto status = answer ? parse_status(answer->body) : Result<Status>(fail(answer.error()));
  if (!status) return std::nullopt;
  const ServiceStatus* const found = find(*status, *name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// The last decision may be two seconds old: a wake is one, and its replica becomes ready after it.
std::string since_then(const JournalContents& journal, const ServiceStatus& present) {
  if (journal.decisions.empty()) return "";
  const PodCount more = present.ready - journal.decisions.back().seen.ready;
  if (more <= 0 || present.ready < present.desired) return "";
  return " Since then " + std::to_string(more) + (more == 1 ? " replica has" : " replicas have") +
         " become ready.";
}

Result<JournalContents> read_journal_file(const std::string& file) {
  BELLOWS_TRY(const std::string text, command::read_input(file, "the journal"));
  std::istringstream lines(text);
  auto journal = autoscaler::journal::read_journal(lines);
  if (journal) return journal;
  const Error& error = journal.error();
  return fail(error.kind(), command::input_name(file) + ": " + error.culprit(), error.message());
}

Result<JournalContents> read_live_journal(const Fetched& fetched, const std::string& service) {
  std::istringstream lines(fetched.journal);
  BELLOWS_TRY(JournalContents journal, autoscaler::journal::read_journal(lines));
  const bool is_of_revision =
      !journal.revisions.empty() && std::ranges::all_of(journal.revisions, [&](const auto& each) {
        return each.revision == service;
      });
  if (journal.service.empty() || is_of_revision) journal.service = service;
  return journal;
}

/// Returns the instant of `at`; nullopt if it is none that a running Bellows has: explain() reports
/// it.
std::optional<WallTime> instant_of(const std::string& at, const LocalTime& local) {
  if (at.empty() || parse_duration(at)) return std::nullopt;
  const auto time = parse_time_spec(at, local.now, local.utc_offset);
  return time ? std::optional(*time) : std::nullopt;
}

/// Reports a usage error or a failure, by the kind of the error. Returns the exit code.
int report(const Invocation& invocation, const Error& error) {
  const bool is_usage_error = error.kind() == ErrorKind::kInvalidSetting;
  return is_usage_error ? usage_error(invocation, error) : report_failure(invocation, error);
}

/// Prints the failed requests with an id, the newest first.
int show_request(const Invocation& invocation, const ClientSettings& settings) {
  if (!invocation.arguments.positional.empty() || !settings.journal.empty()) {
    return usage_error(invocation, "want --request ID alone, without a NAME and a journal");
  }
  http::net::io_context io(1);
  const auto page = command::request_admin(io, command::admin_server_at(settings.admin), "GET",
                                           "/v1/requests/" + settings.request);
  if (!page) return report_failure(invocation, page.error());
  const auto text = explain_replies(page->body);
  if (!text) return report_failure(invocation, text.error());
  std::cout << *text;
  return kSuccess;
}

/// Returns the error for --at with a number of seconds, which means the timeline of a file's lines:
/// a running Bellows has none.
Error needs_journal_file(const std::string& at) {
  return {ErrorKind::kInvalidSetting, "--at \"" + at + "\"",
          "want -" + at +
              " for that long ago, or a time; a duration without a sign is a position in a journal "
              "file (--journal)"};
}

int explain_file(const Invocation& invocation, const std::string& file, const std::string& at) {
  const auto journal = read_journal_file(file);
  if (!journal && journal.error().kind() == ErrorKind::kMalformed) {
    return usage_error(invocation, journal.error());
  }
  if (!journal) return report(invocation, journal.error());
  const auto text = explain(*journal, at, local_time_now());
  if (!text) return report(invocation, text.error());
  std::cout << *text << "\n";
  return kSuccess;
}

/// The path and what the slow brain learned are present values, so they appear only without a time.
int explain_live(const Invocation& invocation, const ClientSettings& settings,
                 const std::string& service) {
  const LocalTime local = local_time_now();
  const auto fetched = fetch(settings, service, instant_of(settings.at, local));
  if (!fetched) return report(invocation, fetched.error());
  const auto journal = read_live_journal(*fetched, service);
  if (!journal) return report(invocation, journal.error());
  if (parse_duration(settings.at)) return usage_error(invocation, needs_journal_file(settings.at));
  const auto text = explain(*journal, settings.at, local);
  if (!text) return report(invocation, text.error());
  if (!settings.at.empty()) {
    std::cout << *text << "\n";
    return kSuccess;
  }
  // What a user has to repair comes before why the number is what it is.
  const auto present = fetch_present(settings, service);
  const std::string trouble = present ? trouble_sentence(*present) : "";
  if (!trouble.empty()) std::cout << trouble << "\n";
  std::cout << *text << (present ? since_then(*journal, *present) : "");
  const std::string learned = fetch_learned(settings, service);
  if (!learned.empty()) std::cout << planned_share(*journal) << " " << learned;
  std::cout << "\n";
  if (fetched->revision.empty()) return kSuccess;
  const auto route = route_text(fetched->revision, local);
  if (!route) return report(invocation, route.error());
  if (!route->empty()) std::cout << *route << "\n";
  return kSuccess;
}

}  // namespace

int show_explanation(const Invocation& invocation) {
  const auto settings = explain_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (!settings->request.empty()) return show_request(invocation, *settings);
  const auto& names = invocation.arguments.positional;
  const bool is_offline = !settings->journal.empty();
  if (names.size() != (is_offline ? 0 : 1)) {
    return usage_error(invocation, "want the NAME of one service, or --journal FILE");
  }
  return is_offline ? explain_file(invocation, settings->journal, settings->at)
                    : explain_live(invocation, *settings, names.front());
}

int print_journal(const Invocation& invocation) {
  const auto settings = journal_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");
  if (settings->since) {
    const WallTime from = sys::system_clock().wall_now() - *settings->since;
    const auto printed = print_since(invocation, *settings, names.front(), from);
    return printed ? kSuccess : report(invocation, printed.error());
  }
  const auto fetched = fetch(*settings, names.front(), std::nullopt);
  if (!fetched) return report(invocation, fetched.error());
  std::cout << fetched->journal;
  return kSuccess;
}

}  // namespace bellows::cli
