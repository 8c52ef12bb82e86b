#include "machine/service/waiting_page.hpp"

#include <string>

#include "activator/service/page_files.hpp"
#include "config/waiting_page.hpp"

namespace bellows::machine {

Result<void> check_waiting_page(const config::RevisionSettings& settings) {
  const std::string& page = settings.callers.waiting_page;
  if (page.empty() || page == config::kBuiltInPage) return {};
  const auto text = activator::read_page(page);
  if (text) return {};
  return fail(ErrorKind::kInvalidSetting, "waiting-page",
              "\"" + page + "\" " + text.error().message() + "; want an HTML file, or built-in");
}

}  // namespace bellows::machine
