// Manifests from files, folders and standard input; and how they are printed.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "injector/core/manifest.hpp"

namespace bellows::cli {

/// The files that `argument` means: itself, or the YAML and JSON files of a folder and its folders,
/// by name. kNotFound for a folder without any.
Result<std::vector<std::string>> manifest_files(const std::string& argument);

/// Reads all files, folders and standard inputs ("-") that `arguments` name.
Result<std::vector<injector::Manifest>> read_manifests(const std::vector<std::string>& arguments);

/// The manifests as one stream. Of several files each document begins with ---, unless it is the
/// first and no JSON: kubectl takes a stream that begins with a bracket as JSON to its end.
std::string joined_text(const std::vector<injector::Manifest>& manifests);

}  // namespace bellows::cli
