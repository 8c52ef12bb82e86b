#include "cli/services/service_flags.hpp"

#include <optional>
#include <string_view>

#include "config/text_formats.hpp"

namespace bellows::cli {
namespace {

using Schema = config::Schema<ServiceFlags>;

config::TextFormat pair_format() {
  return {.want = "NAME=VALUE", .read = [](std::string_view text) -> std::optional<std::string> {
            const std::size_t equals = text.find('=');
            if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
            return std::string(text);
          }};
}

void add_admin(Schema& schema) {
  schema.add(&ServiceFlags::admin,
             {.name = "admin", .help = "Admin address of `bellows up` or `bellows run`."});
}

void add_order(Schema& schema) {
  add_admin(schema);
  schema.add(&ServiceFlags::dry_run,
             {.name = "dry-run", .help = "Says what would change, and changes nothing."});
  schema.add(&ServiceFlags::no_wait,
             {.name = "no-wait", .help = "Returns at once, instead of when it is done."});
}

void add_content(Schema& schema) {
  add_order(schema);
  schema.add(&ServiceFlags::environment, {.name = "environment",
                                          .format = pair_format(),
                                          .help = "A variable of the app. May be given several "
                                                  "times.",
                                          .unset = "none"});
  schema.add(&ServiceFlags::set, {.name = "set",
                                  .format = pair_format(),
                                  .help = "A per-service setting (docs/settings.md): max-scale=20. "
                                          "May be given several times.",
                                  .unset = "none"});
  schema.add(&ServiceFlags::working_directory,
             {.name = "working-directory",
              .help = "The app's working directory; a relative path starts at that of Bellows.",
              .unset = "as it is"});
  schema.add(&ServiceFlags::no_probe,
             {.name = "no-probe",
              .help = "A service at zero is not proven by a start before it takes requests."});
}

}  // namespace

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
                                   .format = config::host_name_format(),
                                   .help = "Host name of its requests.",
                                   .unset = "any host"});
    made.add(&ServiceFlags::path_prefix, {.name = "path-prefix",
                                          .format = config::path_prefix_format(),
                                          .help = "Path below which its requests are.",
                                          .unset = "any path"});
    return made;
  }();
  return schema;
}

const Schema& deploy_schema() {
  static const Schema schema = [] {
    Schema made;
    add_content(made);
    return made;
  }();
  return schema;
}

const Schema& rollback_schema() {
  static const Schema schema = [] {
    Schema made;
    add_order(made);
    made.add(&ServiceFlags::to, {.name = "to",
                                 .help = "The revision to go back to: web-00002, or 2.",
                                 .unset = "the one that got requests before"});
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
    add_admin(made);
    made.add(&ServiceFlags::json,
             {.name = "json", .help = "Prints what Bellows answers, as it is."});
    return made;
  }();
  return schema;
}

std::map<std::string, std::string> values_of(const command::Arguments& arguments,
                                             const std::string& flag) {
  std::map<std::string, std::string> values;
  for (const config::Entry& entry : arguments.flags()) {
    const std::size_t equals = entry.value.find('=');
    if (entry.key != flag || equals == std::string::npos) continue;
    values.insert_or_assign(entry.value.substr(0, equals), entry.value.substr(equals + 1));
  }
  return values;
}

}  // namespace bellows::cli
