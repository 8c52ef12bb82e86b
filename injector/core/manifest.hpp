// A file of manifests: its documents, each with its text and its tree.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "injector/core/node.hpp"

namespace bellows::injector {

/// Reads one document, which ends with a line break. An empty one is kNull. Errors have the line
/// within the text as culprit: "line 7". Programs use the function of injector/yaml/read.hpp.
using ReadDocument = std::function<Result<Node>(std::string_view text)>;

/// One document between two lines of `---`, or one of several JSON objects in a row.
struct Document {
  std::string text;            ///< with the `---` before it, and a line break at its end
  std::size_t first_line = 1;  ///< in its file
  bool has_no_end = false;     ///< the line break at its end is not in the file
  Node root;
};

struct Manifest {
  std::string file;         ///< the name given by the user, for reports
  std::string before = {};  ///< a byte order mark, which is not part of the first document
  std::vector<Document> documents = {};
};

/// Reads a file. Errors are "not UTF-8", or those of `read`, with file and line as culprit.
Result<Manifest> read_manifest(std::string file, std::string_view text, const ReadDocument& read);
/// Returns the text of the file.
std::string manifest_text(const Manifest& manifest);

}  // namespace bellows::injector
