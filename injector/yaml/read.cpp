#include "injector/yaml/read.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "injector/core/layout.hpp"

namespace bellows::injector {

namespace {

/// Up to this size a map is searched for a key twice without a set.
constexpr std::size_t kSmallMap = 12;

/// Why a document cannot be read, and where.
struct Problem {
  std::size_t at = 0;
  std::string message;
};

/// Builds the tree from the events of the parser: yaml-cpp's own nodes lose the second of two equal
/// keys, and do not tell brackets from lines.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const Layout& layout) : layout_(layout) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(has_begun_, true)) refuse(mark.pos, "a second document begins without ---");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(node(mark, Node::Kind::kNull, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    leaf(node(mark, Node::Kind::kAlias, "", 0));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node scalar = node(mark, Node::Kind::kScalar, tag, anchor);
    scalar.is_quoted = tag == "!";
    scalar.text = value;
    // yaml-cpp 0.7 extends a quote that is never closed to the end of the text without an error.
    if (scalar.is_quoted && !scalar.has_properties && layout_.is_open_quote(scalar.begin)) {
      refuse(mark.pos, "the quote that begins here is never closed");
    }
    leaf(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(node(mark, Node::Kind::kSequence, tag, anchor), style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(node(mark, Node::Kind::kMap, tag, anchor), style);
  }
  void OnMapEnd() override { close(); }

  /// The first one counts.
  void refuse(long at, std::string message) {
    if (!problem) problem = {static_cast<std::size_t>(std::max(at, 0L)), std::move(message)};
  }

  Node root;
  std::optional<Problem> problem;

 private:
  struct Open {
    Node node;
    std::optional<Node> key = {};  // its value comes next
    std::unordered_set<std::string> keys = {};
  };

  static Node node(const YAML::Mark& mark, Node::Kind kind, const std::string& tag,
                   YAML::anchor_t anchor) {
    Node made;
    made.kind = kind;
    made.begin = static_cast<std::size_t>(std::max(mark.pos, 0));
    // "?" is a plain value, "!" a quoted one.
    made.has_properties = anchor != 0 || (!tag.empty() && tag != "?" && tag != "!");
    return made;
  }

  void open(Node begun, YAML::EmitterStyle::value style) {
    begun.is_flow = style == YAML::EmitterStyle::Flow;
    open_.push_back({.node = std::move(begun)});
  }

  void close() {
    Node done = std::move(open_.back().node);
    open_.pop_back();
    leaf(std::move(done));
  }

  /// Adds a finished value to the node that encloses it.
  void leaf(Node done) {
    if (open_.empty()) {
      root = std::move(done);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.is_sequence()) {
      parent.node.items.push_back(std::move(done));
    } else if (!parent.key) {
      if (!done.is_scalar()) refuse(static_cast<long>(done.begin), "a key that is no word");
      if (is_known(parent, done.text)) {
        refuse(static_cast<long>(done.begin), "the key \"" + done.text + "\" is there already");
      }
      parent.key = std::move(done);
    } else {
      parent.node.entries.push_back({.key = std::move(*parent.key), .value = std::move(done)});
      parent.key.reset();
    }
  }

  static bool is_known(Open& map, const std::string& key) {
    if (map.node.entries.size() < kSmallMap) return map.node.find(key) != nullptr;
    if (map.keys.empty()) {
      for (const Entry& entry : map.node.entries) map.keys.insert(entry.key.text);
    }
    return !map.keys.insert(key).second;
  }

  const Layout& layout_;
  bool has_begun_ = false;
  std::vector<Open> open_;
};

/// Tells each collection in lines where the next value after it begins.
void set_bounds(Node& node, std::size_t bound, const Layout& layout) {
  node.bound = bound;
  if (node.is_flow) return;  // its brackets tell
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const bool is_last = i + 1 == node.entries.size();
    set_bounds(node.entries[i].value, is_last ? bound : node.entries[i + 1].key.begin, layout);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const bool is_last = i + 1 == node.items.size();
    set_bounds(node.items[i], is_last ? bound : layout.dash_of(node, i + 1), layout);
  }
}

/// A line with three dots ends the document.
std::size_t content_end(std::string_view text) {
  for (std::size_t at = text.find("..."); at != std::string_view::npos;
       at = text.find("...", at + 3)) {
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    if (begins_line && text.find_first_of(" \t\r\n", at) == at + 3) return at;
  }
  return text.size();
}

}  // namespace

Result<Node> read_yaml(std::string_view text) {
  const Layout layout(text);
  TreeBuilder builder(layout);
  std::istringstream input{std::string(text)};
  try {
    YAML::Parser parser(input);
    while (!builder.problem && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    builder.refuse(error.mark.pos, error.msg);
  }
  if (builder.problem) {
    const std::string_view before = text.substr(0, std::min(builder.problem->at, text.size()));
    return fail(ErrorKind::kMalformed,
                "line " + std::to_string(1 + std::ranges::count(before, '\n')),
                builder.problem->message);
  }
  set_bounds(builder.root, content_end(text), layout);
  return std::move(builder.root);
}

}  // namespace bellows::injector
