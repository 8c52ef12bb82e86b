// The declarations as text for people.
#pragma once

#include <string>
#include <vector>

#include "config/field.hpp"

namespace bellows::config {

/// What a flag's help says behind its name: help, valid range, default and variable (if it has
/// one), one paragraph.
std::string flag_text(const Declaration& declaration);

/// All settings as lines of a terminal, `width` columns wide, under their headings.
std::string flag_help(const std::vector<Declaration>& declarations, std::size_t width = 100);

/// One Markdown table per heading (### and the heading).
std::string markdown_tables(const std::vector<Declaration>& declarations);

}  // namespace bellows::config
