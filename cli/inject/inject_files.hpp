// Reads manifests from files, folders and standard input, and joins them for printing.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "injector/core/manifest.hpp"

namespace bellows::cli {

/// Returns the files that `argument` names: itself, or the YAML and JSON files of a folder and its
/// subfolders, by name. kNotFound for a folder without any.
Result<std::vector<std::string>> manifest_files(const std::string& argument);

/// Reads all files, folders and standard inputs ("-") that `arguments` name.
Result<std::vector<injector::Manifest>> read_manifests(const std::vector<std::string>& arguments);

/// Joins the manifests to one stream. With several files each document begins with ---, unless it
/// is the first and no JSON: kubectl reads a stream that begins with a bracket as JSON to its end.
std::string joined_text(const std::vector<injector::Manifest>& manifests);

}  // namespace bellows::cli
