#include "machine/core/state_text.hpp"

#include <limits>
#include <utility>

#include "base/printable_text.hpp"
#include "base/read_number.hpp"
#include "config/revision_schema.hpp"
#include "config/route_json.hpp"
#include "config/text_formats.hpp"
#include "json/object.hpp"
#include "json/texts.hpp"
#include "json/writer.hpp"

namespace bellows::machine {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMaxTime = 9'000'000'000'000;  // in the year 2255
constexpr std::int64_t kMaxNumber = std::numeric_limits<Number>::max() - 1;

void write_words(json::Writer& out, std::string_view key, const std::vector<std::string>& words) {
  out.open_list(key);
  for (const std::string& word : words) out.text(word);
  out.close();
}

void write_content(json::Writer& out, const config::ServiceContent& content) {
  write_words(out, "command", content.command);
  if (content.is_starter) out.flag("is_starter", true);
  if (!content.stop.empty()) write_words(out, "stop", content.stop);
  out.open("environment");
  for (const auto& [name, value] : content.environment) out.text(name, value);
  out.close()
      .text("working_directory", content.working_directory)
      .text("environment_file", content.environment_file)
      .text("user", content.user)
      .flag("no_new_privileges", content.no_new_privileges)
      .open("settings");
  for (const auto& [key, text] : config::revision_schema().texts(*content.settings)) {
    out.text(key, text);
  }
  out.close();
}

}  // namespace

std::string state_line(const ServiceRecord& service) {
  json::Writer out;
  out.text("name", service.name.text());
  config::write_route(out, service.route);
  out.integer("next_number", service.next_number).integer("previous", service.previous);
  if (!service.tags.empty()) {
    out.open("tagged");
    for (const auto& [tag, number] : service.tags) out.integer(tag, number);
    out.close();
  }
  if (!service.under_way.empty()) out.text("under_way", service.under_way);
  if (!service.before_canary.empty()) {
    out.open("before_canary");
    for (const auto& [number, share] : service.before_canary) {
      out.integer(std::to_string(number), share);
    }
    out.close();
  }
  if (service.expires) {
    out.integer("expires_unix_ms", to_milliseconds(service.expires->time_since_epoch()));
  }
  if (service.declared) {
    out.open("declared");
    config::write_route(out, (*service.declared)->route);
    write_content(out, **service.declared);
    out.close();
  }
  out.open_list("revisions");
  for (const RevisionRecord& revision : service.revisions) {
    out.open()
        .integer("number", revision.number)
        .integer("share", revision.share)
        .flag("was_ready", revision.was_ready)
        .text("failure", revision.failure);
    write_content(out, *revision.content);
    out.close();
  }
  return out.close().end();
}

namespace {

Result<config::RevisionSettings> read_settings(const json::Object& object) {
  BELLOWS_TRY(const json::Object texts, object.object("settings"));
  config::Layer layer;
  for (const std::string_view key : texts.keys()) {
    BELLOWS_TRY(std::string text, texts.text(key));
    layer.push_back(config::flag(std::string(key), std::move(text)));
  }
  auto settings = config::revision_schema().apply({layer});
  if (settings) return std::move(*settings);
  return fail(settings.error().front());
}

Result<config::Service> read_content(const json::Object& object, const RevisionId& name) {
  config::Service content;
  content.name = name;
  BELLOWS_TRY(content.command, json::texts(object, "command"));
  if (object.has("is_starter")) {
    BELLOWS_TRY(content.is_starter, object.flag("is_starter"));
  }
  if (object.has("stop")) {
    BELLOWS_TRY(content.stop, json::texts(object, "stop"));
  }
  if (content.command.empty()) return fail(object.invalid("command", "a program"));
  BELLOWS_TRY(const json::Object environment, object.object("environment"));
  for (const std::string_view key : environment.keys()) {
    BELLOWS_TRY(std::string value, environment.text(key));
    content.environment.emplace(key, std::move(value));
  }
  BELLOWS_TRY(content.working_directory, object.text("working_directory"));
  BELLOWS_TRY(content.environment_file, object.text("environment_file"));
  BELLOWS_TRY(content.user, object.text("user"));
  BELLOWS_TRY(content.no_new_privileges, object.flag("no_new_privileges"));
  BELLOWS_TRY(content.settings, read_settings(object));
  return content;
}

Result<Number> number_at(const json::Object& object, std::string_view key, std::int64_t min,
                         std::int64_t max) {
  BELLOWS_TRY(const std::int64_t number, object.integer(key, min, max));
  return static_cast<Number>(number);
}

Result<RevisionRecord> read_revision(const json::Object& object, const ServiceRecord& service) {
  RevisionRecord revision;
  BELLOWS_TRY(revision.number, number_at(object, "number", 1, service.next_number - 1));
  BELLOWS_TRY(revision.share, number_at(object, "share", 0, 100));
  BELLOWS_TRY(revision.was_ready, object.flag("was_ready"));
  BELLOWS_TRY(revision.failure, object.text("failure"));
  BELLOWS_TRY(config::Service content, read_content(object, service.name));
  content.route = service.route;
  revision.content = std::move(content);
  if (service.declared == revision.content) revision.content = *service.declared;  // one copy
  if (!service.revisions.empty() && service.revisions.back().number >= revision.number) {
    return fail(object.invalid("number", "a number above that of the revision before"));
  }
  return revision;
}

/// Reads shares of existing revisions.
Result<Shares> read_shares(const json::Object& object, const ServiceRecord& service) {
  Shares shares;
  std::int32_t sum = 0;
  for (const std::string_view key : object.keys()) {
    const auto number = read_number<Number>(key);
    if (!number || service.find(*number) == nullptr) {
      return fail(object.invalid(key, "the number of a revision that there is"));
    }
    BELLOWS_TRY(const Number share, number_at(object, key, 1, 100));
    shares.emplace(*number, share);
    sum += share;
  }
  if (sum == 100) return shares;
  return fail(ErrorKind::kMalformed, "before_canary",
              "the shares add up to " + std::to_string(sum) + ", want 100");
}

/// Reads tags; call it after its revisions are read.
Result<void> read_tags(const json::Object& object, ServiceRecord& service) {
  if (!object.has("tagged")) return {};
  BELLOWS_TRY(const json::Object tags, object.object("tagged"));
  for (const std::string_view tag : tags.keys()) {
    BELLOWS_TRY(const Number number, number_at(tags, tag, 1, kMaxNumber));
    const bool is_valid = config::name_format().read(tag) && service.find(number) != nullptr;
    if (!is_valid) return fail(tags.invalid(tag, "the number of a revision that there is"));
    service.tags.emplace(tag, number);
  }
  return {};
}

Result<ServiceRecord> read_service(const json::Object& object) {
  ServiceRecord service;
  BELLOWS_TRY(std::string name, object.text("name"));
  if (name.empty()) return fail(object.invalid("name", "the name of a service"));
  service.name = RevisionId(std::move(name));
  BELLOWS_TRY(service.route, config::read_route(object));
  BELLOWS_TRY(service.next_number, number_at(object, "next_number", 1, kMaxNumber));
  BELLOWS_TRY(service.previous, number_at(object, "previous", 0, kMaxNumber));
  if (object.has("under_way")) {
    BELLOWS_TRY(service.under_way, object.text("under_way"));
  }
  if (object.has("expires_unix_ms")) {
    BELLOWS_TRY(const std::int64_t at, object.integer("expires_unix_ms", 0, kMaxTime));
    service.expires = WallTime(std::chrono::milliseconds(at));
  }
  if (object.has("declared")) {
    BELLOWS_TRY(const json::Object declared, object.object("declared"));
    BELLOWS_TRY(config::Service content, read_content(declared, service.name));
    BELLOWS_TRY(content.route, config::read_route(declared));
    service.declared = std::move(content);
  }
  BELLOWS_TRY(const std::vector<json::Object> revisions, object.objects("revisions"));
  std::int32_t sum = 0;
  for (const json::Object& each : revisions) {
    BELLOWS_TRY(RevisionRecord revision, read_revision(each, service));
    sum += revision.share;
    service.revisions.push_back(std::move(revision));
  }
  BELLOWS_CHECKED(read_tags(object, service));
  if (!revisions.empty() && sum != 100) {
    return fail(ErrorKind::kMalformed, object.invalid("revisions", "").culprit(),
                "the shares add up to " + std::to_string(sum) + ", want 100");
  }
  if (object.has("before_canary")) {
    BELLOWS_TRY(const json::Object before, object.object("before_canary"));
    BELLOWS_TRY(service.before_canary, read_shares(before, service));
  }
  return service;
}

}  // namespace

std::string state_text(const std::map<RevisionId, std::string>& lines) {
  std::string text = "{\"version\":" + std::to_string(kVersion) + ",\"services\":[";
  bool is_first = true;
  for (const auto& [name, line] : lines) {
    text += is_first ? "\n" : ",\n";
    text += line;
    is_first = false;
  }
  return text + "\n]}\n";
}

Result<Records> read_state(std::string_view text) {
  const auto parsed = json::parse(text);
  if (!parsed) {  // one line, although the quoted text has several
    const Error& error = parsed.error();
    return fail(error.kind(), error.culprit(), printable(error.message()));
  }
  const json::Object& whole = *parsed;
  BELLOWS_TRY(const std::int64_t version,
              whole.integer("version", 1, std::numeric_limits<std::int32_t>::max()));
  if (version != kVersion) return fail(whole.invalid("version", "1, of this Bellows"));
  BELLOWS_TRY(const std::vector<json::Object> services, whole.objects("services"));
  Records records;
  for (const json::Object& each : services) {
    BELLOWS_TRY(ServiceRecord service, read_service(each));
    const RevisionId name = service.name;
    if (!records.emplace(name, std::move(service)).second) {
      return fail(each.invalid("name", "a name that no other service has"));
    }
  }
  return records;
}

}  // namespace bellows::machine
