#include "cli/client_settings.hpp"

#include <utility>

#include "config/text_formats.hpp"

namespace bellows::cli {

namespace {

void add_admin(config::Schema<ClientSettings>& schema) {
  schema.add(&ClientSettings::admin, {.name = "admin",
                                      .help = "Admin address of the Bellows to ask: that of "
                                              "`bellows run` or `up`, or of the autoscaler when "
                                              "the programs run apart."});
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
              .help = "Whose numbers: the chosen policy, or one that runs in its shadow.",
              .unset = "the chosen policy"});
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& explain_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
    made.add(&ClientSettings::at, {.name = "at",
                                   .help = "When: 14:03:05, -30s, or 2026-11-21T14:03:05Z, local "
                                           "time unless it says another; or 12.5s, seconds as in "
                                           "the journal's lines.",
                                   .unset = "now"});
    made.add(&ClientSettings::journal,
             {.name = "journal",
              .help = "A file that `bellows journal` wrote, instead of asking a running Bellows.",
              .unset = "none"});
    return made;
  }();
  return schema;
}

const config::Schema<ClientSettings>& journal_schema() {
  return retire_schema();
}

const config::Schema<ClientSettings>& retire_schema() {
  static const config::Schema<ClientSettings> schema = [] {
    config::Schema<ClientSettings> made;
    add_admin(made);
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
         .help =
             "table: a line per service; wide: replicas too; json: everything (docs/status.md)."});
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
              .help = "Time between two looks."});
    made.add(&ClientSettings::once, {.name = "once", .help = "Print one look and end."});
    return made;
  }();
  return schema;
}

Result<std::string> service_name(const std::string& word) {
  const config::TextFormat format = config::name_format();
  if (auto name = format.read(word)) return *std::move(name);
  return fail(ErrorKind::kInvalidSetting, "\"" + word + "\"", "want " + format.want);
}

}  // namespace bellows::cli
