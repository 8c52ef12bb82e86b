#include "injector/yaml/read.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "injector/core/layout.hpp"

namespace bellows::injector {

namespace {

/// What all anchors, and all aliases, of a document may hold: a few lines can name more than fits
/// in memory.
constexpr std::size_t kMaxCopies = 100'000;

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
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) return refuse(mark.pos, "an alias of what encloses it");
    copies_ += named->second.size;
    if (copies_ > kMaxCopies) return refuse(mark.pos, "its aliases hold too many values");
    Node copy = named->second.node;
    copy.begin = static_cast<std::size_t>(std::max(mark.pos, 0));
    copy.is_alias = true;
    copy.anchor = static_cast<std::uint32_t>(anchor);
    named->second.is_used = true;
    leaf(std::move(copy));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node scalar = node(mark, Node::Kind::kScalar, tag, anchor);
    scalar.is_quoted = tag == "!";
    scalar.text = value;
    // yaml-cpp 0.7 extends a quote that is never closed to the end of the text without an error.
    const std::size_t begin = layout_.behind_anchor(scalar.begin);
    if (scalar.is_quoted && !scalar.has_tag && layout_.is_open_quote(begin)) {
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

  /// Marks what cannot be changed alone: see Node::is_shared.
  void mark_shared(Node& node, bool is_below) const {
    const auto own = anchors_.find(static_cast<YAML::anchor_t>(node.anchor));
    const bool is_named = node.anchor != 0 && own != anchors_.end() && own->second.is_used;
    node.is_shared = is_below || node.is_alias || is_named;
    for (Entry& entry : node.entries) mark_shared(entry.value, node.is_shared);
    for (Entry& entry : node.merged) mark_shared(entry.value, true);
    for (Node& item : node.items) mark_shared(item, node.is_shared);
  }

  bool has_aliases() const { return copies_ > 0; }

  /// The first one counts.
  void refuse(long at, std::string message) {
    if (!problem) problem = {static_cast<std::size_t>(std::max(at, 0L)), std::move(message)};
  }

  Node root;
  std::optional<Problem> problem;

 private:
  /// A value with an anchor.
  struct Anchored {
    Node node;
    std::size_t size = 0;  // values in it
    bool is_used = false;  // an alias names it
  };

  static std::size_t size_of(const Node& node) {
    std::size_t size = 1;
    for (const Entry& entry : node.entries) size += 1 + size_of(entry.value);
    for (const Entry& entry : node.merged) size += 1 + size_of(entry.value);
    for (const Node& item : node.items) size += size_of(item);
    return size;
  }

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
    made.has_tag = !tag.empty() && tag != "?" && tag != "!";
    made.anchor = static_cast<std::uint32_t>(anchor);
    return made;
  }

  void open(Node begun, YAML::EmitterStyle::value style) {
    begun.is_flow = style == YAML::EmitterStyle::Flow;
    open_.push_back({.node = std::move(begun)});
  }

  void close() {
    Node done = std::move(open_.back().node);
    open_.pop_back();
    merge(done);
    leaf(std::move(done));
  }

  /// Adds the entries of a map that `map` does not have.
  void merge_from(const Node& other, Node& map) {
    for (const Entry* const entry : other.all_entries()) {
      if (map.find(entry->key.text) != nullptr) continue;
      copies_ += size_of(entry->value);
      if (copies_ > kMaxCopies) return refuse(0, "its merge keys hold too many values");
      map.merged.push_back(*entry);
    }
  }

  void merge(Node& map) {
    const auto index = map.index_of("<<");
    if (!index || !is_merge(map.entries[*index])) return;
    const Node& others = map.entries[*index].value;
    if (others.is_map()) return merge_from(others, map);
    for (const Node& other : others.items) merge_from(other, map);
  }

  /// Adds a finished value to the node that encloses it.
  void leaf(Node done) {
    const bool is_key = !open_.empty() && open_.back().node.is_map() && !open_.back().key;
    if (done.anchor != 0 && !done.is_alias) {
      // The column of a key is that of its anchor.
      const bool has_text = done.kind != Node::Kind::kNull;
      if (!is_key && has_text) done.begin = layout_.behind_anchor(done.begin);
      const std::size_t size = size_of(done);
      held_ += size;
      if (held_ > kMaxCopies) return refuse(0, "its anchors hold too many values");
      anchors_.insert_or_assign(static_cast<YAML::anchor_t>(done.anchor),
                                Anchored{.node = done, .size = size});
    }
    if (open_.empty()) {
      root = std::move(done);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.is_sequence()) {
      parent.node.items.push_back(std::move(done));
    } else if (!parent.key) {
      if (!done.is_scalar() || done.is_alias)
        refuse(static_cast<long>(done.begin), "a key that is no word");
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
  std::size_t copies_ = 0;  // values of aliases
  std::size_t held_ = 0;    // values with an anchor, each as often as anchors enclose it
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::vector<Open> open_;
};

/// Tells each collection in lines where the next value after it begins.
void set_bounds(Node& node, std::size_t bound, const Layout& layout) {
  if (node.is_alias) return;
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
  if (builder.has_aliases()) builder.mark_shared(builder.root, false);
  return std::move(builder.root);
}

}  // namespace bellows::injector
