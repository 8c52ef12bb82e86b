#include "base/yaml/document_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/yaml/list_alignment.hpp"

namespace bellows::yaml {

namespace {

/// Returns true if `text` begins with a quote that is never closed. yaml-cpp 0.7 extends such a
/// scalar to the end of the file without an error.
bool is_open_quote(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return false;
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool is_doubled = quote == '\'' && text.substr(i).starts_with("''");
    if (is_doubled || (quote == '"' && text[i] == '\\')) {
      ++i;
    } else if (text[i] == quote) {
      return false;
    }
  }
  return true;
}

/// Returns what helps against an error that a line with too many or too few blanks causes.
std::string indentation_hint(const YAML::Exception& error) {
  const std::string_view kMessages[] = {YAML::ErrorMsg::END_OF_SEQ, YAML::ErrorMsg::END_OF_MAP,
                                        YAML::ErrorMsg::MAP_VALUE, YAML::ErrorMsg::MAP_KEY,
                                        YAML::ErrorMsg::BLOCK_ENTRY};
  if (std::ranges::find(kMessages, error.msg) == std::end(kMessages)) return {};
  return "; look at the indentation of line " + std::to_string(error.mark.line + 1) +
         ", and at brackets before it";
}

/// Builds the tree from the events of the parser. yaml-cpp's own nodes lose the second of two equal
/// keys, expand aliases without limit, and read 010 as 8.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, std::string_view source)
      : file_(std::move(file)), source_(source) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!first_document_) {
      first_document_ = mark.pos;
    } else if (*first_document_ == mark.pos) {  // yaml-cpp 0.7 never advances from here
      problem(mark, "YAML", "nothing can begin like this; want \"key: value\"");
    } else {
      problem(mark, "document", "a second one begins here; want one in a file");
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    leaf(node(mark, DocumentNode::Kind::kNothing));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    problem(mark, "alias", "want the value written out");
    leaf(node(mark, DocumentNode::Kind::kNothing));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (is_open_quote(source_.substr(std::min<std::size_t>(mark.pos, source_.size())))) {
      problem(mark, "YAML", "the quote that begins here is never closed");
    }
    DocumentNode text = node(mark, DocumentNode::Kind::kText);
    text.text = value;
    leaf(std::move(text));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    open_.push_back({node(mark, DocumentNode::Kind::kList), {}});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    open_.push_back({node(mark, DocumentNode::Kind::kMap), {}});
  }
  void OnMapEnd() override { close(); }

  void problem(const YAML::Mark& mark, const std::string& key, std::string message) {
    const int line = mark.line + 1;  // yaml-cpp counts from 0
    problems.emplace_back(ErrorKind::kInvalidSetting,
                          file_ + ":" + std::to_string(line) + ": " + key, std::move(message));
  }

  DocumentNode root;
  std::vector<Error> problems;

 private:
  struct Open {
    DocumentNode node;
    std::optional<DocumentMember> member;  // a key whose value is next
  };

  static DocumentNode node(const YAML::Mark& mark, DocumentNode::Kind kind) {
    DocumentNode made;
    made.kind = kind;
    made.line = mark.line + 1;
    return made;
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) problem(mark, "anchor", "want the value without &NAME");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    // "?" is a plain value, "!" a quoted one.
    if (!tag.empty() && tag != "?" && tag != "!") {
      problem(mark, "tag " + tag, "want the value without it");
    }
  }

  void close() {
    DocumentNode done = std::move(open_.back().node);
    open_.pop_back();
    leaf(std::move(done));
  }

  /// Adds a finished value to the node that encloses it.
  void leaf(DocumentNode done) {
    if (open_.empty()) {
      root = std::move(done);
    } else if (Open& parent = open_.back(); parent.node.kind == DocumentNode::Kind::kList) {
      parent.node.items.push_back(std::move(done));
    } else if (!parent.member) {
      parent.member = key(std::move(done));
    } else {
      parent.member->value = std::move(done);
      add_member(parent.node, *std::exchange(parent.member, std::nullopt));
    }
  }

  DocumentMember key(DocumentNode done) {
    if (done.kind != DocumentNode::Kind::kText) {
      problems.emplace_back(ErrorKind::kInvalidSetting,
                            file_ + ":" + std::to_string(done.line) + ": key", "want a plain word");
    }
    return {.key = std::move(done.text), .line = done.line, .value = {}};
  }

  void add_member(DocumentNode& map, DocumentMember member) {
    for (const DocumentMember& earlier : map.members) {
      if (earlier.key != member.key) continue;
      problems.emplace_back(
          ErrorKind::kInvalidSetting, file_ + ":" + std::to_string(member.line) + ": " + member.key,
          "the key is set in line " + std::to_string(earlier.line) + " already; want it once");
      return;
    }
    map.members.push_back(std::move(member));
  }

  std::string file_;
  std::string_view source_;            // the whole text
  std::optional<int> first_document_;  // its position
  std::vector<Open> open_;
};

DocumentOrProblems parse_exactly(std::string file, std::string_view text) {
  TreeBuilder builder(file, text);
  std::istringstream input{std::string(text)};
  try {
    YAML::Parser parser(input);
    while (builder.problems.empty() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    builder.problem(error.mark, "YAML", error.msg + indentation_hint(error));
  }
  if (!builder.problems.empty()) return tl::unexpected(std::move(builder.problems));
  return Document{.file = std::move(file), .root = std::move(builder.root)};
}

}  // namespace

namespace {

/// Returns the first line that is indented by a tab, which YAML forbids and an editor shows as
/// blanks; 0: there is none.
int tab_line(std::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view words = text.substr(at, end - at);
    const std::size_t indent = std::min(words.find_first_not_of(" \t"), words.size());
    if (words.substr(0, indent).find('\t') != std::string_view::npos) return line;
    at = end + 1;
  }
  return 0;
}

}  // namespace

DocumentOrProblems parse_document(std::string file, std::string_view text) {
  auto parsed = parse_exactly(file, text);
  if (parsed) return parsed;
  if (const int line = tab_line(text); line > 0) {
    return tl::unexpected(
        std::vector{Error(ErrorKind::kInvalidSetting, file + ":" + std::to_string(line) + ": YAML",
                          "the line is indented by a tab; want blanks")});
  }
  const std::string aligned = aligned_lists(text);
  auto aligned_document = parse_exactly(file, aligned);
  return aligned_document ? aligned_document : parsed;
}

DocumentOrProblems read_document(const std::string& path) {
  constexpr std::streamsize kLargest = std::streamsize{1024} * 1024;
  const auto failed = [](Error error) {
    return tl::unexpected(std::vector<Error>{std::move(error)});
  };
  errno = 0;
  std::ifstream input(path, std::ios::binary);
  if (!input) return failed(system_error(path, "cannot open the file", errno));
  std::string text(kLargest + 1, '\0');
  input.read(text.data(), kLargest + 1);
  if (input.bad()) return failed(system_error(path, "cannot read the file", errno));
  if (input.gcount() > kLargest) {
    return failed({ErrorKind::kTooLarge, path, "want a file of at most 1 MiB"});
  }
  text.resize(static_cast<std::size_t>(input.gcount()));
  return parse_document(path, text);
}

}  // namespace bellows::yaml
