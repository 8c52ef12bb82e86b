#include "slack/format/state_json.hpp"

#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::slack {

namespace {

/// Whole numbers up to here are exact in a double.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53U;

}  // namespace

std::string state_json(const SavedState& state) {
  json::Writer out;
  out.integer("version", kStateVersion);
  out.open("average")
      .integer("nodes", state.average.nodes)
      .integer("cpu-millicores", state.average.total.cpu_millicores)
      .integer("memory-bytes", state.average.total.memory_bytes)
      .close();
  out.open_list("types");
  for (const std::string& type : state.types) out.text(type);
  out.close().open_list("placeholders");
  for (const SavedPlaceholder& one : state.placeholders)
    out.open().text("shape", one.shape).text("node", one.node).close();
  return out.close().end_line();
}

Result<SavedState> read_state(std::string_view text, const std::string& name) {
  BELLOWS_TRY(const json::Object document, json::parse(text, name));
  BELLOWS_TRY(const std::int64_t version, document.integer("version", 0, kMostExact));
  if (version != kStateVersion)
    return fail(document.invalid("version", std::to_string(kStateVersion)));
  SavedState state;
  BELLOWS_TRY(const json::Object average, document.object("average"));
  BELLOWS_TRY(state.average.nodes, average.integer("nodes", 0, 10'000'000));
  BELLOWS_TRY(state.average.total.cpu_millicores, average.integer("cpu-millicores", 0, kMostExact));
  BELLOWS_TRY(state.average.total.memory_bytes, average.integer("memory-bytes", 0, kMostExact));
  BELLOWS_TRY(const auto types, document.list("types"));
  for (std::size_t i = 0; i < types.size(); ++i) {
    BELLOWS_TRY(std::string type, types.text(i));
    state.types.push_back(std::move(type));
  }
  BELLOWS_TRY(const auto placeholders, document.objects("placeholders"));
  for (const json::Object& one : placeholders) {
    SavedPlaceholder saved;
    BELLOWS_TRY(saved.shape, one.text("shape"));
    BELLOWS_TRY(saved.node, one.text("node"));
    state.placeholders.push_back(std::move(saved));
  }
  return state;
}

}  // namespace bellows::slack
