// Reads a YAML file as a tree of texts.
#pragma once

#include <string>
#include <string_view>

#include "config/document.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Reads the file at `path`. A single error if it cannot be read; otherwise as parse_document().
Checked<Document> read_document(const std::string& path);

/// Parses `text`. Syntax errors, a key twice in a map, anchors, aliases, tags and a second document
/// are problems, with their lines. `file` is the name in errors.
Checked<Document> parse_document(std::string file, std::string_view text);

}  // namespace bellows::config
