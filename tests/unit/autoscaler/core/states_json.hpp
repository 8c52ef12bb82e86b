// A whole state file in one piece, as the service writes it in parts.
#pragma once

#include <string>

#include "autoscaler/service/state_file.hpp"

namespace bellows::autoscaler {

inline std::string states_json(const SavedStates& states) {
  std::string text = states_head(states.at, states.series);
  for (const auto& [id, state] : states.revisions) append_state(text, id, state, states.at.now);
  return text.append(kStatesEnd);
}

}  // namespace bellows::autoscaler
