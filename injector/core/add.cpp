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

/// Records how the map `key` of `holder` is before put().
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

Result<void> add_container(const Node& spec, const Node& sidecar, bool is_native, Editor& editor,
                           Record& record) {
  const std::string list = is_native ? "initContainers" : "containers";
  const Node* const containers = spec.find(list);
  if (containers == nullptr) {
    record.made.push_back("spec/" + list);
    editor.append(spec, {{list, list_node({sidecar})}});
    return {};
  }
  const bool is_empty_list = containers->is_sequence() && containers->items.empty();
  if (!containers->is_sequence() || (is_empty_list && !containers->is_flow)) {
    return fail(refused("spec." + list, "want a list, or nothing"));
  }
  editor.append_item(*containers, sidecar);
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
  BELLOWS_CHECKED(add_container(spec, sidecar, options.is_native, editor, record));
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
