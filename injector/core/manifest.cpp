#include "injector/core/manifest.hpp"

#include <algorithm>

#include "injector/core/layout.hpp"

namespace bellows::injector {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool begins_document(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || line.find_first_of(" \t\r\n") == 3);
}

/// Neither blank nor a comment nor a directive, nor the marker of a document.
bool has_content(std::string_view line) {
  if (begins_document(line)) return line.find_first_not_of(" \t\r\n", 3) != std::string_view::npos;
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && line[first] != '#' && line[0] != '%';
}

/// JSON objects may follow each other with white space, or nothing, between them, as kubectl reads
/// them.
void split_objects(std::string_view part, std::vector<std::string_view>& parts) {
  constexpr std::string_view kSpace = " \t\r\n";
  for (;;) {
    Node object;
    object.is_flow = true;
    object.begin = std::min(part.find_first_not_of(kSpace), part.size());
    if (!part.substr(object.begin).starts_with('{')) break;
    const auto extent = Layout(part).value_extent(object);
    const std::size_t end = std::min(extent ? extent->end : part.size(), part.size());
    const std::size_t next = std::min(part.find_first_not_of(kSpace, end), part.size());
    if (!part.substr(next).starts_with('{')) break;
    parts.push_back(part.substr(0, next));
    part.remove_prefix(next);
  }
  parts.push_back(part);
}

/// What stands before the first `---` belongs to the document behind it.
std::vector<std::string_view> documents_of(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool is_begun = false;  // content or a marker was seen
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
    const std::string_view words = text.substr(line, end - line);
    if (begins_document(words) && is_begun) {
      split_objects(text.substr(begin, line - begin), parts);
      begin = line;
    }
    is_begun = is_begun || begins_document(words) || has_content(words);
    line = end;
  }
  if (begin < text.size()) split_objects(text.substr(begin), parts);
  return parts;
}

Error at_line(const std::string& file, std::size_t first_line, const Error& error) {
  // The reader counts from the first line of the document.
  std::string culprit = error.culprit();
  constexpr std::string_view kLine = "line ";
  if (culprit.starts_with(kLine)) {
    const std::size_t line = std::stoul(culprit.substr(kLine.size())) + first_line - 1;
    culprit = file + ":" + std::to_string(line);
  } else {
    culprit = file + ": " + culprit;
  }
  return {error.kind(), culprit, error.message()};
}

}  // namespace

Result<Manifest> read_manifest(std::string file, std::string_view text, const ReadDocument& read) {
  Manifest manifest{.file = std::move(file), .before = {}, .documents = {}};
  if (text.find('\0') != std::string_view::npos) {
    return fail(ErrorKind::kMalformed, manifest.file, "a zero byte: want UTF-8");
  }
  if (text.starts_with(kByteOrderMark)) {
    manifest.before = kByteOrderMark;
    text.remove_prefix(kByteOrderMark.size());
  }
  std::size_t line = 1;
  for (const std::string_view part : documents_of(text)) {
    Document document{.text = std::string(part),
                      .first_line = line,
                      .has_no_end = part.back() != '\n',
                      .root = {}};
    if (document.has_no_end) document.text += '\n';
    auto root = read(document.text);
    if (!root) return fail(at_line(manifest.file, line, root.error()));
    document.root = std::move(*root);
    line += static_cast<std::size_t>(std::ranges::count(part, '\n'));
    manifest.documents.push_back(std::move(document));
  }
  return manifest;
}

std::string manifest_text(const Manifest& manifest) {
  std::string text = manifest.before;
  for (const Document& document : manifest.documents) {
    text += document.text;
    if (document.has_no_end) text.pop_back();
  }
  return text;
}

}  // namespace bellows::injector
