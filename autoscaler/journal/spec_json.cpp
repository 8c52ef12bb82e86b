#include "autoscaler/journal/spec_json.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "base/read_number.hpp"
#include "config/revision_schema.hpp"
#include "config/suggestion.hpp"

namespace bellows::autoscaler::journal {
namespace {

using config::Declaration;
using json::Object;

constexpr json::Range kTargets{0.01, 1e15};

constexpr std::string_view kTargetValue = "target-value";
constexpr std::string_view kTotalValue = "total-value";
constexpr std::string_view kReachable = "reachable";
constexpr std::string_view kMinScaleFrom = "min-scale-from";
constexpr std::array kGiven = {kReachable, kMinScaleFrom, kTargetValue, kTotalValue};

bool is_about_scaling(const Declaration& declaration) {
  static constexpr std::array<std::string_view, 4> kGroups = {
      "Profile", "Load of one replica", "Windows and modes", "Number of replicas"};
  if (declaration.name == "load-balancing-policy") return false;  // a setting of the activators
  return declaration.name == "progress-deadline" || declaration.group.starts_with("Rules: ") ||
         std::find(kGroups.begin(), kGroups.end(), declaration.group) != kGroups.end();
}

const Declaration* scaling_declaration(std::string_view key) {
  return config::find(scaling_declarations(), key);
}

std::vector<std::string> spec_keys() {
  std::vector<std::string> keys;
  for (const Declaration& declaration : scaling_declarations()) keys.push_back(declaration.name);
  for (const std::string_view key : kGiven) keys.emplace_back(key);
  return keys;
}

Error unknown_key(const Object& spec, std::string_view key) {
  const std::vector<std::string> known = spec_keys();
  const std::string meant = config::suggestion(std::string(key.substr(key.rfind('/') + 1)), known);
  std::string known_names;
  for (const std::string& name : known) known_names += (known_names.empty() ? "" : ", ") + name;
  return spec.invalid(key, (meant.empty() ? "" : meant + "? Valid are ") + known_names);
}

/// Returns the first error of a schema about one line.
Error first_error(const std::vector<Error>& errors) {
  return {ErrorKind::kMalformed, errors.front().culprit(), errors.front().message()};
}

/// Reads a resolved number; null unsets it.
Result<void> read_target(const Object& spec, std::string_view key, std::optional<double>& value) {
  if (!spec.has(key)) return {};
  value.reset();
  if (spec.is_null(key)) return {};
  BELLOWS_TRY(value, spec.number(key, kTargets));
  return {};
}

/// Reads the origin of min-scale; null unsets it.
Result<void> read_min_scale_from(const Object& spec, config::MinScaleFrom& from) {
  if (!spec.has(kMinScaleFrom)) return {};
  from = config::MinScaleFrom::kSetting;
  if (spec.is_null(kMinScaleFrom)) return {};
  BELLOWS_TRY(const std::string text, spec.text(kMinScaleFrom));
  const auto named = config::read_min_scale_from(text);
  if (!named) return fail(spec.invalid(kMinScaleFrom, "setting, deploy or slow-brain"));
  from = *named;
  return {};
}

Result<void> read_given(const Object& object, Spec& spec) {
  BELLOWS_CHECKED(read_target(object, kTargetValue, spec.given.target));
  BELLOWS_CHECKED(read_target(object, kTotalValue, spec.given.total));
  BELLOWS_CHECKED(read_min_scale_from(object, spec.settings.min_scale_from));
  if (object.has(kReachable)) {
    BELLOWS_TRY(spec.is_reachable, object.flag(kReachable));
  }
  return {};
}

bool is_given(std::string_view key) {
  return std::ranges::find(kGiven, key) != kGiven.end();
}

/// Returns names and texts of the scaling settings that were set, and always the profile.
std::map<std::string, std::string> named_texts(const config::RevisionSettings& settings) {
  std::map<std::string, std::string> named;
  const auto& schema = config::revision_schema();
  for (auto& [name, text] : schema.texts(settings)) {
    if (scaling_declaration(name) != nullptr) named.emplace(name, std::move(text));
  }
  for (const Declaration& declaration : scaling_declarations()) {
    if (declaration.name == "profile") named.emplace("profile", declaration.default_text);
  }
  return named;
}

void write_text(json::Writer& line, const std::string& name, const std::string& text) {
  switch (scaling_declaration(name)->kind) {
    case config::Kind::kFlag:
      line.flag(name, text == "true");
      return;
    case config::Kind::kInteger:
    case config::Kind::kNumber:
    case config::Kind::kPercent: {
      if (const auto number = read_number<double>(text)) {
        line.number(name, *number);
        return;
      }
      break;
    }
    default:
      break;
  }
  line.text(name, text);
}

}  // namespace

const std::vector<Declaration>& scaling_declarations() {
  static const std::vector<Declaration> declarations = [] {
    std::vector<Declaration> scaling;
    for (const Declaration& declaration : config::revision_schema().declarations()) {
      if (is_about_scaling(declaration)) scaling.push_back(declaration);
    }
    return scaling;
  }();
  return declarations;
}

std::string spec_help() {
  std::string help;
  std::string group;
  const auto tell = [&](const std::string& name, const std::string& what) {
    help +=
        "  " + name + std::string(std::max<std::size_t>(name.size() + 2, 42) - name.size(), ' ');
    help += what + "\n";
  };
  for (const Declaration& declaration : scaling_declarations()) {
    if (std::exchange(group, declaration.group) != declaration.group) help += "\n" + group + ":\n";
    const std::string& text = declaration.default_text;
    tell(declaration.name,
         config::valid_values_text(declaration) + (text.empty() ? "" : " (default " + text + ")"));
  }
  help += "\nOnly here:\n";
  tell(std::string(kReachable), "true or false (default true): callers are routed here");
  tell(std::string(kMinScaleFrom),
       "setting, deploy or slow-brain (default setting): who asks for min-scale");
  tell(std::string(kTargetValue), "a number >= 0.01: replaces the target that would be computed");
  tell(std::string(kTotalValue), "a number >= 0.01: replaces the total likewise");
  return help;
}

SpecReader::SpecReader(std::string_view profile)
    : profile_{config::flag("profile", std::string(profile))} {}

Result<Spec> SpecReader::take(const Object& line) {
  BELLOWS_TRY(const Object object, line.object("spec"));
  config::Layer fresh;
  config::Layer named = named_;
  for (const std::string_view key : object.keys()) {
    if (is_given(key)) continue;
    const Declaration* declaration = scaling_declaration(key);
    if (declaration == nullptr) return fail(unknown_key(object, key));
    std::erase_if(named,
                  [&](const auto& entry) { return scaling_declaration(entry.key) == declaration; });
    if (object.is_null(key)) continue;
    BELLOWS_TRY(std::string text, object.setting_text(key));
    fresh.push_back({.source = config::Source::kJson,
                     .key = std::string(key),
                     .value = std::move(text),
                     .place = "line " + std::to_string(line.line()) + ": spec.",
                     .problem = {}});
  }
  Spec spec = spec_;
  BELLOWS_CHECKED(read_given(object, spec));
  auto settings = config::revision_schema().apply({profile_, named, fresh});
  if (!settings) return fail(first_error(settings.error()));
  if (const auto policies = policies_of(*settings); !policies) {
    const Error& error = policies.error();
    return fail(ErrorKind::kMalformed,
                "line " + std::to_string(line.line()) + ": spec." + error.culprit(),
                error.message());
  }
  settings->min_scale_from = spec.settings.min_scale_from;  // is no setting
  spec.settings = *std::move(settings);
  std::move(fresh.begin(), fresh.end(), std::back_inserter(named));
  named_ = std::move(named);
  spec_ = spec;
  return spec;
}

void write_spec(json::Writer& line, const config::RevisionSettings& settings,
                const config::RevisionSettings* before) {
  line.open("spec");
  const auto named = named_texts(settings);
  if (before != nullptr) {
    for (const auto& [name, text] : named_texts(*before)) {
      if (!named.contains(name)) line.null(name);
    }
  }
  for (const auto& [name, text] : named) write_text(line, name, text);
  const auto from_before = before == nullptr ? config::MinScaleFrom() : before->min_scale_from;
  if (settings.min_scale_from != from_before) {
    line.text(kMinScaleFrom, to_string(settings.min_scale_from));
  }
  line.close();
}

}  // namespace bellows::autoscaler::journal
