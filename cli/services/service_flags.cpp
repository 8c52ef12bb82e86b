#include "cli/services/service_flags.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/read_number.hpp"
#include "base/text_parts.hpp"
#include "config/route.hpp"
#include "config/text_formats.hpp"
#include "machine/core/canary.hpp"

namespace bellows::cli {
namespace {

using Schema = config::Schema<ServiceFlags>;

constexpr std::array<std::string_view, 8> kRepeated{"environment", "set", "host", "path-prefix",
                                                    "header",      "H",   "tag",  "untag"};

/// Returns the format of texts for which `is_valid`.
template <bool (*is_valid)(std::string_view)>
config::TextFormat format_of(std::string want) {
  config::TextFormat format;
  format.want = std::move(want);
  format.read = [](std::string_view text) {
    return is_valid(text) ? std::optional(std::string(text)) : std::nullopt;
  };
  return format;
}

bool is_pair(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != 0 && equals != std::string_view::npos;
}

std::optional<std::string> read_tag(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) return std::nullopt;
  if (!config::name_format().read(text.substr(0, equals))) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> read_header(std::string_view text) {
  if (!config::read_header_match(text)) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> read_header_line(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  return std::string(text);
}

config::TextFormat tag_format() {
  return {.want = "TAG=REVISION, as in canary=web-00002, with a TAG of a-z, digits and hyphens",
          .read = read_tag};
}

config::TextFormat header_format() {
  return {.want = "the name of a header field (X-Debug), or a name and a value (X-Version: 2)",
          .read = read_header};
}

config::TextFormat header_line_format() {
  return {.want = "NAME: VALUE, as in X-Version: 2", .read = read_header_line};
}

bool may_repeat(std::string_view flag) {
  return std::ranges::find(kRepeated, flag) != kRepeated.end();
}

/// Returns -H as --header.
std::string long_name(const std::string& flag) {
  return flag == "H" ? "header" : flag;
}

void add_admin_flag(Schema& schema) {
  schema.add(&ServiceFlags::admin,
             {.name = "admin", .help = "Admin address of `bellows up` or `bellows run`."});
}

void add_order(Schema& schema) {
  add_admin_flag(schema);
  schema.add(&ServiceFlags::dry_run,
             {.name = "dry-run", .help = "Print the changes without making them."});
  schema.add(&ServiceFlags::no_wait,
             {.name = "no-wait", .help = "Return at once, without waiting for the result."});
}

void add_content(Schema& schema) {
  add_order(schema);
  schema.add(&ServiceFlags::environment, {.name = "environment",
                                          .format = format_of<is_pair>("NAME=VALUE"),
                                          .help = "A variable of the app. May be given several "
                                                  "times.",
                                          .unset = "none"});
  schema.add(&ServiceFlags::set, {.name = "set",
                                  .format = format_of<is_pair>("NAME=VALUE"),
                                  .help = "A per-service setting (docs/settings.md): max-scale=20. "
                                          "May be given several times.",
                                  .unset = "none"});
  schema.add(&ServiceFlags::working_directory,
             {.name = "working-directory",
              .help = "The app's working directory; a relative path starts at that of Bellows.",
              .unset = "unchanged"});
  schema.add(&ServiceFlags::no_probe,
             {.name = "no-probe",
              .help = "Do not start a service at zero to prove that it becomes ready."});
}

bool are_steps(std::string_view text) {
  machine::CanaryPlan plan;
  const auto shares = read_percents(text);
  if (shares) plan.shares = *shares;
  return shares && machine::check(plan);
}

bool is_percent(std::string_view text) {
  const auto percents = read_percents(text);
  return percents && percents->size() == 1 && percents->front() <= 99;
}

bool is_latency_limit(std::string_view text) {
  return text.empty() || machine::read_latency_limit(text);
}

void add_canary(Schema& schema) {
  schema.group("By steps");
  schema.add(&ServiceFlags::canary,
             {.name = "canary",
              .format = format_of<are_steps>("growing percentages that end with 100%: 5%,25%,100%"),
              .help = "The new revision gets these shares of the requests, one after the other, "
                      "while it stays within the limits; otherwise it is rolled back.",
              .unset = "all requests when it is ready"});
  schema.add(&ServiceFlags::step,
             {.name = "step",
              .bounds = config::between(std::chrono::seconds(1), std::chrono::hours(24)),
              .help = "Time of each share but the last one."});
  schema.add(&ServiceFlags::max_errors,
             {.name = "max-errors",
              .format = format_of<is_percent>("whole percents from 0% to 99%"),
              .help = "Roll back if more of the new revision's requests fail: a status from 500 "
                      "on, or an incomplete response."});
  schema.add(&ServiceFlags::max_latency,
             {.name = "max-latency",
              .format = format_of<is_latency_limit>(
                  "a percentile from p1 to p99 and a duration: p99=300ms"),
              .help = "Roll back if more of the new revision's requests take longer, their time in "
                      "queues included.",
              .unset = "any"});
  schema.add(&ServiceFlags::min_requests,
             {.name = "min-requests",
              .bounds = config::between(1, 1e9),
              .help = "Requests that a share needs for a verdict; until then it lasts longer, up "
                      "to ten times --step."});
}

}  // namespace

std::optional<std::vector<std::int32_t>> read_percents(std::string_view text) {
  std::vector<std::int32_t> percents;
  for (std::string_view word : split(text, ',')) {
    if (word.ends_with('%')) word.remove_suffix(1);
    const auto percent = read_number<std::int32_t>(word);
    if (!percent || *percent < 0 || *percent > 100) return std::nullopt;
    percents.push_back(*percent);
  }
  return percents;
}

const Schema& apply_schema() {
  static const Schema schema = [] {
    Schema made;
    add_order(made);
    made.add(&ServiceFlags::file,
             {.name = "file", .aliases = {"f"}, .help = "The settings file; - is standard input."});
    return made;
  }();
  return schema;
}

const Schema& add_schema() {
  static const Schema schema = [] {
    Schema made;
    add_content(made);
    made.add(&ServiceFlags::host, {.name = "host",
                                   .format = config::host_pattern_format(),
                                   .help = "Host name of its requests, or a wildcard: "
                                           "*.example.org. May be given several times.",
                                   .unset = "any host"});
    made.add(&ServiceFlags::path_prefix,
             {.name = "path-prefix",
              .format = config::path_prefix_format(),
              .help = "Path prefix of its requests. May be given several times.",
              .unset = "any path"});
    made.add(&ServiceFlags::header, {.name = "header",
                                     .format = header_format(),
                                     .help = "A header field that its requests have: X-Debug, or "
                                             "X-Version: 2. May be given several times.",
                                     .unset = "any"});
    made.add(&ServiceFlags::ttl,
             {.name = "ttl",
              .bounds = config::between(std::chrono::seconds(1), std::chrono::hours(24 * 3650)),
              .help = "Remove the service after this time, as in 2d: for previews.",
              .unset = "it stays"});
    return made;
  }();
  return schema;
}

const Schema& deploy_schema() {
  static const Schema schema = [] {
    Schema made;
    add_content(made);
    add_canary(made);
    made.add(&ServiceFlags::tag, {.name = "tag",
                                  .format = config::name_format(),
                                  .help = "The new revision gets the requests of TAG.HOST alone; "
                                          "`bellows split` gives it others.",
                                  .unset = "it gets all requests of the service"});
    return made;
  }();
  return schema;
}

const Schema& rollback_schema() {
  static const Schema schema = [] {
    Schema made;
    add_order(made);
    made.add(&ServiceFlags::to, {.name = "to",
                                 .help = "The revision that gets the requests: web-00002, or 2.",
                                 .unset = "the previous one"});
    return made;
  }();
  return schema;
}

const Schema& split_schema() {
  static const Schema schema = [] {
    Schema made;
    add_order(made);
    made.add(&ServiceFlags::tag,
             {.name = "tag",
              .format = tag_format(),
              .help = "TAG=REVISION: requests for TAG.HOST are for that revision, "
                      "whatever its share. May be given several times.",
              .unset = "none"});
    made.add(&ServiceFlags::untag, {.name = "untag",
                                    .format = config::name_format(),
                                    .help = "A tag to remove. May be given several times.",
                                    .unset = "none"});
    return made;
  }();
  return schema;
}

const Schema& service_order_schema() {
  static const Schema schema = [] {
    Schema made;
    add_order(made);
    return made;
  }();
  return schema;
}

const Schema& revisions_schema() {
  static const Schema schema = [] {
    Schema made;
    add_admin_flag(made);
    made.add(&ServiceFlags::json,
             {.name = "json", .help = "Print the response of Bellows unchanged."});
    return made;
  }();
  return schema;
}

const Schema& route_test_schema() {
  static const Schema schema = [] {
    Schema made;
    add_admin_flag(made);
    made.add(&ServiceFlags::header, {.name = "header",
                                     .aliases = {"H"},
                                     .format = header_line_format(),
                                     .help = "A header field of the request: X-Version: 2. May "
                                             "be given several times.",
                                     .unset = "none"});
    made.add(&ServiceFlags::tested_file,
             {.name = "file",
              .aliases = {"f"},
              .help = "A settings file whose services are tested instead; - is standard input.",
              .unset = "the running Bellows"});
    return made;
  }();
  return schema;
}

/// A schema reads each flag once, so it is used once for each repetition of a flag.
config::Checked<ServiceFlags> read_flags(const Schema& schema,
                                         const command::Arguments& arguments) {
  std::vector<config::Layer> first = arguments.layers;
  std::vector<config::Layer> further;  // each with one repeated flag
  std::set<std::string> seen;
  std::erase_if(first.back(), [&](const config::Entry& entry) {
    const bool is_repeated = may_repeat(entry.key) && !seen.insert(long_name(entry.key)).second;
    if (is_repeated) further.push_back({entry});
    return is_repeated;
  });
  for (const config::Layer& flag : further) {
    if (const auto checked = schema.apply({flag}); !checked) {
      return tl::unexpected(checked.error());
    }
  }
  return schema.apply(first);
}

std::vector<std::string> all_of(const command::Arguments& arguments,
                                const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const config::Entry& entry : arguments.flags()) {
    if (std::ranges::find(names, entry.key) != names.end()) values.push_back(entry.value);
  }
  if (!values.empty()) return values;
  const std::string variable = config::variable_name(names.front());
  for (const config::Entry& entry : arguments.layers.front()) {
    const bool is_variable = entry.source == config::Source::kEnvironment && entry.key == variable;
    if (is_variable) values.push_back(entry.value);
  }
  return values;
}

std::map<std::string, std::string> values_of(const command::Arguments& arguments,
                                             const std::string& flag) {
  std::map<std::string, std::string> values;
  for (const std::string& pair : all_of(arguments, {flag})) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) continue;
    values.insert_or_assign(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return values;
}

}  // namespace bellows::cli
