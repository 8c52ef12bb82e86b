#include "machine/core/file_services.hpp"

#include <algorithm>

namespace bellows::machine {
namespace {

const RevisionId& name_of(const SharedService& service) {
  return service->name;
}

}  // namespace

FileServices file_services(std::vector<config::Service> services, const FileServices& known) {
  FileServices file(std::make_move_iterator(services.begin()),
                    std::make_move_iterator(services.end()));
  std::ranges::stable_sort(file, {}, name_of);
  auto same = known.begin();
  for (SharedService& service : file) {
    same = std::ranges::lower_bound(same, known.end(), service->name, {}, name_of);
    if (same != known.end() && *same == service) service = *same;
  }
  return file;
}

}  // namespace bellows::machine
