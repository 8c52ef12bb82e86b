#include "slack/format/csv_lists.hpp"

#include "base/csv.hpp"

namespace bellows::slack {

namespace {

/// Returns true for a line of column names.
bool is_header(const CsvReader& csv) {
  return csv.line() == 1 && (csv.field(0) == "name" || csv.field(0) == "type");
}

Result<void> want_fields(const CsvReader& csv, std::string_view names, std::size_t least,
                         std::size_t most) {
  if (csv.fields() >= least && csv.fields() <= most) return {};
  return fail(csv.wrong("line", std::to_string(csv.fields()) + " fields", std::string(names)));
}

Result<std::string> name(const CsvReader& csv, std::size_t at, std::string_view column) {
  if (csv.field(at).empty()) return fail(csv.wrong(column, "", "a name"));
  return std::string(csv.field(at));
}

/// Parses "k=v;k=v" or an empty text.
Result<Labels> labels(const CsvReader& csv, std::size_t at, std::string_view column) {
  Labels labels;
  if (at >= csv.fields()) return labels;
  std::string_view rest = csv.field(at);
  while (!rest.empty()) {
    const auto end = rest.find(';');
    const std::string_view pair = rest.substr(0, end);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return fail(csv.wrong(column, pair, "key=value pairs, separated by ;"));
    labels.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return sorted_labels(std::move(labels));
}

Result<bool> flag(const CsvReader& csv, std::size_t at, std::string_view column) {
  const std::string_view text = csv.field(at);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return fail(csv.wrong(column, text, "true or false"));
}

Result<Resources> read_resources(const CsvReader& csv, std::size_t at) {
  BELLOWS_TRY(const std::int64_t cpu, csv.count(at, "cpu_millicores", kMaxMillicores));
  BELLOWS_TRY(const std::int64_t memory, csv.count(at + 1, "memory_bytes", kMaxMemoryBytes));
  return Resources{cpu, memory, 1};
}

Result<NodeSpec> read_node(const CsvReader& csv) {
  BELLOWS_CHECKED(want_fields(
      csv, "name,type,cpu_millicores,memory_bytes,pods,ready,labels (labels may be left out)", 6,
      7));
  NodeSpec node;
  BELLOWS_TRY(node.name, name(csv, 0, "name"));
  BELLOWS_TRY(node.type, name(csv, 1, "type"));
  BELLOWS_TRY(node.allocatable, read_resources(csv, 2));
  BELLOWS_TRY(node.allocatable.pods, csv.count(4, "pods", kMaxPods));
  BELLOWS_TRY(node.is_ready, flag(csv, 5, "ready"));
  BELLOWS_TRY(node.labels, labels(csv, 6, "labels"));
  if (!find_label(node.labels, kHostname)) {
    node.labels.emplace_back(kHostname, node.name);
    node.labels = sorted_labels(std::move(node.labels));
  }
  return node;
}

Result<void> read_annotations(const CsvReader& csv, const Labels& annotations, Shape& shape) {
  if (const auto text = find_label(annotations, kMirrorAnnotation)) {
    const auto count = mirror_count(*text);
    if (!count) return fail(csv.wrong(kMirrorAnnotation, *text, std::string(kMirrorValues)));
    shape.mirrors = *count;
  }
  if (const auto text = find_label(annotations, kExemptAnnotation)) {
    const auto flag = exempt_flag(*text);
    if (!flag) return fail(csv.wrong(kExemptAnnotation, *text, std::string(kExemptValues)));
    shape.is_exempt = *flag;
  }
  return {};
}

Result<PodEntry> read_pod(const CsvReader& csv) {
  BELLOWS_CHECKED(want_fields(csv,
                              "name,owner,node,cpu_millicores,memory_bytes,labels,annotations (the "
                              "last two may be left out)",
                              5, 7));
  PodEntry pod;
  BELLOWS_TRY(pod.name, name(csv, 0, "name"));
  const std::string owner(csv.field(1));
  pod.node = csv.field(2);
  Shape& shape = pod.shape;
  BELLOWS_TRY(shape.requests, read_resources(csv, 3));
  BELLOWS_TRY(shape.labels, labels(csv, 5, "labels"));
  BELLOWS_TRY(const Labels annotations, labels(csv, 6, "annotations"));
  const auto slash = pod.name.find('/');
  shape.space = slash == std::string::npos ? "default" : pod.name.substr(0, slash);
  shape.name = owner.empty() ? pod.name : owner;
  // A pod without a controller is not replaced elsewhere.
  shape.can_move = !owner.empty();
  shape.is_daemon = owner.find("DaemonSet/") != std::string::npos;
  BELLOWS_CHECKED(read_annotations(csv, annotations, shape));
  return pod;
}

Result<NodeType> read_type(const CsvReader& csv) {
  BELLOWS_CHECKED(want_fields(csv,
                              "type,cpu_millicores,memory_bytes,pods,price,max_nodes,labels (the "
                              "last three may be left out)",
                              4, 7));
  NodeType type;
  BELLOWS_TRY(type.name, name(csv, 0, "type"));
  BELLOWS_TRY(type.allocatable, read_resources(csv, 1));
  BELLOWS_TRY(type.allocatable.pods, csv.count(3, "pods", kMaxPods));
  type.price = price_of(type.allocatable);
  if (csv.fields() > 4 && !csv.field(4).empty()) {
    BELLOWS_TRY(type.price, csv.number(4, "price", 1e9));
  }
  if (csv.fields() > 5 && !csv.field(5).empty()) {
    BELLOWS_TRY(type.max_nodes, csv.count(5, "max_nodes", 1'000'000));
  }
  BELLOWS_TRY(type.labels, labels(csv, 6, "labels"));
  return type;
}

template <class Row, class Read>
Result<std::vector<Row>> read_rows(const CsvText& text, Read read) {
  CsvReader csv(text.file, text.text);
  std::vector<Row> rows;
  while (csv.next()) {
    if (is_header(csv)) continue;
    BELLOWS_TRY(Row row, read(csv));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<std::vector<NodeSpec>> read_nodes(const CsvText& csv) {
  return read_rows<NodeSpec>(csv, read_node);
}

Result<std::vector<PodEntry>> read_pods(const CsvText& csv) {
  return read_rows<PodEntry>(csv, read_pod);
}

Result<std::vector<NodeType>> read_types(const CsvText& csv) {
  return read_rows<NodeType>(csv, read_type);
}

}  // namespace bellows::slack
