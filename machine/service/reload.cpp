#include "machine/service/reload.hpp"

namespace bellows::machine {

std::vector<std::string> after_restart(const config::RunSettings& running,
                                       const config::RunSettings& requested) {
  std::vector<std::string> names;
  for (const config::Change& change : config::up_schema().changes(running, requested)) {
    names.push_back(change.name);
  }
  return names;
}

}  // namespace bellows::machine
