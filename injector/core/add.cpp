#include "injector/core/add.hpp"

#include <utility>

#include "base/version.hpp"
#include "injector/core/names.hpp"
#include "injector/core/record.hpp"
#include "injector/core/render.hpp"
#include "injector/core/sidecar.hpp"
#include "json/yaml_lines.hpp"

namespace bellows::injector {

namespace {

/// Records how the map or list `key` of `holder` is before an addition.
void remember(const Node& holder, const std::string& key, const std::string& path,
              const Editor& editor, Record& record) {
  const auto index = holder.index_of(key);
  if (!index) return record.made.push_back(path);
  const Entry& entry = holder.entries[*index];
  const Layout& layout = editor.layout();
  if (entry.value.kind != Node::Kind::kNull) return;
  if (layout.line_begin(entry.value.begin) != layout.line_begin(entry.key.begin)) return;
  for (const std::string_view word : {"null", "~"}) {
    const bool is_written = layout.text().substr(entry.value.begin).starts_with(word);
    if (is_written) record.nulls.push_back({.path = path, .was = std::string(word), .is = {}});
  }
}

/// Gives the map `key` of `holder` these entries; makes it if it is missing.
Result<void> put(const Node& holder, const std::string& key, const Editor::Values& entries,
                 Editor& editor) {
  const auto index = holder.index_of(key);
  if (!index) {
    editor.append(holder, {{key, map_node(entries)}});
    return {};
  }
  if (editor.fill(holder, *index, entries)) return {};
  return fail(refused(key, "want a map, or nothing"));
}

/// `name` as the scalar `was` is written, so that strip() can tell whether the object was written
/// anew since. In JSON also what was a number has quotes.
std::string written_like(std::string_view was, std::string_view name, const Node* map) {
  const bool is_json_number = is_json_literal(was) && map != nullptr && is_json(*map);
  if (was.starts_with('"') || is_json_number) return json::quoted(std::string(name));
  return was.starts_with('\'') ? "'" + std::string(name) + "'" : std::string(name);
}

/// Another name for a port, at `path` below `root`.
Result<void> rename(const Node& root, const std::string& path, const std::string& name,
                    Editor& editor, Record& record) {
  const Node* const scalar = root.at(path);
  const Node* const map = root.at(path.substr(0, path.rfind('/')));
  const std::string was(scalar == nullptr ? "" : editor.raw_text(*scalar));
  if (was.empty() || !editor.replace(*scalar, written_like(was, name, map))) {
    return fail(refused(path, "want it on one line, without anchors and tags"));
  }
  record.replaced.push_back({.path = path, .was = was, .is = name});
  return {};
}

void move_readiness(const Node& container, Editor& editor, Record& record) {
  const auto own = container.index_of("readinessProbe");
  if (!own) return editor.block(*container.find("readinessProbe"));
  const std::size_t index = *own;
  const std::size_t begin = container.entries[index].key.begin;
  TakenEntry taken{.after = index == 0 ? "" : container.entries[index - 1].key.text,
                   .text = editor.take_out(container, index),
                   .column = container.is_flow ? 0 : editor.layout().column(begin),
                   .is_flow = container.is_flow};
  // Without its indentation the record of the same object is the same in another format, so that
  // inject of what `kubectl get` prints starts no rollout.
  const std::string flush = indented(taken.text, taken.column, 0);
  if (taken.text.ends_with('\n') && indented(flush, 0, taken.column) == taken.text) {
    taken.text = flush;
    taken.column = 0;
  }
  record.readiness = std::move(taken);
}

Result<void> add_to_app(const Node& container, const Plan& plan, Editor& editor, Record& record) {
  if (plan.app.index && !plan.user_port_name.empty()) {
    const std::string port = "ports/" + std::to_string(*plan.app.index) + "/name";
    BELLOWS_CHECKED(rename(container, port, plan.user_port_name, editor, record));
  }
  for (const std::string& path : plan.references) {
    BELLOWS_CHECKED(rename(container, path, plan.user_port_name, editor, record));
  }
  if (plan.moves_readiness) move_readiness(container, editor, record);
  if (!plan.adds_hook) return {};
  remember(container, "lifecycle", "lifecycle", editor, record);
  return put(container, "lifecycle", {{"preStop", drain_hook(plan)}}, editor);
}

/// Appends an item to the list `key` of `spec`. Returns false if there is no list yet.
Result<bool> add_to_list(const Node& spec, const std::string& key, const Node& item, Editor& editor,
                         Record& record) {
  remember(spec, key, "spec/" + key, editor, record);
  const auto index = spec.index_of(key);
  if (!index) return false;
  const Node& list = spec.entries[*index].value;
  const bool is_empty = list.is_sequence() && list.items.empty();
  if (list.is_sequence() && (list.is_flow || !is_empty)) {
    editor.append_item(list, item);
    return true;
  }
  if (!is_empty && editor.fill_list(spec, *index, item)) return true;
  return fail(refused("spec." + key, "want a list, or nothing"));
}

/// Adds the container, and the volume that it mounts. Lists that are missing come last, because
/// their place is that of an item behind the last list.
Result<void> add_to_pod(const Node& spec, const Plan& plan, const InjectOptions& options,
                        const Node& sidecar, Editor& editor, Record& record) {
  Editor::Values missing;
  const std::string containers = options.is_native ? "initContainers" : "containers";
  BELLOWS_TRY(const bool has_list, add_to_list(spec, containers, sidecar, editor, record));
  if (!has_list) missing.emplace_back(containers, list_node({sidecar}));
  if (!plan.settings.stats_token_file.empty()) {
    BELLOWS_TRY(const bool is_added, add_to_list(spec, "volumes", token_volume(), editor, record));
    if (!is_added) missing.emplace_back("volumes", list_node({token_volume()}));
  }
  if (!missing.empty()) editor.append(spec, missing);
  return {};
}

Result<const Node*> metadata_of(const Node& holder) {
  const Node* const metadata = holder.find("metadata");
  if (metadata != nullptr && metadata->is_map() && !metadata->entries.empty()) return metadata;
  return fail(refused("metadata", "want the labels that a selector names"));
}

Result<void> write_record(const Node& metadata, Record record, Editor& editor) {
  remember(metadata, "annotations", "metadata/annotations", editor, record);
  return put(metadata, "annotations",
             {{std::string(kRecordAnnotation), text_node(record_text(record))}}, editor);
}

}  // namespace

Result<void> add_to_workload(const Resource& workload, const Plan& plan,
                             const InjectOptions& options, const std::vector<SharedValue>& shared,
                             Editor& editor) {
  const Node& pod = *pod_of(workload);
  BELLOWS_TRY(const Node* const metadata, metadata_of(pod));
  const Node& spec = *pod.find("spec");
  const Node sidecar = sidecar_container(plan, options);
  Record record{.version = kVersion,
                .hash = sidecar_hash(sidecar),
                .container = plan.container,
                .has_hook = plan.adds_hook,
                .shared = shared};
  BELLOWS_CHECKED(
      add_to_app(spec.find("containers")->items[plan.app.container], plan, editor, record));
  BELLOWS_CHECKED(add_to_pod(spec, plan, options, sidecar, editor, record));
  remember(*metadata, "labels", "metadata/labels", editor, record);
  BELLOWS_CHECKED(
      put(*metadata, "labels", {{std::string(kRevisionLabel), text_node(workload.name)}}, editor));
  if (options.is_admission()) return {};
  return write_record(*metadata, std::move(record), editor);
}

Result<void> add_to_service(const Service& service, const std::vector<TargetChange>& changes,
                            const std::vector<SharedValue>& shared, Editor& editor) {
  const Node& root = *service.resource.root;
  BELLOWS_TRY(const Node* const metadata, metadata_of(root));
  Record record{.version = kVersion, .hash = "", .shared = shared};
  for (const TargetChange& change : changes) {
    const std::string path = "spec/ports/" + std::to_string(change.port.index);
    if (change.port.has_target) {
      BELLOWS_CHECKED(rename(root, path + "/targetPort", change.name, editor, record));
      continue;
    }
    editor.append(*root.at(path), {{"targetPort", text_node(change.name)}});
    record.replaced.push_back({path + "/targetPort", "", change.name});
  }
  return write_record(*metadata, std::move(record), editor);
}

}  // namespace bellows::injector
