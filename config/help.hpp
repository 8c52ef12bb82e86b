// The declarations as help text.
#pragma once

#include <string>
#include <vector>

#include "config/field.hpp"

namespace bellows::config {

/// Returns the help of a flag in one paragraph: help, valid values, default and variable (if it has
/// one).
std::string flag_text(const Declaration& declaration);

/// Returns "--once", "-o, --output": a flag, with its alias if that has one letter.
std::string flag_words(const Declaration& declaration);

/// Returns all settings under their headings, wrapped to `width` columns.
std::string flag_help(const std::vector<Declaration>& declarations, std::size_t width = 100);

/// Returns the settings of tier main under one heading; empty if all have that tier.
std::vector<Declaration> main_settings(const std::vector<Declaration>& declarations);

}  // namespace bellows::config
