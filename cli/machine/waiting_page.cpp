#include "cli/machine/waiting_page.hpp"

#include <string>

#include "base/sys/file.hpp"
#include "config/waiting_page.hpp"

namespace bellows::cli {

Result<void> check_waiting_page(const config::Service& service) {
  constexpr std::size_t kMostBytes = 256 * 1024;  // it is kept in memory
  const std::string& page = service.settings.callers.waiting_page;
  if (page.empty() || page == config::kBuiltInPage) return {};
  const std::string culprit = "service " + service.name.text() + ": waiting-page";
  const auto text = sys::read_whole_file(page, "file");
  if (!text) {
    return fail(Error(ErrorKind::kInvalidSetting, culprit,
                      "\"" + page + "\" cannot be read; want an HTML file, or built-in")
                    .caused_by(text.error()));
  }
  if (text->empty() || text->size() > kMostBytes) {
    return fail(ErrorKind::kInvalidSetting, culprit,
                "\"" + page + "\" has " + std::to_string(text->size()) + " bytes; want 1 to " +
                    std::to_string(kMostBytes));
  }
  return {};
}

}  // namespace bellows::cli
