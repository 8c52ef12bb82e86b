#include "injector/core/strip.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "injector/core/names.hpp"
#include "injector/core/render.hpp"
#include "json/object.hpp"
#include "json/yaml_lines.hpp"

namespace bellows::injector {

namespace {

/// One object while it is stripped.
struct Stripping {
  const Record& record;
  const ReadDocument& read;
  Editor& editor;
  std::vector<std::string>& warnings;

  bool made(std::string_view path) const {
    return std::ranges::find(record.made, path) != record.made.end();
  }
};

/// The holder of the metadata with the record.
const Node& holder_of(const Resource& resource) {
  const Node* const pod = pod_of(resource);
  return pod == nullptr ? *resource.root : *pod;
}

/// Removes `inner` from the map `key` of `holder`, and the map if inject made it.
void remove_from(const Stripping& job, const Node& holder, std::string_view key,
                 std::string_view inner, std::string_view path) {
  const auto index = holder.index_of(key);
  if (!index) return;
  const Node& map = holder.entries[*index].value;
  const auto entry = map.index_of(inner);
  if (!entry) return;
  if (map.entries.size() > 1) return job.editor.remove(map, *entry);
  if (job.made(path)) return job.editor.remove(holder, *index);
  const auto null = std::ranges::find(job.record.nulls, path, &ReplacedScalar::path);
  if (null != job.record.nulls.end() && job.editor.replace(map, null->was)) return;
  if (map.is_flow) return job.editor.remove(map, *entry);
  job.editor.empty(map);
}

/// A name without the single quotes around it.
std::string unquoted(const std::string& text) {
  const bool is_quoted = text.size() > 1 && text.starts_with('\'') && text.ends_with('\'');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

void put_name_back(const Stripping& job, const Node& root, const ReplacedScalar& scalar) {
  const std::size_t slash = scalar.path.rfind('/');
  const Node* const parent = root.at(std::string_view(scalar.path).substr(0, slash));
  const std::string key = scalar.path.substr(slash + 1);
  const Node* const now = parent == nullptr ? nullptr : parent->find(key);
  if (now == nullptr || !now->is_text(scalar.is)) {
    job.warnings.push_back(scalar.path + " was changed since: it stays; before inject it was " +
                           (scalar.was.empty() ? "missing" : scalar.was));
    return;
  }
  if (scalar.was.empty()) return job.editor.remove(*parent, *parent->index_of(key));
  // JSON that was YAML when it was injected: the name had no such quotes then.
  const bool is_json_text = scalar.was.starts_with('"') || is_json_literal(scalar.was);
  const bool is_json_now = is_json(*parent) && job.editor.raw_text(*now).starts_with('"');
  const bool wants_quotes = is_json_now && !is_json_text;
  job.editor.replace(*now, wants_quotes ? json::quoted(unquoted(scalar.was)) : scalar.was);
}

/// An entry that was taken out of brackets with the comma before it or behind it, as a map.
std::string in_brackets(const TakenEntry& taken) {
  constexpr std::string_view kAround = ", \t\r\n";
  const std::size_t first = std::min(taken.text.find_first_not_of(kAround), taken.text.size());
  const std::size_t end = taken.text.find_last_not_of(kAround) + 1;
  return "{" + taken.text.substr(first, end - std::min(first, end)) + "\n}";
}

/// The value of an entry that was taken out; nullopt: it cannot be read.
std::optional<Node> value_of(const Stripping& job, const TakenEntry& taken) {
  const auto root = job.read((taken.is_flow ? in_brackets(taken) : taken.text) + "\n");
  if (!root || root->entries.size() != 1) return std::nullopt;
  return root->entries.front().value;
}

/// The first entry of an item, which shared its line with the dash, as lines of its own.
std::string as_lines(const TakenEntry& taken) {
  if (taken.text.ends_with('\n')) return taken.text;
  const std::size_t end = taken.text.find_last_not_of(' ') + 1;
  return std::string(taken.column, ' ') + taken.text.substr(0, end);
}

void put_lines_back(const Stripping& job, const Node& container, const TakenEntry& taken) {
  const std::size_t first = container.entries.front().key.begin;
  const std::size_t column = job.editor.layout().column(first);
  const bool has_lines = taken.text.ends_with('\n');
  const bool has_own_line = job.editor.layout().begins_line(first);
  const bool fits_first = has_lines ? has_own_line : !has_own_line && taken.column == column;
  if (taken.after.empty() && fits_first) {
    const std::string lines = indented(taken.text, taken.column, column);
    return job.editor.put_back(container, std::nullopt, has_lines ? lines : taken.text);
  }
  const std::size_t last = container.entries.size() - 1;
  job.editor.put_back(container, container.index_of(taken.after).value_or(last),
                      indented(as_lines(taken), taken.column, column));
}

/// An entry in brackets that only YAML allows, and the container is JSON now.
bool is_yaml_within_json(const Stripping& job, const Node& container, const TakenEntry& taken) {
  if (!taken.is_flow || !is_json(container)) return false;
  const bool is_json_entry = json::parse(in_brackets(taken)).has_value();
  return !is_json_entry && json::parse(job.editor.raw_text(container)).has_value();
}

void put_readiness_back(const Stripping& job, const Node& container, const TakenEntry& taken) {
  if (container.find("readinessProbe") != nullptr) {
    job.warnings.push_back("container " + job.record.container +
                           " has another readiness probe since: it stays");
    return;
  }
  if (container.is_flow != taken.is_flow || is_yaml_within_json(job, container, taken)) {
    if (const auto value = value_of(job, taken)) {
      job.editor.append(container, {{"readinessProbe", *value}});
    }
    return;
  }
  if (!taken.is_flow) return put_lines_back(job, container, taken);
  auto after = container.index_of(taken.after);
  if (!after && !taken.after.empty()) after = container.entries.size() - 1;
  job.editor.put_back(container, after, taken.text);
}

const Node* container_named(const Node& spec, std::string_view name) {
  const Node* const containers = spec.find("containers");
  if (containers == nullptr) return nullptr;
  const auto has_name = [name](const Node& item) { return item.text_at("name") == name; };
  const auto found = std::ranges::find_if(containers->items, has_name);
  return found == containers->items.end() ? nullptr : &*found;
}

/// Removes the only item of the list `key` of `spec`, and the list if inject made it.
void remove_only_item(const Stripping& job, const Node& spec, const std::string& key) {
  const std::size_t index = *spec.index_of(key);
  const Node& list = spec.entries[index].value;
  if (job.made("spec/" + key)) return job.editor.remove(spec, index);
  const auto null = std::ranges::find(job.record.nulls, "spec/" + key, &ReplacedScalar::path);
  if (null != job.record.nulls.end() && job.editor.replace(list, null->was)) return;
  if (list.is_flow) return job.editor.remove_item(list, 0);
  job.editor.empty(list);
}

void remove_named(const Stripping& job, const Node& spec, const std::string& key,
                  std::string_view name) {
  const Node* const list = spec.index_of(key) ? spec.find(key) : nullptr;
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    if (list->items[i].text_at("name") != name) continue;
    if (list->items.size() == 1) {
      remove_only_item(job, spec, key);
    } else {
      job.editor.remove_item(*list, i);
    }
  }
}

void strip_app(const Stripping& job, const Node& container) {
  for (const ReplacedScalar& scalar : job.record.replaced) put_name_back(job, container, scalar);
  if (job.record.readiness) put_readiness_back(job, container, *job.record.readiness);
  if (!job.record.has_hook) return;
  const Node* const hook = container.at("lifecycle/preStop/httpGet");
  if (hook != nullptr && hook->text_at("path") == "/drain") {
    return remove_from(job, container, "lifecycle", "preStop", "lifecycle");
  }
  job.warnings.push_back("the preStop hook of container " + job.record.container +
                         " was changed since: it stays");
}

}  // namespace

Result<std::optional<Record>> record_of(const Resource& resource) {
  const Node* const annotations = holder_of(resource).at("metadata/annotations");
  const Node* const text = annotations == nullptr ? nullptr : annotations->find(kRecordAnnotation);
  if (text == nullptr || !text->is_scalar()) return std::optional<Record>();
  auto record = read_record(text->text);
  if (record) return std::optional(std::move(*record));
  return fail(ErrorKind::kMalformed, "annotation " + std::string(kRecordAnnotation),
              to_string(record.error()));
}

void strip(const Resource& resource, const Record& record, const ReadDocument& read, Editor& editor,
           std::vector<std::string>& warnings) {
  const Stripping job{.record = record, .read = read, .editor = editor, .warnings = warnings};
  const Node& holder = holder_of(resource);
  const Node& metadata = *holder.find("metadata");
  remove_from(job, metadata, "annotations", kRecordAnnotation, "metadata/annotations");
  const Node* const pod = pod_of(resource);
  if (pod == nullptr) {
    for (const ReplacedScalar& scalar : record.replaced) put_name_back(job, holder, scalar);
    return;
  }
  remove_from(job, metadata, "labels", kRevisionLabel, "metadata/labels");
  const Node* const spec = pod->find("spec");
  if (spec == nullptr) return;
  remove_named(job, *spec, "containers", kContainerName);
  remove_named(job, *spec, "initContainers", kContainerName);
  remove_named(job, *spec, "volumes", kTokenVolume);
  if (const Node* const container = container_named(*spec, record.container)) {
    return strip_app(job, *container);
  }
  warnings.push_back("container " + record.container +
                     " no longer exists: nothing was restored in it");
}

}  // namespace bellows::injector
