// bellows explain and bellows journal: why the replica count is what it is, and the decisions as
// JSON lines.
#include <ctime>
#include <iostream>
#include <sstream>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "cli/explain/explain.hpp"
#include "cli/target.hpp"
#include "command/input.hpp"

namespace bellows::cli {

namespace {

using autoscaler::journal::JournalContents;

Result<std::string> fetch_journal(const ClientSettings& settings, const std::string& service) {
  http::net::io_context io(1);
  BELLOWS_TRY(Target target, Target::open(io, settings));
  BELLOWS_TRY(const std::string name, target.revision(service));
  BELLOWS_TRY(http::Response response, target.request("GET", "/v1/revisions/" + name + "/journal"));
  return std::move(response.body);
}

Result<JournalContents> read_journal_file(const std::string& file) {
  BELLOWS_TRY(const std::string text, command::read_input(file, "the journal"));
  std::istringstream lines(text);
  auto journal = autoscaler::journal::read_journal(lines);
  if (journal) return journal;
  const Error& error = journal.error();
  return fail(error.kind(), command::input_name(file) + ": " + error.culprit(), error.message());
}

Result<JournalContents> read_live_journal(const ClientSettings& settings,
                                          const std::string& service) {
  BELLOWS_TRY(const std::string text, fetch_journal(settings, service));
  std::istringstream lines(text);
  BELLOWS_TRY(JournalContents journal, autoscaler::journal::read_journal(lines));
  if (journal.service.empty()) journal.service = service;
  return journal;
}

LocalTime local_time_now() {
  const WallTime now = sys::system_clock().wall_now();
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm local{};
  localtime_r(&seconds, &local);
  return {.now = now, .utc_offset = std::chrono::seconds(local.tm_gmtoff)};
}

/// A usage error or a failure, by the kind of the error. Returns the exit code.
int report(const Invocation& invocation, const Error& error) {
  const bool is_usage_error = error.kind() == ErrorKind::kInvalidSetting;
  return is_usage_error ? usage_error(invocation, error) : report_failure(invocation, error);
}

/// A number of seconds as --at means the timeline of a file's lines: a running Bellows has none.
Error needs_journal_file(const std::string& at) {
  return {ErrorKind::kInvalidSetting, "--at \"" + at + "\"",
          "want -" + at +
              " for that long ago, or a time; a duration without a sign is a position in a journal "
              "file (--journal)"};
}

}  // namespace

int show_explanation(const Invocation& invocation) {
  const auto settings = explain_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  const bool is_offline = !settings->journal.empty();
  if (names.size() != (is_offline ? 0 : 1)) {
    return usage_error(invocation, "want the NAME of one service, or --journal FILE");
  }
  const auto journal = is_offline ? read_journal_file(settings->journal)
                                  : read_live_journal(*settings, names.front());
  if (!journal && is_offline && journal.error().kind() == ErrorKind::kMalformed) {
    return usage_error(invocation, journal.error());
  }
  if (!journal) return report(invocation, journal.error());
  if (!is_offline && parse_duration(settings->at)) {
    return usage_error(invocation, needs_journal_file(settings->at));
  }
  const auto text = explain(*journal, settings->at, local_time_now());
  if (!text) return report(invocation, text.error());
  std::cout << *text << "\n";
  return kSuccess;
}

int print_journal(const Invocation& invocation) {
  const auto settings = journal_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");
  const auto journal = fetch_journal(*settings, names.front());
  if (!journal) return report(invocation, journal.error());
  std::cout << *journal;
  return kSuccess;
}

}  // namespace bellows::cli
