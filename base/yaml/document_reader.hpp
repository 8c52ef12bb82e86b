// Reads YAML as a tree of texts.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/document.hpp"
#include "base/error.hpp"

namespace bellows::yaml {

/// A document, or every problem that was found, each with file and line.
using DocumentOrProblems = tl::expected<Document, std::vector<Error>>;

/// Reads the file at `path`, of at most 1 MiB. Returns a single error if it cannot be read;
/// otherwise the result of parse_document().
DocumentOrProblems read_document(const std::string& path);

/// Parses `text`; if that fails, parses it once more with its lists aligned (list_alignment.hpp).
/// Syntax errors, a key twice in a map, anchors, aliases, tags and a second document are problems,
/// with their lines. `file` is the name in errors.
DocumentOrProblems parse_document(std::string file, std::string_view text);

}  // namespace bellows::yaml
