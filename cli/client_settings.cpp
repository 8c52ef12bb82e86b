#include "cli/client_settings.hpp"

#include <utility>

#include "config/text_formats.hpp"

namespace bellows::cli {

namespace {

void add_admin(config::Schema<ClientSettings>& schema) {
  schema.add(&ClientSettings::admin, {.name = "admin",
                                      .help = "Admin address of the Bellows to query: of "
                                              "`bellows run` or `up`."});
}

void add_cluster(config::Schema<ClientSettings>& schema) {
  schema.include(&ClientSettings::cluster, cluster_flags_schema());
}

/// Returns `word`, if it has the format.
Result<std::string> checked(const std::string& word, const config::TextFormat& format) {
  if (auto name = format.read(word)) return *std::move(name);
  return fail(ErrorKind::kInvalidSetting, "\"" + word + "\"", "want " + format.want);
}

}  // namespace

const config::Schema<ClientSettings>& recommend_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(&ClientSettings::policy,
             {.name = "policy",
              .format = {.want = "vpa, spike or hybrid",
                         .read = [](std::string_view text) -> std::optional<std::string> {
                           const bool is_one = text == "vpa" || text == "spike" || text == "hybrid";
                           return is_one ? std::optional<std::string>(text) : std::nullopt;
                         }},
              .help = "The policy to explain: the active one or a shadow policy.",
              .unset = "the active policy"});
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& explain_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(&ClientSettings::at, {.name = "at",
                                   .help = "Point in time: 14:03:05, -30s or 2026-11-21T14:03:05Z; "
                                           "local time without a time zone. Or a position in a "
                                           "journal file: 12.5s.",
                                   .unset = "now"});
    made.add(&ClientSettings::request,
             {.name = "request",
              .help = "X-Request-Id of a failed request, for the details that its caller did not "
                      "get. --admin is then the program that responded.",
              .unset = "explain a decision"});
    made.add(
        &ClientSettings::journal,
        {.name = "journal",
         .help = "FILE that `bellows journal` wrote (- is standard input), instead of a running "
                 "Bellows.",
         .unset = "none"});
    add_cluster(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& journal_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(&ClientSettings::since,
             {.name = "since",
              .bounds = config::between(std::chrono::seconds(1), std::chrono::hours(24 * 7)),
              .help = "All decisions within this time before now; `bellows run` and `up` keep "
                      "those of a day "
                      "(journal-memory).",
              .unset = "the last 32 decisions"});
    add_cluster(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& slow_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(
        &ClientSettings::svg,
        {.name = "svg", .help = "Also draw the curves into this FILE.", .unset = "no picture"});
    made.add(
        &ClientSettings::slow_journal,
        {.name = "journal",
         .help = "Print the last evaluations as JSON lines for `bellows replay slow` instead."});
    add_cluster(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& set_state_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    add_cluster(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& uninstall_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    made.add(&ClientSettings::dry_run,
             {.name = "dry-run", .help = "Print the steps, and change nothing."});
    made.include(&ClientSettings::cluster, whole_cluster_schema());
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& control_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& logs_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(&ClientSettings::follow,
             {.name = "follow",
              .aliases = {"f"},
              .help = "Also print each new line, until it is stopped (Ctrl-C)."});
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& status_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add_choice(
        &ClientSettings::output,
        {{"table", Output::kTable}, {"wide", Output::kWide}, {"json", Output::kJson}},
        {.name = "output",
         .aliases = {"o"},
         .help = "table: one line per service; wide: also the replicas; json: everything "
                 "(docs/formats/status.md)."});
    add_cluster(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& check_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    made.group("Output");
    made.add_choice(&ClientSettings::output, {{"table", Output::kTable}, {"json", Output::kJson}},
                    {.name = "output",
                     .aliases = {"o"},
                     .help = "table: one line for each item; json: the same as data."});
    made.group("One machine");
    add_admin(made);
    add_cluster(made);
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& top_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(&ClientSettings::interval,
             {.name = "interval",
              .bounds = config::between(std::chrono::milliseconds(100), std::chrono::minutes(1)),
              .help = "Time between two refreshes."});
    made.add(&ClientSettings::once, {.name = "once", .help = "Print the status once and exit."});
    add_cluster(made);
    return made;
  }();
  return schema;
}

Result<std::string> revision_name(const std::string& word) {
  return checked(word, config::revision_format());
}

Result<std::string> service_name(const std::string& word) {
  return checked(word, config::name_format());
}

}  // namespace bellows::cli
